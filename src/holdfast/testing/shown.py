"""Which cards a scope asks for, in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model.ids import GLOBAL

if TYPE_CHECKING:
    from ..model.card import Card
    from ..model.scope import Scope


def shows(scope: Scope, card: Card, journal: str | None, key: str | None) -> bool:
    """Whether a card is asked for: sessions, unless a journal is named."""
    if card.id != GLOBAL and not scope.everyone and card.user_id != scope.user:
        return False
    if scope.sessions and card.id not in scope.sessions:
        return False
    if scope.workspace is not None and card.workspace != scope.workspace and not (scope.loose and not card.workspace):
        return False
    named = card.id == journal if journal is not None else card.kind == "session"
    return named and (key is None or card.key == key)
