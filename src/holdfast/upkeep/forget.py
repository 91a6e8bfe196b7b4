"""Forget: erases entries for good, from every file, and gives a receipt of what was done and checked.

STEPS is the whole of it, in order. Before the first, the ids (never a word of text) are written to
`forgetting.json`; it is removed after the last, so a forget that was killed anywhere is finished by
`resume`. Tombstones come before anything is erased: an entry that is half gone is hidden already, and
no import or sync brings it back. Steps that need its words come before the journals lose them, since a
resumed forget has no other place to learn them from. A full disk does not stop it (D42).
"""

from __future__ import annotations

import os
import time

from ..disk import REAL, discard, exists
from ..errors import StorageFailed
from ..model.card import Card
from ..model.entry import Tombstone, standing
from ..model.ids import GLOBAL, SESSION_ID, entry_id
from ..model.moment import iso
from ..model.receipt import Receipt
from ..model.salvage import said_in, salvage_in
from ..model.scope import whole
from ..model.value import FrozenDict
from . import intent, residue
from .choosing import Choice, choose, pick
from .fragments import Fragments
from .holdings import ids_of, records_of, stands
from .intent import unfinished
from .pieces import Pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..model.scope import Scope
    from ..store import Store

__all__ = ["STEPS", "Choice", "Job", "choose", "forget", "resume", "unfinished"]

BALLAST = "ballast"
_FULL = ("ENOSPC", "EDQUOT")


class Job:
    """One forget under way: what goes, by journal, and what was found out.

    `drop` names entries by journal, `remove` the journals among them that go as a whole, `history`
    entries that stay and only lose their former words.
    """

    def __init__(self, store: Store, id: str, plan: dict[str, Any]) -> None:
        self.store, self.id = store, id
        self.drop: dict[str, list[str]] = plan["drop"]
        self.remove: list[str] = plan["remove"]
        self.history: dict[str, list[str]] = plan["history"]
        self.scope = whole(store.agent)
        self.fragments = Fragments()
        self._read: dict[str, tuple[object, list[dict[str, Any]]]] = {}  # by journal: its stamp then, and the records
        self.unsure: tuple[str, ...] = ()  # pieces that may be of what was chosen; nobody can tell
        self.derived: tuple[str, ...] = ()
        self.same_text: tuple[str, ...] = ()
        self.checked: dict[str, Any] = {}
        self.residue: tuple[str, ...] = ()
        self.originals: tuple[str, ...] = ()
        self.resumed = False

    @property
    def ids(self) -> list[str]:
        return sorted(id for ids in self.drop.values() for id in ids)

    @property
    def former(self) -> list[str]:
        """Entries that stay and lose their former words."""
        return sorted(id for ids in self.history.values() for id in ids)

    @property
    def journals(self) -> list[str]:
        return sorted({*self.drop, *self.history})

    def gather(self) -> None:
        """The words that must be gone afterwards, former ones included; from what the journals still hold."""
        self.fragments = Fragments()
        self.pieces = Pieces(self.store, self.ids, self.journals, self.former)
        for journal in self.journals:
            wanted = {*self.drop.get(journal, ()), *self.history.get(journal, ())}
            for record in self._records(journal, wanted):
                self.fragments.take(record, self.store.index.stems)
            for raw in self.pieces.of(journal):
                if (known := salvage_in(raw)) is not None and known.entry in wanted:
                    self.fragments.take({"id": known.entry, **said_in(raw)}, self.store.index.stems)

    def _records(self, journal: str, wanted: set[str]) -> list[dict[str, Any]]:
        """What the lines of these entries say; read again where the journal has changed, as every new line does."""
        size = self.store.journal.size(self.scope, journal)
        stamp = size and (size.entries, size.inode, size.changed)
        if stamp is None or self._read.get(journal, (None,))[0] != stamp:
            self._read[journal] = stamp, records_of(self.store.journal, self.scope, journal, wanted)
        return self._read[journal][1]

    def gives_away(self, text: str) -> bool:
        """Whether a text holds words of what goes that nothing which remains holds."""
        found = [fragment for fragment in self.fragments.all if fragment.lower() in text.lower()]
        return any(not self.store.index.contains(self.scope, fragment) for fragment in found)

    def tells(self, text: str) -> bool:
        """Whether a damaged piece that is nobody's last copy holds a passage of what goes, or gives it away."""
        passages = self.fragments.passages
        return any(passage.lower() in text.lower() for passage in passages) or self.gives_away(text)

    def takes(self, journal: str) -> Callable[[bytes], bool]:
        """Whether a damaged piece of this journal must go."""
        return (lambda raw: True) if journal in self.remove else self.pieces.goes(journal, self.tells)


