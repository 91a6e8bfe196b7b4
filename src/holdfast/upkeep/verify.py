"""Verify: looks at every line of every journal, at the index against them, and at the files' modes.

It changes nothing but the index, which reads a journal again where its rows were wrong; it raises nothing for damage,
and never shows what a damaged line holds: each finding says file, line and what is wrong there. `ok` is false if
anything was found that needs somebody's attention; what lies safely in quarantine and what is merely unusual is told as
a note.
"""

from __future__ import annotations

import os

from ..disk import private_mode_wrong, risky_filesystem
from ..errors import HoldfastError, StorageFailed
from ..model.query import Filter, label_of
from ..model.record import is_entry
from ..model.scope import whole
from ..recall.missing import lost
from . import scan
from .holdings import holdings
from .intent import trouble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..model.replay import Line
    from ..ports import Progress
    from ..store import Store
    from .holdings import Holdings

    Finding = dict[str, Any]

_PAGE = 500
_WAIT_MS = 2_000
_NAMES = {"session_id": "session", "user_id": "user", "tagged": "tags"}  # as people know them


class Verification:
    """One run: findings, notes and what was looked at."""

    def __init__(self, store: Store) -> None:
        self._store, self._scope = store, whole(store.agent)
        self.problems: list[Finding] = []
        self.notes: list[Finding] = []
        self.lines = self.entries = self.journals = 0
        self.compared = True  # whether the index is level with the journals, so that a difference is one
        self._misread: dict[str, None] = {}  # journals of which the index says what they do not
        self._visible: set[str] = set()
        self._references: dict[str, tuple[str, tuple[str, ...]]] = {}  # by entry: its journal, and where it points
        self._there: set[str] = set()  # what is in a journal and not deleted

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
        """All of one journal: its files, its numbering, and its rows in the index."""
        self.journals += 1
        replay = self._store.journal.replay(self._scope, journal)
        for damage in self._store.journal.inspect(self._scope, journal, replay):
            self.problems.append({**damage, "file": self._named(damage["file"]), "journal": journal})
        held = holdings(self._store.journal, self._scope, journal, replay)
        if held is None:
            return
        self.lines += len(held.replay.lines)
        self.entries += len(held)
        if held.replay.newer:
            self._note("written by a later version; read-only here", journal=journal)
        self._numbering(held)
        self._checksums(held)
        self._take(held)
        if self.compared:
            self._rows(held)

    def _numbering(self, held: Holdings) -> None:
        """A missing seq is a lost line, unless a rewrite may have dropped it (D8)."""
        good = [line for line in held.replay.lines if line.record is not None]
        for before, after in zip(good, good[1:], strict=False):
            step = _seq(after) - _seq(before)
            if step <= 0:
                self._found("seq does not rise", journal=held.journal, line=after.number)
            elif held.replay.mark.generation == 1 and step > after.number - before.number:
                self._found(f"{step - 1} lines are missing before it", journal=held.journal, line=after.number)

    def _checksums(self, held: Holdings) -> None:
        bare = [line for line in held.replay.lines if line.record is not None and "checksum" not in line.record]
        if bare:
            what = f"{len(bare)} lines of an older format have no checksum; compact adds them"
            self._note(what, journal=held.journal, line=bare[0].number)

    def _take(self, held: Holdings) -> None:
        """Remember what is compared once all journals were read."""
        for id, holding in held.by_id.items():
            if holding.stone is None:
                self._there.add(id)
            if holding.visible:
                self._visible.add(id)
                if holding.entry.references:
                    self._references[id] = (held.journal, holding.entry.references)

    def _rows(self, held: Holdings) -> None:
        """Every entry must be found in the index, at its place, as the one that the journal says it is."""
        ids, spans = list(held.by_id), _spans(held)
        for start in range(0, len(ids), _PAGE):
            page = ids[start : start + _PAGE]
            places = self._store.index.locate(self._scope, page, every=True)
            self._labels(held, [id for id in page if id in places and places[id].journal == held.journal])
            elsewhere = {
                id: place
                for id, place in places.items()
                if (place.journal, list(place.spans)) != (held.journal, spans[id])
            }  # all others are at the lines that were just read
            read = self._store.journal.fetch(self._scope, elsewhere.values())
            for id in page:
                if id not in places:
                    self._differs("entry is not in the index", held.journal, id)
                elif id in elsewhere and id not in read:
                    self._differs("the index does not know where the entry lies", held.journal, id)

    def _labels(self, held: Holdings, ids: list[str]) -> None:
        """What filters go by must be what the journal says; an id that stands in two journals is the first one's."""
        labels = self._store.index.labels(self._scope, ids)
        for id in ids:
            wanted = label_of(held.by_id[id].entry)
            if (label := labels.get(id, wanted)) != wanted:
                names = [name for name in wanted._fields if getattr(label, name) != getattr(wanted, name)]
                wrong = dict.fromkeys(_NAMES.get(name, name) for name in names)
                self._differs(f"the index is wrong about the entry's {', '.join(wrong)}", held.journal, id)

    def _differs(self, what: str, journal: str, id: str) -> None:
        self._misread[journal] = None
        self._found(what, journal=journal, id=id)

    def mend(self) -> None:
        """Have the index read again what it misquotes; the next run says whether that helped."""
        for journal in self._misread:
            self._store.index.suspect(self._scope, journal)
            self._note(
                "is read into the index again; verify once more, and `holdfast reindex` if it says the same",
                journal=journal,
            )
        if self._misread:
            self._store.index.refresh(self._scope, _WAIT_MS)

    def rows(self) -> None:
        """What the index shows must be what the journals hold, no more and no less."""
        shown = {row.id for row in self._store.index.rows(self._scope, Filter())}
        for id in sorted(shown - self._visible):
            self._found("the index shows what no journal has, or what is deleted", id=id)
        for id in sorted(self._visible - shown):
            self._found("the index hides an entry that is not deleted", id=id)

    def references(self) -> None:
        """What points at nothing: worth a word, and no damage, since what it pointed at may have been forgotten."""
        for id, (journal, targets) in self._references.items():
            missing = [target for target in targets if target not in self._there]
            if missing:
                self._note(f"refers to what is not there: {', '.join(missing)}", journal=journal, id=id)

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
            what = f"{kind} lost at byte {piece['offset']}; {told} in {self._named(piece['file'])}"
            self._found(what, journal=piece["journal"], **({"id": piece["entry"]} if piece["entry"] else {}))

    # -- the rest

    def surroundings(self) -> None:
        """Modes, quarantine, an interrupted forget, the file system."""
        for wrong in sorted(_wrong_modes(self._store.home)):
            self._found(f"others can reach it: {wrong}")
        pieces = self._store.journal.quarantined(self._scope)
        if pieces:
            self._note(f"{len(pieces)} damaged pieces lie in quarantine", pieces=len(pieces))
        for piece in pieces:
            if piece["trouble"]:
                what = f"cannot be read: {piece['trouble']}; move it away"
                self._found(what, file=self._named(piece["file"]), journal=piece["journal"])
        for told in trouble(self._store):
            self._found(told)
        if (unpinned := self._store.embedding.pin_trouble()) is not None:
            self._found(unpinned)
        risk = risky_filesystem(self._store.home)
        if risk is not None:
            self._note(risk)

    def _named(self, path: Any) -> str:
        """Paths relative to the home, as people see them."""
        return os.path.relpath(str(path), self._store.home) if os.path.isabs(str(path)) else str(path)

    def report(self) -> dict[str, Any]:
        """What was looked at and found."""
        return {
            "ok": not self.problems, "journals": self.journals, "lines": self.lines, "entries": self.entries,
            "problems": self.problems, "notes": self.notes,
        }  # fmt: skip


