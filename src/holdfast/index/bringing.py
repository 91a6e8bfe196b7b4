"""Bringing: several journals brought level one after the other, in transactions of bounded size.

An unreadable journal is left out, with all that it did to the transaction it was in: what the index knew of it
stays, and the others are brought level as if it were not there. `Unread` remembers it and what the disk said, for
answers and for whoever tries again. For whoever holds `index.lock`, or builds a generation that nobody else knows of.
"""

from __future__ import annotations

import time

from ..errors import StorageFailed
from .catchup import COMMIT_LINES, CatchUp, commit
from .database import WAIT_MS, begin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import apsw

    from ..model.replay import Size
    from ..model.scope import Scope
    from ..ports import Journal
    from .cache import Cache

_QUICK_S = 0.01  # trying all of them again in no more than this is done before every answer
_SHARE = 20  # otherwise it takes one part in so many of the time: a failing disk may take seconds to say so


class Unread:
    """Journals that could not be read when this process last tried. Threads may share it."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[str, dict[str, object], float]] = {}  # what the disk said, and when to try again

    def note(self, journal: str, error: StorageFailed, started: float) -> None:
        """Remember it; raises what is no trouble of this one journal."""
        if not error.unreadable:
            raise error
        now = time.monotonic()
        cost = (now - started) * (len(self._found) + 1)
        again = now + _SHARE * cost if cost > _QUICK_S else now
        self._found[journal] = error.message, error.details, again  # not the error, which holds on to what was open

    def clear(self, journals: Iterable[str]) -> None:
        """These could be read, or need not be."""
        for journal in journals if self._found else ():
            self._found.pop(journal, None)

    def rested(self, journals: Iterable[str]) -> list[str]:
        """Without those that were tried a moment ago."""
        found, now = self._found, time.monotonic()
        return [name for name in journals if name not in found or found[name][2] <= now] if found else list(journals)

    def all(self) -> dict[str, StorageFailed]:
        """These journals, each with the error for whoever asks for it."""
        return {name: StorageFailed(said, **details) for name, (said, details, _) in list(self._found.items())}


class Passage:
    """Journals on their way into one database."""

    def __init__(self, connection: apsw.Connection, work: CatchUp, unread: Unread) -> None:
        self._connection, self._unread, self.work = connection, unread, work
        self._done: list[str] = []  # since the last commit
        self._again = 0  # so many of them are committed before another one is tried
        self.brought: dict[str, Size | None] = {}

    def take(self, waiting: list[str], size: Callable[[str], Size | None], suspects: Iterable[str] = ()) -> None:
        """Bring the last of these level; what it spoils is done again, and waits once more."""
        name, started = waiting.pop(), time.monotonic()
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN IMMEDIATE")
        try:
            self.brought[name] = self.work.follow(name, size(name), suspect=name in suspects)
        except StorageFailed as error:
            self._unread.note(name, error, started)
            self._connection.execute("ROLLBACK")
            self.work = self.work.anew()
            waiting += reversed(self._done)
            for other in self._done:
                del self.brought[other]
            self._done, self._again = [], len(self._done)
            return
        self._unread.clear([name])
        self._done.append(name)

    @property
    def full(self) -> bool:
        """Whether it is time to commit."""
        return self.work.lines >= COMMIT_LINES or 0 < self._again <= len(self._done)

    def commit(self) -> None:
        if self._connection.in_transaction:
            commit(self._connection, self.work)
        self._done, self._again = [], 0


WRITER_MS = 200  # for another's transaction: a batch of vectors takes less


class Bringing:
    """Brings several journals level in transactions of bounded size; for whoever holds `index.lock`."""

    def __init__(self, journal: Journal, scope: Scope, cache: Callable[[], Cache]) -> None:
        self._journal, self._scope, self._cache = journal, scope, cache
        self.unread = Unread()
        self.suspects: set[str] = set()  # journals whose rows are to be compared, whatever their sizes say
        self._last: CatchUp | None = None  # of the transaction before
        self.overtaken = False  # somebody else has indexed between our last transaction and the one before

    def bring(
        self, connection: apsw.Connection, sizes: Mapping[str, Size | None], deadline: float | None
    ) -> dict[str, Size | None]:
        """Follow these journals, until the deadline at the earliest; returns with which sizes they are level.

        Whoever has no deadline has written, and leaves the rest to the next search rather than wait for another.
        """
        waiting = list(sizes)[::-1]
        left = WRITER_MS if deadline is None else round((deadline - time.monotonic()) * 1000)
        begin(connection, min(max(left, WRITER_MS), WAIT_MS))
        passage = Passage(connection, self._fitting(connection), self.unread)
        self._last = None  # whatever fails, what was known is not kept
        while waiting:
            passage.take(waiting, sizes.__getitem__, self.suspects)
            if passage.full:
                self._commit(connection, passage)
                if deadline is not None and time.monotonic() >= deadline:
                    break
        self._commit(connection, passage)
        self._last = passage.work
        self.suspects.difference_update(passage.brought)
        return passage.brought

    def _fitting(self, connection: apsw.Connection) -> CatchUp:
        last = self._last
        self.overtaken = last is not None and last.overtaken(connection)
        if last is not None and last.fits(connection):
            return last
        return CatchUp(connection, self._journal, self._scope)

    def _commit(self, connection: apsw.Connection, passage: Passage) -> None:
        dropped = passage.work.rows.dropped
        if dropped:  # before the commit: whoever is killed in between reads these journals again
            _uncache(self._cache(), connection, dropped)
            dropped.clear()
        passage.commit()

    def start_over(self) -> None:
        """In a forked child: the connection is the parent's."""
        self._last = None


def _uncache(cache: Cache, connection: apsw.Connection, dropped: list[str]) -> None:
    """Nothing stays that was made of entries that are gone, nor of words that those which were put back no longer have:
    whoever's amendments were folded is taken out and read anew."""
    from .erasing import unsettle
    from .filling import hashes, there  # a journal that only grew has nothing to drop

    standing = there(connection, dropped)
    gone = cache.forget([id for id in dropped if id not in standing])
    former = cache.forget_former([id for id in dropped if id in standing], lambda ids: hashes(connection, ids))
    if not (gone and former):
        unsettle(connection)
