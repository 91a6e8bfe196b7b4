"""Rebuilding the index of a 10 MiB session, and checking what is stored."""

from __future__ import annotations

import os

import holdfast
from bench import bare
from bench.homes import journals
from bench.rounds import interleaved
from bench.row import Row, ms
from bench.run import TURNS, Run


def rebuild(run: Run) -> list[Row]:
    """Checked, parsed and indexed, beside parse + FTS5 insert."""
    home = run.homes.session()
    journal, database = journals(home)[0], run.homes.path("bare.db")
    with holdfast.open(home, embedder="none") as memory:
        took = interleaved(
            {"ours": memory.reindex, "bare": lambda: bare.parse_and_insert(journal, database)}, max(3, run.rounds // 4)
        )
    ours, peer = took["ours"].cpu_at(), took["bare"].cpu_at()
    size = os.stat(journal).st_size / (1 << 20)
    return [Row(
        f"rebuild of a {size:.1f} MiB session", "≤ 2 × bare; ≤ 500 ms CPU",
        f"{ms(ours)} CPU, {ms(took['ours'].wall_at())} wall", f"{ms(peer)} CPU: parse + FTS5 insert",
        ours / peer, ours <= 2 * peer and ours <= 500,
    )]  # fmt: skip


def verify(run: Run) -> list[Row]:
    """Every line of every journal, and the index against them."""
    home = run.homes.of_turns(TURNS)
    files = journals(home)
    with holdfast.open(home) as memory:
        took = interleaved(
            {"ours": memory.verify, "bare": lambda: bare.check_and_parse(files)}, max(1, run.rounds // 15), warm=0
        )
    ours, peer = took["ours"].cpu_at(), took["bare"].cpu_at()
    what = f"verify of {TURNS:,} entries"
    return [Row(what, "—", f"{ms(ours)} CPU", f"{ms(peer)} CPU: sha256 + parse", ours / peer)]
