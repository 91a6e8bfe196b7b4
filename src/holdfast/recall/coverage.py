"""Coverage and Scoring: the absolute score of a hit, the same in every store and for every question (D19).

A hit's own part is the larger of two shares: of the question's words that stand in it, rare words and
the name of who is meant counting more, and of its cosine above the embedder's noise floor. It is
weighed by how well the best hits answer the question at all, so that a question about something else
finds nothing worth injecting even where single words happen to match.
"""

from __future__ import annotations

import math

from ..model.value import Value
from ..text.content import searchable_text
from ..text.form import asks
from ..text.globs import matches
from ..text.stopwords import ASKING
from ..text.words import searchable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..model.entry import Entry
    from ..model.query import Row
    from ..model.scope import Scope
    from ..store import Store
    from .asking import Question

    _Term = tuple[frozenset[str], float]

BEFORE = 0.5  # what a word in a question is worth for the turn after it, beside one in the turn itself
NAME = 1.5  # what naming its author is worth, in rarest words
COSINE = 0.5  # what the nearest vector adds to how well a question is answered at all
OWN = 0.5  # how much of a hit's score is its own, the rest being that of the best
LOOSE = 0.3  # what a word of asking is worth where it is held; where it is not, nobody misses it


class Coverage:
    """How much of a question an entry holds: the share of its words, rare ones counting more."""

    def __init__(self, store: Store, scope: Scope, question: Question) -> None:
        asked = question.words
        self._stems = store.index.stems
        total, seen = store.index.rarity(scope, asked.terms)
        rarest = _idf(total, 1)
        self._authors = question.authors
        self._name = NAME * rarest
        self._terms, self._loose = self._weighed(asked.terms, total, seen)
        self._globs = [(pattern, rarest) for pattern in (*asked.globs, *(prefix + "*" for prefix in asked.prefixes))]
        words = sum(weight for _, weight in (*self._terms, *self._globs))
        self._whole = words + self._name * len(self._authors) or 1.0

    def _weighed(self, terms: Sequence[str], total: int, seen: Mapping[str, int]) -> tuple[list[_Term], list[_Term]]:
        """The stems of each word and what it is worth; words of asking apart, unless there are no others."""
        only = all(term in ASKING for term in terms)
        found: tuple[list[_Term], list[_Term]] = ([], [])
        for term in terms:
            loose = term in ASKING and not only
            weight = _idf(total, seen.get(term, 0))
            found[loose].append((frozenset(self._stems(term)), LOOSE * weight if loose else weight))
        return found

    def words(self, entry: Entry | None, span: tuple[int, int] | None = None) -> float:
        """The share that is held in words, of a long text by the span that matched; no entry holds nothing."""
        if entry is None:
            return 0.0
        said, beside = searchable_text(entry.content), " ".join((*entry.tags, entry.path or ""))
        near = said[span[0] : span[1]] if span is not None else said  # somewhere in a book stands every word
        stems = set(self._stems(searchable(f"{near} {beside}")))
        held = _held(self._terms, stems)
        held += sum(weight for pattern, weight in self._globs if matches(pattern, f"{said} {beside}"))
        loose = _held(self._loose, stems)
        return min(1.0, (held + loose) / (self._whole + loose))

    def name(self, entry: Entry) -> float:
        """The share that is held by having been said by who is meant."""
        return self._name / self._whole if entry.author is not None and entry.author in self._authors else 0.0


class Parts(Value):
    """What speaks for one hit."""

    coverage: float
    nearness: float  # cosine above the noise floor, 0..1
    cosine: float
    span: tuple[int, int] | None = None  # where in its text; None: all of it

    @property
    def own(self) -> float:
        return max(self.coverage, self.nearness)


class Scoring:
    """Scores hits of one search; `settle` with the best of them first."""

    def __init__(self, store: Store, scope: Scope, question: Question, floor: float) -> None:
        self._store, self._scope, self._floor = store, scope, floor
        self._coverage = Coverage(store, scope, question)
        self._answered = 0.0
        self.settled = False

    def parts(self, row: Row, entry: Entry) -> Parts | None:
        """What speaks for a hit; None if neither a word nor its vector does, and it is no hit."""
        words = self._coverage.words(entry, row.span) or BEFORE * self._coverage.words(self._before(row))
        nearness = calibrated(row.cosine, self._floor)
        if words <= 0.0 and nearness <= 0.0:
            return None
        named = min(1.0, words + self._coverage.name(entry))
        return Parts(coverage=named, nearness=nearness, cosine=row.cosine or 0.0, span=row.span)

    def _before(self, row: Row) -> Entry | None:
        """The turn before, if it is one that asks: then this may be the answer, which holds other words."""
        self._store.index.look_around(self._scope, [row])
        before = self._store.reader.one(self._scope, row.before) if row.before is not None else None
        return before if before is not None and asks(searchable_text(before.content)) else None

    def settle(self, best: Sequence[Parts]) -> None:
        """How well the question is answered at all: the most covered and the nearest of the best hits."""
        covered = max((part.coverage for part in best), default=0.0)
        if any(part.cosine for part in best):
            nearest = max(part.cosine for part in best)
            covered = max(covered, (covered + COSINE * nearest) / (1 + COSINE))
        self._answered, self.settled = covered, True

    @property
    def most(self) -> float:
        """What a hit of this search can score at most, all of its words held."""
        return self._answered

    def score(self, parts: Parts) -> float:
        """0..1."""
        return self._answered * (1 - OWN + OWN * parts.own)


def calibrated(cosine: float | None, floor: float) -> float:
    """0 at the embedder's noise floor, 1 at identity."""
    if cosine is None or floor >= 1.0:
        return 0.0
    return max(0.0, (cosine - floor) / (1.0 - floor))


def _held(terms: Sequence[_Term], stems: set[str]) -> float:
    return sum(weight for term, weight in terms if term and term <= stems)


def _idf(total: int, seen: int) -> float:
    return math.log(1 + (max(total, seen) - seen + 0.5) / (seen + 0.5))
