"""`python -m bench`: measure, then print the table.

Rows are named; `--only write --only search` runs some of them. The homes lie in build/bench, on the
disk of the project, and are removed afterwards unless `--keep` is given.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence

import apsw

from bench import footprint, rebuilding, redacting, removing, searching, sharing, startup, writing
from bench.corpus import Corpus, corpus
from bench.homes import Homes
from bench.rounds import one_thread
from bench.row import Row, table
from bench.run import Run

MEASURES: dict[str, Callable[[Run], list[Row]]] = {
    "write": writing.single,
    "batch": writing.batches,
    "processes": sharing.processes,
    "threads": sharing.threads,
    "redaction": redacting.redaction,
    "start": startup.cold,
    "sessions": startup.crowd,
    "rebuild": rebuilding.rebuild,
    "forget": removing.forget,
    "compact": removing.compaction,
    "keyword": searching.keyword,
    "hybrid": searching.hybrid,
    "query": searching.query,
    "context": searching.context,
    "command": startup.command,
    "verify": rebuilding.verify,
    "memory": footprint.memory,
    "million": searching.many,
}


TURNS_OF = "locomo"  # turns of about 140 characters; long messages are measured in bench.growth


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what was asked for and print it."""
    chosen = _parser().parse_args(arguments)
    one_thread()
    said = corpus(TURNS_OF)
    print(_machine(said), flush=True)
    homes = Homes(chosen.folder, said, chosen.keep)
    started = time.perf_counter()
    try:
        rows = _measured(chosen.only or list(MEASURES), Run(homes, chosen.rounds, chosen.large))
    finally:
        homes.close()
    print(f"\n{table(rows)}\n\n{time.perf_counter() - started:.0f} s; load {_load()}")
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as target:
            json.dump([row.to_dict() for row in rows], target, indent=2, ensure_ascii=False)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description="What things cost beside bare loops.")
    parser.add_argument("--only", action="append", choices=MEASURES, metavar="NAME", help=", ".join(MEASURES))
    parser.add_argument("--rounds", type=int, default=30, help="more rounds, steadier medians (default 30)")
    parser.add_argument("--large", action="store_true", help="also a million turns: some minutes and 4 GB of disk")
    parser.add_argument("--json", metavar="FILE", help="write the rows there too")
    parser.add_argument("--folder", default=os.path.join("build", "bench"), help="where the homes are built")
    parser.add_argument("--keep", action="store_true", help="keep the homes for the next run")
    return parser


def _measured(names: Sequence[str], run: Run) -> list[Row]:
    rows: list[Row] = []
    for name in names:
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            rows += MEASURES[name](run)
        except ModuleNotFoundError as missing:
            rows.append(Row(name, ours=f"not built yet ({missing.name})"))
    return rows


def _machine(said: Corpus) -> str:
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs, load {_load()}"
    versions = f"Python {platform.python_version()}, SQLite {apsw.sqlitelibversion()}"
    return f"{time.strftime('%Y-%m-%d %H:%M')}; {machine}; {versions}\nturns {said.origin}"


def _load() -> str:
    return " ".join(f"{value:.1f}" for value in os.getloadavg())


if __name__ == "__main__":
    sys.exit(main())
