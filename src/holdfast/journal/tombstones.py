"""Tombstones on disk: one line each in `tombstones.jsonl`, kept for good; they hold no text (D10).

The last line for an id wins. A damaged line still hides whatever id can be read in it, because
showing again what somebody deleted is worse than hiding an entry that `undelete` can bring back.
"""

from __future__ import annotations

import os
import re

from ..disk import pread_all, read_file
from ..errors import Invalid
from ..model.entry import REASONS, Tombstone, require_standing
from ..model.moment import iso
from ..model.shape import is_tombstone
from .line import decoded, sealed
from .tail import stamp_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..disk import Disk
    from .files import Place

_MOST_KNOWN = 4096
# For damaged lines only, so they are compiled when one is met.
_ID = rb'"id":"((?:mem|sess)_[0-9A-Za-z_-]{1,64})"'
_REASON = rb'"reason":"([a-z_]+)"'
_TIME = rb'"timestamp":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"'


def tombstone_line(stone: Tombstone) -> bytes:
    """The line of a tombstone; its reason must be a code, so that no text can hide in it."""
    if stone.reason not in REASONS:
        raise Invalid(f"reason must be one of {', '.join(REASONS)}", field="reason")
    return sealed({name: value for name, value in stone.to_dict().items() if value is not None})


def undoing(stones: Iterable[Tombstone], before: bytes) -> list[bytes]:
    """Lines after which everything is as it was before these stones, when the file held these bytes."""
    last = {stone.id: stone for stone in _all_in(finished(before))}
    lifted = {stone.id: Tombstone(id=stone.id, timestamp=stone.timestamp, reason="undelete") for stone in stones}
    return [tombstone_line(last.get(id) or stone) for id, stone in lifted.items()]


def last_stones(disk: Disk, path: str, ids: Sequence[str]) -> dict[str, Tombstone]:
    """The last tombstone of each of these that has one, lifted or not."""
    try:
        data = finished(read_file(disk, path))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    if len(ids) == 1 and ids[0].encode() not in data:  # as nearly always: without reading every line
        return {}
    wanted = set(ids)
    return {stone.id: stone for stone in _all_in(data) if stone.id in wanted}


class Graves:
    """Which sessions were forgotten as a whole; for whoever holds the lock of the one that is asked for."""

    __slots__ = ("_disk", "_standing")

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._standing: dict[str, tuple[int, int, int]] = {}  # by journal: tombstones that do not say so

    def require_standing(self, place: Place) -> None:
        """NotFound for a session that was forgotten; its tombstones are read when they are other ones than before."""
        try:
            stamp = stamp_of(self._disk.stat(place.tombstones))
        except (FileNotFoundError, NotADirectoryError):
            return
        if self._standing.get(place.journal) != stamp:
            require_standing(place.journal, last_stones(self._disk, place.tombstones, [place.journal]))
            if len(self._standing) >= _MOST_KNOWN:
                self._standing.clear()
            self._standing[place.journal] = stamp


def read_tombstones(disk: Disk, path: str, offset: int = 0) -> tuple[list[Tombstone], int]:
    """Tombstones from a byte offset on, and the offset after them; all of them if the file is shorter."""
    try:
        fd = disk.open(path, os.O_RDONLY)
    except (FileNotFoundError, NotADirectoryError):
        return [], 0
    try:
        size = disk.fstat(fd).st_size
        offset = offset if offset <= size else 0
        data = pread_all(disk, fd, size - offset, offset)
    finally:
        disk.close(fd)
    whole = finished(data)
    return _all_in(whole), offset + len(whole)


def finished(data: bytes) -> bytes:
    """Without an unfinished last line, unless only its line end is missing."""
    end = data.rfind(b"\n") + 1
    return data if stone_in(data[end:]) is not None else data[:end]


def _all_in(data: bytes) -> list[Tombstone]:
    return [stone for raw in data.split(b"\n") for stone in _stones(raw.removesuffix(b"\r"))]


def _stones(raw: bytes) -> Iterator[Tombstone]:
    stone = stone_in(raw)
    if stone is not None:
        yield stone
    elif raw:
        yield from _salvaged(raw)


def stone_in(raw: bytes) -> Tombstone | None:
    """The tombstone that a line holds; None if it is damaged, or no tombstone."""
    record = decoded(raw)
    if record is None or not is_tombstone(record):
        return None
    return Tombstone(**{name: record[name] for name in Tombstone._fields if name in record})


def _salvaged(raw: bytes) -> Iterator[Tombstone]:
    found = list(re.finditer(_ID, raw))
    ends = [match.start() for match in found[1:]] + [len(raw)]
    for match, end in zip(found, ends, strict=False):
        piece = raw[match.end() : end]
        reason, time = re.search(_REASON, piece), re.search(_TIME, piece)
        code = reason[1].decode() if reason else ""
        yield Tombstone(
            id=match[1].decode(),
            timestamp=time[1].decode() if time else iso(0),
            reason=code if code in REASONS else "user",
        )
