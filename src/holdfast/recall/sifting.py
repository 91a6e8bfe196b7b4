"""Sifting: which candidates a least score can leave, told before they are read, and when to stop looking.

What a hit scores at most is known from its row: everything of the score but its own part, a tenth. So a least score is
a filter of the list that there is without one, whatever the order, and costs the reading of those alone that are near
it. After very many in vain a search stops, and its answer says so.
"""

from __future__ import annotations

from math import floor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .coverage import Scoring
    from .ordering import Ranked

MOST_READ = 4_000  # entries that score too little: to read so many takes some 0.5 s
MOST_PASSED = 50_000  # candidates that could not score enough, none of which is read
_STEPS = 10_000  # between 0 and 1, as scores are shown


def shown(value: float) -> float:
    """To four digits; `round` goes by way of a text, which takes five times as long."""
    return floor(value * _STEPS + 0.5) / _STEPS


def all_shown(scores: Mapping[str, float]) -> dict[str, float]:
    """The same for many at once, most of which are nothing: a call each would take twice as long."""
    return {name: floor(value * _STEPS + 0.5) / _STEPS if value else 0.0 for name, value in scores.items()}


class Sieve:
    """What a least score leaves of the candidates of one search."""

    def __init__(self, scoring: Scoring, least: float) -> None:
        self._scoring, self._least = scoring, least
        self._read = self._passed = 0

    @property
    def done(self) -> bool:
        """Whether no candidate can score enough, or so many did not that the rest is left alone."""
        return (self._scoring.settled and shown(self._scoring.most) < self._least) or self.gave_up is not None

    @property
    def gave_up(self) -> str | None:
        """Why what is left was not looked at; None as long as nothing is left out."""
        if self._read < MOST_READ and self._passed < MOST_PASSED:
            return None
        return f"stopped after {self._read + self._passed} entries that score less than {self._least:g}"

    def promising(self, ranked: Iterable[Ranked]) -> Iterator[Ranked]:
        """Those that may score enough, in their order; all until it is known how well the question is answered."""
        if not self._least:
            yield from ranked
            return
        for one in ranked:
            if self.done:
                return
            if not self._scoring.settled or self._score(self._scoring.most, one) >= self._least:
                yield one
            else:
                self._passed += 1

    def score(self, one: Ranked, own: float) -> float | None:
        """What a hit scores that is worth so much by itself, moved as in D19; None if that is too little."""
        found = self._score(own, one)
        if found >= self._least:
            return found
        self._read += 1
        return None

    def _score(self, value: float, one: Ranked) -> float:
        return shown(min(1.0, value * one.influence))
