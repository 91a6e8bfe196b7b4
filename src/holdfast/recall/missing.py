"""Missing: entries of a scope that no search can find, because their lines are damaged or lost (D16, D40).

Asked for by every search, so it costs next to nothing where quarantine is empty. What came back since, from a backup
or under the same id, and what was deleted afterwards, is not missing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.scope import Scope
    from ..ports import Index, Journal


def lost(journal: Journal, index: Index, scope: Scope) -> list[dict[str, Any]]:
    """The pieces of quarantine that are all that is left of an entry."""
    return _still(index, scope, [piece for piece in journal.quarantined(scope) if piece["lost"]])


def left_out(journal: Journal, index: Index, scope: Scope) -> int:
    """How many entries a search in this scope cannot find; damaged lines of its journals count as one each."""
    pieces = journal.quarantined(scope)
    if scope.sessions:
        pieces = [piece for piece in pieces if piece["journal"] in scope.sessions]
    if not pieces:
        return 0
    gone = _still(index, scope, [piece for piece in pieces if piece["lost"]])
    return index.damaged(scope, sorted({piece["journal"] for piece in pieces})) + len(gone)


def _still(index: Index, scope: Scope, pieces: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ids = sorted({piece["lost"] for piece in pieces})
    back = {*index.locate(scope, ids, every=True), *index.buried(scope, ids)} if ids else set()
    found: dict[str, dict[str, Any]] = {}
    for piece in pieces:  # one that was lost twice, with other words each time, is one entry
        if piece["lost"] not in back:
            found.setdefault(piece["lost"], piece)
    return list(found.values())
