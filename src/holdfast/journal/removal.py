"""Removal of a whole journal: everything in its directory goes, the tombstones stay (D10).

The card goes first and durably: a journal without entries but with a card is one that was lost, and
what the index still knows of it would be rescued. After a crash in the middle, removing again finishes.
"""

from __future__ import annotations

import os

from ..disk import remove_tree
from .files import CARD, ENTRIES, TOMBSTONES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..disk import Disk
    from .files import Place


def remove_journal(disk: Disk, place: Place) -> None:
    """Card, then entries and all else but the tombstones; an empty directory goes too."""
    for entry in [entry for entry in disk.scandir(place.directory) if entry.name == CARD]:
        _remove(disk, entry)
        disk.sync_dir(place.directory)
    for entry in list(disk.scandir(place.directory)):
        if entry.name == TOMBSTONES:
            continue
        if entry.is_dir(follow_symlinks=False):
            remove_tree(disk, entry.path)
        else:
            _remove(disk, entry)
    disk.sync_dir(place.directory)
    if not disk.listdir(place.directory):
        disk.rmdir(place.directory)
        disk.sync_dir(os.path.dirname(place.directory))


def _remove(disk: Disk, entry: os.DirEntry[str]) -> None:
    """The file; where one of ours is a link, first what that leads to, which we wrote. Others may lead anywhere."""
    if entry.name in (CARD, ENTRIES) and entry.is_symlink() and entry.is_file():
        target = os.path.realpath(entry.path)
        disk.unlink(target)
        disk.sync_dir(os.path.dirname(target))
    disk.unlink(entry.path)
