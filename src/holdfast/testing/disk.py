"""Disks that fail and disks that forget, for tests of durability.

FaultyDisk makes the n-th call that can fail do so; `injected` says whether it came that far, since a
fault test that injects nothing proves nothing. PowerLossDisk works on real files and remembers what
would survive a cut of the power: bytes at the last sync of a file, names at the last sync of their
directory. Nothing else survives, which is stricter than any real file system.
"""

from __future__ import annotations

import errno
import os

from ..disk import Disk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class UnsyncedDisk(Disk):
    """Real files without real syncs: for thousands of runs in which the power stays on."""

    def sync(self, fd: int) -> None:
        return

    def sync_dir(self, path: str) -> None:
        return


class FaultyDisk(UnsyncedDisk):
    """Fails the call with number `fail_at` (from 1): by an errno, or by writing only half (`short`)."""

    def __init__(self, fail_at: int, fault: int | str = errno.EIO) -> None:
        self.fail_at, self.fault = fail_at, fault
        self.calls = 0
        self.injected = 0

    def _count(self, writes: bool = False) -> bool:
        """Count a call; raise if it is the one, or return True if it shall be short."""
        if self.fault == "short" and not writes:
            return False
        self.calls += 1
        if self.calls != self.fail_at:
            return False
        self.injected += 1
        if isinstance(self.fault, int):
            raise OSError(self.fault, os.strerror(self.fault))
        return True

    def open(self, path: str, flags: int, mode: int = 0o600) -> int:
        self._count()
        return super().open(path, flags, mode)

    def read(self, fd: int, count: int) -> bytes:
        self._count()
        return super().read(fd, count)

    def pread(self, fd: int, count: int, offset: int) -> bytes:
        self._count()
        return super().pread(fd, count, offset)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        short = self._count(writes=True)
        return super().write(fd, data[: max(1, len(data) // 2)] if short else data)

    def pwrite(self, fd: int, data: bytes | memoryview, offset: int) -> int:
        short = self._count(writes=True)
        return super().pwrite(fd, data[: max(1, len(data) // 2)] if short else data, offset)

    def ftruncate(self, fd: int, size: int) -> None:
        self._count()
        super().ftruncate(fd, size)

    def fallocate(self, fd: int, size: int) -> None:
        self._count()
        super().fallocate(fd, size)

    def sync(self, fd: int) -> None:
        self._count()
        super().sync(fd)

    def sync_dir(self, path: str) -> None:
        self._count()
        super().sync_dir(path)

    def replace(self, source: str, target: str) -> None:
        self._count()
        super().replace(source, target)

    def link(self, source: str, target: str) -> None:
        self._count()
        super().link(source, target)

    def unlink(self, path: str) -> None:
        self._count()
        super().unlink(path)

    def mkdir(self, path: str) -> None:
        self._count()
        super().mkdir(path)

    def rmdir(self, path: str) -> None:
        self._count()
        super().rmdir(path)

    def stat(self, path: str) -> os.stat_result:
        self._count()
        return super().stat(path)

    def fstat(self, fd: int) -> os.stat_result:
        self._count()
        return super().fstat(fd)

    def listdir(self, path: str) -> list[str]:
        self._count()
        return super().listdir(path)

    def scandir(self, path: str) -> Iterator[os.DirEntry[str]]:
        self._count()
        return super().scandir(path)

    def lock(self, fd: int, exclusive: bool = True, block: bool = False) -> bool:
        self._count()
        return super().lock(fd, exclusive, block)


class PowerLossDisk(UnsyncedDisk):
    """Keeps, beside the real files, what the medium holds; share one between all writers of a test.

    `root` is an existing directory that counts as durable; only what lies below it is followed.
    """

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root)
        self._content: dict[int, bytes] = {}  # inode -> bytes at its last sync
        self._names: dict[int, dict[str, tuple[int, bool]]] = {}  # directory inode -> name -> inode, is a directory
        self._kept: list[int] = []  # open descriptors, so that no inode number is used twice

    def _keep(self, path: str) -> None:
        self._kept.append(os.open(path, os.O_RDONLY))

    def open(self, path: str, flags: int, mode: int = 0o600) -> int:
        new = flags & os.O_CREAT and not os.path.lexists(path)
        fd = super().open(path, flags, mode)
        if new:
            self._keep(path)
        return fd

    def mkdir(self, path: str) -> None:
        super().mkdir(path)
        self._keep(path)

    def sync(self, fd: int) -> None:
        super().sync(fd)
        size = os.fstat(fd).st_size
        with open(f"/proc/self/fd/{fd}", "rb") as source:
            self._content[os.fstat(fd).st_ino] = source.read(size)

    def sync_dir(self, path: str) -> None:
        super().sync_dir(path)
        with os.scandir(path) as entries:
            names = {entry.name: (entry.inode(), entry.is_dir(follow_symlinks=False)) for entry in entries}
        self._names[os.stat(path).st_ino] = names

    def image(self, target: str) -> None:
        """Make at `target` what a cut of the power now would leave of `root`."""
        self._materialise(os.stat(self._root).st_ino, target)

    def _materialise(self, inode: int, target: str) -> None:
        os.mkdir(target, 0o700)
        for name, (child, is_dir) in self._names.get(inode, {}).items():
            path = os.path.join(target, name)
            if is_dir:
                self._materialise(child, path)
            else:
                with open(path, "wb") as copy:
                    copy.write(self._content.get(child, b""))

    def close_all(self) -> None:
        """Let go of the descriptors that keep inode numbers from being used again."""
        for fd in self._kept:
            os.close(fd)
        self._kept.clear()
