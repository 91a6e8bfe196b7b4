"""Together: threads that append to one journal at the same moment are written by one of them.

Whoever comes first writes for all that have come by then, with one lock, one write and one sync; nobody returns
before the line of its own is durable. Each keeps its own checks, and its own error where one would not fit; only
what the disk says is told to all. Processes take turns at the lock as before. A single writer leads itself.
"""

from __future__ import annotations

import os
import time
from _thread import allocate_lock

from ..errors import HoldfastError, SizeLimit, StorageFailed
from ..lock import had_at_once
from .batch import already_stored, check_lines
from .line import drafted, taken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..model.entry import Draft, Entry
    from ..model.scope import Scope
    from .batch import Known
    from .echo import Written

    Take = Callable[[], list["Request"]]
    Write = Callable[[Take, int], None]  # waits so many ms for the lock, takes requests, and answers all or raises

_MOST_AT_ONCE = 64
_MOST_KNOWN = 4096


class Request:
    """Drafts of one caller, and what became of them. Within its context an error is its own, and ends there."""

    __slots__ = ("_before", "_known", "_written", "chosen", "drafts", "entries", "error", "scope")

    def __init__(self, scope: Scope, drafts: Sequence[Draft], known: Known | None) -> None:
        self.scope, self.drafts, self._known = scope, drafts, known
        self.chosen = any([draft.chosen_id for draft in drafts])  # noqa: C419 - no generator for one draft
        self._before: dict[str, Entry] = {}
        self._written: list[Written] = []
        self.entries: list[Entry] | None = None
        self.error: HoldfastError | None = None

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if isinstance(error, HoldfastError):
            self.error = error
            return True
        return False

    def lines(self, seq: int, most: int) -> list[Written]:
        """The lines of what is not stored yet, numbered from `seq`, none longer than `most`; under the lock."""
        before = self._before = already_stored(self.drafts, self._known) if self.chosen else {}
        fresh = [draft for draft in self.drafts if draft.id not in before] if before else self.drafts
        written = [drafted(draft, number) for number, draft in enumerate(fresh, seq)]
        check_lines([line for line, _ in written], most)
        self._written = written
        return written

    def stored(self, durable: bool) -> None:
        """Its lines are in the journal."""
        if self.error is not None:
            return
        records = {record["id"]: record for _, record in self._written}
        self.entries = [self._before.get(draft.id) or taken(draft, records[draft.id], durable) for draft in self.drafts]

    @property
    def answered(self) -> bool:
        return self.entries is not None or self.error is not None

    def answer(self) -> list[Entry]:
        if self.error is not None:
            raise self.error
        if self.entries is None:
            raise _interrupted()
        return self.entries


class Table:
    """Where the threads that write to one journal meet."""

    __slots__ = ("mutex", "waiting")

    def __init__(self) -> None:
        self.mutex = allocate_lock()
        self.waiting: list[Request] = []

    def taken(self) -> list[Request]:
        """Those who wait, one by one: others join the list meanwhile."""
        batch: list[Request] = []
        while self.waiting and len(batch) < _MOST_AT_ONCE:
            batch.append(self.waiting.pop(0))
        return batch


class Together:
    """The tables of one agent's journals."""

    __slots__ = ("_pid", "_tables")

    def __init__(self) -> None:
        self._tables: dict[str, Table] = {}
        self._pid = os.getpid()

    def append(self, journal: str, request: Request, write: Write, wait_ms: int) -> list[Entry]:
        """What was stored for this request, by whichever thread; `wait_ms` bounds our own wait for the lock."""
        deadline = time.monotonic() + wait_ms / 1000
        table = self._table(journal)
        table.waiting.append(request)
        had: list[bool] = []
        waiting = True
        try:  # no call of ours on the way out: each is a moment at which an interrupt may come
            had_at_once(had, table.mutex, wait_ms / 1000)
            if True in had:
                while not request.answered:
                    if request not in table.waiting:
                        raise _interrupted()  # nobody else leads now: whoever took it has not come back
                    _lead(table, write, max(0, round((deadline - time.monotonic()) * 1000)))
        finally:
            try:
                if True in had:
                    table.mutex.release()
            finally:
                try:
                    table.waiting.remove(request)  # what nobody has taken must not be written after we have gone
                except ValueError:
                    waiting = False
        if waiting:
            write(lambda: [request], 0)  # which says who has the lock
        elif not request.answered:
            with table.mutex:  # somebody has taken it and is about to answer
                pass
        return request.answer()

    def _table(self, journal: str) -> Table:
        """Two threads may get two for one journal; then the lock alone keeps them apart."""
        if self._pid != os.getpid() or len(self._tables) >= _MOST_KNOWN:  # those of a parent may be held for ever
            self._tables, self._pid = {}, os.getpid()
        return self._tables.get(journal) or self._tables.setdefault(journal, Table())


def _lead(table: Table, write: Write, wait_ms: int) -> None:
    """Write for all who wait once we have the lock; each of them is answered when this returns, whatever happens."""
    batch: list[Request] = []

    def take() -> list[Request]:
        batch.extend(table.taken())
        return batch

    try:
        write(take, wait_ms)
    except HoldfastError as error:
        if not batch:
            raise  # it never came to writing, which concerns us alone
        for request in _unanswered(batch):
            if len(batch) > 1 and isinstance(error, SizeLimit):
                _alone(request, write, wait_ms)  # that one of them does not fit is no reason to refuse the others
            else:
                request.error = type(error)(error.message, **error.details)
                request.error.__cause__ = error.__cause__
    finally:
        for request in _unanswered(batch):
            request.error = _interrupted()


def _interrupted() -> StorageFailed:
    return StorageFailed("the thread that wrote this was interrupted; look before you try again")


def _unanswered(batch: Sequence[Request]) -> list[Request]:
    return [request for request in batch if not request.answered]


def _alone(request: Request, write: Write, wait_ms: int) -> None:
    with request:
        write(lambda: [request], wait_ms)