def forget(store: Store, scope: Scope, choice: Choice, *, dry_run: bool = False) -> Receipt:
    """Erase what the choice covers; with `dry_run` only say what that would be."""
    started = time.perf_counter()
    if dry_run:
        return _receipt(_planned(store, scope, choice), started, dry_run=True)
    with intent.alone(store, "forget"):
        _finish_interrupted(store)
        _require_index(store)
        job = _planned(store, scope, choice)
        done = _run(job) if job.journals else ()
    return _receipt(job, started, steps=done)


def _require_index(store: Store) -> None:
    """Locked before anything is done, where somebody keeps the index to themselves; a full disk is no reason (D42)."""
    behind = store.index.refresh(whole(store.agent), intent.WAIT_MS)
    if behind and store.index.status(whole(store.agent))["trouble"] is None:
        store.require_level(behind, "what is to be forgotten")


def resume(store: Store) -> Receipt | None:
    """Finish a forget that was interrupted; None if there is none."""
    if not unfinished(store):
        return None
    with intent.alone(store, "forget"):
        return _finish_interrupted(store)


def _finish_interrupted(store: Store) -> Receipt | None:
    started = time.perf_counter()
    if not unfinished(store):
        return None
    plan = intent.read(store)
    if plan is None:
        intent.set_aside(store)
        store.observer.emit("forget set aside", "warning", "upkeep")
        return None
    job = Job(store, plan["id"], plan)
    job.resumed = True
    return _receipt(job, started, steps=_run(job))


def _planned(store: Store, scope: Scope, choice: Choice) -> Job:
    picked = pick(store, scope, choice)
    plan = {"drop": picked.ids_by_journal, "remove": picked.remove, "history": picked.history}
    job = Job(store, "forget_" + entry_id(store.clock.now())[4:], plan)
    job.derived, job.unsure = tuple(picked.derived_ids), tuple(sorted(picked.unsure))
    job.same_text = tuple(store.index.same_text(scope, job.ids)) if job.ids else ()
    return job


def _run(job: Job) -> tuple[str, ...]:
    job.gather()
    for _, step in STEPS:
        _even_if_full(job, step)
    return tuple(name for name, _ in STEPS)


def _even_if_full(job: Job, step: Callable[[Job], None]) -> None:
    """A step for which a full disk has no room is done once more after the ballast was given back (D42)."""
    try:
        step(job)
    except StorageFailed as error:
        ballast = os.path.join(job.store.home, BALLAST)
        if error.details.get("errno") not in _FULL or not exists(REAL, ballast):
            raise
        discard(REAL, ballast)
        step(job)


# -- the steps


def announce(job: Job) -> None:
    """Write down what is about to happen: ids and journals, no text."""
    told = {"id": job.id, "started": iso(job.store.clock.now())}
    plan = {"drop": job.drop, "remove": job.remove, "history": job.history}
    intent.write(job.store, {**told, **plan})


def bury(job: Job) -> None:
    """A tombstone for every entry, and before them for a journal that goes as a whole one for itself.

    Then nobody can amend them any more, and the words that somebody has put there since we looked are known as well.
    """
    for journal in job.drop:
        _stand_in(job, journal)
        if journal in job.remove:
            _close(job, journal)
        _bury(job, journal, job.drop[journal])
    job.store.index.refresh(job.scope, intent.WAIT_MS)
    job.gather()


def _close(job: Job, journal: str) -> None:
    """Nobody writes to a session that has its own tombstone: what came since we looked goes too, and is told."""
    if journal != GLOBAL:
        _bury(job, journal, [journal])
    came = ids_of(job.store.journal, job.scope, journal) - set(job.drop[journal])
    if came:
        job.drop[journal] = sorted({*job.drop[journal], *came})
        announce(job)


def _bury(job: Job, journal: str, ids: list[str]) -> None:
    now = iso(job.store.clock.now())
    stones, _ = job.store.journal.tombstones(job.scope, journal)
    done = {id for id, stone in standing(stones).items() if stone.reason == "forget"}
    fresh = [id for id in ids if id not in done]
    job.store.journal.bury(
        job.scope, journal, [Tombstone(id=id, timestamp=now, reason="forget", compacted_at=now) for id in fresh]
    )


def _stand_in(job: Job, journal: str) -> None:
    """Somebody took the journal away: tombstones need a place, or an import would bring back what is forgotten."""
    if job.store.journal.size(job.scope, journal) is None:
        users = [piece["user_id"] for piece in job.store.journal.quarantined(job.scope, journal)]
        kind = "global" if journal == GLOBAL else "session" if SESSION_ID.match(journal) else "user"
        user = next((user for user in users if user is not None), None)
        card = Card(id=journal, kind=kind, user_id=user, created_at=iso(job.store.clock.now()))
        job.store.journal.create(job.scope, card)


def rewrite(job: Job) -> None:
    """Write the journals anew without these entries, or remove them."""
    for journal in job.journals:
        if journal in job.remove:
            job.store.journal.remove(job.scope, journal)
        elif stands(job.store.journal, job.scope, journal):
            _rewrite_or_blank(job, journal)


