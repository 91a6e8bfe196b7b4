"""Lock: one writer at a time, across threads and processes, freed by the kernel when its owner dies.

A mutex for the threads of this process stands in front of a `flock` on a file that is never renamed
or unlinked. There is no expiry, no pid check and no theft: a paused owner still owns. Waiting is
bounded and ends in `Locked`, which names the holder from a note in the lock file; the note is
diagnostic only and nothing is decided by it. Not reentrant: a second hold waits like anybody else's.
An interrupt (Ctrl-C) may come between any two calls: whatever is had by then belongs to a `Held`, which lets go of it
at the latest when nobody has it any more.
"""

from __future__ import annotations

import json
import os
import time
from _thread import allocate_lock
from _weakref import ref

from .disk import REAL, make_private_dir, refused
from .errors import Locked
from .model.ids import forget_sequence
from .model.moment import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType

    from .disk import Disk

# Measured: 16 processes that append and fdatasync get 0.64 to 0.73 of the rate of blocking flocks with any longest
# pause from 1 to 5 ms; the longest wait grows from 0.15 s to 0.4 s with it. With whole writes on two busy cores it was
# the other way round: a second thread that blocks in the kernel's line got 0.7 of the rate of asking again, since a
# lock that is handed to a process which does not run meanwhile serves nobody.
FIRST_SLEEP = 0.0002
LONGEST_SLEEP = 0.002
NOTE_BYTES = 160

_mutexes: dict[str, LockType] = {}
_held: dict[int, ref[Held]] = {}  # by descriptor
_quoted: dict[str, str] = {}  # what locks are held for: a few words of ours


class Held:
    """A lock that is had, or about to be; release it once, or use it as a context manager."""

    __slots__ = ("__weakref__", "_disk", "_had", "_mutex", "fd", "path")

    def __init__(self, disk: Disk, path: str, mutex: LockType) -> None:
        self._disk, self.path, self._mutex = disk, path, mutex
        self.fd = -1
        self._had: list[bool] = []

    def enter(self, seconds: float) -> bool:
        """Have the mutex within so many seconds."""
        self.__class__ = _Having
        had_at_once(self._had, self._mutex, seconds)
        return True in self._had

    def opened(self, fd: int) -> None:
        """Registered before it is locked, so that a forked child finds and closes its copy."""
        self.fd = fd
        _held[fd] = ref(self)

    def release(self) -> None:
        """Let the next one in; doing it twice, or in a forked child, does nothing."""
        fd, self.fd = self.fd, -1
        had, self._had = self._had, []
        self.__class__ = Held
        try:
            if fd >= 0:
                _held.pop(fd, None)
                self._disk.unlock(fd)  # explicitly: a forked child may still have a copy of the descriptor
        finally:
            try:
                if fd >= 0:
                    self._disk.close(fd)
            finally:
                if True in had:
                    self._mutex.release()

    def __enter__(self) -> Held:
        return self

    def __exit__(self, *_error: object) -> None:
        self.release()

    def forget(self) -> None:
        """In a forked child: close our copy without unlocking the parent's lock."""
        fd, self.fd, self._had = self.fd, -1, []
        if fd >= 0:
            os.close(fd)


class _Having(Held):
    """One that is not released yet. A class of its own, since an interrupt within a finaliser is lost."""

    __slots__ = ()

    def __del__(self) -> None:
        self.release()


def had_at_once(had: list[bool], mutex: LockType, seconds: float) -> None:
    """Note whether the mutex was had in time. One call: no interrupt comes between having it and noting it."""
    had.extend(map(mutex.acquire, (True,), (max(0.0, seconds),)))


class Lock:
    """A lock file; each acquisition opens it anew."""

    __slots__ = ("_disk", "path")

    def __init__(self, path: str, disk: Disk = REAL) -> None:
        self.path, self._disk = path if os.path.isabs(path) else os.path.abspath(path), disk

    def hold(self, wait_ms: int, what: str) -> Held:
        """Have the lock within `wait_ms`, or raise Locked. `what` names the work, never its content."""
        started = time.monotonic()
        deadline = started + wait_ms / 1000
        held = self._acquired(self._free(), wait_ms / 1000, deadline, what)
        if held is None:
            raise self._locked(started)
        return held

    def attempt(self, what: str) -> Held | None:
        """Have the lock now, or None at once."""
        return self._acquired(self._free(), 0.0, 0.0, what)

    def _free(self) -> Held:
        return Held(self._disk, self.path, _mutexes.setdefault(self.path, allocate_lock()))

    def _acquired(self, held: Held, seconds: float, deadline: float, what: str) -> Held | None:
        """Mutex and file lock, or neither."""
        try:
            if held.enter(seconds):
                held.opened(self._opened())
                if self._locked_by(held, deadline):
                    self._note(held.fd, what)
                    return held
        except BaseException:
            held.release()
            raise
        held.release()
        return None

    def _opened(self) -> int:
        try:
            return self._open()
        except OSError as error:
            raise refused("open the lock file", self.path, error) from error

    def _locked_by(self, held: Held, deadline: float) -> bool:
        try:
            return self._wait(held.fd, deadline)
        except OSError as error:
            raise refused("lock", self.path, error) from error

    def _open(self) -> int:
        try:
            return self._disk.open(self.path, os.O_RDWR)
        except FileNotFoundError:
            make_private_dir(self._disk, os.path.dirname(self.path))
            return self._disk.open(self.path, os.O_RDWR | os.O_CREAT)

    def _wait(self, fd: int, deadline: float) -> bool:
        """Ask again with growing pauses: a blocking flock could not be given a time limit."""
        pause = FIRST_SLEEP
        while not self._disk.lock(fd):
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, LONGEST_SLEEP)
        return True

    def _note(self, fd: int, what: str) -> None:
        """Who holds it, for others to read; on a full disk there may be no room, and the lock holds all the same."""
        quoted = _quoted.get(what) or _quoted.setdefault(what, json.dumps(what[:64]))
        note = f'{{"pid": {os.getpid()}, "since": "{iso(int(time.time() * 1000))}", "what": {quoted}}}'
        try:
            self._disk.pwrite(fd, note.encode().ljust(NOTE_BYTES - 1) + b"\n", 0)
        except OSError:
            return

    def holder(self) -> dict[str, object]:
        """What the last holder noted: pid, since, what; empty if there is no readable note."""
        try:
            fd = self._disk.open(self.path, os.O_RDONLY)
            try:
                note = json.loads(self._disk.pread(fd, NOTE_BYTES, 0))
            finally:
                self._disk.close(fd)
        except (OSError, ValueError):
            return {}
        return note if isinstance(note, dict) else {}

    def _locked(self, started: float) -> Locked:
        waited = round((time.monotonic() - started) * 1000)
        holder = {name: value for name, value in self.holder().items() if name in ("pid", "since", "what")}
        who = "another process"
        if holder:
            who = f"process {holder.get('pid')} since {holder.get('since')} ({holder.get('what')})"
        return Locked(
            f"{self.path} is held by {who}; waited {waited} ms. Try again when that process is done",
            path=self.path, waited_ms=waited, **holder,
        )  # fmt: skip


def _forget_in_child() -> None:
    """After a fork the parent owns what was held: close our copies without unlocking its locks."""
    for held in [look() for look in list(_held.values())]:
        try:
            if held is not None:
                held.forget()
        except OSError:
            continue  # one that somebody else has closed keeps no other
    _held.clear()
    _mutexes.clear()
    forget_sequence()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
