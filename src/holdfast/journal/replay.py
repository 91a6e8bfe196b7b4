"""Replay: reading a journal's bytes into lines. Pure over bytes; it never writes and never raises on damage.

Lines end at b"\\n" and nowhere else (U+2028 is text); CRLF is accepted; a line may be of any length.
A line that fails its checksum is returned without a record and costs nothing but itself. A torn
tail, an unfinished last line, is left unread unless its checksum is right: then only its line end is
missing. Lines of spaces were erased in place (D42); empty lines are nothing.
"""

from __future__ import annotations

import os

from ..disk import pread_all
from ..model.entry import SCHEMA_VERSION
from ..model.ids import digest
from ..model.record import is_entry
from ..model.replay import Line, Mark, Replay
from .header import BOM, Header, header_of
from .line import MARK, decoded, is_newer, kind_of, usual

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..disk import Disk
    from .line import Look

_FIRST_BLOCK = 1024  # a header takes some 300 bytes
_MUCH = 1 << 18  # bytes: reading these takes longer by what it costs to load `plain`
_read = 0  # so many, by this process
NOTHING = Mark(generation=0, offset=0, line=0, seq=0, tail_offset=0, tail_hash="")


class Scan:
    """A pass over consecutive bytes of a journal; `read` may be called once."""

    __slots__ = ("gap", "header", "line", "lines", "newer", "offset", "seq", "tail_offset", "torn")

    def __init__(self, header: Header | None, offset: int = 0, line: int = 0, seq: int = 0) -> None:
        self.header = header  # None: the bytes begin with the first line
        self.offset, self.line, self.seq = offset, line, seq
        self.lines: list[Line] = []
        self.tail_offset = offset
        self.gap = 0  # seqs that damaged and erased lines after the last good one took
        self.newer = header.newer if header else False
        self.torn = b""

    @property
    def next_seq(self) -> int:
        """The seq for the next line: never one that a damaged or erased line may have had (D8)."""
        known = self.header.next_seq - 1 if self.header else 0
        return max(self.seq, known) + 1 + self.gap

    def read(self, data: bytes) -> Scan:
        """Take in all whole lines, then what is left after the last line end."""
        *whole, unfinished = data.split(b"\n")
        self._take(whole, _look(len(data)))
        if unfinished:
            self._take_unfinished(unfinished)
        if self.header is None:
            self.header = Header()
        return self

    def _take(self, whole: list[bytes], look: Callable[[bytes], Look]) -> None:
        """Lines, of which all but a few are entries as usual."""
        for raw in whole:
            self.line += 1
            record, alike = look(raw) if self.header is not None else (None, None)
            if record is None:
                self._take_unusual(raw)
            else:
                if record["seq"] > self.seq:
                    self.seq = record["seq"]
                self.gap = 0
                self.lines.append(Line(self.line, self.offset, raw, record, alike))
            self.tail_offset = self.offset
            self.offset += len(raw) + 1

    def _take_unusual(self, raw: bytes) -> None:
        offset = self.offset
        if raw.endswith(b"\r"):
            raw = raw[:-1]
        if not raw:
            return
        if self.header is None:
            self.header = header_of(raw)
            self.newer = self.header.newer
            raw, offset = raw.removeprefix(BOM), offset + len(BOM) * raw.startswith(BOM)
        if raw.isspace():
            self.gap += 1
            return
        record = decoded(raw, self.header.strict)
        if record is None:
            self.gap += weight(raw)
        else:
            kind = kind_of(record)
            if kind == "unknown" or record.get("schema_version") != SCHEMA_VERSION:
                self.newer = self.newer or is_newer(record)
            if kind in ("header", "unknown"):
                return
            self.seq = max(self.seq, record.setdefault("seq", self.seq + self.gap + 1))
            self.gap = 0
        self.lines.append(Line(self.line, offset, raw, record))

    def _take_unfinished(self, raw: bytes) -> None:
        """The last line without its line end: good if its checksum is, otherwise torn."""
        strict = self.header.strict if self.header else header_of(raw).strict
        if raw.isspace() or decoded(raw, strict) is None:
            self.torn = raw
            self.gap += weight(raw)
            return
        self._take([raw], _thoroughly)
        self.line, self.offset = self.line - 1, self.offset - 1  # a mark counts line ends


def _thoroughly(raw: bytes) -> Look:
    return usual(raw), None


