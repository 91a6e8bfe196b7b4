"""Recalled: when a person or agent last recalled an entry, at most once an hour for each (D35).

The truth is `recalled.jsonl`, written without fsync at close or when enough has gathered; the
table `recalled` is derived from it. Recency fades within a day, so lines older than two days go.
"""

from __future__ import annotations

import json
import os
from _thread import allocate_lock

from ..disk import read_file, write_all, write_atomic
from ..errors import Invalid
from ..model.moment import DAY_MS, HOUR_MS, iso, millis
from .database import ask_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import apsw

    from ..disk import Disk

_FLUSH_AT = 500
_TIDY_BYTES = 256 * 1024
_LONG_PAST = 4 * DAY_MS  # twice what counts: a busy home would otherwise be tidied by every process that ends
_LINE = 200  # bytes that hold the first line
_UPSERT = "INSERT INTO recalled VALUES(?,?) ON CONFLICT(id) DO UPDATE SET time=max(time, excluded.time)"


class Recalled:
    """Gathers recalls in memory and keeps the file."""

    def __init__(self, path: str, disk: Disk) -> None:
        self.path = path
        self._disk = disk
        self._mutex = allocate_lock()
        self._pending: dict[str, int] = {}
        self._noted: dict[str, int] = {}

    def after_fork(self) -> None:
        """In a child: what the parent gathered is the parent's to write."""
        self._mutex = allocate_lock()
        self._pending = {}

    def note(self, ids: Sequence[str], time: int) -> None:
        """Remember that these were recalled in this hour."""
        hour = time - time % HOUR_MS
        with self._mutex:
            for id in ids:
                if self._noted.get(id) != hour:
                    self._noted[id] = self._pending[id] = hour
            full = len(self._pending) >= _FLUSH_AT
        if full:
            self.flush()

    def flush(self) -> None:
        """Append what has gathered; a disk that refuses costs only recency."""
        with self._mutex:
            pending, self._pending = self._pending, {}
            if len(self._noted) > 10 * _FLUSH_AT:
                self._noted.clear()
        if not pending:
            return
        lines = "".join(f'{{"id":"{id}","hour":"{iso(hour)}"}}\n' for id, hour in pending.items())
        try:
            fd = self._disk.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            try:
                write_all(self._disk, fd, lines.encode())
            finally:
                self._disk.close(fd)
        except OSError:
            return

    def size(self) -> int:
        try:
            return os.stat(self.path).st_size
        except OSError:
            return 0

    def stamp(self) -> str:
        """Differs whenever the file was added to or written anew; empty where there is none."""
        try:
            found = os.stat(self.path)
        except OSError:
            return ""
        return f"{found.st_ino}:{found.st_size}"

    def read(self, connection: apsw.Connection, now: int) -> None:
        """Bring the table level with the file, reading only what was added since; inside a transaction."""
        stamp = self.stamp()
        start = _read_so_far(stamp_of(connection), stamp)
        if start == 0:
            connection.execute("DELETE FROM recalled")
        connection.executemany(_UPSERT, list(self._latest(now, start).items()))
        connection.execute("INSERT OR REPLACE INTO meta VALUES('recalled', ?)", (stamp,))

    def level(self, connection: apsw.Connection, now: int) -> None:
        """The same, in a transaction of its own."""
        connection.execute("BEGIN IMMEDIATE")
        self.read(connection, now)
        connection.execute("COMMIT")

    def _latest(self, now: int, start: int = 0) -> dict[str, int]:
        """The last recall of each entry from this byte on; lines that cannot be read are skipped."""
        latest: dict[str, int] = {}
        try:
            data = read_file(self._disk, self.path)
        except OSError:
            return latest
        for line in data[start:].split(b"\n"):
            try:
                record = json.loads(line)
                id, time = str(record["id"]), millis(record["hour"])
            except (ValueError, KeyError, TypeError, RecursionError, Invalid):
                continue
            if time > now - 2 * DAY_MS:
                latest[id] = max(time, latest.get(id, 0))
        return latest

    def tidy(self, now: int) -> None:
        """Drop what no longer counts once the file has grown, and begins with what is long past."""
        if self.size() > _TIDY_BYTES and not self._begins_within(now - _LONG_PAST, now + DAY_MS):
            self._rewrite(self._latest(now))

    def _begins_within(self, start: int, end: int) -> bool:
        """Whether the first line is of this time; one that cannot be read is of none."""
        try:
            fd = self._disk.open(self.path, os.O_RDONLY)
            try:
                line = self._disk.pread(fd, _LINE, 0).split(b"\n")[0]
            finally:
                self._disk.close(fd)
            return start <= millis(json.loads(line)["hour"]) <= end
        except (OSError, ValueError, KeyError, TypeError, RecursionError, Invalid):
            return False

    def forget(self, ids: Iterable[str], now: int) -> None:
        """Take these entries out of the file and out of memory."""
        gone = set(ids)
        with self._mutex:
            for id in gone:
                self._pending.pop(id, None)
                self._noted.pop(id, None)
        if self.size():
            self._rewrite({id: time for id, time in self._latest(now).items() if id not in gone})

    def _rewrite(self, latest: dict[str, int]) -> None:
        lines = "".join(f'{{"id":"{id}","hour":"{iso(time)}"}}\n' for id, time in latest.items())
        write_atomic(self._disk, self.path, lines.encode())


def stamp_of(connection: apsw.Connection) -> str:
    """The stamp of the file when the table was last level with it."""
    found = ask_one(connection, "SELECT value FROM meta WHERE key='recalled'")
    return str(found[0]) if found else ""


def _read_so_far(before: str, now: str) -> int:
    """The bytes that need not be read again: those of the same file, which has only grown."""
    file, _, size = before.partition(":")
    same, _, grown = now.partition(":")
    return int(size) if size and file == same and int(size) <= int(grown) else 0
