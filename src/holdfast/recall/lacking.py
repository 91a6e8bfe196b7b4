"""Lacking: why an answer may not be whole, in words that every answer says alike (promise 7)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..errors import StorageFailed
    from ..model.scope import Scope
    from ..store import Store


def reasons(store: Store, scope: Scope, behind: int, damaged: int = 0) -> list[str]:
    """What the index has not seen, what cannot be read, and what is damaged or lost; `damaged` entries did not read
    back just now."""
    found = []
    if behind:
        found.append("read-only, index behind" if store.read_only() else f"index behind by {behind}")
    unread = store.index.unreadable(scope)
    if unread:
        found.append(_unread(scope, unread))
    damaged = max(0 if unread else damaged, store.reader.left_out(scope))
    if damaged:
        found.append(f"{damaged} damaged or lost entries left out; run `holdfast verify`")
    return found


def _unread(scope: Scope, unread: Mapping[str, StorageFailed]) -> str:
    """What to say of journals that cannot be read; where nothing else was asked for, the error itself."""
    for session in scope.sessions if unread.keys() >= set(scope.sessions) else ():
        raise unread[session]
    count = "1 journal" if len(unread) == 1 else f"{len(unread)} journals"
    return f"{count} cannot be read; `holdfast verify` says which and why"


def degraded(store: Store, scope: Scope, behind: int, damaged: int = 0) -> str | None:
    """The same in one line, or None."""
    return "; ".join(reasons(store, scope, behind, damaged)) or None
