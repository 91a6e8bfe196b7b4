"""Look: everything that `verify` finds about one journal: its files, its numbering, and its rows in the index.

A look takes no lock. What somebody wrote, deleted or erased between the reading of a file and that of another seems to
be damage, so findings count only if they are made again while nobody writes there (`Verification`).
"""

from __future__ import annotations

import os

from ..model.query import label_of
from ..model.record import is_entry
from .holdings import holdings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.replay import Line
    from ..model.scope import Scope
    from ..store import Store
    from .holdings import Holdings

    Finding = dict[str, Any]

_PAGE = 500
_NAMES = {"session_id": "session", "user_id": "user", "tagged": "tags"}  # as people know them


class Look:
    """One journal as it was found."""

    def __init__(self, store: Store, scope: Scope, journal: str, compared: bool) -> None:
        self._store, self._scope, self.journal, self._compared = store, scope, journal, compared
        self.problems: list[Finding] = []
        self.notes: list[Finding] = []
        self.lines = self.entries = 0
        self.misread = False  # whether the index says of it what it does not
        self.visible: set[str] = set()
        self.references: dict[str, tuple[str, ...]] = {}  # by entry, where it points
        self.there: set[str] = set()  # what is in the journal and not deleted
        self._all()

    def found(self, what: str, **where: Any) -> None:
        self.problems.append({"what": what, "journal": self.journal, **where})

    def _note(self, what: str, **where: Any) -> None:
        self.notes.append({"what": what, "journal": self.journal, **where})

    def _all(self) -> None:
        replay = self._store.journal.replay(self._scope, self.journal)
        for damage in self._store.journal.inspect(self._scope, self.journal, replay):
            self.found(**{**damage, "file": named(self._store, damage["file"])})
        held = holdings(self._store.journal, self._scope, self.journal, replay)
        if held is None:
            return
        self.lines, self.entries = len(held.replay.lines), len(held)
        if held.replay.newer:
            self._note("written by a later version; read-only here")
        self._numbering(held)
        self._checksums(held)
        self._take(held)
        if self._compared:
            self._rows(held)

    def _numbering(self, held: Holdings) -> None:
        """A missing seq is a lost line, unless a rewrite may have dropped it (D8)."""
        good = [line for line in held.replay.lines if line.record is not None]
        for before, after in zip(good, good[1:], strict=False):
            step = _seq(after) - _seq(before)
            if step <= 0:
                self.found("seq does not rise", line=after.number)
            elif held.replay.mark.generation == 1 and step > after.number - before.number:
                self.found(f"{step - 1} lines are missing before it", line=after.number)

    def _checksums(self, held: Holdings) -> None:
        bare = [line for line in held.replay.lines if line.record is not None and "checksum" not in line.record]
        if bare:
            what = f"{len(bare)} lines of an older format have no checksum; compact adds them"
            self._note(what, line=bare[0].number)

    def _take(self, held: Holdings) -> None:
        """Remember what is compared once all journals were read."""
        for id, holding in held.by_id.items():
            if holding.stone is None:
                self.there.add(id)
            if holding.visible:
                self.visible.add(id)
                if holding.entry.references:
                    self.references[id] = holding.entry.references

    def _rows(self, held: Holdings) -> None:
        """Every entry must be found in the index, at its place, as the one that the journal says it is."""
        ids, spans = list(held.by_id), _spans(held)
        for start in range(0, len(ids), _PAGE):
            page = ids[start : start + _PAGE]
            places = self._store.index.locate(self._scope, page, every=True)
            self._labels(held, [id for id in page if id in places and places[id].journal == self.journal])
            elsewhere = {
                id: place
                for id, place in places.items()
                if (place.journal, list(place.spans)) != (self.journal, spans[id])
            }  # all others are at the lines that were just read
            read = self._store.journal.fetch(self._scope, elsewhere.values())
            for id in page:
                if id not in places:
                    self._differs("entry is not in the index", id)
                elif id in elsewhere and id not in read:
                    self._differs("the index does not know where the entry lies", id)

    def _labels(self, held: Holdings, ids: list[str]) -> None:
        """What filters go by must be what the journal says; an id that stands in two journals is the first one's."""
        labels = self._store.index.labels(self._scope, ids)
        for id in ids:
            wanted = label_of(held.by_id[id].entry)
            if (label := labels.get(id, wanted)) != wanted:
                names = [name for name in wanted._fields if getattr(label, name) != getattr(wanted, name)]
                wrong = dict.fromkeys(_NAMES.get(name, name) for name in names)
                self._differs(f"the index is wrong about the entry's {', '.join(wrong)}", id)

    def _differs(self, what: str, id: str) -> None:
        self.misread = True
        self.found(what, id=id)


def named(store: Store, path: Any) -> str:
    """Paths relative to the home, as people see them."""
    return os.path.relpath(str(path), store.home) if os.path.isabs(str(path)) else str(path)


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
