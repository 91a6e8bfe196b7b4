"""SqliteIndex: the Index port on one SQLite database an agent.

Answers from the live generation and keeps it level with the journals: what was announced is caught up
before each answer, and everything is compared after a restart and now and then. Trouble with the disk
never fails a write that a journal has acknowledged; it leaves the index behind, and answers say so.
"""

from __future__ import annotations

import os
import time

import apsw

from ..disk import REAL, boot_id
from ..errors import HoldfastError, Locked, StorageFailed
from ..lock import Lock
from ..model.scope import whole
from . import questions
from .catchup import Bringing, file_row
from .cutting import chunking_of
from .database import ODD_VALUES, TROUBLE, Damaged, is_damage
from .forking import OPEN
from .generations import Generations
from .live import BUILD_WAIT_MS, Live
from .marks import Levels, Marks, Others
from .options import IndexOptions as IndexOptions
from .recalled import Recalled, stamp_of
from .vectors import Limits, WithVectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from ..disk import Disk
    from ..model.card import Card
    from ..model.entry import Tombstone
    from ..model.query import Filter, Row, Words
    from ..model.replay import Address, Size
    from ..model.scope import Scope
    from ..ports import Clock, Embedder, Journal, Progress
    from .building import Builder
    from .cache import Cache
    from .database import Database
    from .fulltext import Stemmer

    Sizes = dict[str, Size | None]  # journals with their files' sizes

_INLINE_JOURNALS = 50  # a writer builds a missing index itself only in a home as small as this
_ROUNDS = 4


