"""Footprint: memory of a process that opened, added and searched."""

from __future__ import annotations

import subprocess
import sys

from bench.row import Row
from bench.run import TURNS, Run

_RESIDENT = "print(int(open('/proc/self/statm').read().split()[1]) * 4096)"
_USED = f"""
import holdfast
with holdfast.open({{home!r}}, embedder={{embedder!r}}) as memory:
    memory.add("The deploy key lives in the vault")
    for question in {{questions!r}}:
        memory.search(question, user="*", limit=20)
    {_RESIDENT}
"""


def memory(run: Run) -> list[Row]:
    """Resident memory with a small home, and how it grows with a large one."""
    return [row for embedder, how in (("none", "by keyword"), ("auto", "hybrid")) for row in _rows(run, embedder, how)]


def _rows(run: Run, embedder: str, how: str) -> list[Row]:
    questions, bare = run.corpus.questions(30), _resident(_RESIDENT)
    with run.homes.fresh() as handle:
        small = _resident(_USED.format(home=handle.home, questions=questions, embedder=embedder))
    large = _resident(_USED.format(home=run.homes.of_turns(TURNS), questions=questions, embedder=embedder))
    each, megabytes = (large - small) / TURNS, small / 1e6
    return [
        Row(f"memory after open, add, search {how}", "≤ 60 MB", f"{megabytes:.1f} MB",
            f"{bare / 1e6:.1f} MB: python -c pass", small / bare, megabytes <= 60),
        Row(f"memory an entry, {TURNS:,} entries, {how}", "≤ 1.6 KB",
            f"{each / 1000:.2f} KB ({large / 1e6:.1f} MB in all)", within=each <= 1600),
    ]  # fmt: skip


def _resident(program: str) -> int:
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return int(run.stdout.split()[-1])
