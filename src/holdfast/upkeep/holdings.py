"""Holdings: everything that one journal holds, read from the journal itself and not from an index.

A holding is an entry with its amendments folded in, whether it is visible, deleted or superseded,
the bytes that its lines take, and those lines as they stand, history included. The rule: what
erases must look here, since an index shows only what is visible.
"""

from __future__ import annotations

from ..model.entry import standing
from ..model.record import fold, is_entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ..model.entry import Entry, Tombstone
    from ..model.replay import Line, Replay
    from ..model.scope import Scope
    from ..ports import Journal


class Holding:
    """One entry of a journal with what is known of its lines."""

    __slots__ = ("bytes", "entry", "records", "stone", "superseded")

    def __init__(self, entry: Entry, stone: Tombstone | None) -> None:
        self.entry, self.stone = entry, stone
        self.superseded = False  # a later line gave its key another value
        self.bytes = 0  # of its line and its amendments, line ends included
        self.records: list[dict[str, Any]] = []

    @property
    def amendments(self) -> int:
        return len(self.records) - 1

    @property
    def visible(self) -> bool:
        return self.stone is None and not self.superseded


class Holdings:
    """What a journal holds: by id, in the order of the lines."""

    def __init__(self, journal: str, replay: Replay, stones: dict[str, Tombstone]) -> None:
        self.journal, self.replay, self.stones = journal, replay, stones
        self.by_id = {id: Holding(entry, stones.get(id)) for id, entry in fold(replay.lines).items()}
        self._measure(replay.lines)
        self._supersede()

    def _measure(self, lines: Iterable[Line]) -> None:
        for line in lines:
            record = line.record
            if record is None:
                continue
            holding = self.by_id.get(record["id"] if is_entry(record) else record.get("amends", ""))
            if holding is not None:
                holding.bytes += line.length + 1
                holding.records.append(record)

    def _supersede(self) -> None:
        latest: dict[str, int] = {}
        for holding in self:
            if holding.entry.key is not None:
                latest[holding.entry.key] = max(holding.entry.seq, latest.get(holding.entry.key, 0))
        for holding in self:
            key = holding.entry.key
            holding.superseded = key is not None and latest[key] > holding.entry.seq

    def __iter__(self) -> Iterator[Holding]:
        return iter(self.by_id.values())

    def __len__(self) -> int:
        return len(self.by_id)

    @property
    def damaged(self) -> list[Line]:
        return [line for line in self.replay.lines if line.record is None]


def records_of(journals: Journal, scope: Scope, journal: str, ids: set[str]) -> list[dict[str, Any]]:
    """The records of these entries, history included, without a look at what the others hold."""
    records = [line.record for line in journals.replay(scope, journal).lines if line.record is not None]
    there = ids.intersection([record["id"] for record in records if is_entry(record)])
    return [record for record in records if (record["id"] if is_entry(record) else record.get("amends")) in there]


def ids_of(journals: Journal, scope: Scope, journal: str) -> set[str]:
    """The ids of all entries that the journal holds, visible or not."""
    records = [line.record for line in journals.replay(scope, journal).lines if line.record is not None]
    return {record["id"] for record in records if is_entry(record)}


def stands(journals: Journal, scope: Scope, journal: str) -> bool:
    """Whether there is a journal, however damaged: tombstones alone are what is left of one."""
    size = journals.size(scope, journal)
    return size is not None and (size.entries > 0 or journals.card(scope, journal) is not None)


def holdings(journals: Journal, scope: Scope, journal: str, replay: Replay | None = None) -> Holdings | None:
    """What a journal holds, of which all may have been read already; None where there is none in this scope."""
    if not stands(journals, scope, journal):
        return None
    stones, _ = journals.tombstones(scope, journal)
    return Holdings(journal, replay or journals.replay(scope, journal), standing(stones))
