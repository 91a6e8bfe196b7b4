"""Unindexed: what a journal says beyond the lines that the index has read of it.

An index that cannot be written for a while still shows what was deleted since, and the former words of what was
amended. Whoever reads entries meanwhile asks here as well, so that nobody is handed what was hidden, forgotten or
changed a moment ago, whichever process did it (D10, D13). It reads no more than what came since, keeps nothing, and
is never asked while the index is level.
"""

from __future__ import annotations

from ..errors import StorageFailed
from ..model.entry import amended, standing
from ..model.record import amendment_from, fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..model.entry import Amendment, Entry
    from ..model.query import Filter
    from ..model.replay import Mark
    from ..model.scope import Scope
    from ..ports import Journal

    Behind = Mapping[str, "Mark | None"]  # journals with how far the index has read them


class Unindexed:
    """One journal that the index is behind with."""

    def __init__(self, journals: Journal, scope: Scope, journal: str, since: Mark | None) -> None:
        replay = journals.replay(scope, journal, since)
        self.whole = since is None or replay.fresh  # whatever the index knows of this journal counts for nothing
        self.entries = fold(replay.lines)
        self.stones = standing(journals.tombstones(scope, journal)[0])
        self._changes: dict[str, list[Amendment]] = {}
        for line in replay.lines:
            if line.record is not None and "amends" in line.record and line.record["amends"] not in self.entries:
                self._changes.setdefault(line.record["amends"], []).append(amendment_from(line.record))
        self._latest: dict[str, int] = {}
        for entry in self.entries.values():
            if entry.key is not None:
                self._latest[entry.key] = max(entry.seq, self._latest.get(entry.key, 0))

    def now(self, id: str, known: Entry | None) -> Entry | None:
        """An entry as it stands now; `known` is what was read where the index says it lies."""
        if self.whole or known is None or id in self.entries:
            return self.entries.get(id)
        for change in self._changes.get(id, ()):
            known = amended(known, change)
        return known

    def shows(self, entry: Entry, *, hidden: bool = False, superseded: bool = False) -> bool:
        """Whether it can be seen; with `hidden` whether it was deleted, as a Filter has it."""
        if hidden or entry.id in self.stones:
            return hidden and entry.id in self.stones
        return superseded or entry.key is None or self._latest.get(entry.key, 0) <= entry.seq


def unindexed(journals: Journal, scope: Scope, behind: Behind) -> Iterator[Unindexed]:
    """Every journal that the index is behind with and that can be read."""
    for journal, mark in sorted(behind.items()):
        try:
            found = Unindexed(journals, scope, journal, mark)
        except StorageFailed as error:
            if not error.unreadable:
                raise
        else:
            yield found


def passing(found: Unindexed, wanted: Filter) -> list[Entry]:
    """Those of its new entries that a filter does not leave out for being visible or hidden."""
    return [
        entry for entry in found.entries.values()
        if found.shows(entry, hidden=wanted.hidden, superseded=wanted.superseded)
    ]  # fmt: skip
