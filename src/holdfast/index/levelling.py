"""Levelling: the part of the Index port that keeps rows level with the journals; `SqliteIndex` inherits it.

What was announced is caught up before each answer and after each write; everything is compared after a restart,
now and then, and when marks were lost. Trouble with the disk never fails a write that a journal has
acknowledged: it leaves the index behind, and answers say so: each of its own user's journals, never of another's.
"""

from __future__ import annotations

import time

from ..errors import HoldfastError, Locked, StorageFailed
from ..model.ids import SESSION_ID
from . import questions
from .bringing import Unread
from .catchup import file_row
from .database import FAILURES, TROUBLE, Damaged
from .live import ALONE_WAIT_MS, BUILD_WAIT_MS
from .marks import boot_id
from .mending import PATIENCE_S
from .owning import concerns, owners
from .recalled import stamp_of
from .vectors import WithVectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import _local
    from collections.abc import Iterable, Mapping, Sequence

    import apsw

    from ..model.replay import Mark, Size
    from ..model.scope import Scope
    from ..ports import Clock, Journal
    from .bringing import Bringing
    from .database import Database
    from .generations import Generations
    from .marks import Burst, Levels, Marks
    from .mending import IndexLock
    from .recalled import Recalled
    from .sqlite import IndexOptions

    Sizes = dict[str, Size | None]  # journals with their files' sizes
    Lagging = Mapping[str, tuple[str | None, Mark | None]]  # journals with their owner and how far they were read

_INLINE_JOURNALS = 50  # a writer builds a missing index itself only in a home as small as this
_ROUNDS = 4
_NOTHING: Lagging = {}
_NONE: Sizes = {}


