"""The one seam of OS calls: everything that Holdfast does to its own files goes through a Disk.

Owns what differs between Linux, macOS and Windows (real syncs, locks, renaming over open files) and
the few sequences that are only right as a whole: atomic replacement, private directories, removal
of a tree. It never decides when to retry; it raises OSError and `refused` turns one into the typed
error. The rule: every file is 0600 and every directory 0700, whatever the umask. Tests put a Disk
in its place that fails or forgets.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from stat import S_ISDIR, S_ISREG

from .errors import LOOKS, StorageFailed

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FILE_MODE = 0o600
DIR_MODE = 0o700
_BINARY = getattr(os, "O_BINARY", 0)
AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # whoever opens a pipe would wait for its other end; a file is none the wiser
_WINDOWS_LOCK_AT = 1 << 30  # far past the note, which must stay readable while the byte is locked
_WINDOWS_REPLACE_TRIES = 50  # x 20 ms: a reader has the target open for moments only
_NOT_OFFERED = (errno.EINVAL, errno.ENOTSUP)  # the file system has no such call; that is no lost write
_NO_FILE = (errno.ENXIO, errno.EOPNOTSUPP)  # of a socket, or of a pipe that nobody reads from


class Irregular(OSError):
    """A pipe, socket, device or directory lies where a file should."""


class Disk:
    """Thin methods over `os`; each may raise OSError, and each is a place where a test can fail it."""

    def open(self, path: str, flags: int, mode: int = FILE_MODE) -> int:
        """A descriptor, at once, of a file and nothing else; not inherited. One that it creates has exactly `mode`."""
        try:
            fd = os.open(path, flags | _BINARY | AT_ONCE, mode)
        except OSError as error:
            if error.errno in _NO_FILE:
                raise Irregular(errno.ENXIO, error.strerror, path) from error
            raise
        found = os.fstat(fd).st_mode
        if not S_ISREG(found):
            os.close(fd)
            name = errno.EISDIR if S_ISDIR(found) else errno.ENXIO
            raise Irregular(name, os.strerror(name), path)
        if flags & os.O_CREAT and found & 0o777 != mode and sys.platform != "win32":
            self._exact_mode(fd, mode)
        return fd

    def _exact_mode(self, fd: int, mode: int) -> None:
        try:
            os.fchmod(fd, mode)
        except PermissionError:  # somebody else's file: `private_mode_wrong` reports it
            return

    def close(self, fd: int) -> None:
        os.close(fd)

    def read(self, fd: int, count: int) -> bytes:
        return os.read(fd, count)

    def pread(self, fd: int, count: int, offset: int) -> bytes:
        if sys.platform == "win32":
            os.lseek(fd, offset, os.SEEK_SET)
            return os.read(fd, count)
        return os.pread(fd, count, offset)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        return os.write(fd, data)

    def pwrite(self, fd: int, data: bytes | memoryview, offset: int) -> int:
        if sys.platform == "win32":
            os.lseek(fd, offset, os.SEEK_SET)
            return os.write(fd, data)
        return os.pwrite(fd, data, offset)

    def ftruncate(self, fd: int, size: int) -> None:
        os.ftruncate(fd, size)

    def fallocate(self, fd: int, size: int) -> None:
        """Take up real blocks, so that deleting the file gives them back."""
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(fd, 0, size)
        else:
            write_all(self, fd, bytes(size))

    def sync(self, fd: int) -> None:
        """Data and size on the medium, not only in the drive's cache."""
        if sys.platform == "darwin":
            _full_sync(fd)
        elif hasattr(os, "fdatasync"):
            os.fdatasync(fd)
        else:
            os.fsync(fd)

    def sync_dir(self, path: str) -> None:
        """Names in a directory on the medium; Windows has no such call and needs none."""
        if sys.platform == "win32":
            return
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(fd)
        except OSError as error:
            if error.errno not in _NOT_OFFERED:
                raise
        finally:
            os.close(fd)

    def replace(self, source: str, target: str) -> None:
        if sys.platform == "win32":
            _replace_patiently(source, target)
        else:
            os.replace(source, target)

    def link(self, source: str, target: str) -> None:
        os.link(source, target)

    def unlink(self, path: str) -> None:
        os.unlink(path)

    def mkdir(self, path: str) -> None:
        """A directory with exactly mode 0700."""
        os.mkdir(path, DIR_MODE)
        os.chmod(path, DIR_MODE)

    def rmdir(self, path: str) -> None:
        os.rmdir(path)

    def stat(self, path: str) -> os.stat_result:
        """Of what a symbolic link leads to: that is what is read and written."""
        return os.stat(path)

    def fstat(self, fd: int) -> os.stat_result:
        return os.fstat(fd)

    def listdir(self, path: str) -> list[str]:
        return os.listdir(path)

    def scandir(self, path: str) -> Iterator[os.DirEntry[str]]:
        with os.scandir(path) as found:
            yield from found

    def lock(self, fd: int, exclusive: bool = True, block: bool = False) -> bool:
        """Lock the open file; False if another has it. The kernel frees it when its owner dies."""
        try:
            _lock(fd, exclusive, block)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
                return False
            raise
        return True

    def unlock(self, fd: int) -> None:
        if sys.platform == "win32":
            os.lseek(fd, _WINDOWS_LOCK_AT, os.SEEK_SET)
            try:
                msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)
            except OSError:  # was not locked, which elsewhere is no error
                return
        else:
            fcntl.flock(fd, fcntl.LOCK_UN)


