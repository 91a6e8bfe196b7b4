"""Missing: entries of a scope that no search can find, because their lines are damaged or lost (D16, D40).

Asked for by every search, so it costs next to nothing where quarantine is empty. What came back since, from a backup
or under the same id, and what was deleted afterwards, is not missing. A damaged line is missing wherever it lies: as
long as it stands in its journal that tells of it, and once a rewrite has taken it out only quarantine does. So it is
with a damaged change of an entry, which without it shows what was true before. A damaged header is no entry.
"""

from __future__ import annotations

from sys import maxsize

from ..errors import StorageFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.replay import Address
    from ..model.scope import Scope
    from ..ports import Index, Journal

    Piece = dict[str, Any]


def missing(journal: Journal, index: Index, scope: Scope) -> list[Piece]:
    """All that quarantine has the last copy of, one piece an entry; `entry` is its id, None where nobody knows it.

    `change` says that the entry itself is there, and only a change of it is not.
    """
    return _Lookout(journal, index, scope).still(journal.quarantined(scope))


def lost(journal: Journal, index: Index, scope: Scope) -> list[Piece]:
    """Those of them of which the journals do not even hold a damaged line."""
    found = missing(journal, index, scope)
    standing: dict[str, list[tuple[int, int]]] = {}
    for name in {piece["journal"] for piece in found if not piece["lost"]}:
        if index.damaged(scope, [name]):
            standing[name] = _damage(journal, scope, name)
    return [piece for piece in found if piece["lost"] or not _stands(piece, standing.get(piece["journal"], ()))]


def _damage(journal: Journal, scope: Scope, name: str) -> list[tuple[int, int]]:
    """Where damaged lines stand; as long as nobody can read the journal, wherever they were found."""
    try:
        lines = journal.replay(scope, name).lines
    except StorageFailed:
        return [(0, maxsize)]
    return [(line.offset, line.offset + line.length) for line in lines if line.record is None]


def _stands(piece: Piece, places: Any) -> bool:
    return any(start <= piece["offset"] < end for start, end in places)


def left_out(journal: Journal, index: Index, scope: Scope) -> int:
    """How many entries a search in this scope cannot find; damaged lines of its journals count as one each."""
    pieces = journal.quarantined(scope)
    if scope.sessions:
        pieces = [piece for piece in pieces if piece["journal"] in scope.sessions]
    if not pieces:
        return 0
    found = _Lookout(journal, index, scope).still(pieces)
    count = sum(piece["lost"] is not None for piece in found)
    for name in {piece["journal"] for piece in pieces}:
        damaged = sum(piece["journal"] == name and not piece["lost"] for piece in found)
        headers = sum(piece["journal"] == name and piece["header"] for piece in pieces)
        # Each damaged line that stands has its piece here; of headers nobody can tell whether they do.
        count += max(index.damaged(scope, [name]) - headers, damaged)
    return count


class _Lookout:
    """Which pieces are still all that is left of something."""

    def __init__(self, journal: Journal, index: Index, scope: Scope) -> None:
        self._journal, self._index, self._scope = journal, index, scope

    def still(self, pieces: list[Piece]) -> list[Piece]:
        pieces = [piece for piece in pieces if piece["sealed"] and not piece["header"]]
        ids = sorted({id for piece in pieces for id in piece["entries"]})
        there = self._index.locate(self._scope, ids, every=True) if ids else {}
        buried = self._index.buried(self._scope, ids) if ids else {}
        found: dict[Any, Piece] = {}
        for piece in sorted(pieces, key=lambda piece: (not piece["lost"], not piece["entries"])):
            place = piece["journal"], piece["offset"]
            for id in piece["entries"] or _named_beside(piece, pieces):
                if id in buried:
                    continue
                if id not in there:  # one that was lost twice, with other words each time, is one entry
                    found.setdefault(id or place, {**piece, "entry": id, "change": False})
                elif piece["amends"] and not self._is_back(piece, there[id]):
                    found.setdefault(place, {**piece, "entry": id, "change": True})
        return list(found.values())

    def _is_back(self, piece: Piece, entry: Address) -> bool:
        """Whether a good change of the entry stands where the damaged one was, as in a journal put back from a copy."""
        if entry.journal != piece["journal"]:
            return False
        both = entry.replace(spans=(entry.spans[0], (piece["offset"], piece["bytes"])))
        return entry.id in self._journal.fetch(self._scope, [both])


def _named_beside(piece: Piece, pieces: list[Piece]) -> tuple[str | None, ...]:
    """Whose a damaged line was whose own id cannot be read: what the index knew of it lies there too."""
    places = [(piece["offset"], piece["offset"] + max(1, piece["bytes"]))]
    beside = [
        other for other in pieces
        if other["journal"] == piece["journal"] and other["entries"] and _stands(other, places)
    ]  # fmt: skip
    return tuple(id for other in beside for id in other["entries"]) or (None,)
