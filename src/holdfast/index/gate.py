"""Gate: everybody who is inside SQLite passes through it, so that a fork can wait until nobody is.

SQLite keeps its locks in the memory of the process. A child forked while a connection is open inherits
that memory but not the locks: it would wait for ever for a writer that only its parent has, or read
without the lock that it believes to hold. So a fork shuts the gate, waits for those inside, closes
every connection, and opens the gate again on both sides.
An interrupt (Ctrl-C) may come between any two calls: a visitor counts as inside as long as its own mutex is held, and
that is let go by a call of C, in which none comes.
"""

from __future__ import annotations

import time
from _thread import allocate_lock, get_ident
from _weakref import ref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable

_PAUSE_S = 0.0005


class Visit:
    """One stay inside; a context manager, to be used once. Only its mutex lasts as long as the stay does."""

    __slots__ = ("__exit__", "_admits", "_mutex")

    def __init__(self, mutex: LockType, admits: Callable[[LockType], bool]) -> None:
        self._mutex, self._admits = mutex, admits
        self.__exit__ = mutex.__exit__  # a function of ours could be interrupted before its first step

    def __enter__(self) -> None:
        try:
            while not self._let_in():
                time.sleep(_PAUSE_S)
        except BaseException:
            if self._mutex.locked():
                self._mutex.release()
            raise

    def _let_in(self) -> bool:
        """Seen to be inside before looking whether that is allowed: whoever shuts the gate does it the other way."""
        self._mutex.acquire()
        if self._admits(self._mutex):
            return True
        self._mutex.release()
        return False

    if TYPE_CHECKING:
        __exit__: Callable[..., None]


class Gate:
    """Knows who is inside; entering again while inside is free."""

    def __init__(self) -> None:
        self._visits: dict[ref[LockType], int] = {}  # the thread of each; what is over leaves it when it is collected
        self._shut = False
        self._keeper = 0  # the thread that has shut it, and is alone

    def visit(self) -> Visit:
        mutex = allocate_lock()
        self._visits[ref(mutex, self._visits.pop)] = get_ident()
        return Visit(mutex, self._admits)

    def _admits(self, mutex: LockType) -> bool:
        return not self._shut or get_ident() in (self._keeper, *self._inside(mutex))

    def _inside(self, but: LockType | None = None) -> set[int]:
        """The threads that are."""
        visits = [(look(), thread) for look, thread in list(self._visits.items())]
        return {thread for mutex, thread in visits if mutex is not None and mutex is not but and mutex.locked()}

    def shut(self, seconds: float) -> bool:
        """Let nobody else in; True once we are alone, False if somebody stays that long or we are inside."""
        deadline, me = time.monotonic() + seconds, get_ident()
        self._shut = True
        while inside := self._inside():
            if me in inside or time.monotonic() >= deadline:
                return False
            time.sleep(_PAUSE_S)
        self._keeper = me
        return True

    def reopen(self) -> None:
        """Let everybody in again."""
        self._keeper = 0
        self._shut = False

    def after_fork(self) -> None:
        """In a child: only the thread that forked has come along."""
        for look, thread in list(self._visits.items()):
            if thread != get_ident():
                del self._visits[look]
        self.reopen()


GATE = Gate()
