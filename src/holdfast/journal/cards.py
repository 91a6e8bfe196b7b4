"""Cards on disk: `metadata.json`, replaced as a whole, read with the journal's header as a second witness.

A card that is damaged, missing, or says another owner than the header does is made again from the header, or
where that is damaged too from the first entry, and marked `rebuilt`. A card ends in its checksum, as a line does; one
without is another program's, or was edited by hand, and damaged if its values are not of the kinds that its fields
have. Readers never write, so the file stays as it was found until the next `save_card`.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256

from ..disk import read_file, write_atomic
from ..errors import Invalid
from ..model.card import card_from
from ..model.ids import GLOBAL, user_dir
from ..model.shape import is_card
from ..model.value import FrozenDict
from .header import BOM, Header, guessed_card, rebuilt_card
from .line import MARK, intact, parsed
from .replay import first_entry, read_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ..disk import Disk
    from ..model.card import Card
    from .files import Place

    Stamp = tuple[int, int, int, int]
    Found = TypeVar("Found")

_MOST_KNOWN = 4096
_KINDS = ("session", "user", "global")


def card_line(card: Card) -> bytes:
    """The bytes of `metadata.json`."""
    extra = FrozenDict({name: value for name, value in card.extra.items() if name != "rebuilt"})
    shown = card.replace(extra=extra).to_dict()
    head = json.dumps(shown, ensure_ascii=False, indent=2, allow_nan=False).encode().removesuffix(b"\n}")
    return b'%b%b%b"}\n' % (head, MARK, sha256(head).hexdigest().encode())


def write_card(disk: Disk, place: Place, card: Card) -> None:
    write_atomic(disk, place.card, card_line(card))


def read_card(disk: Disk, place: Place) -> Card | None:
    """The card of a journal; None if there is neither a card nor anything in the journal to make one from."""
    header = header_at(disk, place)
    card = written_card(disk, place)
    if card is None or (header.tells_owner and (card.kind, card.user_id) != (header.kind, header.user_id)):
        return rebuilt_card(header, place.journal) or _guessed(disk, place)
    return card


def _guessed(disk: Disk, place: Place) -> Card | None:
    """What can be found must have a card, or nobody could ask for its session, nor forget it."""
    entry = _read_from(disk, place, first_entry)
    return guessed_card(place.journal, entry, entry["timestamp"]) if entry is not None else None


class Cards:
    """Cards as they were last read; each is good as long as its file and its journal are the same ones."""

    __slots__ = ("_disk", "_known")

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._known: dict[str, tuple[Stamp, Card | None]] = {}

    def read(self, place: Place) -> Card | None:
        """The card of a journal; see `read_card`."""
        stamp = self._stamp(place)
        found, card = self._known.get(place.journal, (None, None))
        if found != stamp or stamp is None:
            card = read_card(self._disk, place)
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            if stamp is not None:
                self._known[place.journal] = (stamp, card)
        return card

    def _stamp(self, place: Place) -> Stamp | None:
        """Equal only if neither was replaced: the header never changes in place, and cards are replaced whole."""
        try:
            card, journal = self._disk.stat(place.card), self._disk.stat(place.entries)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return card.st_ino, card.st_size, card.st_mtime_ns, journal.st_ino


def written_card(disk: Disk, place: Place) -> Card | None:
    """What `metadata.json` says, whatever the journal does; None where it is missing or damaged."""
    try:
        data = read_file(disk, place.card)
    except (FileNotFoundError, NotADirectoryError):
        return None
    raw = data.removeprefix(BOM).strip()
    found = parsed(raw)
    if found is None or (found.pop("checksum", None) is not None and not intact(raw)) or not is_card(found):
        return None
    card = card_from(found)
    return card if card.id == place.journal and card.kind in _KINDS else None


def header_at(disk: Disk, place: Place) -> Header:
    """The header of a journal; an empty one if the file is missing."""
    return _read_from(disk, place, read_header) or Header()


def _read_from(disk: Disk, place: Place, read: Callable[[Disk, int], Found]) -> Found | None:
    try:
        fd = disk.open(place.entries, os.O_RDONLY)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        return read(disk, fd)
    except OSError as error:
        error.filename = place.entries  # a descriptor has no name
        raise
    finally:
        disk.close(fd)


def check_card(card: Card) -> None:
    """Id, kind and user must belong together: the directory of a user is a hash of the user's id (D5)."""
    expected = {"session": card.id.startswith("sess_"), "global": card.id == GLOBAL}
    if card.kind == "user":
        expected["user"] = card.user_id is not None and card.id == user_dir(card.user_id)
    if not expected.get(card.kind, False):
        raise Invalid(f"the card of {card.id} says kind {card.kind!r}, which does not go with its id", field="kind")
