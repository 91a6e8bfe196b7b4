"""Missing: entries of a scope that no search can find, because their lines are damaged or lost (D16, D40).

Asked for by every search, so it costs next to nothing where quarantine is empty. What came back since, from a backup
or under the same id, and what was deleted afterwards, is not missing. A damaged line is missing wherever it lies: as
long as it stands in its journal that tells of it, and once a rewrite has taken it out only quarantine does.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.scope import Scope
    from ..ports import Index, Journal

    Piece = dict[str, Any]


def missing(journal: Journal, index: Index, scope: Scope) -> list[Piece]:
    """All that quarantine has the last copy of, one piece an entry; `entry` is its id, None where nobody knows it."""
    return _still(index, scope, [piece for piece in journal.quarantined(scope) if piece["sealed"]])


def lost(journal: Journal, index: Index, scope: Scope) -> list[Piece]:
    """Those of them of which the journals do not even hold a damaged line."""
    found = missing(journal, index, scope)
    standing: dict[str, list[tuple[int, int]]] = {}
    for name in {piece["journal"] for piece in found if not piece["lost"]}:
        if index.damaged(scope, [name]):
            lines = journal.replay(scope, name).lines
            standing[name] = [(line.offset, line.offset + line.length) for line in lines if line.record is None]
    return [piece for piece in found if piece["lost"] or not _stands(piece, standing.get(piece["journal"], ()))]


def _stands(piece: Piece, places: Any) -> bool:
    return any(start <= piece["offset"] < end for start, end in places)


def left_out(journal: Journal, index: Index, scope: Scope) -> int:
    """How many entries a search in this scope cannot find; damaged lines of its journals count as one each."""
    pieces = journal.quarantined(scope)
    if scope.sessions:
        pieces = [piece for piece in pieces if piece["journal"] in scope.sessions]
    if not pieces:
        return 0
    found = _still(index, scope, [piece for piece in pieces if piece["sealed"]])
    count = sum(piece["lost"] is not None for piece in found)
    for name in {piece["journal"] for piece in pieces}:
        damaged = sum(piece["journal"] == name and not piece["lost"] for piece in found)
        count += max(index.damaged(scope, [name]), damaged)  # each damaged line that stands has its piece here
    return count


def _still(index: Index, scope: Scope, pieces: list[Piece]) -> list[Piece]:
    ids = sorted({id for piece in pieces for id in piece["entries"]})
    back = {*index.locate(scope, ids, every=True), *index.buried(scope, ids)} if ids else set()
    found: dict[Any, Piece] = {}
    for piece in sorted(pieces, key=lambda piece: (not piece["lost"], not piece["entries"])):
        for id in piece["entries"] or _named_beside(piece, pieces):
            if id not in back:  # one that was lost twice, with other words each time, is one entry
                found.setdefault(id or (piece["journal"], piece["offset"]), {**piece, "entry": id})
    return list(found.values())


def _named_beside(piece: Piece, pieces: list[Piece]) -> tuple[str | None, ...]:
    """Whose a damaged line was whose own id cannot be read: what the index knew of it lies there too."""
    places = [(piece["offset"], piece["offset"] + max(1, piece["bytes"]))]
    beside = [
        other for other in pieces
        if other["journal"] == piece["journal"] and other["entries"] and _stands(other, places)
    ]  # fmt: skip
    return tuple(id for other in beside for id in other["entries"]) or (None,)
