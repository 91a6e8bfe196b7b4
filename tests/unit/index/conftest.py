"""An embedded store without the facade: a FileJournal, a SqliteIndex and a clock that stands still."""

from __future__ import annotations

import pytest

from holdfast.guard.validate import draft
from holdfast.index import SqliteIndex
from holdfast.journal import FileJournal
from holdfast.model.card import Card
from holdfast.model.ids import user_dir
from holdfast.model.moment import iso
from holdfast.model.query import Filter
from holdfast.model.scope import Scope, whole
from holdfast.testing import FixedClock
from holdfast.text.words import words


class Embedded:
    """What the tests of this folder work with."""

    def __init__(self, home):
        self.home = home
        self.folder = home / "agents" / "main"
        self.clock = FixedClock()
        self.all = whole("main")
        self.journal = FileJournal(
            str(self.folder), "main", self.clock, announce=lambda name: self.index.announce(self.all, name)
        )
        self.index = self.open_index()

    def open_index(self, journal=None):
        return SqliteIndex(
            str(self.folder / "index"), "main", journal or self.journal, self.clock,
            recalled=str(self.folder / "recalled.jsonl"),
        )  # fmt: skip

    def reopen(self):
        self.index.close()
        self.index = self.open_index()

    def recalled(self, id):
        rows = self.index.rows(self.all, Filter(ids=(id,)))
        self.index.when_recalled(self.all, rows)
        return rows[0].recalled

    def scope(self, user="ana", **narrow):
        return Scope(agent="main", user=user, **narrow)

    def session(self, number=1, user="ana", **fields):
        card = Card(
            id=f"sess_20260101_{number:06d}",
            key=f"key {number}",
            user_id=user,
            created_at=iso(self.clock.now()),
            **fields,
        )
        return self.journal.create(self.scope(user), card).id

    def user(self, user="ana"):
        card = Card(id=user_dir(user), kind="user", user_id=user, created_at=iso(self.clock.now()))
        return self.journal.create(self.scope(user), card).id

    def add(self, journal, text, user="ana", **fields):
        kind = "user" if journal.startswith("u_") else "session"
        made = draft(
            {"text": text, **fields}, scope=kind, session_id=journal if kind == "session" else None,
            user_id=user, workspace=None, now=self.clock.now(),
        )  # fmt: skip
        return self.journal.append(self.scope(user), journal, [made])[0]

    def find(self, question, user="ana", limit=20, wanted=None, **narrow):
        self.index.refresh(self.all, 2_000)
        rows = self.index.match(self.scope(user, **narrow), wanted or Filter(), words(question), limit)
        return [row.id for row in rows]

    def read(self, ids, user="ana"):
        return self.journal.fetch(self.scope(user), self.index.locate(self.scope(user), ids).values())

    def database(self):
        """The live file, closed by us so that a test may damage it."""
        path = self.index.database().path
        self.index.close()
        return path


@pytest.fixture
def embedded(tmp_path):
    made = Embedded(tmp_path)
    yield made
    made.index.close()
    made.journal.close()
