"""Mending: what is missing below `index/` is made again, and what has the wrong type there is taken away.

All of it is derived, so anybody may remove any of it at any time, also while we work in it. Whoever finds
something gone mends the folder and tries again for a while; only a disk that refuses ends in an error.
The rule: nothing outside the index's own folder is ever taken away, and no link is followed to do so.
"""

from __future__ import annotations

import os
import time
from errno import errorcode
from itertools import count

from ..disk import Irregular, discard, make_private_dir, remove_tree
from ..errors import StorageFailed
from ..lock import NOTE_BYTES, Lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ..disk import Disk
    from ..lock import Held

    Answer = TypeVar("Answer")

SWEPT = (
    FileNotFoundError,
    NotADirectoryError,
    IsADirectoryError,
    Irregular,
)  # somebody removed or replaced what we use
PATIENCE_S = 2.0  # as long as a search waits by default
_PAUSE_S = 0.0005
_TRIES = 5  # at a lock file that is another each time one looks, where there is no time to wait
_READ_ONLY = ("EROFS", "EACCES", "EPERM")


class Swept(FileNotFoundError):
    """What we made was taken away while we worked on it."""


def clear(disk: Disk, path: str) -> None:
    """Take away whatever lies here."""
    try:
        disk.unlink(path)
    except FileNotFoundError:
        return
    except OSError:  # a directory, as Linux (EISDIR) and macOS (EPERM) put it
        if os.path.islink(path) or not os.path.isdir(path):
            raise
        remove_tree(disk, path)


def make_folder(disk: Disk, path: str, durable: bool = True) -> None:
    """A directory of ours, in the place of whatever else lies here."""
    if os.path.isdir(path):
        return
    discard(disk, path)
    if durable:
        make_private_dir(disk, path)
    else:
        _make_dir(disk, path)


def _make_dir(disk: Disk, path: str) -> None:
    try:
        disk.mkdir(path)
    except FileExistsError:  # another process was faster
        return


def make_way(disk: Disk, path: str) -> None:
    """Before a file of ours is made: its folder is there, and nothing but a file lies in its place."""
    make_folder(disk, os.path.dirname(path))
    if os.path.exists(path) and not os.path.isfile(path):
        clear(disk, path)


def persist(act: Callable[[], Answer], mend: Callable[[], None], seconds: float = PATIENCE_S) -> Answer:
    """What `act` returns; as long as something is taken away from under it, mend and try again."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return act()
        except SWEPT:
            if time.monotonic() >= deadline:
                raise
        try:
            mend()
        except SWEPT:
            time.sleep(_PAUSE_S)


def unbuildable(folder: str, error: OSError | StorageFailed) -> OSError | StorageFailed:
    """The error for an index that cannot be built here, with a way out where the disk is read-only (D45)."""
    name = error.details.get("errno") if isinstance(error, StorageFailed) else errorcode.get(error.errno or 0)
    if name not in _READ_ONLY:
        return error
    return StorageFailed(
        f"there is no index in {folder}, and none can be built there ({name}); set `index.path` to a directory that "
        "can be written, or open the home once where it can be written",
        errno=name,
        path=folder,
    )


class IndexLock(Lock):
    """A lock whose file may be removed like everything here: it is had only if it still lies in its place.

    Who cannot have it at once knocks, by a byte behind the note, and tries once more. So whoever leaves work to another
    was either heard by one who goes on to look for work, or has the lock after all.
    """

    __slots__ = ()

    def attempt(self, what: str) -> Held | None:
        held = super().attempt(what)
        if held is None and self._knock():
            held = super().attempt(what)
        return held

    def _knock(self) -> bool:
        try:
            fd = self._disk.open(self.path, os.O_WRONLY)
            try:
                self._disk.pwrite(fd, b"\n", NOTE_BYTES)
            finally:
                self._disk.close(fd)
        except OSError:
            return False
        return True

    def heed(self, held: Held) -> bool:
        """Whether somebody had knocked before us; from now on it is our work, and the byte goes."""
        try:
            asked = os.fstat(held.fd).st_size > NOTE_BYTES
            if asked:
                self._disk.ftruncate(held.fd, NOTE_BYTES)
        except OSError:
            return True
        return asked

    def asked(self) -> bool:
        """Whether somebody knocked while we had it; to be asked after letting go."""
        try:
            return os.stat(self.path).st_size > NOTE_BYTES
        except OSError:
            return True

    def _open(self) -> int:
        return persist(super()._open, lambda: make_way(self._disk, self.path))

    def _acquired(self, held: Held, seconds: float, deadline: float, what: str) -> Held | None:
        for tries in count(1):
            found = super()._acquired(held, seconds, deadline, what)
            if found is None:
                break
            try:
                if self._in_place(found.fd):
                    return found
            except BaseException:
                found.release()
                raise
            found.release()
            seconds = deadline - time.monotonic()
            if seconds <= 0 and tries >= _TRIES:
                break
        return None

    def _in_place(self, fd: int) -> bool:
        """Whether the next one who asks for this lock will open the same file."""
        try:
            named, ours = os.stat(self.path), os.fstat(fd)
        except OSError:
            return False
        return (named.st_dev, named.st_ino) == (ours.st_dev, ours.st_ino)
