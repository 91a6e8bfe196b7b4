"""Echoes: the lines that this process has just appended, for an index that would otherwise read them back.

An echo stands for bytes of a file as long as inode, size and time of the file are those of our own last write,
which is also how a tail is known (`tail`), and it goes on from the very mark up to which the index has read. In any
other case, and for everything but plain appends of entries, the file itself is read. Each echo is heard once.
"""

from __future__ import annotations

from ..model.ids import digest
from ..model.replay import Line, Mark, Replay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Stamp = tuple[int, int, int]
    Written = tuple[bytes, dict[str, Any]]  # a line and its record

_MOST_BYTES = 1 << 20
_MOST_JOURNALS = 64


class Echo:
    """Lines that follow a mark, and the stamp of the file that ends with them."""

    __slots__ = ("before", "stamp", "written")

    def __init__(self, before: Mark, written: list[Written], stamp: Stamp) -> None:
        self.before, self.written, self.stamp = before, written, stamp

    def replay(self) -> Replay:
        """What reading these lines would have given."""
        before, lines = self.before, []
        offset, number = before.offset, before.line
        for raw, record in self.written:
            number += 1
            lines.append(Line(number, offset, raw, record))
            offset += len(raw) + 1
        last, record = self.written[-1]
        mark = Mark(
            generation=before.generation, offset=offset, line=number, seq=max(before.seq, record["seq"]),
            tail_offset=offset - len(last) - 1, tail_hash=digest(last + b"\n"),
        )  # fmt: skip
        return Replay(lines=tuple(lines), mark=mark, fresh=False)


class Echoes:
    """The echoes of one agent's journals."""

    __slots__ = ("_echoes", "_read")

    def __init__(self) -> None:
        self._read: dict[str, tuple[Mark, Stamp]] = {}  # up to where a journal was read, and its stamp then
        self._echoes: dict[str, Echo] = {}

    def read(self, journal: str, mark: Mark, stamp: Stamp) -> None:
        """Somebody knows this journal up to a mark; worth remembering only if that was all of it."""
        if mark.offset == stamp[1] and mark.tail_hash:
            if len(self._read) >= _MOST_JOURNALS:
                self._read.clear()
            self._read[journal] = mark, stamp

    def appended(self, journal: str, before: Stamp, written: Sequence[Written], after: Stamp) -> None:
        """We have added these whole lines to a file that had the stamp `before`, and has `after` now."""
        known, echo = self._read.pop(journal, None), self._echoes.pop(journal, None)
        if echo is not None and echo.stamp == before:
            written = [*echo.written, *written]
            known = echo.before, before
        if known is None or known[1] != before or after[1] - known[0].offset > _MOST_BYTES:
            return
        if len(self._echoes) >= _MOST_JOURNALS:
            self._echoes.clear()
        self._echoes[journal] = Echo(known[0], list(written), after)

    def heard(self, journal: str, since: Mark | None, stamp: Stamp) -> Replay | None:
        """What follows a mark in a file of this stamp, if we wrote it."""
        echo = self._echoes.pop(journal, None)
        if echo is None or echo.before != since or echo.stamp != stamp:
            return None
        replay = echo.replay()
        self.read(journal, replay.mark, stamp)
        return replay

    def clear(self) -> None:
        self._read.clear()
        self._echoes.clear()
