"""Writing: one durable entry, and batches, indexed before the call returns."""

from __future__ import annotations

import json
import os

from bench.bare import Appender
from bench.rounds import interleaved
from bench.row import Row, ms
from bench.run import Run

_BATCH = 100


def line_of(text: str) -> bytes:
    """A line of the length that a journal's line has."""
    record = {"id": "mem_" + "0" * 26, "session_id": "sess_20261115_000000", "content": {"text": text}}
    return json.dumps({**record, "filler": "x" * 280}).encode() + b"\n"


def single(run: Run) -> list[Row]:
    """One entry, durable and indexed, beside flock + append + fdatasync of as many bytes."""
    rounds = run.rounds * 20
    texts = list(run.corpus.turns(2 * rounds + 2, part=3))
    ours, bare = iter(texts), iter([line_of(text) for text in texts])
    with run.homes.fresh() as memory:
        session, file = memory.create_session(), Appender(os.path.join(run.homes.folder, "bare.jsonl"))
        took = interleaved(
            {"ours": lambda: session.add(next(ours), role="user"), "bare": lambda: file.append(next(bare))}, rounds
        )
        file.close()
    ratio = took["ours"].wall_at() / took["bare"].wall_at()
    return [Row(
        "durable write, one entry, indexed", "≤ 3 × bare; p95 < 50 ms",
        f"{ms(took['ours'].wall_at())} wall (p95 {ms(took['ours'].wall_at(95))}), {ms(took['ours'].cpu_at())} CPU",
        f"{ms(took['bare'].wall_at())} wall, {ms(took['bare'].cpu_at())} CPU: flock + append + fdatasync",
        ratio, ratio <= 3 and took["ours"].wall_at(95) < 50,
    )]  # fmt: skip


def batches(run: Run) -> list[Row]:
    """A hundred entries with one sync, beside the same bytes in one bare write."""
    texts = list(run.corpus.turns((run.rounds + 1) * _BATCH, part=4))
    groups = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
    ours, bare = iter(groups), iter([b"".join(map(line_of, group)) for group in groups])
    with run.homes.fresh() as memory:
        session, file = memory.create_session(), Appender(os.path.join(run.homes.folder, "bare.jsonl"))
        took = interleaved({
            "ours": lambda: session.add_many({"text": text, "role": "user"} for text in next(ours)),
            "bare": lambda: file.append(next(bare)),
        }, run.rounds)  # fmt: skip
        file.close()
    rate, by_cpu, peer = (1000 * _BATCH / value for value in (
        took["ours"].wall_at(), took["ours"].cpu_at(), took["bare"].wall_at(),
    ))  # fmt: skip
    return [Row(
        "durable write, batches of 100", "≥ 10,000 entries/s", f"{rate:,.0f}/s wall, {by_cpu:,.0f}/s CPU",
        f"{peer:,.0f}/s wall: one write, one fdatasync", rate / peer, rate >= 10_000,
    )]  # fmt: skip
