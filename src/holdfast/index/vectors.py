"""Vectors: the part of the Index port that deals in them; `SqliteIndex` inherits it.

Answers who lies near a question, says what has no vector yet, and gives it one with the embedder that a
caller has open (D17: a writer never does, so NumPy is loaded by none of this until somebody asks for
nearness). All vectors of a generation are of one embedder; another one is refused until a rebuild. What the
cache keeps is decided under `index.lock`, as is what it forgets: only vectors of what the live index still says.
"""

from __future__ import annotations

import time

from ..errors import HoldfastError, Locked, ProviderFailed, StorageFailed
from .database import FAILURES
from .numbers import LAST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    import apsw

    from ..lock import Lock
    from ..model.query import Filter, Row
    from ..model.scope import Scope
    from ..model.vector import Vector
    from ..ports import Clock, Embedder, Progress
    from .building import Furnish
    from .cache import Cache
    from .filling import Made, Todo
    from .live import Live
    from .matrix import Matrix
    from .noted import Noted
    from .proving import Unsound

    Fresh = list[tuple[Todo, bytes]]  # vectors that were just made

_STORE_WAIT_MS = 60_000
_LEAST_WAIT_MS = 50
_REFUSED_MS = 24 * 3_600_000  # so long a text that an embedder did not take is not tried again where somebody waits


class Limits:
    """How much the embedding cache may hold; None: there is none."""

    __slots__ = ("bytes", "entries")

    def __init__(self, entries: int, bytes: int) -> None:
        self.entries, self.bytes = entries, bytes