def _spans(held: Holdings) -> dict[str, list[tuple[int, int]]]:
    """Where the lines of each entry lie: its own, then its amendments."""
    found: dict[str, list[tuple[int, int]]] = {}
    for line in held.replay.lines:
        if (record := line.record) is not None:
            id = record["id"] if is_entry(record) else record.get("amends", "")
            found.setdefault(id, []).append((line.offset, line.length))
    return found


def _seq(line: Line) -> int:
    return int((line.record or {}).get("seq", 0))


def _wrong_modes(home: str) -> Iterator[str]:
    """What is wrong with any file or directory of the home, the home itself included."""
    for path, _ in scan.reached(home):
        try:
            wrong = private_mode_wrong(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            wrong = f"{path} cannot be looked at ({error.strerror})"
        if wrong is not None:
            yield wrong


def verify(store: Store, *, progress: Progress | None = None) -> dict[str, Any]:
    """Check everything; the index is caught up first, so that only real differences are found."""
    run = Verification(store)
    run.level()
    names = list(store.journal.journals(whole(store.agent)))
    for done, name in enumerate(names, 1):
        try:
            run.journal(name)
        except HoldfastError as error:
            run.problems.append({"what": f"could not be checked: {error.message}", "journal": name})
        if progress is not None:
            progress(done, len(names))
    if run.compared:
        run.rows()
    run.references()
    run.lost()
    run.surroundings()
    run.mend()
    return run.report()