def _rewrite_or_blank(job: Job, journal: str) -> None:
    """Where even the ballast does not give room for a second copy, erase in place (D42)."""
    gone = set(job.drop.get(journal, ()))
    try:
        job.store.journal.rewrite(
            job.scope, journal, lambda entry: None if entry.id in gone else entry, drop_damaged=job.takes(journal)
        )
    except StorageFailed as error:
        if error.details.get("errno") not in _FULL or exists(REAL, os.path.join(job.store.home, BALLAST)):
            raise
        job.store.journal.blank(job.scope, journal, gone)


def clear_state(job: Job) -> None:
    """Titles that say what is forgotten, in cards that stay."""
    job.store.index.refresh(job.scope, intent.WAIT_MS)
    for journal in job.journals:
        card = job.store.journal.card(job.scope, journal)
        if card is not None and card.title and job.gives_away(card.title):
            job.store.journal.change_card(job.scope, journal, _untitled(job, card.title))


def _untitled(job: Job, title: str) -> Callable[[Card], Card]:
    """Takes this title away, unless somebody has just given another."""
    return lambda now: job.store.redactor.card(now.replace(title=None) if now.title == title else now)


def erase(job: Job) -> None:
    """Rows, full text, vectors, caches and other generations of the index, and what its log still holds.

    Of entries that stay, the cache loses all that was made of them: it cannot tell which words are former ones.
    What was written to a journal between our plan and its removal was salvaged by whoever indexed next: that goes now,
    when no row is left to salvage.
    """
    job.store.index.erase(job.scope, job.remove, job.ids, job.former)
    for journal in job.remove:
        job.store.journal.release(job.scope, journal, job.takes(journal))


def release(job: Job) -> None:
    """Pieces in quarantine: all of a journal that goes, elsewhere those of the entries themselves (D41).

    The damaged line that a piece was copied from goes first.
    """
    for journal in sorted({piece["journal"] for piece in job.store.journal.quarantined(job.scope)}):
        takes = job.takes(journal)
        told = journal not in job.journals and any(map(takes, job.pieces.of(journal)))
        if told and stands(job.store.journal, job.scope, journal):
            job.store.journal.rewrite(job.scope, journal, lambda entry: entry, drop_damaged=takes)
        job.store.journal.release(job.scope, journal, takes)


def check(job: Job) -> None:
    """Search every file; if anything is left, release and build the index anew, and search once more."""
    search(job)
    if job.residue:
        release(job)
        job.store.index.rebuild(job.scope)
        job.store.index.erase(job.scope, job.remove, job.ids, job.former)
        search(job)


def search(job: Job) -> None:
    """What of the forgotten can still be found: bytes in files, rows, or an id without its tombstone."""
    index, ids = job.store.index, job.ids
    found = residue.search(job.store, job.fragments, job.pieces.staying(job.takes))
    shown = sorted(index.locate(job.scope, ids, every=True))
    unmarked = sorted(set(ids) - set(index.buried(job.scope, ids)))
    job.residue = (*found.files, *(f"entry {id}" for id in shown), *(f"no tombstone of {id}" for id in unmarked))
    job.originals = found.originals
    job.checked = {**found.checked, "entries": len(ids), "tombstones": len(ids) - len(unmarked), "resumed": job.resumed}


def finish(job: Job) -> None:
    """Nothing is left to resume."""
    intent.remove(job.store)


STEPS: list[tuple[str, Callable[[Job], None]]] = [
    ("announced", announce),
    ("tombstones written", bury),
    ("state cleared", clear_state),
    ("quarantine released", release),
    ("journals rewritten", rewrite),
    ("index erased", erase),
    ("files searched", check),
    ("finished", finish),
]


def _receipt(job: Job, started: float, *, steps: tuple[str, ...] = (), dry_run: bool = False) -> Receipt:
    chosen = tuple(id for id in job.ids if id not in job.derived)
    left = tuple(dict.fromkeys([*job.residue, *_unsure(job)]))
    clean = not dry_run and not left and (bool(job.checked) or not job.journals)
    return Receipt(
        id=job.id, timestamp=iso(job.store.clock.now()), dry_run=dry_run, entries=chosen, derived=job.derived,
        history=tuple(job.former), journals=tuple(job.journals),
        same_text=tuple(id for id in job.same_text if id not in job.ids),
        originals=job.originals, steps=tuple(name for name, _ in STEPS) if dry_run else steps,
        checked=FrozenDict(job.checked), residue=left, clean=clean,
        took_ms=round((time.perf_counter() - started) * 1000, 3),
    )  # fmt: skip


def _unsure(job: Job) -> list[str]:
    """Pieces that may be of what was chosen, and are still there: some went for their words."""
    there = {os.path.relpath(piece["file"], job.store.home) for piece in job.store.journal.quarantined(job.scope)}
    return [name for name in job.unsure if name in there]