def _look(size: int) -> Callable[[bytes], Look]:
    """What tells the records of usual lines; the quick look is loaded once a process has read much."""
    global _read
    _read += size
    if _read < _MUCH:
        return _thoroughly
    from .plain import plain

    return plain


def weight(raw: bytes) -> int:
    """How many seqs a damaged line may have taken: lines that lost their line end are glued together."""
    return max(1, raw.count(MARK))


def replayed(scan: Scan, tail: bytes, fresh: bool, lost: bool = False, more: bool = False) -> Replay:
    """The result of a scan; `tail` is the last line read with its line end."""
    assert scan.header is not None
    mark = Mark(
        generation=scan.header.generation, offset=scan.offset, line=scan.line, seq=scan.seq,
        tail_offset=scan.tail_offset, tail_hash=digest(tail),
    )  # fmt: skip
    return Replay(
        lines=tuple(scan.lines), mark=mark, fresh=fresh, lost=lost, newer=scan.newer, torn=bool(scan.torn), more=more
    )  # fmt: skip


def replay_bytes(data: bytes, lost: bool = False, more: bool = False) -> Replay:
    """A whole journal from its first line, or its beginning where there is more."""
    scan = Scan(None).read(data)
    return replayed(scan, data[scan.tail_offset : scan.offset], True, lost, more)


def replay_file(disk: Disk, path: str, since: Mark | None, most: int | None = None) -> Replay:
    """A journal from a mark on if the mark still fits, else from its first line; not much more than `most` bytes."""
    fd = disk.open(path, os.O_RDONLY)
    try:
        size = disk.fstat(fd).st_size
        if since is None and (most is None or size <= most):
            return replay_bytes(pread_all(disk, fd, size, 0))
        header = read_header(disk, fd)
        if header.generation == 0:
            most = None  # where lines have no seq, what is in front of them says which
        if since is not None and _fits(disk, fd, header, since, size):
            return _continued(disk, fd, header, since, size, most)
        lost = since is not None and size < since.offset and header.generation in (0, since.generation)
        data = _piece(disk, fd, 0, size, most)
        return replay_bytes(data, lost, len(data) < size)
    finally:
        disk.close(fd)


def _piece(disk: Disk, fd: int, offset: int, size: int, most: int | None) -> bytes:
    """Whole lines from an offset on: some `most` bytes, or all up to the end of the file."""
    while most is not None and most < size - offset:
        data = pread_all(disk, fd, most, offset)
        if end := data.rfind(b"\n") + 1:
            return data[:end]
        most *= 8  # a line may be of any length
    return pread_all(disk, fd, size - offset, offset)


def read_header(disk: Disk, fd: int) -> Header:
    """What the first line of an open journal says."""
    count = _FIRST_BLOCK
    while True:
        data = pread_all(disk, fd, count, 0)
        first, found, _ = data.lstrip(b"\r\n").partition(b"\n")  # empty lines are ignored
        if found or len(data) < count:
            return header_of(first)
        count *= 8


def first_entry(disk: Disk, fd: int) -> dict[str, Any] | None:
    """The first good entry of an open journal; what says whose it is where nothing else does."""
    count = _FIRST_BLOCK
    while True:
        data = pread_all(disk, fd, count, 0)
        lines = Scan(None).read(data[: data.rfind(b"\n") + 1] if len(data) == count else data).lines
        found = next((line.record for line in lines if is_entry(line.record)), None)
        if found is not None or len(data) < count:
            return found
        count *= 8


def _fits(disk: Disk, fd: int, header: Header, since: Mark, size: int) -> bool:
    if header.generation != since.generation or size < since.offset:
        return False
    tail = pread_all(disk, fd, since.offset - since.tail_offset, since.tail_offset)
    return digest(tail) == since.tail_hash


def _continued(disk: Disk, fd: int, header: Header, since: Mark, size: int, most: int | None) -> Replay:
    data = _piece(disk, fd, since.offset, size, most)
    scan = Scan(header, since.offset, since.line, since.seq).read(data)
    if scan.offset == since.offset:
        return Replay(lines=(), mark=since, fresh=False, newer=scan.newer, torn=bool(scan.torn))
    tail = data[scan.tail_offset - since.offset : scan.offset - since.offset]
    return replayed(scan, tail, fresh=False, more=len(data) < size - since.offset)
