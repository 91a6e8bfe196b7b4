"""Fusion: from keyword and vector candidates to one order, as small pure functions.

Each side is scaled to its best and blended by weight over the sides that ran, so a hit found by one
side only is not lost. Then turns beside each other lend each other a share, who is meant and when are
added, which of the question's words stand together, and how many of them the session holds in all. Every part is
kept for `explain`.
"""

from __future__ import annotations

from math import log

from ..model.entry import ROLES
from ..model.value import Value
from ..text.form import NAME, NUMBER, TIME, shows
from .dates import nearness
from .wording import Sought

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..model.query import Row
    from .asking import Question

    Scores = dict[str, float]


class Weights(Value):
    """What each signal may add, relative to a perfect match; chosen by measuring (docs/benchmarks.md)."""

    keyword: float = 0.53  # this and the next as `recall.text_weight` and `recall.vector_weight` say
    vector: float = 0.47
    neighbour: float = 0.25
    beyond: float = 0.1
    author: float = 0.55
    date: float = 0.8
    session: float = 0.3  # where the candidates of its session hold every word of the question between them
    together: float = 0.2  # for two of the rarest words that stand together as in the question
    long: float = 0.1  # taken off for each doubling or so beyond one piece, but among people
    asking: float = 0.2  # taken off where people talk with each other and a turn only asks
    length: float = 0.06  # for each doubling or so of a turn among people: longer ones say more
    time: float = 0.25  # for a turn that tells a time, where a time is asked for
    number: float = 0.2
    name: float = 0.2


class Sides(Value):
    """What the sides of a search found, and the words they were asked for."""

    keyword: Scores
    vector: Scores | None = None
    sought: Sought = Sought()


WITH_VECTORS = Weights()
WITHOUT_VECTORS = Weights(neighbour=0.3, session=0.5, author=0.5)
PIECE = 640  # characters of the longest text that is searched as a whole


def scaled(scores: Mapping[str, float]) -> Scores:
    """To 0..1 by the best; for keyword scores, whose zero means "no word"."""
    best = max(scores.values(), default=0.0)
    return {id: score / best for id, score in scores.items()} if best > 0 else {}


def spread(scores: Mapping[str, float]) -> Scores:
    """To 0..1 between worst and best; for cosines, whose zero means nothing."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {id: (score - low) / (high - low) if high > low else 1.0 for id, score in scores.items()}


def blended(sides: Sides, weights: Weights) -> Scores:
    """A weighted mean over the sides that ran."""
    keyword, vector = sides.keyword, sides.vector
    if vector is None:
        return dict(keyword)
    total = weights.keyword + weights.vector
    ids = {**keyword, **vector}
    return {id: (weights.keyword * keyword.get(id, 0.0) + weights.vector * vector.get(id, 0.0)) / total for id in ids}


def lent(rows: Sequence[Row], base: Scores, weights: Weights) -> Scores:
    """What the entries just before and after it in its journal lend to each, and a little those beyond."""
    files: dict[str | int, dict[int, float]] = {}
    for row in rows:
        files.setdefault(row.file, {})[row.seq] = base.get(row.id, 0.0)
    near, far, found = weights.neighbour, weights.beyond, {}
    for row in rows:
        if len(beside := files[row.file]) == 1:
            continue  # nobody there
        of, seq = beside.get, row.seq
        found[row.id] = near * (of(seq - 1, 0.0) + of(seq + 1, 0.0)) + far * (of(seq - 2, 0.0) + of(seq + 2, 0.0))
    return found


def by_author(rows: Sequence[Row], question: Question, trusted: float) -> Scores:
    """1 for what the one named author said, or the user where the question speaks of oneself."""
    if len(question.authors) == 1:
        return {row.id: trusted for row in rows if row.author == question.authors[0]}
    if not question.authors and question.first_person:
        return {row.id: 1.0 for row in rows if "user" in (row.role, row.author)}
    return {}


def by_date(rows: Sequence[Row], question: Question) -> Scores:
    """How near each entry's day lies to a date that the question names."""
    dates = list(question.dates)
    return {row.id: nearness(dates, row.time) for row in rows} if dates else {}


def by_form(rows: Sequence[Row], question: Question, weights: Weights) -> Scores:
    """In talk between people, turns that tell count more than turns that ask, and most what can be the answer.

    With an assistant it is not so: there the user's questions say what the user has and wants.
    """
    talk = talk_of(rows)
    if not talk:
        return {}
    middle = sum(log(1 + row.size) for row in talk) / len(talk)
    telling = {row.id: weights.length * (log(1 + row.size) - middle) - weights.asking * row.asks for row in talk}
    shapes = ((TIME, weights.time), (NUMBER, weights.number), (NAME, weights.name))
    for sign, weight in shapes:
        if question.form & sign:
            for row in talk:
                telling[row.id] += weight * shows(row.said, sign)
    return telling


def talk_of(rows: Sequence[Row]) -> list[Row]:
    """What people said to each other: by name or by nobody knows whom, in sessions without an assistant."""
    assisted = {row.session_id for row in rows if "assistant" in (row.role, row.author)}
    return [row for row in rows if row.session_id not in assisted and _by_somebody(row)]


def _by_somebody(row: Row) -> bool:
    if row.author is None:
        return row.role is None and row.type == "conversation"
    return row.author.lower() not in ROLES


def by_words(rows: Sequence[Row], sought: Sought, weights: Weights) -> dict[str, Scores]:
    """What the words of a question say: those that stand together in a row, and those that its session holds in all."""
    held = {row.id: sought.held(row.said) for row in rows}
    together = {id: weights.together * worth for id, (_, worth) in held.items() if worth}
    sessions: dict[str, int] = {}
    for row in rows:
        name = row.session_id or row.id
        sessions[name] = sessions.get(name, 0) | held[row.id][0]
    shares = {name: weights.session * sought.share(bits) for name, bits in sessions.items()}
    return {"together": together, "session": {row.id: shares[row.session_id or row.id] for row in rows}}


def by_length(rows: Sequence[Row], weights: Weights) -> Scores:
    """Taken off what is longer than one piece: of many the best looks good by chance."""
    return {row.id: -weights.long * log(row.size / PIECE) for row in rows if row.size > PIECE}


class Fused:
    """The match of each row, scaled to the best, and by name what it is the sum of."""

    def __init__(self, parts: dict[str, Scores], sums: Scores) -> None:
        self._parts = parts
        self._best = max(sums.values(), default=0.0) or 1.0
        self.match = scaled(sums)

    def explained(self, id: str) -> Scores:
        """Every part of a row's match."""
        return {name: part.get(id, 0.0) / self._best for name, part in self._parts.items()}


def fused(rows: Sequence[Row], question: Question, sides: Sides, trusted: float, weights: Weights) -> Fused:
    """All signals together."""
    base = blended(sides, weights)
    parts = {
        "base": base, "neighbour": lent(rows, base, weights),
        "author": {id: weights.author * v for id, v in by_author(rows, question, trusted).items()},
        "date": {id: weights.date * v for id, v in by_date(rows, question).items()},
        "form": {**by_length(rows, weights), **by_form(rows, question, weights)},
        **by_words(rows, sides.sought, weights),
    }  # fmt: skip
    return Fused(parts, _added([row.id for row in rows], parts))


def _added(ids: Sequence[str], parts: Mapping[str, Scores]) -> Scores:
    sums = dict.fromkeys(ids, 0.0)
    for part in parts.values():
        for id, value in part.items():
            if id in sums:
                sums[id] += value
    return sums
