"""Known: what the index in memory has of one journal: its entries as of now, and where their lines lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model.record import fold, is_entry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model.card import Card
    from ..model.entry import Entry
    from ..model.replay import Line, Size


class Known:
    """What the index has of one journal."""

    def __init__(self, journal: str, size: Size | None, card: Card | None, lines: Sequence[Line]) -> None:
        self.journal, self.size, self.card = journal, size, card
        self.entries = fold(lines)
        self.damaged = sum(line.record is None for line in lines)
        self.latest: dict[str | None, int] = {}  # the highest seq of each key
        for entry in self.entries.values():
            self.latest[entry.key] = max(entry.seq, self.latest.get(entry.key, 0))
        self.spans: dict[str, list[tuple[int, int]]] = {}
        for line in lines:
            if is_entry(line.record):
                self.spans.setdefault(line.record["id"], [(line.offset, line.length)])  # type: ignore[index]
            elif line.record and line.record.get("amends") in self.spans:
                self.spans[line.record["amends"]].append((line.offset, line.length))

    def superseded(self, entry: Entry) -> bool:
        """Whether a later line of this journal gives the key another value."""
        return entry.key is not None and self.latest[entry.key] > entry.seq