def _full_sync(fd: int) -> None:
    if sys.platform == "darwin":
        try:
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
        except OSError as error:
            if error.errno not in _NOT_OFFERED:
                raise
            os.fsync(fd)


def _lock(fd: int, exclusive: bool, block: bool) -> None:
    if sys.platform == "win32":  # no shared byte locks here: readers take it exclusively too
        os.lseek(fd, _WINDOWS_LOCK_AT, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_LOCK if block else msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(fd, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | (0 if block else fcntl.LOCK_NB))


def _replace_patiently(source: str, target: str) -> None:
    for _ in range(_WINDOWS_REPLACE_TRIES):
        try:
            os.replace(source, target)
        except PermissionError:
            time.sleep(0.02)
        else:
            return
    os.replace(source, target)


REAL = Disk()


def refused(act: str, path: str, error: OSError) -> StorageFailed:
    """The typed error for what the system said, with its name (ENOSPC, EROFS, …) and what to do next."""
    name = errno.errorcode.get(error.errno or 0, "unknown")
    advice = (act in LOOKS and _TO_READ.get(name)) or _ADVICE.get(name, "check the disk, then try again")
    said = f"could not {act} {path}: {os.strerror(error.errno or 0)} ({name}); {advice}"
    return StorageFailed(said, errno=name, path=path, act=act)


class Attempt:
    """A context in which an OSError becomes the typed error: `with Attempt("read", path): …`."""

    __slots__ = ("_act", "_path")

    def __init__(self, act: str, path: str) -> None:
        self._act, self._path = act, path

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, OSError):
            named = self._act in LOOKS and isinstance(error.filename, str)  # who writes has temporary names
            raise refused(self._act, error.filename if named else self._path, error) from error


EXHAUSTED = (errno.EMFILE, errno.ENFILE)  # says nothing of the file that was to be opened
_ADVICE = {
    "ENOSPC": "free some space or run `holdfast forget`, then try again",
    "EDQUOT": "your quota is used up: free some space, then try again",
    "EROFS": "the file system is read-only; nothing can be remembered here",
    **dict.fromkeys(("EACCES", "EPERM"), "the directory must belong to you and be writable"),
    "EMFILE": "too many open files in this process; close some handles",
    "EISDIR": "move it away, then try again",
    "ENXIO": "it is a pipe, socket or device: move it away, then try again",
}
_TO_READ = {
    **dict.fromkeys(("EACCES", "EPERM"), "let its owner read it (chmod u+rwX) and be that user, then try again"),
    "EIO": "check the disk, or put it back from a backup, then try again",
}


def write_all(disk: Disk, fd: int, data: bytes) -> None:
    """Write every byte, however short the single writes are."""
    rest = memoryview(data)
    while rest:
        written = disk.write(fd, rest)
        if written <= 0:
            raise OSError(errno.EIO, "write made no progress")
        rest = rest[written:]


def pread_all(disk: Disk, fd: int, count: int, offset: int) -> bytes:
    """`count` bytes at `offset`; fewer only where the file ends."""
    data = disk.pread(fd, count, offset)
    while data and len(data) < count:
        more = disk.pread(fd, count - len(data), offset + len(data))
        if not more:
            break
        data += more
    return data