class WithVectors:
    """See the module."""

    live: Live
    lock: Lock
    limits: Limits | None = None
    refused = 0  # vectors that were not what an embedder promises
    _matrix: tuple[str, int, Matrix] | None = None  # generation, its version when loaded
    _noted: Noted
    _clock: Clock

    if TYPE_CHECKING:

        @property
        def cache(self) -> Cache: ...

    def near(self, scope: Scope, wanted: Filter, vector: Vector, limit: int) -> list[Row]:
        from .nearness import Asked

        version = self.live.version()

        def act(connection: apsw.Connection) -> list[Row]:
            return Asked(connection, self._level_matrix(connection, version), scope, wanted).near(vector, limit)

        return self.live.ask(act)

    def _level_matrix(self, connection: apsw.Connection, version: int) -> Matrix:
        """What is in memory, brought level if anybody wrote since."""
        from .matrix import load

        held, path = self._matrix, connection.filename
        if held is not None and held[:2] == (path, version):
            return held[2]
        matrix = load(connection, held[2] if held is not None and held[0] == path else None)
        self._matrix = (path, version, matrix)
        return matrix

    def backlog(self, scope: Scope) -> tuple[int, int]:
        from .filling import missing

        if self._noted_state()[1] is None:
            return 0, 0
        return self.live.ask(lambda c: missing(c, scope))

    def _noted_state(self) -> tuple[str | None, int | None]:
        """See `filling.state`; every search asks twice, and as a rule nothing waits."""
        from .filling import state

        made_by, refused = self._noted.of(self.live, "vectors", [None], lambda c, _: {None: state(c)})[None]
        return made_by, refused

    def not_taken(self, scope: Scope) -> int:
        from .filling import refused

        return self.live.ask(lambda c: refused(c, scope))

    def embedded_by(self, scope: Scope) -> str | None:
        from .filling import identity_of

        return self.live.ask(identity_of)

    def dimensions(self, scope: Scope) -> int | None:
        from .filling import dimensions_of

        return self.live.ask(dimensions_of)

    def embed(self, scope: Scope, embedder: Embedder, budget_ms: int | None, first: int = 4) -> int:
        deadline = None if budget_ms is None else time.monotonic() + budget_ms / 1000
        made_by, refused = self._noted_state()
        if made_by not in (None, embedder.identity):
            raise ProviderFailed(
                f"the index holds vectors of {made_by}; `holdfast reindex --embedder NAME` changes that"
            )
        if refused is None:
            return 0
        if (held := self.dimensions(scope)) not in (None, embedder.dimensions):
            raise ProviderFailed(
                f"the index holds vectors of {held} dimensions, and {embedder.identity} makes {embedder.dimensions}; "
                "`holdfast reindex --embedder NAME` makes them anew"
            )
        if refused < self._due(deadline):
            self._fill(scope, embedder, deadline, first)
        return self.backlog(scope)[0]

    def _due(self, deadline: float | None) -> int:
        """Texts that were refused at this moment or later are not tried; who has time tries all."""
        now = self._clock.now()
        return now + 1 if deadline is None else now - _REFUSED_MS

    def _fill(self, scope: Scope, embedder: Embedder, deadline: float | None, size: int) -> None:
        """Embed and store, a batch after the other; after each, the cache is kept to its size."""
        from functools import partial

        from .filling import next_size, waiting

        below, due = LAST, self._due(deadline)
        while size and (todo := self.live.ask(partial(waiting, scope=scope, below=below, most=size, due=due))):
            started = time.monotonic()
            made, fresh = self._vectors_of(embedder, todo)
            below = todo[-1].chunk
            try:
                keep = partial(self._store, embedder=embedder, done=todo, made=made, fresh=fresh)
                self.live.alone(self.lock, "store vectors", keep, _patience(deadline))
            except Locked:
                break  # somebody else is writing; what is left waits for the next one who searches
            if embedder.costly:
                self._prune_cache()
            size = next_size(len(todo), started, deadline)

    def _store(
        self, connection: apsw.Connection, embedder: Embedder, done: Sequence[Todo], made: Made, fresh: Fresh
    ) -> None:
        """Into the live index, and then into the cache; the caller holds `index.lock`."""
        from .filling import store

        store(connection, embedder, done, made, self._clock.now())
        self._remember(connection, embedder, fresh)

    def _remember(self, connection: apsw.Connection, embedder: Embedder, fresh: Fresh) -> None:
        """Cache what the live index still says; the caller holds `index.lock`, so no `forget` comes between."""
        from .filling import standing

        if fresh:
            self.cache.keep(embedder.identity, standing(connection, fresh))

    def _vectors_of(self, embedder: Embedder, todo: Sequence[Todo]) -> tuple[Made, Fresh]:
        """A vector for each that the embedder or the cache has one for, None where there is nothing to say; and those
        among them that the cache shall get."""
        cached = embedder.costly and self.limits is not None
        made: Made = dict(self.cache.take(embedder.identity, todo)) if cached else {}
        made = {chunk: data for chunk, data in made.items() if data and len(data) == 4 * embedder.dimensions}
        lacking = [one for one in todo if one.chunk not in made]
        if not lacking:
            return made, []
        new = self._embedded(embedder, lacking)
        return {**made, **new}, [(one, data) for one in lacking if cached and (data := new.get(one.chunk))]

    def _made_while_building(self, embedder: Embedder, todo: Sequence[Todo]) -> Made:
        """The same for a generation that is not yet live; a cache that cannot be had costs only embedding again."""
        made, fresh = self._vectors_of(embedder, todo)
        try:
            if fresh:
                with self.lock.hold(_STORE_WAIT_MS, "keep vectors"):
                    self.live.present().ask(lambda c: self._remember(c, embedder, fresh))
                self._prune_cache()
        except FAILURES:
            return made
        return made

    def _tidy_cache(self) -> None:
        """After a build: nothing in the cache of entries that are no more, and no more than it may hold."""
        from .filling import there

        if not self.cache.exists():
            return
        try:
            self.live.alone(self.lock, "tidy the cache", lambda c: self.cache.sweep(lambda ids: there(c, ids)))
        except HoldfastError:
            return  # whoever builds or forgets next does it
        self._prune_cache()

    def _prune_cache(self) -> None:
        if self.limits is not None:
            self.cache.prune(self.limits.entries, self.limits.bytes)

    def _embedded(self, embedder: Embedder, todo: Sequence[Todo]) -> Made:
        from .filling import checked

        data, refused = checked(embedder.embed([one.text for one in todo]), len(todo), embedder.dimensions)
        self.refused += len(refused)
        bad = set(refused)
        return {one.chunk: data[place] for place, one in enumerate(todo) if place not in bad}

    def unsound(self, scope: Scope) -> list[tuple[str | None, str]]:
        return [(one.entry, one.what) for one in self._unsound()]

    def _unsound(self) -> list[Unsound]:
        from functools import partial

        from .proving import portions, unsound

        return [one for pages in self.live.ask(portions) for one in self.live.ask(partial(unsound, pages=pages))]

    def make_sound(self, scope: Scope, wait_ms: int) -> bool:
        from .pages import SLOTS
        from .proving import mend

        pages = sorted({one.n // SLOTS for one in self._unsound()})
        try:
            if pages:
                self.live.alone(self.lock, "mend vectors", lambda c: mend(c, pages), wait_ms)
        except (Locked, StorageFailed):
            return False
        return True

    def vector_facts(self, connection: apsw.Connection) -> dict[str, Any]:
        """What `status` shows of vectors."""
        from .filling import facts

        return {**facts(connection), "refused": self.refused}

    def furnishing(self, embedder: Embedder | None, living: Callable[[], str | None]) -> Furnish:
        """What a builder does before it flips: take over vectors that still hold, then make what an embedder is for."""

        def furnish(connection: apsw.Connection, progress: Progress | None) -> None:
            from functools import partial

            from .carrying import carry
            from .filling import embed_all, mostly_refused

            if (old := living()) is not None:
                carry(old, connection, None if embedder is None else (embedder.identity, embedder.dimensions))
            if embedder is not None:
                make = partial(self._made_while_building, embedder)
                embed_all(connection, embedder, make, progress, self._clock.now())
                if mostly_refused(connection):
                    raise ProviderFailed(
                        f"the embedder {embedder.identity} has vectors for less than half of all texts"
                    )

        return furnish


def _patience(deadline: float | None) -> int:
    if deadline is None:
        return _STORE_WAIT_MS
    return max(_LEAST_WAIT_MS, round((deadline - time.monotonic()) * 1000))
