"""Browsing: sessions and tags as they are, without a question; both say what they lack."""

from __future__ import annotations

from ..model.hit import Counted, Listed
from .lacking import degraded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.card import Card
    from ..model.scope import Scope
    from ..store import Store


def cards(store: Store, scope: Scope, limit: int | None, offset: int) -> Listed[Card]:
    """Cards of sessions, last used first, with live counts."""
    behind = store.index.refresh(scope, store.wait_ms)
    found = store.index.cards(scope, limit=limit, offset=offset)
    return Listed(found, behind=behind, degraded=degraded(store, scope, behind))


def tags(store: Store, scope: Scope) -> Counted:
    """How often each tag is used."""
    behind = store.index.refresh(scope, store.wait_ms)
    return Counted(store.index.tags(scope), degraded(store, scope, behind))
