"""Building: a whole generation made from the journals, beside the live one, then flipped (D14).

Holds `build.lock` throughout and `index.lock` only for the last catch-up and the flip. Killed at any
point, CURRENT still names the old generation. A generation that `forget` or anybody else removed while it
was being built is begun again, since it may have read what was being forgotten. A journal that cannot be read is left
out and marked, so that it is taken up once it can be.
"""

from __future__ import annotations

import os
import time

import apsw

from ..errors import StorageFailed
from .bringing import Passage, Unread
from .catchup import CatchUp, commit
from .cutting import note_chunking
from .database import Damaged, close, connect, create
from .gate import GATE
from .marks import boot_id
from .mending import Swept
from .questions import journals
from .signs import sign_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..disk import Disk
    from ..lock import Lock
    from ..model.scope import Scope
    from ..ports import Clock, Journal, Progress
    from .cutting import Chunking
    from .generations import Generations
    from .marks import Marks
    from .recalled import Recalled

    Furnish = Callable[[apsw.Connection, Progress | None], None]  # what else a new generation gets before the flip

_TRIES = 5


class Builder:
    """Builds generations for one index."""

    def __init__(
        self, *, generations: Generations, journal: Journal, marks: Marks, recalled: Recalled,
        clock: Clock, disk: Disk, lock: Lock, vfs: str | None, chunking: Chunking,
    ) -> None:  # fmt: skip
        self._generations, self._journal, self._marks, self._recalled = generations, journal, marks, recalled
        self._clock, self._disk, self._lock, self._vfs = clock, disk, lock, vfs
        self._chunking = chunking
        self._unread = Unread()  # of this build; whoever looks at the marks finds out again

    def build(self, scope: Scope, progress: Progress | None = None, furnish: Furnish | None = None) -> None:
        """Build and flip; the caller holds `build.lock`."""
        for _ in range(_TRIES):
            self._sweep()
            name = self._generations.fresh()
            try:
                if self._attempt(name, scope, progress, furnish):
                    return
            except FileExistsError:
                continue  # somebody removed `build.lock`, and another process is building under this name
            except BaseException:
                self._generations.discard(name)
                raise
        raise Swept("the new generation vanished again and again while it was built")

    def _sweep(self) -> None:
        """What is not live is left over from a build that was killed, or replaced."""
        self._generations.sweep(time.time())

    def _attempt(self, name: str, scope: Scope, progress: Progress | None, furnish: Furnish | None) -> bool:
        """Whether it was built; False if it was taken away meanwhile."""
        path = self._generations.path(name)
        sign = sign_of(self._marks, self._journal, scope)  # first of all: marks are relied on from here on
        others = self._generations.others()
        with GATE.visit():
            connection, made = self._begin(path)
        try:
            try:
                self._fill(connection, scope, {"boot": boot_id(), "marks": sign, "others": others}, progress)
                if furnish is not None:
                    furnish(connection, progress)
            finally:
                with GATE.visit():
                    close(connection)
            with self._lock.hold(60_000, "flip the index"):
                if not self._finished(path, made, scope):
                    return False
                self._generations.flip(name)
        except (apsw.Error, OSError, Damaged):
            if _still(path, made):
                raise
            return False
        self._sweep()
        return True

    def _begin(self, path: str) -> tuple[apsw.Connection, int]:
        """A new file, and its inode."""
        connection = None
        try:
            connection = create(self._disk, path, self._vfs)
            return connection, os.stat(path).st_ino
        except (apsw.Error, FileNotFoundError) as error:
            if connection is not None:
                close(connection)
            if os.path.exists(path):
                raise
            raise Swept("the new generation vanished while it was made") from error

    def _fill(
        self, connection: apsw.Connection, scope: Scope, seen: dict[str, str], progress: Progress | None
    ) -> None:  # fmt: skip
        with GATE.visit():
            connection.execute("BEGIN IMMEDIATE")
            note_chunking(connection, self._chunking)
            work = CatchUp(connection, self._journal, scope)
            names = self._buried(work, scope)
            commit(connection, work)
        passage, waiting = Passage(connection, work, self._unread), names[::-1]
        while waiting:
            with GATE.visit():  # a fork may come between two journals: what is open here has no locks
                passage.take(waiting, lambda name: self._journal.size(scope, name))
                if passage.full:
                    passage.commit()
            if progress is not None:
                progress(len(names) - len(waiting), len(names))
        with GATE.visit():
            if not connection.in_transaction:
                connection.execute("BEGIN IMMEDIATE")
            self._recalled.read(connection, self._clock.now())
            facts = {**seen, "built_at": str(self._clock.now())}
            connection.executemany("INSERT OR REPLACE INTO meta VALUES(?,?)", facts.items())
            commit(connection, passage.work)

    def _buried(self, work: CatchUp, scope: Scope) -> list[str]:
        """Journals whose tombstones are known; all of them first, since one may lie in another file than its entry."""
        names = []
        for name in self._journal.journals(scope):
            try:
                work.stones(name)
            except StorageFailed as error:
                self._unread.note(name, error, time.monotonic())
            else:
                names.append(name)
        return names

    def _finished(self, path: str, made: int, scope: Scope) -> bool:
        """Whether it is level, whole and durable; False if it was taken away."""
        with GATE.visit():
            if not _still(path, made):
                return False
            connection = connect(path, vfs=self._vfs)  # which syncs all of it
            try:
                self._catch_up(connection, scope)
                if not _still(path, made):
                    return False
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                self._disk.sync_dir(os.path.dirname(path))
            finally:
                close(connection)
        return True

    def _catch_up(self, connection: apsw.Connection, scope: Scope) -> None:
        """What was written while we built: not only where there are marks, since whoever brought the old generation
        level may have taken them away."""
        waiting = list(journals(connection).union(self._journal.journals(scope)) - self._unread.all().keys())
        passage = Passage(connection, CatchUp(connection, self._journal, scope), self._unread)
        while waiting:
            passage.take(waiting, lambda name: self._journal.size(scope, name))
        passage.commit()
        for name in self._unread.all():
            self._marks.put(name)


def _still(path: str, inode: int) -> bool:
    try:
        return os.stat(path).st_ino == inode
    except OSError:
        return False