def read_file(disk: Disk, path: str) -> bytes:
    """The whole file, whatever its size; as a rule in one piece, which nobody copies."""
    fd = disk.open(path, os.O_RDONLY)
    try:
        parts, size = [], disk.fstat(fd).st_size + 1  # it may be growing
        while part := disk.read(fd, size):
            parts.append(part)
        return b"".join(parts)
    except OSError as error:
        error.filename = error.filename or path  # a descriptor has no name
        raise
    finally:
        disk.close(fd)


def temporary_name(path: str) -> str:
    """A name beside `path` that nobody else uses, so two writers never share a temporary file."""
    return f"{path}.{os.getpid()}-{os.urandom(6).hex()}.tmp"


def write_atomic(disk: Disk, path: str, data: bytes) -> None:
    """Replace what lies at `path`, a link or not, so that after any crash it holds either the old bytes or the new."""
    temporary = temporary_name(path := os.path.realpath(path) if os.path.islink(path) else path)
    try:
        write_new(disk, temporary, data)
        disk.replace(temporary, path)
    except BaseException:
        discard(disk, temporary)
        raise
    disk.sync_dir(os.path.dirname(path))


def write_new(disk: Disk, path: str, data: bytes) -> None:
    """A file that did not exist, written and synced; its name is not durable before `sync_dir`."""
    fd = disk.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        write_all(disk, fd, data)
        disk.sync(fd)
    finally:
        disk.close(fd)


def discard(disk: Disk, path: str) -> None:
    """Unlink if it can be done: the clean-up after a failure must not hide the failure."""
    try:
        disk.unlink(path)
    except OSError:
        return


def exists(disk: Disk, path: str) -> bool:
    try:
        disk.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def make_private_dir(disk: Disk, path: str) -> None:
    """Make a directory and its missing parents, each 0700 and each name durable before this returns."""
    path = os.path.abspath(path)
    if os.path.isdir(path):
        return
    parent = os.path.dirname(path)
    if parent != path:
        make_private_dir(disk, parent)
    try:
        disk.mkdir(path)
    except FileExistsError:  # another process was faster, or a file is in the way
        if not os.path.isdir(path):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path) from None
    disk.sync_dir(parent)


def remove_tree(disk: Disk, path: str) -> None:
    """Remove a directory and all below it; links are removed, not followed; what is gone is fine."""
    try:
        below = [(entry.path, entry.is_dir(follow_symlinks=False)) for entry in disk.scandir(path)]
        for name, is_dir in below:
            if is_dir:
                remove_tree(disk, name)
            else:
                _unlink_if_there(disk, name)
        disk.rmdir(path)
        disk.sync_dir(os.path.dirname(path))
    except FileNotFoundError:
        return


def _unlink_if_there(disk: Disk, path: str) -> None:
    try:
        disk.unlink(path)
    except FileNotFoundError:
        return


_NETWORK = (
    "nfs", "cifs", "smb", "9p", "afs", "ceph", "lustre", "glusterfs", "fuse.sshfs", "fuse.rclone", "fuse.s3", "davfs",
)  # fmt: skip
_SYNCED = ("dropbox", "onedrive", "icloud", "icloud drive", "mobile documents", "google drive", "googledrive")
_ESCAPES = (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\"))  # as /proc/self/mounts writes them


def risky_filesystem(path: str) -> str | None:
    """Why a home here is in danger (network or synced storage), or None."""
    for part in (path := os.path.realpath(path)).split(os.sep):
        if part.lower() in _SYNCED or part.lower().startswith(("onedrive -", "dropbox (")):
            return f"synced folder ({part}): another machine may change files while they are in use"
    kind = _filesystem(path)
    if kind and kind.startswith(_NETWORK):
        return f"network file system ({kind}): locks may not hold between machines"
    return None


def _filesystem(path: str) -> str | None:
    """The type of the file system that a path lies on, where the system tells."""
    try:
        with open("/proc/self/mounts", encoding="utf-8", errors="surrogateescape") as source:
            mounts = [line.split(" ", 3)[1:3] for line in source]
    except OSError:
        return None
    best, kind = "", None
    for point, found in mounts:
        for code, char in _ESCAPES:
            point = point.replace(code, char)
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):  # of two mounts on one point the later is seen
            best, kind = point, found
    return kind
