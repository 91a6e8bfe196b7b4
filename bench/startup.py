"""Start-up: whole processes from nothing, beside an interpreter that does nothing.

Measured with compiled bytecode, as an installed package has it.
"""

from __future__ import annotations

import compileall
import os
import sys
from importlib.util import find_spec

import holdfast
from bench.rounds import Samples, children, interleaved
from bench.row import Row, ms
from bench.run import TURNS, Run

_PASS = "pass"
_IMPORT = "import holdfast"
_ADD = "import holdfast; memory = holdfast.open({!r}); memory.add('The deploy key is in the vault'); memory.close()"
_MAKE = "import holdfast, os; memory = holdfast.open({!r} + str(os.getpid())); memory.add('Hello'); memory.close()"
_OPEN = "import holdfast; holdfast.open({!r}).close()"


def cold(run: Run) -> list[Row]:
    """`import holdfast`, and a process that opens, adds one entry and closes."""
    _compile()
    with run.homes.fresh() as memory:
        took = _processes({"pass": _PASS, "import": _IMPORT, "add": _ADD.format(memory.home)}, run.rounds)
    first = _processes({"pass": _PASS, "make": _MAKE.format(run.homes.path("made"))}, run.rounds)
    return [
        _row("import holdfast, cold process", took["import"], took["pass"], None),
        _row("open, add, close in a cold process", took["add"], took["pass"], 5),
        _row("the same in a home that is made by it", first["make"], first["pass"], None),
    ]


def _compile() -> None:
    compileall.compile_dir(os.path.dirname(holdfast.__file__), quiet=1)


def _row(what: str, ours: Samples, bare: Samples, most: float | None) -> Row:
    ratio = ours.cpu_at() / bare.cpu_at()
    return Row(
        what, f"≤ {most} × python -c pass" if most else "—", f"{ms(ours.cpu_at())} CPU, {ms(ours.wall_at())} wall",
        f"{ms(bare.cpu_at())} CPU, {ms(bare.wall_at())} wall: python -c pass", ratio, ratio <= most if most else None,
    )  # fmt: skip


def crowd(run: Run) -> list[Row]:
    """`open` where there are 20,000 sessions, beside `open` where there are none."""
    many = run.homes.crowded()
    with run.homes.fresh() as memory:
        few = memory.home
        codes = {"few": _OPEN.format(few), "many": _OPEN.format(many)}
        adds = {"few": _ADD.format(few), "many": _ADD.format(many)}
        opened, added = _processes(codes, run.rounds), _processes(adds, run.rounds)
    here = interleaved({
        "few": lambda: holdfast.open(few).close(), "many": lambda: holdfast.open(many).close(),
    }, run.rounds)  # fmt: skip
    return [
        _crowded("open, 20,000 sessions, cold process", opened, 1.5),
        _crowded("open, 20,000 sessions, warm process", here, 1.5),
        _crowded("open, add, close, 20,000 sessions, cold", added, None),
    ]


def _crowded(what: str, took: dict[str, Samples], most: float | None) -> Row:
    many, few = took["many"].cpu_at(), took["few"].cpu_at()
    return Row(
        what, f"≤ {most} × an empty home" if most else "—", f"{ms(many)} CPU", f"{ms(few)} CPU: the same, empty home",
        many / few, many / few <= most if most else None,
    )  # fmt: skip


def command(run: Run) -> list[Row]:
    """`holdfast search` from a shell, beside the imports that it cannot do without."""
    if find_spec("holdfast.cli") is None:
        return [Row("holdfast search, cold process", ours="no command line yet")]
    _compile()
    home = run.homes.of_turns(TURNS)
    ask = [sys.executable, "-m", "holdfast", "search", "--user", "user3", run.corpus.questions(1)[0]]
    environment = {**os.environ, "HOLDFAST_HOME": home}
    took = children(
        {"ours": ask, "bare": [sys.executable, "-c", "import numpy, apsw, click"]}, run.rounds // 2, environment
    )
    ours, bare = took["ours"], took["bare"]
    ratio = ours.cpu_at() / bare.cpu_at()
    return [Row(
        f"holdfast search, cold process, {TURNS:,} entries", "≤ 2.5 × its imports",
        f"{ms(ours.cpu_at())} CPU, {ms(ours.wall_at())} wall",
        f"{ms(bare.cpu_at())} CPU, {ms(bare.wall_at())} wall: import numpy, apsw, click", ratio, ratio <= 2.5,
    )]  # fmt: skip


def _processes(codes: dict[str, str], rounds: int) -> dict[str, Samples]:
    return children({name: [sys.executable, "-c", code] for name, code in codes.items()}, rounds)
