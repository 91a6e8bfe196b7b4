"""Header: the first line of a journal, which says what the file is.

It carries the generation (raised by every rewrite) and the next seq as of that rewrite (D8), and
enough of the card (whose, which key, since when) that a lost card can be made again. It is never
changed in place.
"""

from __future__ import annotations

from ..model.card import Card, workspace_of
from ..model.shape import is_header
from ..model.value import FrozenDict, Value
from .line import HEADER_VERSION, MARK, decoded, is_newer, sealed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_FROM_CARD = ("kind", "user_id", "key", "workspace", "created_at")


class Header(Value):
    """What the first line said; `generation` 0 where it is damaged or missing."""

    id: str | None = None
    generation: int = 0
    next_seq: int = 1
    kind: str | None = None
    user_id: str | None = None
    key: str | None = None
    workspace: str | None = None
    created_at: str | None = None
    newer: bool = False
    strict: bool = True  # every line must carry its checksum; off only in files that are not ours

    @property
    def readable(self) -> bool:
        return self.id is not None

    @property
    def tells_owner(self) -> bool:
        """Whether it says whose journal this is; what is not ours alone may not."""
        return self.kind is not None


def header_for(card: Card, generation: int, next_seq: int) -> Header:
    """The header of the journal of this card."""
    known = {name: getattr(card, name) for name in _FROM_CARD}
    return Header(id=card.id, generation=generation, next_seq=next_seq, **known)


def header_line(header: Header) -> bytes:
    """The first line of a journal, without line end."""
    values = {name: getattr(header, name) for name in ("id", "generation", "next_seq", *_FROM_CARD)}
    return sealed({"journal": HEADER_VERSION, **{name: value for name, value in values.items() if value is not None}})


def header_of(first: bytes) -> Header:
    """What the first line of a file says, whatever it is."""
    found = _seen.get(first)
    if found is None:
        found = _read(first)
        if len(first) <= _LONGEST:
            if len(_seen) >= _MOST_SEEN:
                _seen.clear()
            _seen[first] = found
    return found


_seen: dict[bytes, Header] = {}  # every look at a journal begins with its header
_MOST_SEEN, _LONGEST = 256, 1024
_SIGNS = (b'"journal":', MARK)  # of which no flipped bit takes both from a header of ours
BOM = b"\xef\xbb\xbf"  # some editors put one before what they save


def _read(first: bytes) -> Header:
    record = decoded(first.removesuffix(b"\r").removeprefix(BOM), strict=False)
    if record is None:
        return Header(strict=not first or any(sign in first for sign in _SIGNS))
    if "journal" in record:
        return _header_from(record)
    return Header(strict="checksum" in record)


def _header_from(record: Mapping[str, Any]) -> Header:
    if not is_header(record):
        return Header(newer=True)  # or it would be damaged
    known = {name: record[name] for name in _FROM_CARD if name in record}
    return Header(
        id=record.get("id"), generation=record.get("generation", 0), next_seq=record.get("next_seq", 1),
        newer=is_newer(record), **known,
    )  # fmt: skip


def rebuilt_card(header: Header, journal: str) -> Card | None:
    """The card as far as the header knows it, marked as rebuilt; None if the header is unreadable."""
    if not header.readable or header.created_at is None:
        return None
    return Card(
        id=journal, kind=header.kind or "session", key=header.key, user_id=header.user_id,
        workspace=workspace_of(header.workspace), created_at=header.created_at, extra=_REBUILT,
    )  # fmt: skip


def guessed_card(journal: str, entry: Mapping[str, Any], created_at: str) -> Card:
    """The card where neither card nor header can be read: what the first good entry says, as far as there is one."""
    kind = {"s": "session", "u": "user"}.get(journal[0], "global")
    return Card(
        id=journal, kind=kind, user_id=entry.get("user_id"), workspace=workspace_of(entry.get("workspace")),
        created_at=created_at, extra=_REBUILT,
    )  # fmt: skip


_REBUILT = FrozenDict({"rebuilt": True})
