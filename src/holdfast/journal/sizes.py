"""Sizes and times of a journal's files by stat alone: cheap enough to ask of twenty thousand sessions."""

from __future__ import annotations

from ..model.replay import Size

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from ..disk import Disk
    from .files import Place


def size_of(disk: Disk, place: Place) -> Size | None:
    """None where there are neither entries nor tombstones nor a card."""
    entries, buried, card = _stat(disk, place.entries), _stat(disk, place.tombstones), _stat(disk, place.card)
    if not (entries or buried or card):
        return None
    return Size(
        entries=entries.st_size if entries else 0,
        tombstones=buried.st_size if buried else 0,
        inode=entries.st_ino if entries else 0,
        changed=entries.st_mtime_ns if entries else 0,
        card_changed=card.st_mtime_ns if card else 0,
    )


def _stat(disk: Disk, path: str) -> os.stat_result | None:
    try:
        return disk.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
