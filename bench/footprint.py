"""Footprint: memory of a process that opened, added and searched."""

from __future__ import annotations

import subprocess
import sys

from bench.row import Row
from bench.run import TURNS, Run

_RESIDENT = "print(int(open('/proc/self/statm').read().split()[1]) * 4096)"
_USED = f"""
import holdfast
with holdfast.open({{home!r}}) as memory:
    memory.add("The deploy key lives in the vault")
    for question in {{questions!r}}:
        memory.search(question, user="*", limit=20)
    {_RESIDENT}
"""


def memory(run: Run) -> list[Row]:
    """Resident memory with a small home, and how it grows with a large one."""
    questions = run.corpus.questions(30)
    bare = _resident(_RESIDENT)
    with run.homes.fresh() as handle:
        small = _resident(_USED.format(home=handle.home, questions=questions))
    large = _resident(_USED.format(home=run.homes.of_turns(TURNS), questions=questions))
    each = (large - small) / TURNS
    megabytes = small / 1e6
    return [
        Row("memory after open, add, search", "≤ 60 MB", f"{megabytes:.1f} MB", f"{bare / 1e6:.1f} MB: python -c pass",
            small / bare, megabytes <= 60),
        Row(f"memory an entry, {TURNS:,} entries", "≤ 1.6 KB", f"{each / 1000:.2f} KB ({large / 1e6:.1f} MB in all)",
            within=each <= 1600),
    ]  # fmt: skip


def _resident(program: str) -> int:
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return int(run.stdout.split()[-1])
