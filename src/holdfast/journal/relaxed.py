"""Relaxed durability: writes that were acknowledged before their sync, and the thread that syncs them.

A journal written to is synced within the delay; the thread starts on demand and ends when nothing is
left. A sync that failed is never tried again as if it had not been: it is raised by the next
write or by `flush`, whichever comes first. After a fork the child starts with nothing pending.
"""

from __future__ import annotations

import os
import time
from _thread import allocate_lock, start_new_thread

from ..disk import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..disk import Disk
    from ..errors import StorageFailed


class Relaxed:
    """Paths with bytes that the medium may not have yet."""

    __slots__ = ("_delay", "_disk", "_failure", "_guard", "_pending", "_pid", "_running")

    def __init__(self, disk: Disk, delay_ms: int) -> None:
        self._disk, self._delay = disk, delay_ms / 1000
        self._start_over()

    def _start_over(self) -> None:
        self._pid = os.getpid()
        self._guard = allocate_lock()
        self._pending: set[str] = set()
        self._failure: StorageFailed | None = None
        self._running = False

    def note(self, path: str) -> None:
        """This file was written to: sync it soon."""
        if self._pid != os.getpid():
            self._start_over()
        with self._guard:
            self._pending.add(path)
            if self._running:
                return
            self._running = True
        start_new_thread(self._run, ())

    def flush(self) -> None:
        """Sync all that is pending, now."""
        if self._pid != os.getpid():
            self._start_over()
        self._sync(self._take())
        self.raise_failure()

    def _run(self) -> None:
        while True:
            time.sleep(self._delay)
            self._sync(self._take())
            with self._guard:
                if not self._pending:
                    self._running = False
                    return

    def _take(self) -> set[str]:
        with self._guard:
            taken, self._pending = self._pending, set()
        return taken

    def _sync(self, paths: set[str]) -> None:
        for path in paths:
            try:
                fd = self._disk.open(path, os.O_RDWR)
                try:
                    self._disk.sync(fd)
                finally:
                    self._disk.close(fd)
            except FileNotFoundError:  # removed since: nothing to keep
                continue
            except OSError as error:
                self._failure = refused("sync", path, error)

    def raise_failure(self) -> None:
        """A sync failed since the last call: say so, once."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
