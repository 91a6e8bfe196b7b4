"""Ordering: candidates in the order in which they are shown, and what may move them.

Ties go by id, so that the order does not depend on how the index was built. What a search found must
not rank higher in the next one for having been found: only the seeds' relevance counts recalls.
"""

from __future__ import annotations

from operator import itemgetter

from .relevance import Ranking, influence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..model.query import Row
    from ..model.scope import Scope
    from ..store import Store
    from .fusion import Scores

RANKS = ("match", "relevance", "recent", "importance")


class Ranked:
    """A candidate in its place: how well it matches, and what everything else does to that."""

    __slots__ = ("_ranking", "_recalls", "influence", "match", "row", "weight")

    def __init__(self, row: Row, match: float, ranking: Ranking, recalls: bool = False) -> None:
        self.row, self.match, self._ranking, self._recalls = row, match, ranking, recalls
        self.weight = ranking.weight(row, recalls)
        self.influence = influence(self.weight, ranking.influence)

    @property
    def factors(self) -> dict[str, float]:
        """All of them by name."""
        found = self._ranking.factors(self.row, self.match, self._recalls)
        return {**found, "influence": self.influence}


def ranking_for(store: Store, scope: Scope, rows: Sequence[Row]) -> Ranking:
    """What importance, age and place do to these rows, by settings and by the cards of their sessions."""
    ids = list({row.session_id for row in rows if row.session_id is not None})
    decays: dict[str, Mapping[str, Any]] = {
        id: decay for id, (_key, decay) in store.index.sessions(scope, ids).items() if decay
    }
    return Ranking(store.settings, store.clock.now(), scope.workspace, decays)


def ordered(rows: Sequence[Row], match: Scores, ranking: Ranking, rank: str) -> list[Ranked]:
    """Best first."""
    found = [Ranked(row, match.get(row.id, 0.0), ranking, rank == "relevance") for row in rows]
    keyed = [(-round(_rank(rank, one), 9), one.row.id, one) for one in found]
    return [one for _, _, one in sorted(keyed, key=itemgetter(0, 1))]


def _rank(rank: str, one: Ranked) -> float:
    if rank == "match":
        return one.match * one.influence
    if rank == "relevance":
        return min(1.0, one.match * one.weight)
    return one.row.time if rank == "recent" else one.row.importance
