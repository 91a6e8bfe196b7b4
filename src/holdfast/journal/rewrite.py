"""Rewrite: a journal written anew without what shall go, as a later generation (D8, D11).

Survivors keep their order and seq; a line that nobody changed is copied byte for byte. The new file
takes the old one's name in one step, so a crash leaves the one or the other. Between the rename and
the sync of the directory a mark (`settling`) stands beside it: were we killed there, the next writer
must sync before it appends, or a loss of power could bring the old file back without its lines.
"""

from __future__ import annotations

import os

from ..disk import discard, temporary_name, write_new
from ..model.entry import SCHEMA_VERSION, amended
from ..model.record import amendment_from, entry_from
from ..model.replay import Rewritten
from .files import CARD, ENTRIES, TOMBSTONES
from .header import Header, header_for, header_line
from .line import entry_line, intact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..disk import Disk
    from ..model.card import Card
    from ..model.entry import Amendment, Entry
    from ..model.replay import Line
    from .files import Place
    from .replay import Scan

    Keep = Callable[[Entry], Entry | None]


_TODAYS = b'{"schema_version":%d,' % SCHEMA_VERSION


class Survivors:
    """What a rewrite keeps, and what it found."""

    __slots__ = ("damaged", "dropped", "kept", "lines")

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.damaged: list[tuple[int, bytes]] = []  # offset, bytes as found
        self.kept = self.dropped = 0

    def worth_keeping(self, drop: Callable[[bytes], bool] | None) -> list[tuple[int, bytes]]:
        """The damaged pieces, without those that shall be forgotten."""
        return [piece for piece in self.damaged if not (drop and drop(piece[1]))]

    def report(self, header: Header, before: int, after: int) -> Rewritten:
        return Rewritten(
            generation=header.generation, kept=self.kept, dropped=self.dropped, damaged=len(self.damaged),
            bytes_before=before, bytes_after=after,
        )  # fmt: skip


def survivors(scan: Scan, keep: Keep) -> Survivors:
    """Ask `keep` about every entry, its amendments folded in; amendments of nothing go."""
    result, changes = Survivors(), amendments(scan.lines)
    for line in scan.lines:
        if line.record is None:
            result.damaged.append((line.offset, line.raw))
        elif "amends" not in line.record:
            kept = _kept(line, changes.get(line.record["id"], ()), keep)
            if kept is None:
                result.dropped += 1
            else:
                result.kept += 1
                result.lines.append(kept)
    if scan.torn:
        result.damaged.append((scan.offset, scan.torn))
    return result


def amendments(lines: Iterable[Line]) -> dict[str, list[Amendment]]:
    """Amendments by the id that they change, in the order of their seq."""
    changes: dict[str, list[Amendment]] = {}
    for line in lines:
        if line.record is not None and "amends" in line.record:
            changes.setdefault(line.record["amends"], []).append(amendment_from(line.record))
    for found in changes.values():
        found.sort(key=lambda change: change.seq)
    return changes


def _kept(line: Line, changes: Iterable[Amendment], keep: Keep) -> bytes | None:
    original = entry = entry_from(line.record or {})
    for change in changes:
        entry = amended(entry, change)
    wanted = keep(entry)
    if wanted is None:
        return None
    current = line.raw.startswith(_TODAYS) and intact(line.raw)
    return line.raw if current and wanted == original else entry_line(wanted)


def next_header(card: Card, scan: Scan, now: int) -> Header:
    """The header of the next generation; where the old one is unreadable the clock gives an unused number."""
    old = scan.header or Header()
    generation = old.generation + 1 if old.readable else now // 1000
    return header_for(card, generation, scan.next_seq)


def swap(disk: Disk, place: Place, header: Header, lines: Iterable[bytes]) -> int:
    """Put header and lines in the journal's place, returning their bytes; on failure the old journal stands."""
    data = b"\n".join([header_line(header), *lines]) + b"\n"
    path = os.path.realpath(place.entries)  # a link stays one, and leads to nothing that was taken out
    temporary = temporary_name(path)
    try:
        write_new(disk, temporary, data)
        disk.close(disk.open(place.settling, os.O_WRONLY | os.O_CREAT))
        disk.replace(temporary, path)
    except BaseException:
        discard(disk, temporary)
        discard(disk, place.settling)
        raise
    for directory in dict.fromkeys((os.path.dirname(path), place.directory)):
        disk.sync_dir(directory)
    disk.unlink(place.settling)
    return len(data)


def sweep(disk: Disk, place: Place) -> None:
    """Remove what killed writers left half written: it may hold text that is to be forgotten."""
    for name in disk.listdir(place.directory):
        if name.endswith(".tmp") and name.startswith((ENTRIES, CARD, TOMBSTONES)):
            discard(disk, os.path.join(place.directory, name))
