"""Gate: everybody who is inside SQLite passes through it, so that a fork can wait until nobody is.

SQLite keeps its locks in the memory of the process. A child forked while a connection is open inherits
that memory but not the locks: it would wait for ever for a writer that only its parent has, or read
without the lock that it believes to hold. So a fork shuts the gate, waits for those inside, closes
every connection, and opens the gate again on both sides.
"""

from __future__ import annotations

import time
from _thread import _local, allocate_lock

_PAUSE_S = 0.0005


class Gate:
    """Counts threads inside; entering again while inside is free. A context manager."""

    def __init__(self) -> None:
        self._mutex = allocate_lock()
        self._mine = _local()
        self._inside = 0
        self._shut = False
        self._alone = False

    @property
    def _depth(self) -> int:
        """How often this thread has entered."""
        return getattr(self._mine, "depth", 0)

    def __enter__(self) -> None:
        depth = self._depth
        while depth == 0 and not self._let_in():
            time.sleep(_PAUSE_S)
        self._mine.depth = depth + 1

    def _let_in(self) -> bool:
        with self._mutex:
            self._inside += not self._shut
            return not self._shut

    def __exit__(self, *_error: object) -> None:
        depth = self._mine.depth = self._mine.depth - 1
        if depth == 0:
            with self._mutex:
                self._inside -= 1

    def shut(self, seconds: float) -> bool:
        """Let nobody else in; True once we are alone, False if somebody stays that long or we are inside."""
        deadline = time.monotonic() + seconds
        with self._mutex:
            self._shut = True
        while self._inside and not self._depth and time.monotonic() < deadline:
            time.sleep(_PAUSE_S)
        self._alone = self._inside == 0
        self._mine.depth = self._depth + self._alone
        return self._alone

    def reopen(self) -> None:
        """Let everybody in again."""
        self._mine.depth = self._depth - self._alone
        self._alone = self._shut = False

    def after_fork(self) -> None:
        """In a child: only the thread that forked has come along."""
        self._mutex = allocate_lock()
        self.reopen()
        self._inside = int(self._depth > 0)


GATE = Gate()
