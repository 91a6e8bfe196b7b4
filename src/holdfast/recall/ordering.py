"""Ordering: candidates in the order in which they are shown, and what may move them.

Of equals the newer comes first, the later line of what was written together, then the lower id, so that neither how
the index was built nor the moment of asking decides: what was written together fades together, and pages must fit.
What a search found must not rank higher in the next one for having been found: only the seeds' relevance counts
recalls.
"""

from __future__ import annotations

from ..model.query import oldest_first
from .relevance import Ranking, influence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..model.query import Row
    from ..model.scope import Scope
    from ..store import Store

_FINE = 1_000_000  # steps between 0 and 1: what differs by less is equal
RANKS = ("match", "relevance", "recent", "importance")


class Ranked:
    """A candidate in its place: how well it matches, and what everything else does to that."""

    __slots__ = ("_ranking", "_recalls", "influence", "match", "place", "row")

    def __init__(
        self, row: Row, match: float, weight: float, ranking: Ranking, recalls: bool = False, place: int = -1
    ) -> None:
        self.row, self.match, self._ranking, self._recalls = row, match, ranking, recalls
        self.place = place  # among the candidates; -1 for one that holds a word and was not ranked
        self.influence = influence(weight, ranking.influence)

    @property
    def session_key(self) -> str | None:
        return self._ranking.key(self.row.session_id)

    @property
    def factors(self) -> dict[str, float]:
        """All of them by name."""
        found = self._ranking.factors(self.row, self.match, self._recalls)
        found["influence"] = self.influence
        return found


def ranking_for(store: Store, scope: Scope, rows: Sequence[Row]) -> Ranking:
    """What importance, age and place do to these rows, by settings and by the cards of their sessions."""
    ids = list({row.session_id for row in rows if row.session_id is not None})
    return Ranking(store.settings, store.clock.now(), scope.workspace, store.index.sessions(scope, ids))


def ordered(rows: Sequence[Row], match: Sequence[float], ranking: Ranking, rank: str) -> Iterator[Ranked]:
    """Best first; each is made when it is asked for, since of some hundred candidates a search looks at twenty."""
    recalls = rank == "relevance"
    weights = ranking.weights(rows, recalls)
    if rank in ("recent", "importance"):
        places = _newest(rows, by_importance=rank == "importance")
    else:
        places = _best(rows, _values(rank, match, weights, ranking))
    return (Ranked(rows[place], match[place], weights[place], ranking, recalls, place) for place in places)


def unranked(rows: Sequence[Row], ranking: Ranking) -> Iterator[Ranked]:
    """As they come: what holds a word and was not compared with the candidates."""
    return (Ranked(row, 0.0, weight, ranking) for row, weight in zip(rows, ranking.weights(rows, False), strict=True))


def _newest(rows: Sequence[Row], *, by_importance: bool) -> list[int]:
    """The places as `query` has them."""
    place_of = {row.id: place for place, row in enumerate(rows)}
    found = [place_of[row.id] for row in reversed(oldest_first(rows))]
    return sorted(found, key=lambda place: -rows[place].importance) if by_importance else found


def _best(rows: Sequence[Row], values: Iterable[float]) -> list[int]:
    """The places by value; only equals are compared by more than that."""
    steps = [int(value * _FINE + 0.5) for value in values]
    if len({*steps}) == len(rows):
        return sorted(range(len(rows)), key=steps.__getitem__, reverse=True)
    keyed = [
        (-step, -row.time, -row.seq, row.id, place) for place, (row, step) in enumerate(zip(rows, steps, strict=True))
    ]
    keyed.sort()  # no two have one id
    return [place for *_, place in keyed]


def _values(rank: str, match: Sequence[float], weights: Sequence[float], ranking: Ranking) -> Iterable[float]:
    """What each row is ordered by."""
    if rank == "match":
        most = ranking.influence
        return [fits * influence(weight, most) for fits, weight in zip(match, weights, strict=True)]
    return [min(1.0, fits * weight) for fits, weight in zip(match, weights, strict=True)]
