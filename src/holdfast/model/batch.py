"""Batch: what of one call goes to one journal."""

from __future__ import annotations

from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .card import Card
    from .entry import Draft
    from .scope import Scope


class Batch(Value):
    """Drafts for one journal. With a card, the journal is made if it is not there yet."""

    scope: Scope  # whose journal it must be
    journal: str
    drafts: Sequence[Draft]
    card: Card | None = None
