"""A file system for SQLite whose n-th call fails, and which counts, so that no test passes by failing nothing."""

from __future__ import annotations

import itertools

import apsw

_names = itertools.count()
_FAILING_FILE = ("xRead", "xWrite", "xTruncate", "xSync", "xFileSize", "xLock", "xUnlock", "xCheckReservedLock")
_FAILING_VFS = ("xOpen", "xAccess", "xDelete")
CALLS = (*_FAILING_VFS, *_FAILING_FILE)
# What the operating system can answer to each; a full disk shows itself only to those that take space.
FULL = ("xWrite", "xTruncate", "xSync", "xOpen")


class FaultyVFS(apsw.VFS):
    """Registered under a name of its own; `arm` decides which call fails and how."""

    def __init__(self):
        self.name = f"faulty{next(_names)}"
        self._base = apsw.Connection(":memory:").open_vfs or ""
        self.disarm()
        super().__init__(self.name, self._base)

    def disarm(self):
        self.arm(0)

    def arm(self, fail_at, error=apsw.IOError, calls=CALLS, forever=False):
        """Let the call of this number (from 1) fail, or with `forever` every one from it on."""
        self._fail_at, self._error, self._calls, self._forever = fail_at, error, calls, forever
        self.seen = self.injected = 0

    def count(self, call):
        if call not in self._calls:
            return
        self.seen += 1
        if self._fail_at and (self.seen == self._fail_at or (self._forever and self.seen > self._fail_at)):
            self.injected += 1
            raise self._error(f"injected at call {self.seen}, {call}")

    def excepthook(self, *_error):
        """Faults that SQLite has nobody to tell of (such as one while it closes) are no news to the test."""

    def xOpen(self, name, flags):  # noqa: N802
        self.count("xOpen")
        return FaultyFile(self, self._base, name, flags)

    def xAccess(self, path, flags):  # noqa: N802
        self.count("xAccess")
        return super().xAccess(path, flags)

    def xDelete(self, path, sync):  # noqa: N802
        self.count("xDelete")
        return super().xDelete(path, sync)


class FaultyFile(apsw.VFSFile):
    """One open file of it."""

    def __init__(self, vfs, base, name, flags):
        self._vfs = vfs
        super().__init__(base, name, flags)

    def excepthook(self, *_error):
        """As above."""


def _counted(call):
    inherited = getattr(apsw.VFSFile, call)

    def method(self, *arguments):
        self._vfs.count(call)
        return inherited(self, *arguments)

    method.__name__ = call
    return method


for _call in _FAILING_FILE:
    setattr(FaultyFile, _call, _counted(_call))
