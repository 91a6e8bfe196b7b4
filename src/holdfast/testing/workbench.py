"""Workbench: cards, drafts and shortcuts that the contract suites share, over any backend.

Bind a suite to a backend by subclassing this, giving `journal`, `index` and the three hooks, and
offering an instance as the pytest fixture `backend`; see `tests/contract` for both bindings of our own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model.card import Card
from ..model.entry import Draft, Tombstone
from ..model.ids import GLOBAL, entry_id, user_dir
from ..model.moment import iso
from ..model.query import Filter
from ..model.record import is_entry
from ..model.replay import Address
from ..model.scope import Scope, whole
from ..model.value import freeze
from ..text.words import words
from .clock import FixedClock

if TYPE_CHECKING:
    from ..model.entry import Entry
    from ..ports import Index, Journal

AGENT = "main"
ALL = whole(AGENT)
ANA = Scope(agent=AGENT, user="ana")
BEN = Scope(agent=AGENT, user="ben")
SESSION = "sess_20260101_aaaaaa"
OTHER = "sess_20260101_bbbbbb"


class Workbench:
    """A backend under test."""

    journal: Journal
    index: Index

    def __init__(self) -> None:
        self.clock = FixedClock()
        self.silent = False  # while true, the backend must not announce its writes to the index

    # -- hooks that a backend gives

    def reopen(self) -> None:
        """Let go of journal and index, and open the same store again."""
        raise NotImplementedError

    def damage(self, journal: str, id: str) -> None:
        """Change a byte of this entry's line, so that its checksum no longer fits."""
        raise NotImplementedError

    def limited(self, session_bytes: int, entry_bytes: int) -> Journal:
        """An empty journal store with these limits."""
        raise NotImplementedError

    def structure(self) -> list[str]:
        """Names that the index's own files are made of: its tables and columns, the keys of its state."""
        return []

    # -- making things

    def session(self, id: str = SESSION, user: str = "ana", **fields: Any) -> str:
        card = Card(id=id, user_id=user, **{"key": f"key of {id}", "created_at": iso(self.clock.now()), **fields})
        return self.journal.create(Scope(agent=AGENT, user=user), card).id

    def user(self, user: str = "ana") -> str:
        card = Card(id=user_dir(user), kind="user", user_id=user, created_at=iso(self.clock.now()))
        return self.journal.create(Scope(agent=AGENT, user=user), card).id

    def shared(self) -> str:
        return self.journal.create(ALL, Card(id=GLOBAL, kind="global", created_at=iso(self.clock.now()))).id

    def draft(self, text: str = "hello", journal: str = SESSION, user: str = "ana", **fields: Any) -> Draft:
        """A draft for a journal; `text` may be given as a whole `content`."""
        kind = "global" if journal == GLOBAL else "user" if journal.startswith("u_") else "session"
        given = {
            "id": entry_id(self.clock.now()), "scope": kind, "session_id": journal if kind == "session" else None,
            "user_id": None if kind == "global" else user, "timestamp": iso(self.clock.now()), "type": "conversation",
            "content": {"text": text, "role": "user"}, "metadata": {}, **fields,
        }  # fmt: skip
        given["content"], given["metadata"] = freeze(given["content"]), freeze(given["metadata"])
        return Draft(**given)

    def add(self, text: str = "hello", journal: str = SESSION, user: str = "ana", **fields: Any) -> Entry:
        """Append one entry; the clock moves a millisecond, so that times differ."""
        self.clock.advance(1)
        draft = self.draft(text, journal, user, **fields)
        return self.journal.append(ALL, journal, [draft])[0]

    def bury(self, *entries: Entry, reason: str = "user", journal: str = SESSION) -> None:
        now = iso(self.clock.now())
        self.journal.bury(ALL, journal, [Tombstone(id=entry.id, timestamp=now, reason=reason) for entry in entries])

    # -- looking

    def level(self) -> Index:
        """The index, caught up."""
        assert self.index.refresh(ALL, 10_000) == 0
        return self.index

    def ids(self, scope: Scope = ANA, wanted: Filter | None = None, order: str = "oldest") -> list[str]:
        return [row.id for row in self.level().rows(scope, wanted or Filter(), order)]

    def recalled(self, entry: Entry) -> int:
        """When an entry was last recalled."""
        rows = self.level().rows(ALL, Filter(ids=(entry.id,)))
        self.index.when_recalled(ALL, rows)
        return rows[0].recalled

    def find(self, question: str, scope: Scope = ANA, wanted: Filter | None = None, limit: int = 20) -> list[str]:
        rows = self.level().match(scope, wanted or Filter(), words(question), limit)
        return [row.id for row in rows]

    def texts(self, journal: str = SESSION) -> list[str]:
        lines = self.journal.replay(ALL, journal).lines
        return [line.record["content"]["text"] for line in lines if line.record and is_entry(line.record)]

    def address(self, id: str, journal: str = SESSION) -> Address:
        """Where an entry and its amendments lie."""
        spans = [
            (line.offset, line.length) for line in self.journal.replay(ALL, journal).lines
            if line.record and id in (line.record.get("id"), line.record.get("amends"))
        ]  # fmt: skip
        return Address(id=id, journal=journal, spans=tuple(spans))
