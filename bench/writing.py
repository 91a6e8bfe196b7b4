"""Writing: durable entries one by one, alone, and in batches, indexing included."""

from __future__ import annotations

import json
import os
import time
from itertools import islice

from bench.bare import Appender
from bench.rounds import Samples, interleaved
from bench.row import Row, ms
from bench.run import Run

_BATCH = 100
_HELD = 5_000  # entries that the default session has before
_BURST = 66  # entries: twice as many as are indexed together at most


def line_of(text: str) -> bytes:
    """A line of the length that a journal's line has."""
    record = {"id": "mem_" + "0" * 26, "session_id": "sess_20261115_000000", "content": {"text": text}}
    return json.dumps({**record, "filler": "x" * 280}).encode() + b"\n"


def single(run: Run) -> list[Row]:
    """One entry after the other, by handle and by key, and one alone, beside flock + append + fdatasync of as much."""
    with run.homes.fresh() as memory:
        session, file = memory.create_session(), Appender(os.path.join(run.homes.folder, "bare.jsonl"))
        texts = run.corpus.turns(1 << 30, part=3)

        def ours(count: int) -> None:
            for text in islice(texts, count):
                session.add(text, role="user")

        def bare(count: int) -> None:
            for text in islice(texts, count):
                file.append(line_of(text))

        def by_key(count: int) -> None:
            for text in islice(texts, count):
                memory.add(text, role="user")

        memory.add_many({"text": text} for text in islice(texts, _HELD))
        burst = interleaved({"ours": lambda: ours(_BURST), "bare": lambda: bare(_BURST)}, run.rounds)
        keyed = interleaved({"ours": lambda: by_key(_BURST), "bare": lambda: bare(_BURST)}, run.rounds)
        alone = interleaved({"pause": _pause, "ours": lambda: ours(1), "bare": lambda: bare(1)}, run.rounds)
        file.close()
    return [
        _row("durable write, one entry after the other, indexed", burst, _BURST, 3),
        _row(f"durable write by key, in a session of {_HELD:,}", keyed, _BURST, 3),
        _row("durable write, one entry alone, indexed at once", alone, 1, None),
    ]


def _pause() -> None:
    """Longer than lines of a burst lie apart."""
    time.sleep(0.06)


def _row(what: str, took: dict[str, Samples], count: int, most: int | None) -> Row:
    ours, bare = took["ours"], took["bare"]
    ratio, slowest = ours.wall_at() / bare.wall_at(), ours.wall_at(95) / count
    return Row(
        what, f"{f'≤ {most} × bare; ' if most else ''}p95 < 50 ms",
        f"{ms(ours.wall_at() / count)} wall (p95 {ms(slowest)}), {ms(ours.cpu_at() / count)} CPU",
        f"{ms(bare.wall_at() / count)} wall, {ms(bare.cpu_at() / count)} CPU: flock + append + fdatasync",
        ratio, (most is None or ratio <= most) and slowest < 50,
    )  # fmt: skip


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
