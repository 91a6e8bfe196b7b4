"""Verify: looks at every line of every journal, at the index against them, at its vectors, and at the files' modes.

It changes nothing but the index, which reads a journal again where its rows were wrong, and takes out vectors that are
not what was stored; it raises nothing for damage, and never shows what a damaged line holds: each finding says file,
line and what is wrong there. `ok` is false if anything was found that needs somebody's attention; what lies safely in
quarantine and what is merely unusual is told as a note.
"""

from __future__ import annotations

import os
import time

from ..disk import risky_filesystem
from ..errors import HoldfastError, Locked, StorageFailed
from ..model.query import Filter
from ..model.scope import whole
from ..recall.missing import lost
from .intent import trouble
from .look import Look, named
from .modes import wrong_modes
from .status import unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..ports import Progress
    from ..store import Store
    from .look import Finding

_WAIT_MS = 2_000
_IDLE_S = 5.0  # that a journal may be written to without a pause
_PAUSE_S = 0.005


class Verification:
    """One run: findings, notes and what was looked at."""

    def __init__(self, store: Store) -> None:
        self._store, self._scope = store, whole(store.agent)
        self.problems: list[Finding] = []
        self.notes: list[Finding] = []
        self.compared = True  # whether the index is level with the journals, so that a difference is one
        self._looks: dict[str, Look] = {}
        self._busy: set[str] = set()  # journals of which nobody can tell: written to all the time, or not to be read

    def _found(self, what: str, **where: Any) -> None:
        self.problems.append({"what": what, **where})

    def _note(self, what: str, **where: Any) -> None:
        self.notes.append({"what": what, **where})

    def level(self) -> None:
        """Bring the index level; on a home that cannot be written only the journals can be checked (D45)."""
        try:
            self._store.index.compare(self._scope)
        except StorageFailed as error:
            self.compared = False
            if not self._store.read_only():
                self._found(f"the index could not be brought level: {error.message}")
            else:
                self._note("read-only: the journals were checked, the index was not compared with them")

    # -- journals

    def journal(self, journal: str) -> None:
        """All of one journal; what is wrong with it must be so while nobody writes there."""
        try:
            self._looks[journal] = Look(self._store, self._scope, journal, self.compared)
        except HoldfastError as error:
            self._unchecked(journal, error)
        else:
            if self._looks[journal].problems and not self._store.read_only():
                self._settle(journal, lambda: self._look_again(journal))

    def _settle(self, journal: str, act: Callable[[], None]) -> None:
        """Look again while nobody writes there; without that, nobody can tell what was found."""
        try:
            self._while_idle(journal, act)
        except HoldfastError as error:
            self._looks.pop(journal, None)
            self._unchecked(journal, error)

    def _unchecked(self, journal: str, error: HoldfastError) -> None:
        self._busy.add(journal)
        where = {"file": named(self._store, error.details["path"])} if "path" in error.details else {}
        self._found(f"could not be checked: {error.message}", journal=journal, **where)

    def _while_idle(self, journal: str, act: Callable[[], None]) -> None:
        deadline = time.monotonic() + _IDLE_S
        while not self._store.journal.when_idle(self._scope, journal, act):
            if time.monotonic() > deadline:
                raise Locked(f"{journal} is written to without a pause", journal=journal)
            time.sleep(_PAUSE_S)

    def _look_again(self, journal: str) -> None:
        """With the index level, as far as this journal goes."""
        self._store.index.refresh(self._scope, _WAIT_MS)
        level = self.compared and journal not in self._store.index.lagging(self._scope)
        if self.compared and not level:
            self._note("the index is behind; it was not compared with this journal", journal=journal)
        self._looks[journal] = Look(self._store, self._scope, journal, level)

    def mend(self) -> None:
        """Have the index read again what it misquotes; the next run says whether that helped."""
        misread = [look.journal for look in self._looks.values() if look.misread]
        for journal in misread:
            self._store.index.suspect(self._scope, journal)
            self._note(
                "is read into the index again; verify once more, and `holdfast reindex` if it says the same",
                journal=journal,
            )
        if misread:
            self._store.index.refresh(self._scope, _WAIT_MS)

    def rows(self) -> None:
        """What the index shows must be what the journals hold, no more and no less."""
        visible = {id: look.journal for look in self._looks.values() for id in look.visible}
        shown = {row.id for row in self._store.index.rows(self._scope, Filter())}
        more = sorted(shown - visible.keys())
        places = self._store.index.locate(self._scope, more, every=True)
        doubtful: dict[str, list[str]] = {}
        for id in more:
            if id in places:
                doubtful.setdefault(places[id].journal, []).append(id)
        for id in sorted(visible.keys() - shown):
            doubtful.setdefault(visible[id], []).append(id)
        self._nowhere([id for id in more if id not in places])
        for journal, ids in doubtful.items():
            if journal in self._busy:
                continue
            self._settle(journal, lambda journal=journal, ids=ids: self._shown(journal, ids))  # type: ignore[misc]

    def _nowhere(self, ids: list[str]) -> None:
        """Rows of no journal, unless they have gone meanwhile."""
        for row in self._store.index.rows(self._scope, Filter(ids=tuple(ids))) if ids else ():
            self._found("the index shows what no journal has, or what is deleted", id=row.id)

    def _shown(self, journal: str, ids: list[str]) -> None:
        """Whether the index shows these if, and only if, the journal does."""
        self._look_again(journal)
        look = self._looks[journal]
        shown = {row.id for row in self._store.index.rows(self._scope, Filter(ids=tuple(ids)))}
        for id in ids:
            if id in shown and id not in look.visible:
                self._found("the index shows what no journal has, or what is deleted", id=id)
            elif id in look.visible and id not in shown:
                self._found("the index hides an entry that is not deleted", id=id)

    def vectors(self) -> None:
        """Each must be what was stored; one that is not goes, since a search that came upon it would start over."""
        unsound = self._store.index.unsound(self._scope)
        places = self._store.index.locate(self._scope, [id for id, _ in unsound if id], every=True)
        for id, what in unsound:
            self._found(what, **({"journal": places[id].journal, "id": id} if id in places else {}))
        if unsound and not self._store.read_only():
            gone = self._store.index.make_sound(self._scope, _WAIT_MS)
            told = "were taken out; the next search or `holdfast sync` makes others" if gone else (
                "could not be taken out, since somebody else writes to the index; verify once more"
            )  # fmt: skip
            self._note(f"vectors that are not what was stored {told}")

    def references(self) -> None:
        """What points at nothing: worth a word, and no damage, since what it pointed at may have been forgotten."""
        there = set().union(*(look.there for look in self._looks.values()))
        for look in self._looks.values():
            for id, targets in look.references.items():
                missing = [target for target in targets if target not in there]
                if missing:
                    self._note(f"refers to what is not there: {', '.join(missing)}", journal=look.journal, id=id)

    def lost(self) -> None:
        """What vanished from the journals since the index read it, and only lies in quarantine now (D40)."""
        try:
            pieces = lost(self._store.journal, self._store.index, self._scope)
        except StorageFailed:  # there is no index to ask what came back since
            quarantined = self._store.journal.quarantined(self._scope)
            pieces = [{**piece, "entry": piece["lost"], "change": False} for piece in quarantined if piece["lost"]]
        for piece in pieces:
            told = "only the index still had it, and it lies" if piece["lost"] else "its damaged line lies only"
            kind = "change of an entry" if piece["change"] else "entry"
            what = f"{kind} lost at byte {piece['offset']}; {told} in {named(self._store, piece['file'])}"
            self._found(what, journal=piece["journal"], **({"id": piece["entry"]} if piece["entry"] else {}))

    # -- the rest

    def surroundings(self) -> None:
        """Modes, quarantine, an interrupted forget, the file system."""
        for wrong in sorted(wrong_modes(self._store.home)):
            self._found(f"others can reach it: {wrong}")
        self._unreadable()
        pieces = self._store.journal.quarantined(self._scope)
        if pieces:
            self._note(f"{len(pieces)} damaged pieces lie in quarantine", pieces=len(pieces))
        for piece in pieces:
            if piece["trouble"]:
                what = f"cannot be read: {piece['trouble']}; move it away"
                self._found(what, file=named(self._store, piece["file"]), journal=piece["journal"])
        for told in trouble(self._store):
            self._found(told)
        for wrong in filter(None, (self._store.embedding.pin_trouble(), self._store.redactor.trouble())):
            self._found(wrong)
        risk = risky_filesystem(self._store.home)
        if risk is not None:
            self._note(risk)

    def _unreadable(self) -> None:
        """What cannot be read and was not named yet, itself or something in it."""
        named = [str(problem.get("file", "")) for problem in self.problems]
        for file in unreadable(self._store):
            if not any(name == file or name.startswith(file + os.sep) for name in named):
                self._found("cannot be read: it must be a file, and yours to read", file=file)

    def report(self) -> dict[str, Any]:
        """What was looked at and found."""
        looks = list(self._looks.values())
        problems = [*(problem for look in looks for problem in look.problems), *self.problems]
        return {
            "ok": not problems, "journals": len(looks), "lines": sum(look.lines for look in looks),
            "entries": sum(look.entries for look in looks), "problems": problems,
            "notes": [*(note for look in looks for note in look.notes), *self.notes],
        }  # fmt: skip


def verify(store: Store, *, progress: Progress | None = None) -> dict[str, Any]:
    """Check everything; the index is caught up first, so that only real differences are found."""
    run = Verification(store)
    run.level()
    names = list(store.journal.journals(whole(store.agent)))
    for done, name in enumerate(names, 1):
        run.journal(name)
        if progress is not None:
            progress(done, len(names))
    if run.compared:
        run.rows()
        run.vectors()
    run.references()
    run.lost()
    run.surroundings()
    run.mend()
    return run.report()