class Levelled(WithVectors):
    """See the module."""

    marks: Marks
    generations: Generations
    recalled: Recalled
    trouble: str | None = None  # why the index could not be written, for status and answers
    _all: Scope
    _journal: Journal
    _clock: Clock
    _options: IndexOptions
    _bringing: Bringing
    _levels: Levels
    _burst: Burst
    lock: IndexLock
    _compared: float
    _mine: _local  # what each thread was told
    _recency: str | None = None  # the stamp of recalled.jsonl with which the table was last seen level

    def announce(self, scope: Scope, journal: str) -> None:
        self.marks.put(journal)

    def suspect(self, scope: Scope, journal: str) -> None:
        self._bringing.suspects.add(journal)

    def sweep(self, scope: Scope) -> None:
        self.live.sweep()

    def scour(self, scope: Scope, wait_ms: int) -> bool:
        from .erasing import emptied, merge_all, patiently, settle  # only upkeep pays for loading it

        self.live.sweep()
        for name in self.generations.foreign():
            self.generations.discard(name)
        alone = not self.generations.beside()  # whoever builds one has read what there was when they began
        if self.generations.current() is None and not self.cache.exists():
            return alone  # nobody builds one for this
        try:
            self.refresh(self._all, wait_ms)
            level = self._merely_grown()
            self.live.alone(self.lock, "scour", merge_all, wait_ms)
            level = level and self.live.alone(self.lock, "scour", lambda c: settle(c, self.cache), wait_ms)
            empty = patiently(lambda: self.live.alone(self.lock, "scour", emptied, wait_ms), wait_ms / 1000)
        except HoldfastError:
            return False
        return alone and level and empty

    def _merely_grown(self) -> bool:
        """Whether nobody has taken anything out of those that are behind or cannot be read: a rewrite gives a journal
        another inode, or the one before the last, and then makes it shorter."""
        left = self._behind(self.marks.names())
        rows = self.live.ask(lambda c: {name: file_row(c, name) for name in left})
        known = [(row, left[name]) for name, row in rows.items() if row is not None]
        return self.trouble is None and all(
            size is not None and size.inode == row.inode and size.entries >= row.bytes for row, size in known
        )

    def follow(self, scope: Scope, lines: int) -> None:
        if not self._burst.goes_on(self.live.opened, lines):
            self.refresh(scope, 0)

    def refresh(self, scope: Scope, wait_ms: int) -> int:
        self.live.look_again()
        try:
            behind = self._brought_level(scope, wait_ms)
            if wait_ms <= 0:
                return behind
            self._mine.lagging = self._left_behind() if behind or self._bringing.unread.all() else _NOTHING
            return self._told(scope, behind) if behind else 0
        finally:
            self.live.begin()

    def lagging(self, scope: Scope) -> Mapping[str, Mark | None]:
        left: Lagging = getattr(self._mine, "lagging", _NOTHING)
        return {name: mark for name, (owner, mark) in left.items() if concerns(scope, name, owner)}

    def unreadable(self, scope: Scope) -> Mapping[str, StorageFailed]:
        found = self._bringing.unread.all()
        if scope.everyone or not found:
            return found
        whose = self.live.ask(lambda c: owners(c, self._journal, self._all, dict.fromkeys(found)))
        return {
            name: error if whose[name] is not None or not SESSION_ID.match(name) or name in scope.sessions
            else _unnamed(error)
            for name, error in found.items() if concerns(scope, name, whose[name])
        }  # fmt: skip

    def _told(self, scope: Scope, behind: int) -> int:
        """How many of those behind an answer within this scope has to name; one, where the index is in trouble."""
        if scope.everyone:
            return behind
        left = len(self._readable(self.lagging(scope)))
        return max(min(behind, left), 0 if self.trouble is None else 1)

    def _left_behind(self) -> Lagging:
        """Journals that are behind, with how far they were read; all of them where the index cannot say.

        Those that cannot be read are among them, though no answer counts them: what has been deleted or amended in them
        since nobody knows, so what the index says of them must not be believed (D10).
        """
        try:
            left = self._behind(self._readable(self.marks.names() if self.trouble is None else self._every()))
            left.update(dict.fromkeys(self._bringing.unread.all()))
            rows = self.live.ask(lambda c: {name: file_row(c, name) for name in left})
            whose = self.live.ask(lambda c: owners(c, self._journal, self._all, left))
        except (HoldfastError, OSError):
            return dict.fromkeys(self._journal.journals(self._all), (None, None))
        return {name: (whose[name], None if row is None else row.mark) for name, row in rows.items()}

    def _own(self, scope: Scope, todo: Sizes) -> Sizes:
        """Those of these that an answer within this scope must wait for."""
        if scope.everyone or not todo:
            return todo
        whose = self.live.ask(lambda c: owners(c, self._journal, self._all, todo))
        return {name: size for name, size in todo.items() if concerns(scope, name, whose[name])}

    def _every(self) -> set[str]:
        """Journals that there are, and those that the index knows."""
        return {*self._journal.journals(self._all), *self.live.ask(questions.journals)}

    def _brought_level(self, scope: Scope, wait_ms: int) -> int:
        try:
            return self._refreshed(scope, wait_ms)
        except Locked:
            return self._still_behind()
        except FAILURES as error:
            if wait_ms <= 0 or not self.live.swept():
                return self._refused(error)
        try:  # somebody removed what we were at work on: once more, on a new one
            return self._refreshed(scope, wait_ms)
        except FAILURES as error:
            return self._refused(error)

    def _refreshed(self, scope: Scope, wait_ms: int) -> int:
        if wait_ms <= 0 and self._too_much_for_a_writer():
            return len(self.marks.names())
        if wait_ms > 0:
            self._compare_if_due(wait_ms)
        return self._catch_up(scope, wait_ms)

    def _too_much_for_a_writer(self) -> bool:
        """The index is gone, or there is none and more to read than a write should pay for: a search builds it."""
        if self.live.opened is not None or self.generations.current() is not None:
            return self.live.swept()
        return any(count > _INLINE_JOURNALS for count, _ in enumerate(self._journal.journals(self._all)))

    def _still_behind(self) -> int:
        """Somebody else is at work on the index: how much is left for them."""
        try:
            return len(self._behind(self._readable(self.marks.names())))
        except HoldfastError as error:
            return self._refused(error)

    def _refused(self, error: BaseException) -> int:
        """The index could not be written: say so in answers, keep the marks, go on."""
        base = self.live.opened
        if base is not None and isinstance(error, Damaged):
            try:
                self.live.condemn(base, error)
            except FAILURES as again:
                error = again
            else:
                return 0
        self.trouble = type(error).__name__
        return max(1, len(self.marks.names()))

    def _catch_up(self, scope: Scope, wait_ms: int, patience_ms: int | None = None) -> int:
        """Bring level what is behind, within this time; for the lock it waits no longer than its patience lasts."""
        deadline = time.monotonic() + wait_ms / 1000
        patience = deadline if patience_ms is None else time.monotonic() + patience_ms / 1000
        names = self.marks.names()
        todo = self._behind(
            self._bringing.unread.rested([*names, *self._bringing.suspects]),
            ask=wait_ms > 0,
            base=self.live.opened if wait_ms <= 0 else None,  # a writer has just looked at it
        )
        for _ in range(_ROUNDS):
            if not todo:
                break
            own = self._own(scope, todo) if wait_ms > 0 else _NONE
            todo = {**own, **todo}  # first: there may not be time for all
            held = self.lock.attempt("catch up")
            waited = held is None
            if held is None:
                if not own:  # a writer, or all that is missing is another's: whoever is at it will do
                    return len(todo)
                held = self.lock.hold(max(0, round((patience - time.monotonic()) * 1000)), "catch up")
            with held:
                if waited:
                    todo = self._sizes(todo)  # they may have grown meanwhile
                asked = self.lock.heed(held)
                self._bring(todo, deadline if wait_ms > 0 else None)
            if wait_ms <= 0 and self._alone(asked):
                self._tidy(self.marks.spare(todo, names))
                todo = {}
                break
            # A writer that found the lock taken left its lines to us: look once more after letting go.
            names = self.marks.names()
            self._tidy(self.marks.spare(todo, names))
            todo = self._behind(self._readable(names), base=self.live.opened)  # seen to be the live one, under the lock
            if wait_ms > 0 and time.monotonic() >= deadline:
                break
        if wait_ms > 0:
            self._bring_recency()
        self.trouble = None
        return len(todo)

    def _alone(self, asked: bool) -> bool:
        """Whether a writer need not look again: nobody wanted the lock, or a crowd does, of whom one is next anyway."""
        return self._bringing.overtaken or not (asked or self.lock.asked())

    def _sizes(self, names: Iterable[str]) -> Sizes:
        """Of those of these that can be looked at."""
        found: Sizes = {}
        for name in names:
            started = time.monotonic()
            try:
                found[name] = self._journal.size(self._all, name)
            except StorageFailed as error:
                self._bringing.unread.note(name, error, started)
        return found

    def _readable(self, names: Iterable[str]) -> list[str]:
        """Without those that could not be read: an answer is not behind for them, it says so (`unreadable`)."""
        unread = self._bringing.unread.all()
        return [name for name in names if name not in unread]

    def _behind(self, names: Iterable[str], ask: bool = True, base: Database | None = None) -> Sizes:
        """Those whose rows are not level with their files; without `ask`, all that changed since they were level."""
        sizes = self._sizes(names)
        if not sizes:
            return sizes
        base, suspects = base or self.live.ready(PATIENCE_S if ask else 0), self._bringing.suspects
        changed = {name: size for name, size in sizes.items() if not self._levels.has(base, name, size)}
        unsure = [name for name in changed if name not in suspects and (ask or not self._levels.knows(base, name))]
        if unsure:
            level = self.live.ask(lambda c: {name: sizes[name] for name in unsure if _level(c, name, sizes[name])})
            self._levels.note(base, level)
            changed = {name: size for name, size in changed.items() if name not in level}
        changed = {**{name: sizes[name] for name in suspects & sizes.keys()}, **changed} if suspects else changed
        self._bringing.unread.clear(sizes.keys() - changed.keys())  # nothing of them is wanted
        return changed

    def _bring(self, sizes: Sizes, deadline: float | None) -> None:
        """Index these journals; the caller holds `index.lock`."""
        base = self.live.present()
        self._levels.note(base, base.ask(lambda c: self._bringing.bring(c, sizes, deadline)))
        self._burst.note()

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
        sizes = self._sizes([name])
        level = bool(sizes) and self.live.ask(lambda c: _level(c, name, sizes[name]))
        if level:
            self.marks.take_away(name)

    def _compare_if_due(self, wait_ms: int) -> None:
        self.live.ready()  # opening may find that a comparison is due
        sign, since = self.live.sign, time.monotonic() - self._compared
        lost = sign is not None and not self.marks.has(sign)
        lost = lost or self.live.others != self.generations.others()  # another version may have taken some away
        if self.live.stale or lost or since > self._options.compare_minutes * 60:
            self._compare(wait_ms)

    def _compare(self, patience_ms: int = BUILD_WAIT_MS) -> int:
        """All journals with their rows; how many had changed. The work is done, but whoever is at it is waited for only
        so long: they may be stopped."""
        self._compared = time.monotonic()
        self._bringing.unread = Unread()  # all of them are tried again
        others = self.generations.others()
        try:
            base = self.live.ready()
            sign, changed = self._marked_anew()
        except BaseException:
            self.live.stale = True  # what changed may have no mark: only another look finds it
            raise
        self.live.others = others
        if sign is None:
            self.live.sign = None  # nothing can be noted here: what was seen holds for this process
            return len(changed)
        self.live.sweep()
        if self.live.typed(lambda: self._catch_up(self._all, BUILD_WAIT_MS, patience_ms)) == 0:
            wait_ms = min(patience_ms, ALONE_WAIT_MS)
            self.live.alone(self.lock, "note the boot", lambda c: self._note_level(c, base, sign, others), wait_ms)
            self.generations.sweep_foreign(time.time())
        return len(changed)

    def _marked_anew(self) -> tuple[str | None, list[str]]:
        """Leave a mark for every journal that changed without one; the sign among the marks, and these journals."""
        from .signs import sign_if_any  # most processes never compare

        sign = self.live.typed(lambda: sign_if_any(self.marks, self._journal, self._all))
        found = self._every()
        self.live.stale = False
        marked = set(self.marks.names())
        changed = [name for name in self._behind(found) if name not in marked]
        for name in {*changed, *self._bringing.unread.all()} - marked:
            self.live.typed(lambda name=name: self.marks.put(name))  # type: ignore[misc]
        return sign, changed

    def _note_level(self, connection: apsw.Connection, base: Database, sign: str, others: str) -> None:
        """Whatever has no mark is level, if this is still the generation that was compared."""
        if self.live.opened is base:
            facts = [("boot", boot_id()), ("marks", sign), ("others", others)]
            connection.executemany("INSERT OR REPLACE INTO meta VALUES(?, ?)", facts)
            self.live.sign = sign


def _unnamed(error: StorageFailed) -> StorageFailed:
    """The same for whoever may not be meant: where another user's session lies is for nobody else to know."""
    details = {name: value for name, value in error.details.items() if name != "path"}
    said = "a session cannot be read, and nothing that can be read tells whose it is"
    return StorageFailed(f"{said}; `holdfast verify` names it to who sees everybody's", **details)


def _level(connection: apsw.Connection, journal: str, size: Size | None) -> bool:
    row = file_row(connection, journal)
    if size is None or row is None:
        return size is None and row is None
    return row.level(size)
