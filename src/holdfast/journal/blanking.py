"""Blanking: erasing lines in place by spaces of equal length, for a disk too full to rewrite (D42).

It needs no new block. An overwrite that is cut short leaves a line that fails its checksum: bad,
and never shown; the entry's tombstone lets the next rewrite finish the work.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ..disk import Disk
    from ..model.replay import Line


def lines_about(lines: Iterable[Line], ids: Collection[str]) -> list[Line]:
    """The lines of these entries and of their amendments."""
    return [line for line in lines if line.record and (line.record.get("amends") or line.record.get("id")) in ids]


def blank_lines(disk: Disk, path: str, lines: Iterable[Line]) -> None:
    """Overwrite and sync."""
    fd = disk.open(path, os.O_WRONLY)  # without O_APPEND: Linux would append whatever the offset
    try:
        for line in lines:
            _blank(disk, fd, line)
        disk.sync(fd)
    finally:
        disk.close(fd)


def _blank(disk: Disk, fd: int, line: Line) -> None:
    done = 0
    while done < line.length:
        done += disk.pwrite(fd, b" " * (line.length - done), line.offset + done)
