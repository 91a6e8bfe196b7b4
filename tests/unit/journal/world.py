"""A small world for journal tests: one agent, a fixed clock, two users, and drafts by the dozen."""

from __future__ import annotations

import os

from holdfast.disk import REAL, Disk
from holdfast.journal import FileJournal, JournalOptions
from holdfast.model.card import Card
from holdfast.model.entry import Draft, Entry
from holdfast.model.ids import entry_id, user_dir
from holdfast.model.moment import iso
from holdfast.model.replay import Address, Replay
from holdfast.model.scope import Scope, whole
from holdfast.model.value import FrozenDict
from holdfast.testing import FixedClock

SESSION = "sess_20260101_abc123"
ANA = Scope(agent="main", user="ana")
BEN = Scope(agent="main", user="ben")
ALL = whole("main")
QUICK = JournalOptions(lock_ms=500, backoff_ms=1)


class World:
    """A home with a journal in it."""

    def __init__(self, home: str, disk: Disk = REAL, options: JournalOptions = QUICK) -> None:
        self.home = str(home)
        self.folder = os.path.join(self.home, "agents", "main")
        self.clock = FixedClock()
        self.announced: list[str] = []
        self.disk, self.options = disk, options
        self.journal = self.another()

    def another(self, disk: Disk | None = None, options: JournalOptions | None = None) -> FileJournal:
        """A second handle on the same files."""
        return FileJournal(
            self.folder, "main", self.clock, disk=disk or self.disk,
            announce=self.announced.append, options=options or self.options,
        )  # fmt: skip

    def session(self, id: str = SESSION, user: str = "ana") -> Card:
        card = Card(id=id, user_id=user, key="default", workspace="/w", title="Über", created_at=iso(self.clock.now()))
        return self.journal.create(Scope(agent="main", user=user), card)

    def user(self, name: str = "ana") -> Card:
        card = Card(id=user_dir(name), kind="user", user_id=name, created_at=iso(self.clock.now()))
        return self.journal.create(Scope(agent="main", user=name), card)

    def shared(self) -> Card:
        return self.journal.create(ALL, Card(id="global", kind="global", created_at=iso(self.clock.now())))

    def draft(self, text: str = "hello", **fields: object) -> Draft:
        given: dict[str, object] = {
            "id": entry_id(self.clock.now()), "scope": "session", "session_id": SESSION, "user_id": "ana",
            "timestamp": iso(self.clock.now()), "type": "conversation",
            "content": FrozenDict({"text": text, "role": "user"}),
        }  # fmt: skip
        return Draft(**{**given, **fields})

    def add(self, *texts: str, journal: FileJournal | None = None) -> list[Entry]:
        return (journal or self.journal).append(ANA, SESSION, [self.draft(text) for text in texts])

    def path(self, name: str = "memory.jsonl", journal: str = SESSION) -> str:
        return os.path.join(self.folder, "sessions", journal, name)

    def bytes(self, name: str = "memory.jsonl") -> bytes:
        with open(self.path(name), "rb") as source:
            return source.read()

    def put(self, data: bytes, name: str = "memory.jsonl") -> None:
        with open(self.path(name), "wb") as target:
            target.write(data)

    def replay(self) -> Replay:
        return self.journal.replay(ALL, SESSION)

    def texts(self) -> list[str]:
        return texts(self.replay())

    def addresses(self) -> dict[str, Address]:
        """What an index would know: the spans of every entry."""
        spans: dict[str, list[tuple[int, int]]] = {}
        for line in self.replay().lines:
            if line.record:
                spans.setdefault(line.record.get("amends") or line.record["id"], []).append((line.offset, line.length))
        return {id: Address(id=id, journal=SESSION, spans=tuple(found)) for id, found in spans.items()}


def texts(replay: Replay) -> list[str]:
    return [line.record["content"]["text"] for line in replay.lines if line.record and "content" in line.record]
