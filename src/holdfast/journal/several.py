"""Several journals written by one call: all of them, or none (D33).

All locks are had first, in ascending order of their names and each once, since two journals may share one (D7). Under
them everything is checked that can be refused, then missing journals are made, and only then is anything written. Each
line is synced under the locks, unlike those of a single journal (docs/decisions/0017): as long as nobody can have
written behind it, it can be cut off again when a later journal fails. Only a kill leaves some journals written, or a
disk that refuses to take back too: the error then names those.
"""

from __future__ import annotations

import time

from ..disk import exists
from ..errors import HoldfastError, Invalid
from .batch import check_batch
from .locks import Locks
from .pen import Pen
from .together import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..model.batch import Batch
    from ..model.card import Card
    from ..model.entry import Entry
    from ..model.scope import Scope
    from .batch import Known
    from .echo import Written
    from .files import Place
    from .pen import Desk

    Lines = Callable[[Request, Pen, int], list[Written]]  # what a request writes from this seq on, if it may
    Make = Callable[[Pen, Scope, Card], Card]


class Guest(Pen):
    """A pen for a journal whose lock is had already."""

    __slots__ = ()

    def __enter__(self) -> Guest:
        self._deadline = time.monotonic() + self._wait_ms / 1000
        return self

    def _let_go(self) -> None:
        """Whoever has the lock keeps it."""


class Job:
    """One journal's part, and how far it has come. Its file is open only while it is looked at or written: a call may
    go to more journals than a process may have files open."""

    __slots__ = ("batch", "begun", "made", "place", "request", "written")

    def __init__(self, batch: Batch, place: Place, known: Known | None) -> None:
        self.batch, self.place = batch, place
        self.request = Request(batch.scope, batch.drafts, known)
        self.written: list[Written] = []
        self.begun = self.made = False


class Several:
    """One call to several journals."""

    __slots__ = ("_desk", "_lines", "_make")

    def __init__(self, desk: Desk, lines: Lines, make: Make) -> None:
        self._desk, self._lines, self._make = desk, lines, make

    def append(self, batches: Sequence[Batch], known: Known | None) -> list[list[Entry]]:
        """What was stored for each batch, in order."""
        check_batches(batches)
        jobs = [Job(batch, self._desk.places.of(batch.journal), known) for batch in batches]
        drafts = [draft for batch in batches for draft in batch.drafts]
        with Locks(self._desk, drafts, [job.place for job in jobs]):
            for job in jobs:
                if job.batch.card is None:
                    self._check(job)
            try:
                self._store(jobs)
            except BaseException as error:
                self._undo(jobs, error)
                raise
        return [job.request.answer() for job in jobs]

    def _check(self, job: Job) -> None:
        """Whatever can be refused is refused here."""
        with Guest(self._desk, job.place, "append") as pen:
            tail = pen.open()
            job.written = self._lines(job.request, pen, tail.next_seq)
            if job.written:
                pen.require_room([line for line, _ in job.written])

    def _store(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            if job.batch.card is not None:
                self._found(job, job.batch.card)
                self._check(job)
        for job in jobs:
            self._write(job)

    def _found(self, job: Job, card: Card) -> None:
        with Guest(self._desk, job.place, "create") as pen:
            job.made = not exists(self._desk.disk, job.place.entries)
            self._make(pen, job.batch.scope, card)

    def _write(self, job: Job) -> None:
        durable = True
        if job.written:
            with Guest(self._desk, job.place, "append") as pen:
                pen.open()
                job.begun = True
                durable = pen.enter(job.written, at_once=True)
        job.request.stored(durable)

    def _undo(self, jobs: Sequence[Job], error: BaseException) -> None:
        """Take everything back; where the disk refuses that, the error says which journals hold something."""
        touched = [job for job in jobs if job.begun or job.made]
        left = [job.place.journal for job in touched if not self._undone(job)]
        if left and isinstance(error, HoldfastError):
            raise type(error)(
                f"{error.message}; what was written to {', '.join(left)} could not be taken back, so look there before "
                "you try again",
                **{**error.details, "written": left},
            ) from error

    def _undone(self, job: Job) -> bool:
        try:
            with Guest(self._desk, job.place, "take back") as pen:
                pen.announce()  # somebody may have indexed it
                pen.forget_tail()
                self._take_back(job, pen)
        except (HoldfastError, OSError):
            return False
        return True

    def _take_back(self, job: Job, pen: Pen) -> None:
        disk = self._desk.disk
        if job.made:
            from .removal import remove_journal

            if exists(disk, job.place.directory):
                remove_journal(disk, job.place)
            return
        from .retracting import take_back

        take_back(self._desk, pen, [line for line, _ in job.written])
        if job.request.answered:  # it was durable, so that it is gone must be too
            disk.sync(pen.fd)


def check_batches(batches: Sequence[Batch]) -> None:
    """Each batch is one that its journal takes, and no journal and no id stands in two of them."""
    journals: set[str] = set()
    ids: set[str] = set()
    for batch in batches:
        check_batch(batch.journal, batch.drafts)
        own = {draft.id for draft in batch.drafts}
        if batch.journal in journals or own & ids:
            raise Invalid(f"{batch.journal}, or an id of what goes there, stands twice in one call", field="id")
        if batch.card is not None and batch.card.id != batch.journal:
            raise Invalid(f"the card of {batch.card.id} is not that of {batch.journal}", field="card")
        journals.add(batch.journal)
        ids |= own
