"""Pieces: which parts of quarantine a forget erases, and which stay because they are another entry's last copy.

A piece is of the entries whose ids it says, or that the index knew at its place. It goes if one of them goes, or
its whole journal does. One that is all that is left of another entry always stays, whatever words it shares with
what goes; one that nobody can ascribe goes for its words, but only from journals of the same user. Reads quarantine,
never changes it.
"""

from __future__ import annotations

from hashlib import sha256

from ..model.ids import GLOBAL
from ..model.salvage import amends, ids_in
from ..model.scope import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..store import Store


class Pieces:
    """Quarantine as one forget sees it."""

    def __init__(
        self, store: Store, ids: Sequence[str], journals: Sequence[str], former: Sequence[str] = ()
    ) -> None:  # fmt: skip
        self._store, self._scope = store, whole(store.agent)
        self._ids, self._journals = frozenset(ids), frozenset(journals)
        self._former = frozenset(former)  # entries that stay and lose their former words
        self._rows = store.journal.quarantined(self._scope)
        self._owners = {self._owner(journal) for journal in journals if journal != GLOBAL}
        named = sorted({id for row in self._rows for id in row["entries"]})
        self._living = set(store.index.locate(self._scope, named, every=True)) - self._ids if named else set()
        self._beside: dict[tuple[str, bytes], frozenset[str]] = {}
        for journal in {row["journal"] for row in self._rows}:
            self._ascribe(journal)

    def _owner(self, journal: str) -> str | None:
        card = self._store.journal.card(self._scope, journal)
        known = [row["user_id"] for row in self._rows if row["journal"] == journal and row["user_id"] is not None]
        return card.user_id if card is not None else next(iter(known), None)

    def of(self, journal: str) -> list[bytes]:
        """What lies in quarantine of this journal, all of which stays there."""
        found: list[bytes] = []

        def look(raw: bytes) -> bool:
            found.append(raw)
            return False

        self._store.journal.release(self._scope, journal, look)
        return found

    def _ascribe(self, journal: str) -> None:
        """Lines whose own id is damaged, by what the index knew at the place where they lay."""
        rows = [row for row in self._rows if row["journal"] == journal]
        for raw in self.of(journal):
            if not ids_in(raw):
                known = {id for row in rows if _same(row, raw) for id in _beside(row, rows)}
                self._beside[journal, raw] = frozenset(known)

    def entries(self, journal: str, raw: bytes) -> frozenset[str]:
        """The entries that a piece is of, as far as anybody knows."""
        return frozenset(ids_in(raw)) or self._beside.get((journal, raw), frozenset())

    def goes(self, journal: str, tells: Callable[[str], bool]) -> Callable[[bytes], bool]:
        """Whether a piece of this journal goes; `tells` says whether a text holds words of what goes."""
        ours = journal in self._journals or (journal != GLOBAL and self._owner(journal) in self._owners)

        def decide(raw: bytes) -> bool:
            entries, text = self.entries(journal, raw), raw.decode("utf-8", "replace")
            if entries & self._ids or (not entries and any(id in text for id in self._ids)):
                return True
            if entries & self._former and amends(raw):
                return True
            return entries <= self._living and (ours or bool(entries)) and tells(text)

        return decide

    def staying(self, takes: Callable[[str], Callable[[bytes], bool]]) -> str:
        """All words of the pieces that stay: they are another entry's last copy, which uses them still (D15)."""
        journals = sorted({row["journal"] for row in self._rows})
        kept = [raw for journal in journals for raw in self.of(journal) if not takes(journal)(raw)]
        return "\n".join(raw.decode("utf-8", "replace") for raw in kept).lower()


def _same(row: dict[str, Any], raw: bytes) -> bool:
    return sha256(raw).hexdigest().startswith(str(row["hash"]).removeprefix("sha256:"))


def _beside(row: dict[str, Any], rows: list[dict[str, Any]]) -> list[str]:
    end = row["offset"] + max(1, row["bytes"])
    return [id for other in rows if row["offset"] <= other["offset"] < end for id in other["entries"]]
