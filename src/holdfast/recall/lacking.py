"""Lacking: why an answer may not be whole, in words that every answer says alike (promise 7)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.scope import Scope
    from ..store import Store


def reasons(store: Store, scope: Scope, behind: int, damaged: int = 0) -> list[str]:
    """What the index has not seen, and what is damaged or lost; `damaged` entries did not read back just now."""
    found = []
    if behind:
        found.append("read-only, index behind" if store.read_only() else f"index behind by {behind}")
    damaged = max(damaged, store.reader.left_out(scope))
    if damaged:
        found.append(f"{damaged} damaged or lost entries left out; run `holdfast verify`")
    return found


def degraded(store: Store, scope: Scope, behind: int, damaged: int = 0) -> str | None:
    """The same in one line, or None."""
    return "; ".join(reasons(store, scope, behind, damaged)) or None
