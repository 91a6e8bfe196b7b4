"""Retracting: lines whose sync failed are taken back under the lock, since their writer was told that they failed.

They are cut off where they are the last ones. Where others have written behind them the journal is written anew without
them, as a later generation: an index that has read further would not see lines change that lie before its mark. On a
disk that refuses that too they are overwritten by spaces. What cannot be taken back stays: whoever was told of a
failure has to look before trying again in any case.
"""

from __future__ import annotations

import time

from ..errors import HoldfastError
from ..model.moment import iso
from ..model.record import entry_from
from .blanking import blank_lines
from .cards import read_card
from .header import guessed_card
from .line import entry_line
from .pen import Pen
from .replay import Scan
from .rewrite import next_header, swap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model.card import Card
    from ..model.replay import Line
    from .files import Place
    from .header import Header
    from .pen import Desk


def retract(desk: Desk, place: Place, lines: Sequence[bytes]) -> None:
    """Take back these lines, wherever in the journal they are by now."""
    try:
        with Pen(desk, place, "take back") as pen:
            take_back(desk, pen, lines)
    except (HoldfastError, OSError):
        return


def take_back(desk: Desk, pen: Pen, lines: Sequence[bytes]) -> None:
    """The same under a lock that is had already; raises where the disk refuses."""
    pen.open()
    data = pen.read_all()
    pen.announce()  # somebody may have indexed them
    pen.forget_tail()
    last = b"\n".join((b"", *lines, b""))
    if not (data.endswith(last) and _cut(desk, pen, len(data) - len(last) + 1)):
        _take_out(desk, pen, data, set(lines))


def _cut(desk: Desk, pen: Pen, size: int) -> bool:
    try:
        desk.disk.ftruncate(pen.fd, size)
    except OSError:
        return False
    return True


def _take_out(desk: Desk, pen: Pen, data: bytes, wanted: set[bytes]) -> None:
    scan = Scan(None).read(data)
    gone = [line for line in scan.lines if line.raw in wanted]
    if gone and (
        scan.newer or not _written_anew(desk, pen, scan, wanted)
    ):  # what a later version wrote is not in `scan`
        blank_lines(desk.disk, pen.place.entries, gone)


def _written_anew(desk: Desk, pen: Pen, scan: Scan, without: set[bytes]) -> bool:
    """Whether a later generation has taken the journal's place; if so, nothing lies any more where it lay."""
    place, disk, now = pen.place, desk.disk, int(time.time() * 1000)
    try:
        card = read_card(disk, place) or guessed_card(place.journal, {}, iso(now))
        rest = [_line(line, card, scan.header) for line in scan.lines if line.raw not in without]
        swap(disk, place, next_header(card, scan, now), [*rest, scan.torn] if scan.torn else rest)
    except (HoldfastError, OSError):
        return disk.stat(place.entries).st_ino != disk.fstat(pen.fd).st_ino  # it may have failed after the rename
    return True


def _line(line: Line, card: Card, header: Header | None) -> bytes:
    """A line as it is to stand below a header of ours, which asks for checksums and for whose it is."""
    if line.record is None or "amends" in line.record or (header is not None and header.generation):
        return line.raw
    from .older import adopted

    adopted(line.record, card)
    return entry_line(entry_from(line.record))
