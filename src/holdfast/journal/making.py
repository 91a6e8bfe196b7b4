"""Making a journal: its directory, its first line, and its card."""

from __future__ import annotations

from ..disk import exists, make_private_dir, write_atomic
from ..errors import Denied
from .cards import read_card, write_card
from .header import header_for, header_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..disk import Disk
    from ..model.card import Card
    from ..model.scope import Scope
    from .access import Access
    from .pen import Pen


def made(disk: Disk, access: Access, pen: Pen, scope: Scope, card: Card) -> Card:
    """The card of the journal that the pen is at: the one that is there, or this one, with which it is made."""
    place = pen.place
    if card.kind != "global" and scope.user not in (None, card.user_id):
        raise Denied(f"{card.id} would belong to another user", grant="user", journal=card.id)
    if exists(disk, place.entries):
        access.admit(scope, place)
        if exists(disk, place.card):
            return read_card(disk, place) or card
    pen.announce()
    _make(disk, pen, card)
    return card


def _make(disk: Disk, pen: Pen, card: Card) -> None:
    """The card comes last: while it is missing, writers know that the names may not be durable yet."""
    place = pen.place
    make_private_dir(disk, place.directory)
    if not exists(disk, place.entries):
        write_atomic(disk, place.entries, header_line(header_for(card, 1, 1)) + b"\n")
    pen.sync_names()
    write_card(disk, place, card)
