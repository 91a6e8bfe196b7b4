"""SqliteIndex: the Index port on one SQLite database an agent.

Decides when to open, catch up, build anew and let go; the work itself is in the modules beside this
one. The database may be deleted, emptied, cut or replaced by garbage at any time: whatever is
damaged is thrown away and built again from the journals, and the question asked is then answered.
Trouble with the disk never fails a write that the journal has acknowledged; it leaves the index
behind, and the answer says so.
"""

from __future__ import annotations

import os
import time
from _thread import RLock

import apsw

from ..disk import REAL, boot_id, make_private_dir
from ..errors import Corrupt, Locked, StorageFailed
from ..lock import Lock
from ..model.scope import whole
from ..model.value import Value
from . import questions
from .building import COMMIT_LINES, Builder, commit
from .catchup import CatchUp, file_row
from .database import ODD_VALUES, TROUBLE, WAITING, Damaged, Database, is_damage
from .fulltext import Stemmer
from .generations import Generations
from .marks import Marks
from .recalled import Recalled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    from ..disk import Disk
    from ..model.card import Card
    from ..model.entry import Tombstone
    from ..model.query import Filter, Row, Words
    from ..model.replay import Address
    from ..model.scope import Scope
    from ..ports import Clock, Journal, Progress

    Answer = TypeVar("Answer")

_BUILD_WAIT_MS = 600_000
_INLINE_JOURNALS = 50  # a writer builds a missing index itself only in a home as small as this
_ROUNDS = 4


class IndexOptions(Value):
    """What settings say about the index."""

    compare_minutes: int = 10
    vfs: str | None = None  # tests put a failing file system here


