"""Growth: how long a search takes as a store grows, beside the least that could answer at all.

The peer is a bare FTS5 query plus one scan of a float32 matrix with NumPy. Turns of about 140 characters and
long messages are measured apart. Questions are natural ones; every user's memory is searched.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass

import holdfast
from bench.asked import pipes
from bench.bare import FullText, Matrix
from bench.corpus import corpus
from bench.homes import Homes
from bench.plots import Axis, Line, chart
from bench.rounds import each
from bench.row import ms
from holdfast.text.words import words

KINDS = {"turns": "locomo", "messages": "beam"}
WHAT = {"turns": "turns of about 140 characters", "messages": "long messages"}
SIZES = {"turns": (1_000, 10_000, 100_000), "messages": (1_000, 10_000)}
LARGE = {"turns": (1_000_000,), "messages": (100_000,)}
_QUESTIONS = 100
_LIMIT = 20
_DECADES = tuple(step * 10.0**power for power in range(-1, 4) for step in (1, 2, 5))


@dataclass(frozen=True)
class Point:
    """What a search took at one size, in milliseconds of CPU, and what the bare peer took."""

    kind: str
    entries: int
    p50: float
    p95: float
    bare_p50: float
    bare_p95: float


def growth(folder: str, large: bool, progress: Callable[[str], None]) -> list[Point]:
    """Each kind at each size."""
    found = []
    for kind, of in KINDS.items():
        for size in (*SIZES[kind], *(LARGE[kind] if large else ())):
            progress(f"growth: {size:,} {kind}")
            homes = Homes(os.path.join(folder, f"growth-{kind}"), corpus(of), keep=False)
            try:
                found.append(_point(homes, kind, size))
            finally:
                homes.close()
    return found


def _point(homes: Homes, kind: str, size: int) -> Point:
    home = homes.of_turns(size)
    bare = FullText(homes.path("bare.db"), homes.corpus.turns(size))
    questions = homes.corpus.questions(_QUESTIONS)
    terms = {question: words(question).terms for question in questions}
    matrix = Matrix(size)

    def least(question: str) -> int:
        return bare.ask(terms[question], _LIMIT) + matrix.ask(_LIMIT)

    with holdfast.open(home) as memory:
        took = each(
            {"ours": lambda question: memory.search(question, user="*", limit=_LIMIT), "bare": least}, questions, 1
        )
    bare.close()
    ours, peer = took["ours"], took["bare"]
    return Point(kind, size, ours.cpu_at(), ours.cpu_at(95), peer.cpu_at(), peer.cpu_at(95))


def growth_table(points: list[Point]) -> str:
    rows = [
        [point.kind, f"{point.entries:,}", ms(point.p50), ms(point.p95), ms(point.bare_p50), ms(point.bare_p95),
         f"{point.p50 / point.bare_p50:.2f}"]
        for point in points
    ]  # fmt: skip
    return pipes(["", "entries", "p50", "p95", "FTS5 + scan p50", "p95", "ratio"], rows)


def growth_plot(points: list[Point], kind: str) -> str:
    """One kind. Both axes logarithmic: a straight line of slope one is linear growth."""
    ours = [point for point in points if point.kind == kind]
    lines = [
        Line("holdfast, p95", tuple((p.entries, p.p95) for p in ours), ours=True),
        Line("holdfast, p50", tuple((p.entries, p.p50) for p in ours), ours=True),
        Line("FTS5 + scan, p95", tuple((p.entries, p.bare_p95) for p in ours)),
        Line("FTS5 + scan, p50", tuple((p.entries, p.bare_p50) for p in ours)),
    ]
    across = tuple(10.0**power for power in range(3, len(str(ours[-1].entries))))
    highest = max(max(point.p95, point.bare_p95) for point in ours)
    lowest = min(min(point.p50, point.bare_p50) for point in ours)
    least = max((value for value in _DECADES if value <= lowest), default=_DECADES[0])
    most = min((value for value in _DECADES if value >= highest), default=_DECADES[-1])
    up = tuple(value for value in _DECADES if least <= value <= most)
    return chart(
        f"Search, top 20, by size of the store: {WHAT[kind]}", Axis("entries", across, logarithmic=True),
        Axis("ms of CPU", up, logarithmic=True), lines,
    )  # fmt: skip


def as_json(points: list[Point]) -> list[dict[str, object]]:
    return [asdict(point) for point in points]
