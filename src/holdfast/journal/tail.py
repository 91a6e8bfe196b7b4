"""Tail: what a writer must know before it may append: the next seq, and whether the last line is whole.

It is found by reading the file's end, and kept as long as inode, size and time of the file are those
of our own last write. A torn tail is not cut off: the next append begins with a line end, which seals
it. Damage at the end takes part in the count, so that no seq is given twice (D8).
"""

from __future__ import annotations

from ..disk import pread_all
from ..model.entry import SCHEMA_VERSION
from .line import intact
from .replay import Scan, read_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from ..disk import Disk
    from .header import Header

# Two or three lines, one of which is good in nearly every store: where many processes write, each reads the tail for
# every line it adds, and checking ten lines costs more than writing one.
_FIRST_BLOCK = 2 << 10
_GROWTH = 8
_TODAYS = b'{"schema_version":%d,"seq":' % SCHEMA_VERSION  # so begins every entry and amendment of this version


class Tail:
    """The end of a journal as it was when `stamp` was taken."""

    __slots__ = ("header", "newer", "next_seq", "sealed", "size", "stamp")

    def __init__(self, header: Header, stamp: tuple[int, int, int], next_seq: int, sealed: bool, newer: bool) -> None:
        self.header, self.stamp, self.next_seq = header, stamp, next_seq
        self.size = stamp[1]
        self.sealed = sealed  # the last byte is a line end
        self.newer = newer


def stamp_of(stat: os.stat_result) -> tuple[int, int, int]:
    """Inode, size and time: equal only if nobody wrote since."""
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def read_tail(disk: Disk, fd: int, stat: os.stat_result) -> Tail:
    """Find the tail by reading backwards until a good line turns up."""
    header = read_header(disk, fd)
    size, count = stat.st_size, _FIRST_BLOCK
    while True:
        whole = count >= size or not header.strict  # lines without seq are counted from the first
        start = 0 if whole else size - count
        data = pread_all(disk, fd, size - start, start)
        seq = 0 if whole else _last_seq(data)
        if seq:
            return Tail(header, stamp_of(stat), max(seq, header.next_seq - 1) + 1, True, header.newer)
        scan = _scanned(data, None if whole else header)
        if whole or any(line.record for line in scan.lines):
            newer = header.newer or scan.newer
            return Tail(header, stamp_of(stat), scan.next_seq, data.endswith(b"\n") or not data, newer)
        count *= _GROWTH


def _last_seq(data: bytes) -> int:
    """The largest seq, where every whole line here begins as ours do and the last one is intact; else 0."""
    begun = data.split(b"\n" + _TODAYS)[1:]
    last = data[data.rfind(b"\n", 0, -1) + 1 : -1]
    if not begun or len(begun) + 1 != data.count(b"\n") or not data.endswith(b"\n") or not intact(last):
        return 0
    seqs = [line[: line.find(b",")] for line in begun]
    return max(map(int, seqs)) if all(seq.isdigit() for seq in seqs) else 0


def _scanned(data: bytes, header: Header | None) -> Scan:
    if header is not None:  # begins within a line, which is left out
        data = data.partition(b"\n")[2]
    return Scan(header).read(data)