class SqliteIndex:
    """See the module; made by `wiring`, one for each open agent."""

    def __init__(
        self, folder: str, agent: str, journal: Journal, clock: Clock, *,
        recalled: str, disk: Disk = REAL, options: IndexOptions | None = None,
    ) -> None:  # fmt: skip
        self._folder, self._journal, self._clock, self._disk = folder, journal, clock, disk
        self._all = whole(agent)
        self._options = options or IndexOptions()
        self._mutex = RLock()
        self._base: Database | None = None
        self._name: str | None = None
        self._suspects: set[str] = set()
        self._compared = time.monotonic()
        self._stemmer: Stemmer | None = None
        self.trouble: str | None = None  # why the index could not be written, for status and answers
        self.rebuilt = 0  # damaged generations replaced since we were opened
        self.recalled = Recalled(recalled, disk)
        self.marks = Marks(folder, disk)
        self.generations = Generations(folder, disk)
        self.lock = Lock(os.path.join(folder, "index.lock"), disk)
        self._build_lock = Lock(os.path.join(folder, "build.lock"), disk)
        self._builder = Builder(
            generations=self.generations, journal=journal, marks=self.marks, recalled=self.recalled,
            clock=clock, disk=disk, lock=self.lock, vfs=self._options.vfs,
        )  # fmt: skip
        _open.add(self)

    # -- which database

    def database(self) -> Database:
        """The live generation, opened; built first where there is none or it is damaged."""
        with self._mutex:
            name = self.generations.current()
            if self._base is not None and name == self._name and not self._base.replaced():
                return self._base
            self._let_go()
            if name is None or not self._open(name):
                self._replace(name)
            assert self._base is not None
            return self._base

    def _open(self, name: str) -> bool:
        """Open a generation; False if it is missing or damaged."""
        try:
            base = Database(self.generations.path(name), self._options.vfs)
            self._greet(base)
        except OSError:
            return False
        except (apsw.Error, *ODD_VALUES, Damaged) as error:
            if not is_damage(error):
                raise
            return False
        self._base, self._name = base, name
        return True

    def _greet(self, base: Database) -> None:
        """After a restart of the machine, marks may have been lost with the page cache: compare all."""
        connection = base.take()
        try:
            found = connection.execute("SELECT value FROM meta WHERE key='boot'").fetchone()
        finally:
            base.give(connection)
        if found is None:
            raise Damaged("never finished")
        if found[0] != boot_id() or self.generations.shared():
            self._compared = float("-inf")

    def _replace(self, damaged: str | None) -> None:
        """Build a generation in place of one that is missing or damaged, once for all processes."""
        self._make_folder()
        with self._build_lock.hold(_BUILD_WAIT_MS, "build the index"):
            name = self.generations.current()
            if name != damaged and name is not None and self._open(name):
                return  # another process did it while we waited
            if damaged is not None:
                self.rebuilt += 1
            self._builder.build(self._all)
            name = self.generations.current()
            if name is None or not self._open(name):
                raise Corrupt(f"the index in {self._folder} cannot be opened right after it was built")

    def _make_folder(self) -> None:
        """Something that is not a directory may have been put in our place."""
        if os.path.lexists(self._folder) and not os.path.isdir(self._folder):
            self._disk.unlink(self._folder)
        make_private_dir(self._disk, self._folder)

    def _let_go(self) -> None:
        if self._base is not None:
            self._base.retire()
        self._base = self._name = None

    # -- asking

    def _ask(self, question: Callable[[apsw.Connection], Answer]) -> Answer:
        """Answer from the live generation; if it proves damaged, from a new one."""
        for last in (False, True):
            base = self._reachable()
            connection = base.take()
            try:
                return question(connection)
            except (apsw.Error, *ODD_VALUES) as error:
                if isinstance(error, WAITING):
                    raise Locked(f"the index in {self._folder} is busy; try again", path=self._folder) from error
                if not is_damage(error) and last:
                    raise self._failed(error) from error
                if is_damage(error):
                    self._condemn(base, error, last)
            finally:
                base.give(connection)
        raise AssertionError("unreachable")

    def _reachable(self) -> Database:
        try:
            return self.database()
        except (apsw.Error, OSError) as error:
            raise self._failed(error) from error

    def _failed(self, error: BaseException) -> StorageFailed:
        return StorageFailed(
            f"the index in {self._folder} cannot be read or written ({type(error).__name__}); "
            "what is remembered is safe in the journals: check the disk, then try again",
            path=self._folder,
        )

    def _condemn(self, base: Database, error: BaseException, last: bool) -> None:
        """Replace a damaged generation, unless somebody already did."""
        if last:
            raise Corrupt(f"the index in {self._folder} is damaged again after a rebuild", path=self._folder) from error
        with self._mutex:
            if self._base is base:
                name = self._name
                self._let_go()
                self._replace(name)

    def rows(
        self, scope: Scope, wanted: Filter, order: str = "time", limit: int | None = None, offset: int = 0
    ) -> list[Row]:
        return self._ask(lambda c: questions.rows(c, scope, wanted, order, limit, offset))

    def match(self, scope: Scope, wanted: Filter, words: Words, limit: int) -> list[Row]:
        return self._ask(lambda c: questions.match(c, scope, wanted, words, limit))

    def rarity(self, scope: Scope, terms: Sequence[str]) -> tuple[int, dict[str, int]]:
        stems = {term: self.stems(term) for term in terms}
        return self._ask(lambda c: questions.rarity(c, stems))

    def stems(self, text: str) -> list[str]:
        if self._stemmer is None:
            self._stemmer = Stemmer()
        return self._stemmer.stems(text)

    def locate(self, scope: Scope, ids: Sequence[str], every: bool = False) -> dict[str, Address]:
        return self._ask(lambda c: questions.locate(c, scope, ids, every))

    def buried(self, scope: Scope, ids: Sequence[str]) -> dict[str, Tombstone]:
        return self._ask(lambda c: questions.buried(c, ids))

    def references(self, scope: Scope, ids: Sequence[str], inbound: bool) -> list[tuple[str, str]]:
        return self._ask(lambda c: questions.references(c, scope, ids, inbound))

    def same_text(self, scope: Scope, ids: Sequence[str]) -> list[str]:
        return self._ask(lambda c: questions.same_text(c, scope, ids))

    def contains(self, scope: Scope, fragment: str) -> bool:
        return self._ask(lambda c: questions.contains(c, fragment))

    def cards(
        self,
        scope: Scope,
        journal: str | None = None,
        key: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Card]:
        return self._ask(lambda c: questions.cards(c, scope, journal, key, limit, offset))

    def sessions(self, scope: Scope, ids: Sequence[str]) -> dict[str, tuple[str | None, Mapping[str, Any]]]:
        return self._ask(lambda c: questions.sessions(c, ids))

    def tags(self, scope: Scope) -> dict[str, int]:
        return self._ask(lambda c: questions.tags(c, scope))

    def counts(self, scope: Scope) -> dict[str, Any]:
        return self._ask(lambda c: questions.counts(c, scope))

    def recall(self, scope: Scope, ids: Sequence[str], time: int) -> None:
        self.recalled.note(ids, time)

    def version(self, scope: Scope) -> int:
        return hash((self._name, self.database().version()))

    def status(self, scope: Scope) -> dict[str, Any]:
        facts = self._ask(questions.facts)
        behind = self._behind(self.marks.names())
        return {
            "generation": self._name, "path": self.database().path, "bytes": self.bytes_used(), **facts,
            "behind": len(behind), "rebuilt": self.rebuilt, "trouble": self.trouble,
        }  # fmt: skip

    def bytes_used(self) -> int:
        """All generations, logs and marks."""
        total = 0
        for folder, _, files in os.walk(self._folder):
            for name in files:
                try:
                    total += os.lstat(os.path.join(folder, name)).st_size
                except OSError:
                    continue
        return total

    # -- keeping level

    def announce(self, scope: Scope, journal: str) -> None:
        self.marks.put(journal)

    def suspect(self, scope: Scope, journal: str) -> None:
        self._suspects.add(journal)

    def refresh(self, scope: Scope, wait_ms: int) -> int:
        try:
            if wait_ms <= 0 and self._too_much_for_a_writer():
                return len(self.marks.names())
            self._compare_if_due()
            return self._catch_up(wait_ms)
        except Locked:
            return len(self._behind(self.marks.names()))
        except (apsw.Error, *ODD_VALUES, OSError, StorageFailed) as error:
            return self._refused(error)

    def _too_much_for_a_writer(self) -> bool:
        """No index yet, and more to read than one write should pay for: the next search builds it."""
        if self._base is not None or self.generations.current() is not None:
            return False
        return any(count > _INLINE_JOURNALS for count, _ in enumerate(self._journal.journals(self._all)))

    def _refused(self, error: BaseException) -> int:
        """The index could not be written: say so in answers, keep the marks, go on."""
        base = self._base
        if base is not None and is_damage(error):
            self._condemn(base, error, last=False)
            return 0
        self.trouble = type(error).__name__
        return max(1, len(self.marks.names()))

    def _catch_up(self, wait_ms: int) -> int:
        deadline = time.monotonic() + wait_ms / 1000
        todo = self._behind([*self.marks.names(), *self._suspects])
        for _ in range(_ROUNDS):
            if not todo:
                break
            left = max(0, round((deadline - time.monotonic()) * 1000))
            held = self.lock.hold(left, "catch up") if wait_ms > 0 else self.lock.attempt("catch up")
            if held is None:
                return len(todo)
            with held:
                self._bring(todo, deadline if wait_ms > 0 else None)
            # A writer that found the lock taken left its lines to us: look once more after letting go.
            todo = self._behind(self.marks.names())
            if wait_ms > 0 and time.monotonic() >= deadline:
                break
        self.trouble = None
        return len(todo)

    def _behind(self, names: Iterable[str]) -> list[str]:
        """Those whose rows are not level with their files."""
        names = list(dict.fromkeys(names))
        if not names and self.recalled.size() == 0:
            return []

        def look(connection: apsw.Connection) -> list[str]:
            return [name for name in names if name in self._suspects or not self._level(connection, name)]

        return self._ask(look)

    def _level(self, connection: apsw.Connection, journal: str) -> bool:
        size = self._journal.size(self._all, journal)
        row = file_row(connection, journal)
        if size is None or row is None:
            return size is None and row is None
        return row.level(size)

    def _bring(self, names: Sequence[str], deadline: float | None) -> None:
        """Index these journals in transactions of bounded size; the caller holds `index.lock`."""
        base = self.database()
        connection = base.take()
        try:
            connection.execute("BEGIN IMMEDIATE")
            if self.generations.current() != self._name:  # flipped while we waited: the marks stay
                return
            work = CatchUp(connection, self._journal, self._all)
            for name in names:
                work.bring(name, suspect=name in self._suspects)
                self._suspects.discard(name)
                if work.lines >= COMMIT_LINES:
                    commit(connection, work)
                    if deadline is not None and time.monotonic() >= deadline:
                        return
                    connection.execute("BEGIN IMMEDIATE")
                    work.lines = 0
            self._recency(connection)
            commit(connection, work)
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            base.give(connection)
        self._tidy([name for name in names if self.marks.quiet(name)])

    def _recency(self, connection: apsw.Connection) -> None:
        found = connection.execute("SELECT value FROM meta WHERE key='recalled'").fetchone()
        if found is None or found[0] != str(self.recalled.size()):
            self.recalled.read(connection, self._clock.now())

    def _tidy(self, names: Sequence[str]) -> None:
        """Take away marks of journals that nobody is writing and that are level."""
        for name in names:
            self._journal.when_idle(self._all, name, lambda name=name: self._tidy_one(name))  # type: ignore[misc]

    def _tidy_one(self, name: str) -> None:
        if self._ask(lambda c: self._level(c, name)):
            self.marks.take_away(name)

    def _compare_if_due(self) -> None:
        self.database()  # opening may ask for a comparison
        if time.monotonic() - self._compared > self._options.compare_minutes * 60:
            self.compare(self._all)

    def compare(self, scope: Scope) -> int:
        self.database()
        self._compared = time.monotonic()
        known = self._ask(questions.journals)
        found = set(self._journal.journals(self._all))
        marked = set(self.marks.names())
        changed = [name for name in self._behind(found | known) if name not in marked]
        for name in changed:
            self.marks.put(name)
        if self._catch_up(_BUILD_WAIT_MS) == 0:
            self._remember_boot()
        return len(changed)

    def _remember_boot(self) -> None:
        with self.lock.hold(5_000, "note the boot"):
            self._ask(lambda c: c.execute("INSERT OR REPLACE INTO meta VALUES('boot', ?)", (boot_id(),)).fetchall())

    def rebuild(self, scope: Scope, progress: Progress | None = None) -> None:
        self._make_folder()
        try:
            with self._build_lock.hold(_BUILD_WAIT_MS, "rebuild the index"):
                self._builder.build(self._all, progress)
        except (apsw.Error, OSError) as error:
            raise self._failed(error) from error
        with self._mutex:
            self._let_go()

    def erase(self, scope: Scope, journals: Sequence[str], ids: Sequence[str]) -> None:
        from .erasing import erase  # only `forget` pays for loading it

        self._catch_up(_BUILD_WAIT_MS)
        with self.lock.hold(60_000, "forget"):
            for name in [*self.generations.unbuilt(), *self.generations.foreign()]:
                self.generations.drop(name)
            self._ask(lambda c: erase(c, journals, ids))
            self.recalled.forget(ids, self._clock.now())

    def close(self) -> None:
        self.recalled.flush()
        try:
            self.recalled.tidy(self._clock.now())
            if self._base is not None:
                self._tidy(self.marks.names())
        except (StorageFailed, Locked, Corrupt, OSError) as error:
            self.trouble = type(error).__name__
        with self._mutex:
            self._let_go()
        _open.discard(self)


_open: set[SqliteIndex] = set()
_abandoned: list[object] = []


def _after_fork() -> None:
    """A child must not use its parent's connections, nor close them: that would drop live files."""
    for index in _open:
        if index._base is not None:
            _abandoned.append(index._base.abandon())
            _abandoned.append(index._base)
        index._base = index._name = None
        index._mutex = RLock()
        index._stemmer = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

__all__ = ["TROUBLE", "IndexOptions", "SqliteIndex"]
