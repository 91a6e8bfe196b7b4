"""SqliteIndex: the Index port on one SQLite database an agent.

Answers from the live generation, builds and erases. How it is kept level with the journals is in `levelling`,
what it knows of vectors in `vectors`. It is derived, all of it: whatever is missing or damaged is made again.
"""

from __future__ import annotations

import os
import time
from _thread import _local

from ..disk import REAL
from ..errors import HoldfastError, StorageFailed
from ..model.scope import whole
from ..model.value import Value
from . import listing, questions
from .bringing import Bringing
from .cutting import Chunking, chunking_of
from .forking import OPEN
from .generations import Generations
from .levelling import Levelled
from .live import BUILD_WAIT_MS, Live
from .marks import Burst, Levels, Marks
from .mending import IndexLock
from .noted import Noted
from .recalled import Recalled
from .vectors import Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import apsw

    from ..disk import Disk
    from ..model.card import Card
    from ..model.entry import Tombstone
    from ..model.query import Filter, Label, Row, Words
    from ..model.replay import Address
    from ..model.scope import Scope
    from ..ports import Clock, Embedder, Journal, Progress
    from .building import Builder
    from .cache import Cache
    from .database import Database
    from .fulltext import Stemmer


class IndexOptions(Value):
    """What settings say about the index, as `wiring` hands it over."""

    compare_minutes: int = 10
    cache: bool = True  # whether vectors of costly embedders are kept by the hash of their text
    cache_entries: int = 50_000
    cache_bytes: int = 256 << 20
    chunking: Chunking = Chunking()
    vfs: str | None = None  # tests put a failing file system here