class SqliteIndex(WithVectors):
    """See the module; made by `wiring`, one for each open agent."""

    def __init__(
        self, folder: str, agent: str, journal: Journal, clock: Clock, *,
        recalled: str, disk: Disk = REAL, options: IndexOptions | None = None,
    ) -> None:  # fmt: skip
        self._folder, self._journal, self._clock, self._disk = folder, journal, clock, disk
        self._all = whole(agent)
        self._options = options or IndexOptions()
        self._bringing = Bringing(journal, self._all, lambda ids: self.cache.forget(ids))
        self._compared = time.monotonic()
        self._recency: str | None = None  # the stamp of recalled.jsonl with which the table was last seen level
        self._stemmer: Stemmer | None = None
        self.trouble: str | None = None  # why the index could not be written, for status and answers
        self.recalled = Recalled(recalled, disk)
        self.marks = Marks(folder, disk)
        self._levels = Levels()
        self._others = Others()
        self.generations = Generations(folder, disk)
        self.lock = Lock(os.path.join(folder, "index.lock"), disk)
        self.live = Live(folder, self._all, self.generations, disk, self._builder, self._options.vfs)
        if self._options.cache:
            self.limits = Limits(self._options.cache_entries, self._options.cache_bytes)
        OPEN.add(self)

    @property
    def cache(self) -> Cache:
        from .cache import Cache  # who writes nothing away and embeds nothing does without

        return Cache(self._folder, self._disk, self._clock)

    def _builder(self) -> Builder:
        from .building import Builder  # most processes never build

        return Builder(
            generations=self.generations, journal=self._journal, marks=self.marks, recalled=self.recalled,
            clock=self._clock, disk=self._disk, lock=self.lock, vfs=self._options.vfs, chunking=self._options.chunking,
        )  # fmt: skip

    def database(self) -> Database:
        """The live database, opened."""
        return self.live.database()

    # -- answers

    def rows(
        self, scope: Scope, wanted: Filter, order: str = "time", limit: int | None = None, offset: int = 0
    ) -> list[Row]:
        return self.live.ask(lambda c: questions.rows(c, scope, wanted, order, limit, offset))

    def match(self, scope: Scope, wanted: Filter, words: Words, limit: int) -> list[Row]:
        from . import matching  # here and below: who only writes does without

        roots = {prefix: "".join(self.stems(prefix)[:1]) for prefix in words.prefixes}
        return self.live.ask(lambda c: matching.match(c, scope, wanted, words, roots, limit))

    def describe(self, scope: Scope, rows: Sequence[Row]) -> None:
        from . import matching

        self.live.ask(lambda c: matching.describe(c, rows))

    def look_around(self, scope: Scope, rows: Sequence[Row]) -> None:
        from . import matching

        self.live.ask(lambda c: matching.look_around(c, rows))

    def authors(self, scope: Scope, most: int) -> list[str]:
        from . import matching

        return self.live.ask(lambda c: matching.authors(c, scope, most))

    def mentions(self, scope: Scope, author: str) -> tuple[int, int]:
        from . import matching

        return self.live.ask(lambda c: matching.mentions(c, scope, author))

    def rarity(self, scope: Scope, terms: Sequence[str]) -> tuple[int, dict[str, int]]:
        stems = {term: self.stems(term) for term in terms}
        return self.live.ask(lambda c: questions.rarity(c, stems))

    def stems(self, text: str) -> list[str]:
        if self._stemmer is None:
            from .fulltext import Stemmer

            self._stemmer = Stemmer()
        return self._stemmer.stems(text)

    def names(self, scope: Scope) -> str:
        from .cache import TABLES

        return self.live.ask(questions.names) + TABLES

    def locate(self, scope: Scope, ids: Sequence[str], every: bool = False) -> dict[str, Address]:
        return self.live.ask(lambda c: questions.locate(c, scope, ids, every))

    def buried(self, scope: Scope, ids: Sequence[str]) -> dict[str, Tombstone]:
        return self.live.ask(lambda c: questions.buried(c, ids))

    def references(self, scope: Scope, ids: Sequence[str], inbound: bool) -> list[tuple[str, str]]:
        return self.live.ask(lambda c: questions.references(c, scope, ids, inbound))

    def same_text(self, scope: Scope, ids: Sequence[str]) -> list[str]:
        return self.live.ask(lambda c: questions.same_text(c, scope, ids))

    def contains(self, scope: Scope, fragment: str) -> bool:
        return self.live.ask(lambda c: questions.contains(c, fragment))

    def cards(
        self, scope: Scope, journal: str | None = None, key: str | None = None,
        limit: int | None = None, offset: int = 0,
    ) -> list[Card]:  # fmt: skip
        return self.live.ask(lambda c: questions.cards(c, scope, journal, key, limit, offset))

    def sessions(self, scope: Scope, ids: Sequence[str]) -> dict[str, tuple[str | None, Mapping[str, Any]]]:
        return self.live.ask(lambda c: questions.sessions(c, scope, ids))

    def tags(self, scope: Scope) -> dict[str, int]:
        return self.live.ask(lambda c: questions.tags(c, scope))

    def counts(self, scope: Scope) -> dict[str, Any]:
        return self.live.ask(lambda c: questions.counts(c, scope))

    def recall(self, scope: Scope, ids: Sequence[str], time: int) -> None:
        self.recalled.note(ids, time)

    def version(self, scope: Scope) -> int:
        return self.live.version()

    def status(self, scope: Scope) -> dict[str, Any]:
        facts = self.live.ask(lambda c: {**questions.facts(c), **self.vector_facts(c)})
        behind = self._behind(self.marks.names())
        return {
            "generation": self.live.name, "path": self.live.typed(self.database).path, **facts,
            "bytes": self.generations.bytes_used(), "behind": len(behind), "rebuilt": self.live.rebuilt,
            "trouble": self.trouble,
        }  # fmt: skip

    # -- keeping level

    def announce(self, scope: Scope, journal: str) -> None:
        self.marks.put(journal)

    def suspect(self, scope: Scope, journal: str) -> None:
        self._bringing.suspects.add(journal)

    def refresh(self, scope: Scope, wait_ms: int) -> int:
        try:
            if wait_ms <= 0 and (self._others.at_work(self.live.opened) or self._too_much_for_a_writer()):
                return len(self.marks.names())
            if wait_ms > 0:
                self._compare_if_due()
            return self._catch_up(wait_ms)
        except Locked:
            return self._still_behind()
        except (apsw.Error, *ODD_VALUES, Damaged, OSError, HoldfastError) as error:
            return self._refused(error)

    def _too_much_for_a_writer(self) -> bool:
        """No index yet, and more to read than one write should pay for: the next search builds it."""
        if self.live.opened is not None or self.generations.current() is not None:
            return False
        return any(count > _INLINE_JOURNALS for count, _ in enumerate(self._journal.journals(self._all)))

    def _still_behind(self) -> int:
        """Somebody else is at work on the index: how much is left for them."""
        try:
            return len(self._behind(self.marks.names()))
        except HoldfastError as error:
            return self._refused(error)

    def _refused(self, error: BaseException) -> int:
        """The index could not be written: say so in answers, keep the marks, go on."""
        base = self.live.opened
        if base is not None and is_damage(error):
            try:
                self.live.condemn(base, error)
            except HoldfastError as again:
                error = again
            else:
                return 0
        self.trouble = type(error).__name__
        return max(1, len(self.marks.names()))

    def _catch_up(self, wait_ms: int) -> int:
        deadline = time.monotonic() + wait_ms / 1000
        todo = self._behind([*self.marks.names(), *self._bringing.suspects], ask=wait_ms > 0)
        for _ in range(_ROUNDS):
            if not todo:
                break
            held = self.lock.attempt("catch up")
            if held is None:
                if wait_ms <= 0:
                    self._others.meet()
                    return len(todo)
                held = self.lock.hold(max(0, round((deadline - time.monotonic()) * 1000)), "catch up")
                todo = self._sizes(todo)  # they may have grown while we waited
            with held:
                self._bring(todo, deadline if wait_ms > 0 else None)
            # A writer that found the lock taken left its lines to us: look once more after letting go.
            names = self.marks.names()
            self._tidy(self.marks.spare(todo, names))
            todo = self._behind(names)
            if wait_ms > 0 and time.monotonic() >= deadline:
                break
        if wait_ms > 0:
            self._bring_recency()
        self.trouble = None
        return len(todo)

    def _sizes(self, names: Iterable[str]) -> Sizes:
        return {name: self._journal.size(self._all, name) for name in names}

    def _behind(self, names: Iterable[str], ask: bool = True) -> Sizes:
        """Those whose rows are not level with their files; without `ask`, all that changed since they were level."""
        sizes = self._sizes(names)
        if not sizes:
            return sizes
        base, suspects = self.live.typed(self.live.database), self._bringing.suspects
        changed = {name: size for name, size in sizes.items() if not self._levels.has(base, name, size)}
        unsure = [name for name in changed if name not in suspects and (ask or not self._levels.knows(base, name))]
        if unsure:
            level = self.live.ask(lambda c: {name: sizes[name] for name in unsure if _level(c, name, sizes[name])})
            self._levels.note(base, level)
            changed = {name: size for name, size in changed.items() if name not in level}
        return {**{name: sizes[name] for name in suspects & sizes.keys()}, **changed} if suspects else changed

    def _bring(self, sizes: Sizes, deadline: float | None) -> None:
        """Index these journals; the caller holds `index.lock`."""
        base = self.live.present()
        self._levels.note(base, base.ask(lambda c: self._bringing.bring(c, sizes, deadline)))
        self._others.note(base)

    def _bring_recency(self) -> None:
        """Bring the table of recalls level with its file; failing costs only recency."""
        stamp = self.recalled.stamp()
        if stamp == self._recency or stamp == self.live.ask(stamp_of):
            self._recency = stamp
            return
        try:
            held = self.lock.attempt("note recalls")
            if held is None:
                return
            with held:
                self.live.present().ask(lambda c: self.recalled.level(c, self._clock.now()))
        except (*TROUBLE, StorageFailed):
            return

    def _tidy(self, names: Sequence[str]) -> None:
        """Take away marks of journals that nobody is writing and that are level."""
        for name in names:
            self._journal.when_idle(self._all, name, lambda name=name: self._tidy_one(name))  # type: ignore[misc]

    def _tidy_one(self, name: str) -> None:
        if self.live.ask(lambda c: _level(c, name, self._journal.size(self._all, name))):
            self.marks.take_away(name)

    def _compare_if_due(self) -> None:
        self.database()  # opening may find that a comparison is due
        if self.live.stale or time.monotonic() - self._compared > self._options.compare_minutes * 60:
            self._compare()

    def compare(self, scope: Scope) -> int:
        if self.live.ask(chunking_of) != self._options.chunking:
            self.rebuild(scope)  # texts are cut by other settings now
        return self._compare()

    def _compare(self) -> int:
        self._compared = time.monotonic()
        known = self.live.ask(questions.journals)
        self.live.stale = False
        found = set(self._journal.journals(self._all))
        marked = set(self.marks.names())
        changed = [name for name in self._behind(found | known) if name not in marked]
        for name in changed:
            self.marks.put(name)
        if self.live.typed(lambda: self._catch_up(BUILD_WAIT_MS)) == 0:
            self.live.alone(self.lock, "note the boot", _note_boot)
        return len(changed)

    def rebuild(self, scope: Scope, progress: Progress | None = None, embedder: Embedder | None = None) -> None:
        self.live.rebuild(progress, self.furnishing(embedder, self.live.typed(self.database).path))

    def erase(self, scope: Scope, journals: Sequence[str], ids: Sequence[str]) -> None:
        from .erasing import erase  # only `forget` pays for loading it

        def alone(connection: apsw.Connection) -> None:
            for name in [*self.generations.unbuilt(), *self.generations.foreign()]:
                self.generations.drop(name)
            self.cache.forget([*ids, *erase(connection, journals, ids)])

        def everywhere() -> None:
            self._catch_up(BUILD_WAIT_MS)
            self.live.alone(self.lock, "forget", alone)
            self.recalled.forget(ids, self._clock.now())

        try:
            self.live.typed(everywhere)
        except StorageFailed as error:
            if error.details.get("errno") != "ENOSPC":
                raise
            self._start_over(ids)

    def _start_over(self, ids: Sequence[str]) -> None:
        """On a full disk throw every generation away: that erases too, and makes room for building anew (D42)."""
        with self.lock.hold(60_000, "forget"):
            self.live.let_go()
            for name in self.generations.all():
                self.live.typed(lambda name=name: self.generations.drop(name))  # type: ignore[misc]
            self.cache.forget(ids)
            self.recalled.forget(ids, self._clock.now())
        self.refresh(self._all, BUILD_WAIT_MS)

    def close(self) -> None:
        if self._others.relied_on():
            self.refresh(self._all, 0)
        self.recalled.flush()
        try:
            self.recalled.tidy(self._clock.now())
            if self.live.opened is not None:
                self._tidy(self.marks.names())
        except (HoldfastError, OSError) as error:
            self.trouble = type(error).__name__
        self.live.let_go()
        OPEN.discard(self)

    def after_fork(self) -> object:
        """In a child: start anew; what is returned must be kept from being collected."""
        self._stemmer = None
        self._bringing.start_over()
        self.recalled.after_fork()
        return self.live.abandon()


def _level(connection: apsw.Connection, journal: str, size: Size | None) -> bool:
    row = file_row(connection, journal)
    if size is None or row is None:
        return size is None and row is None
    return row.level(size)


def _note_boot(connection: apsw.Connection) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES('boot', ?)", (boot_id(),)).fetchall()
