"""Mark, Line, Replay, Address: how far a journal was read, and where in it a thing lies."""

from __future__ import annotations

from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


OWN = ("seq", "id", "timestamp", "type", "content", "checksum")  # what each entry has for itself


class Mark(Value):
    """How far a journal was read. It still fits while generation and last line are as they were."""

    generation: int
    offset: int  # bytes read
    line: int  # newlines in them
    seq: int  # highest seq seen
    tail_offset: int  # where the last line read begins
    tail_hash: str


class Line:
    """One line of a journal as read: `record` is the checked JSON object, or None if damaged.

    Where two lines have the very same object as `alike`, their records differ in nothing but OWN.
    """

    __slots__ = ("alike", "length", "number", "offset", "raw", "record")

    def __init__(
        self, number: int, offset: int, raw: bytes, record: dict[str, Any] | None, alike: object | None = None
    ) -> None:
        self.number = number  # 1-based
        self.offset = offset
        self.length = len(raw)  # without the line end
        self.raw = raw
        self.record = record
        self.alike = alike


class Replay(Value):
    """What was read since a mark."""

    lines: tuple[Line, ...]  # entries, amendments and damaged lines; no header, no blank lines
    mark: Mark
    fresh: bool  # from the first line: whatever was known of this journal must be compared with it
    lost: bool = False  # the journal is shorter than the mark said, in the same generation (D40)
    newer: bool = False  # a later version wrote some of it
    torn: bool = False  # an unfinished last line was left unread
    more: bool = False  # lines behind the mark were left for the next piece


class Address(Value):
    """Where an entry lies: its line first, then its amendments, as (offset, length)."""

    id: str
    journal: str
    spans: tuple[tuple[int, int], ...]


class Size(Value):
    """Files of a journal by stat."""

    entries: int  # bytes of memory.jsonl
    tombstones: int
    inode: int
    changed: int  # mtime of memory.jsonl in ns
    card_changed: int

    @property
    def total(self) -> int:
        return self.entries + self.tombstones


class Rewritten(Value):
    """What a rewrite did."""

    generation: int
    kept: int
    dropped: int
    damaged: int
    bytes_before: int
    bytes_after: int
