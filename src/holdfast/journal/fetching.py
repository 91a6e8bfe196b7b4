"""Fetching: entries read at their addresses, each checked before it is believed (D16).

An address may be old: the journal may have been rewritten, blanked or damaged since. Whatever does
not check out (checksum, id, scope) is left out, and the caller asks the index to look again.
"""

from __future__ import annotations

import os

from ..disk import EXHAUSTED, pread_all, refused
from ..errors import FormatTooNew
from ..model.entry import amended
from ..model.record import amendment_from, entry_from
from .cards import read_card
from .line import decoded, usual
from .older import adopted
from .replay import read_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ..disk import Disk
    from ..model.entry import Entry
    from ..model.replay import Address
    from ..model.scope import Scope
    from .files import Place


def fetch_from(disk: Disk, place: Place, addresses: Sequence[Address], scope: Scope) -> Iterator[Entry]:
    """The entries of one journal that are where they should be and that the scope sees."""
    try:
        fd = disk.open(place.entries, os.O_RDONLY)
    except OSError as error:
        if error.errno in EXHAUSTED:
            raise refused("read", place.entries, error) from error
        return
    try:
        for address in addresses:
            entry = _entry_at(disk, fd, place, address)
            if entry is not None and scope.sees(entry.scope, entry.user_id, entry.session_id, entry.workspace):
                yield entry
    finally:
        disk.close(fd)


def _entry_at(disk: Disk, fd: int, place: Place, address: Address) -> Entry | None:
    if not address.spans:
        return None
    first, *changes = address.spans
    record = _record_at(disk, fd, *first)
    if record is None or record.get("id") != address.id or "content" not in record:
        return None
    record.setdefault("seq", 0)
    if _is_vague(record, place) and read_header(disk, fd).generation == 0:
        adopted(record, read_card(disk, place))
    try:
        entry = entry_from(record)
    except FormatTooNew:
        return None
    return _folded(entry, [_record_at(disk, fd, *change) for change in changes]) if changes else entry


def _is_vague(record: dict[str, Any], place: Place) -> bool:
    """Whether a line of a session leaves open what each of ours says."""
    named = "user_id" in record and record.get("session_id") == place.journal
    return record.get("scope") == "session" and not named


def _folded(entry: Entry, records: Sequence[dict[str, Any] | None]) -> Entry | None:
    found = [record for record in records if record is not None and record.get("amends") == entry.id]
    if len(found) != len(records):
        return None
    for change in sorted(map(amendment_from, found), key=lambda change: change.seq):
        entry = amended(entry, change)
    return entry


def _record_at(disk: Disk, fd: int, offset: int, length: int) -> dict[str, Any] | None:
    try:
        raw = pread_all(disk, fd, length, offset)
        record = usual(raw) or decoded(raw)  # which looks at each field
        if record is None and not read_header(disk, fd).strict:
            record = decoded(raw, strict=False)
    except OSError:
        return None
    return record