class SqliteIndex(Levelled):
    """See the module; made by `wiring`, one for each open agent."""

    def __init__(
        self, folder: str, agent: str, journal: Journal, clock: Clock, *,
        recalled: str, disk: Disk = REAL, options: IndexOptions | None = None,
    ) -> None:  # fmt: skip
        self._folder, self._journal, self._clock, self._disk = folder, journal, clock, disk
        self._all = whole(agent)
        self._options = options or IndexOptions()
        self._bringing = Bringing(journal, self._all, lambda: self.cache)
        self._compared = time.monotonic()
        self._stemmer: Stemmer | None = None
        self._noted = Noted()
        self._mine = _local()
        self.recalled = Recalled(recalled, disk)
        self.marks = Marks(folder, disk)
        self._levels = Levels()
        self._burst = Burst()
        self.generations = Generations(folder, disk)
        self.lock = IndexLock(os.path.join(folder, "index.lock"), disk)
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
        return self.live.ask(lambda c: listing.rows(c, scope, wanted, order, limit, offset))

    def match(self, scope: Scope, wanted: Filter, words: Words, limit: int) -> list[Row]:
        from . import matching  # here and below: who only writes does without

        begun = self._begun(words.prefixes) if words.prefixes else {}
        return self.live.ask(lambda c: matching.match(c, scope, wanted, words, begun, limit))

    def _begun(self, prefixes: Sequence[str]) -> dict[str, str]:
        from .beginnings import beginning

        return {prefix: beginning(prefix, self.stems) for prefix in prefixes}

    def extent(self, scope: Scope) -> int:
        from .fulltext import extent

        if scope.user is None:
            return self.rarity(scope, ())[0]

        def ask(connection: apsw.Connection, keys: list[Any]) -> dict[Any, int]:
            return {key: extent(connection, scope) for key in keys}

        key = (scope.user, scope.shared)
        return int(self._noted.of(self.live, "extent", [key], ask)[key])

    def describe(self, scope: Scope, rows: Sequence[Row]) -> None:
        from . import matching

        self.live.ask(lambda c: matching.describe(c, rows))

    def look_back(self, scope: Scope, rows: Sequence[Row]) -> None:
        from . import matching

        self.live.ask(lambda c: matching.look_back(c, rows))

    def following(self, scope: Scope, wanted: Filter, rows: Sequence[Row]) -> list[Row]:
        from . import matching

        return self.live.ask(lambda c: matching.following(c, scope, wanted, rows))

    def when_recalled(self, scope: Scope, rows: Sequence[Row]) -> None:
        self.live.ask(lambda c: questions.when_recalled(c, rows))

    def authors(self, scope: Scope, most: int) -> list[str]:
        from . import matching

        def ask(connection: apsw.Connection, keys: list[Any]) -> dict[Any, list[str]]:
            return {key: matching.authors(connection, scope, most) for key in keys}

        key = (_place(scope), most)
        return list(self._noted.of(self.live, "authors", [key], ask)[key])

    def mentions(self, scope: Scope, author: str) -> tuple[int, int, float]:
        from . import mentioning

        def ask(connection: apsw.Connection, keys: list[Any]) -> dict[Any, tuple[int, int, float]]:
            return {key: mentioning.mentions(connection, scope, author) for key in keys}

        key = (scope, author)
        own, other, share = self._noted.of(self.live, "mentions", [key], ask)[key]
        return own, other, share

    def rarity(self, scope: Scope, terms: Sequence[str]) -> tuple[int, dict[str, int]]:
        stems = {term: self.stems(term) for term in terms}
        wanted = [None, *{stem for found in stems.values() for stem in found}]
        seen = self._noted.of(self.live, "rarity", wanted, questions.rarity)
        counts = {term: min((seen[stem] or 0 for stem in found), default=0) for term, found in stems.items()}
        return seen[None], counts if scope.everyone and not scope.narrow else self._within(scope, counts)

    def _within(self, scope: Scope, counts: dict[str, int]) -> dict[str, int]:
        """The same with nothing for a word that stands only elsewhere: no score shall tell what was written there."""
        from .fulltext import held

        def ask(connection: apsw.Connection, keys: list[Any]) -> dict[Any, bool]:
            found = held(connection, scope, [term for _, term in keys])
            return {key: key[-1] in found for key in keys}

        place = _place(scope)
        keys = {term: (place, term) for term, count in counts.items() if count}
        known = self._noted.of(self.live, "held", keys.values(), ask)
        return {term: count if count and known[keys[term]] else 0 for term, count in counts.items()}

    def begun(self, scope: Scope, terms: Sequence[str]) -> dict[str, list[str]]:
        from .fulltext import begun

        def ask(connection: apsw.Connection, keys: list[Any]) -> dict[Any, list[str]]:
            return {key: begun(connection, scope, key[-1]) for key in keys}

        place = _place(scope)
        keys = {term: (place, tuple(stems)) for term in terms if (stems := self.stems(term))}
        known = self._noted.of(self.live, "begun", keys.values(), ask)
        return {term: known[key] for term, key in keys.items()}

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

    def labels(self, scope: Scope, ids: Sequence[str]) -> dict[str, Label]:
        return self.live.ask(lambda c: questions.labels(c, scope, ids))

    def buried(self, scope: Scope, ids: Sequence[str]) -> dict[str, Tombstone]:
        return self.live.ask(lambda c: questions.buried(c, scope, ids))

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
        noted = self._noted.of(self.live, "sessions", ids, questions.sessions)
        found = ((id, noted[id]) for id in ids)
        return {id: row[1:] for id, row in found if row is not None and (scope.user is None or row[0] == scope.user)}

    def under_key(self, scope: Scope, key: str) -> list[str]:
        return self.live.ask(lambda c: questions.under_key(c, scope, key))

    def tags(self, scope: Scope) -> dict[str, int]:
        return self.live.ask(lambda c: questions.tags(c, scope))

    def counts(self, scope: Scope) -> dict[str, Any]:
        return self.live.ask(lambda c: questions.counts(c, scope))

    def damaged(self, scope: Scope, journals: Sequence[str]) -> int:
        return self.live.ask(lambda c: questions.damaged(c, journals))

    def recall(self, scope: Scope, ids: Sequence[str], time: int) -> None:
        self.recalled.note(ids, time)

    def version(self, scope: Scope) -> int:
        return self.live.version()

    def status(self, scope: Scope) -> dict[str, Any]:
        facts = self.live.ask(lambda c: {**questions.facts(c), **self.vector_facts(c)})
        behind = self._behind(self._readable(self.marks.names()))
        return {
            "generation": self.live.name, "path": self.live.ready().path, **facts,
            "bytes": self.generations.bytes_used(), "behind": len(behind), "rebuilt": self.live.rebuilt,
            "trouble": self.trouble,
        }  # fmt: skip

    # -- building and erasing

    def compare(self, scope: Scope) -> int:
        if self.live.ask(chunking_of) != self._options.chunking:
            self.rebuild(scope)  # texts are cut by other settings now
        changed = self._compare()
        self._merge()
        return changed

    def _merge(self) -> None:
        """Whoever has time to compare everything makes searches quicker, too."""
        from .merging import merge, scattered  # no search needs it

        def step(begin: bool) -> bool:
            return self.live.typed(lambda: self.live.alone(self.lock, "merge", lambda c: merge(c, begin)))

        try:
            more = self.live.ask(scattered) and step(True)
            while more:
                more = step(False)
        except HoldfastError:
            return  # busy or full: answers are the same without

    def rebuild(
        self, scope: Scope, progress: Progress | None = None, embedder: Embedder | None = None, vectors: bool = True
    ) -> None:
        self._rescue()
        self.live.ready()
        self.live.rebuild(progress, self.furnishing(embedder, self._living) if vectors else None)
        self._tidy_cache()

    def _living(self) -> str | None:
        """The file of the live generation as it is now: another rebuild may have replaced it while one waited."""
        name = self.generations.current()
        return None if name is None else self.generations.path(name)

    def _rescue(self) -> None:
        """What only the old generation still has goes to quarantine before there is a new one (D40)."""
        try:
            self._compare()
        except HoldfastError as error:  # then building says what is wrong, or it is no longer
            self.trouble = type(error).__name__

    def erase(self, scope: Scope, journals: Sequence[str], ids: Sequence[str], former: Sequence[str] = ()) -> None:
        from .erasing import erase  # only `forget` pays for loading it
        from .filling import there

        def alone(connection: apsw.Connection) -> None:
            for name in [*self.generations.unbuilt(), *self.generations.foreign()]:
                self.generations.drop(name)
            self.cache.forget([*ids, *former, *erase(connection, journals, ids)])
            self.cache.sweep(lambda ids: there(connection, ids))
            self._bring_again(connection, journals)

        def everywhere() -> None:
            self._catch_up(self._all, BUILD_WAIT_MS)
            self.live.alone(self.lock, "forget", alone)
            self.recalled.forget(ids, self._clock.now())
            self._empty_log(scope)

        try:
            self.live.typed(everywhere)
        except StorageFailed as error:
            if error.details.get("errno") != "ENOSPC":
                raise
            self._start_over(ids, former)

    def _empty_log(self, scope: Scope) -> None:
        """Cut the log to nothing; where a reader does not let us, leave them the generation and build another.

        The lock is let go of between two tries: others write and search meanwhile.
        """
        from .erasing import emptied, patiently

        if not patiently(lambda: self.live.alone(self.lock, "forget", emptied)):
            self.rebuild(scope)
            for name in self.generations.unbuilt():
                self.generations.drop(name)

    def _bring_again(self, connection: apsw.Connection, journals: Sequence[str]) -> None:
        """A journal that was made anew under its old name, as a user's is, has other entries than those erased."""
        standing = {name: size for name, size in self._sizes(journals).items() if size is not None and size.entries}
        if standing:
            self._bringing.suspects.update(standing)
            self._bringing.bring(connection, standing, None)

    def _start_over(self, ids: Sequence[str], former: Sequence[str]) -> None:
        """On a full disk throw every generation away: that erases too, and makes room for building anew (D42)."""
        with self.lock.hold(60_000, "forget"):
            self.live.let_go()
            for name in self.generations.all():
                self.live.typed(lambda name=name: self.generations.drop(name))  # type: ignore[misc]
            self.cache.forget([*ids, *former])
            self.recalled.forget(ids, self._clock.now())
        self.refresh(self._all, BUILD_WAIT_MS)

    def close(self) -> None:
        if self._burst.end():
            self.refresh(self._all, 0)
        self.recalled.flush()
        try:
            self.recalled.tidy(self._clock.now())
            if self.live.opened is not None:
                self._tidy(self.marks.names())
        except (HoldfastError, OSError) as error:
            self.trouble = type(error).__name__
        self.live.let_go()
        self._matrix = None
        OPEN.discard(self)

    def after_fork(self) -> object:
        """In a child: start anew; what is returned must be kept from being collected."""
        # A thread of the parent may have been inside SQLite's allocator: to free anything of that would wait for it.
        left, self._stemmer, self._matrix = (self._stemmer, self.live.abandon()), None, None
        self._bringing.start_over()
        self.recalled.after_fork()
        return left


def _place(scope: Scope) -> Scope | tuple[str | None, bool]:
    """What is noted of a scope goes by this; of a usual one two values, which are compared sooner."""
    return scope if scope.narrow else (scope.user, scope.shared)
