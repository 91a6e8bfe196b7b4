"""`python -m bench.vectors`: nearest vectors alone, beside stores that a user could pick for them.

Everybody gets the same vectors (turns of the corpus by the built-in embedder) on disk, and the same questions,
taking turns. Recall is counted against an exact scan of float32; who lies as near as the tenth counts as found.
A store that is not installed is left out, and a line says how to get it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING

from bench.asked import pipes
from bench.corpus import corpus
from bench.metrics import mean
from bench.nearest import NEAREST, STORES, Given, Holdfast, Nearest
from bench.rounds import Samples, each, one_thread, timed
from bench.row import ms

if TYPE_CHECKING:
    from bench.nearest import Floats

SIZES = (10_000, 100_000)
_QUESTIONS = 100
_ROUNDS = 3
_RESIDENT_AFTER = 30  # questions
_LONGEST = 400  # characters: one chunk, so that a turn is a vector
_SAME = 1e-6  # cosines this close are equal


@dataclass(frozen=True)
class Figures:
    """What one store took for one size: milliseconds a question, seconds to build, megabytes of a process."""

    vectors: int
    store: str
    cpu_p50: float
    cpu_p95: float
    wall_p50: float
    wall_p95: float
    recall: float
    build_s: float
    resident_mb: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print a table a size."""
    chosen = _parser().parse_args(arguments)
    one_thread()
    if chosen.resident:
        print(_resident_here(*chosen.resident))
        return 0
    stores = [store for store in STORES if _installed(store)]
    folder = os.path.abspath(chosen.folder)  # one a size: Chroma goes on with what it opened at a path before
    found = [one for size in chosen.sizes for one in measured(size, stores, os.path.join(folder, str(size)))]
    print(table(found))
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as target:
            json.dump([asdict(one) for one in found], target, indent=2)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.vectors", description="Nearest vectors alone.")
    parser.add_argument("--sizes", type=lambda given: [int(size) for size in given.split(",")], default=list(SIZES),
                        metavar="N,M", help="how many vectors (10000,100000)")  # fmt: skip
    parser.add_argument("--folder", default=os.path.join("build", "vectors"), help="where stores are built")
    parser.add_argument("--json", metavar="FILE", help="write all figures there")
    parser.add_argument("--resident", nargs=2, metavar=("STORE", "FOLDER"), help=argparse.SUPPRESS)
    return parser


def _installed(store: type[Nearest]) -> bool:
    """Whether it can take part; a line says so, with its version or how to get it."""
    if find_spec(store.package.replace("-", "_")) is None:
        print(f"skipped: {store.name}; `pip install {store.package}` in this environment lets it take part")
        return False
    print(f"{store.name} {version(store.package)}", flush=True)
    return True


def measured(size: int, stores: Sequence[type[Nearest]], folder: str) -> list[Figures]:
    """Build every store, put the questions to all in turn, then weigh each in a process of its own."""
    from holdfast.providers.builtin import BuiltinEmbedder

    embedder = BuiltinEmbedder()
    texts = list(_texts(size))
    vectors = embedder.embed(texts)
    questions = corpus("locomo").questions(_QUESTIONS)
    asked = dict(zip(questions, embedder.embed(questions, query=True), strict=True))
    shutil.rmtree(folder, ignore_errors=True)
    try:
        opened, built = _built(stores, folder, texts, vectors)
        took = each({name: partial(_ask, one, asked) for name, one in opened.items()}, questions, _ROUNDS)
        recall = {name: mean([_recall(one, vectors, vector) for vector in asked.values()])
                  for name, one in opened.items()}  # fmt: skip
        for one in opened.values():
            one.close()
        resident = {name: _resident(name, os.path.join(folder, name)) for name in opened}
        return [_figures(size, name, took[name], recall[name], built[name], resident[name]) for name in opened]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _ask(store: Nearest, asked: dict[str, Floats], question: str) -> list[int]:
    return store.near(asked[question])


def _texts(size: int) -> Iterator[str]:
    """So many turns, no two alike."""
    seen: set[str] = set()
    for text in corpus("locomo").turns(1 << 30):
        if len(seen) == size:
            return
        if len(text) <= _LONGEST and any(map(str.isalpha, text)) and text not in seen:
            seen.add(text)
            yield text


def _built(
    stores: Sequence[type[Nearest]], folder: str, texts: Sequence[str], vectors: Floats
) -> tuple[dict[str, Nearest], dict[str, float]]:
    """Each store filled, and the seconds until its first answer: some build when they are first asked."""
    opened: dict[str, Nearest] = {}
    took: dict[str, float] = {}
    for store in stores:
        print(f"building {store.name}, {len(vectors):,} vectors …", file=sys.stderr, flush=True)
        one = opened[store.name] = store(os.path.join(folder, store.name))
        if isinstance(one, Holdfast):
            one.add(texts)
        took[store.name] = timed(partial(_fill, one, texts, vectors))[0] / 1000
    return opened, took


def _fill(store: Nearest, texts: Sequence[str], vectors: Floats) -> None:
    store.fill(texts, vectors)
    store.near(vectors[0])


def _recall(store: Nearest, vectors: Floats, asked: Floats) -> float:
    """The share of the ten that lie as near as the exact ten do."""
    import numpy as np

    cosines = vectors @ asked
    tenth = np.partition(cosines, -NEAREST)[-NEAREST]
    return sum(bool(cosines[place] >= tenth - _SAME) for place in store.near(asked)) / NEAREST


def _resident(name: str, folder: str) -> float:
    """Megabytes of a process that opens a store and asks it."""
    command = [sys.executable, "-m", "bench.vectors", "--resident", name, folder]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1])


def _resident_here(name: str, folder: str) -> float:
    import numpy as np

    store = next(store for store in STORES if store.name == name)(folder)
    for vector in np.random.default_rng(1).standard_normal((_RESIDENT_AFTER, Given.dimensions), np.float32):
        store.near(vector / np.linalg.norm(vector))
    with open("/proc/self/statm") as facts:
        return int(facts.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def _figures(size: int, name: str, took: Samples, recall: float, build_s: float, resident_mb: float) -> Figures:
    return Figures(
        size, name, took.cpu_at(), took.cpu_at(95), took.wall_at(), took.wall_at(95), recall, build_s, resident_mb
    )


def table(found: Sequence[Figures]) -> str:
    rows = [
        [f"{one.vectors:,}", one.store, ms(one.cpu_p50), ms(one.cpu_p95), ms(one.wall_p50), ms(one.wall_p95),
         f"{one.recall:.3f}", f"{one.build_s:.1f} s", f"{one.resident_mb:.0f} MB"]
        for one in found
    ]  # fmt: skip
    header = ["vectors", "store", "CPU p50", "p95", "wall p50", "p95", f"recall@{NEAREST}", "built in", "resident"]
    return pipes(header, rows)


if __name__ == "__main__":
    sys.exit(main())
