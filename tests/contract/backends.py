"""The backends that the contract suites are bound to: in memory, and embedded on real files."""

from __future__ import annotations

import os
import re

from holdfast.index import SqliteIndex
from holdfast.journal import FileJournal, JournalOptions
from holdfast.testing.memory_index import MemoryIndex
from holdfast.testing.memory_journal import MemoryJournal
from holdfast.testing.workbench import AGENT, ALL, Workbench


class Announcing(Workbench):
    """Tells its index of every write, unless it is silent."""

    def announce(self, name):
        if not self.silent:
            self.index.announce(ALL, name)


class InMemory(Announcing):
    """MemoryJournal and MemoryIndex."""

    def __init__(self, _tmp_path):
        super().__init__()
        self.journal = MemoryJournal(AGENT, self.clock, announce=self.announce)
        self.index = MemoryIndex(AGENT, self.journal)

    def reopen(self):
        recalled = self.index._recalled
        self.index = MemoryIndex(AGENT, self.journal)
        self.index._recalled = recalled  # the one thing that is not derived from journals (D35)

    def damage(self, journal, id):
        line = next(line for line in self.journal._books[journal].lines if (line.record or {}).get("id") == id)
        line.raw, line.record = line.raw[:10] + b"\x00" + line.raw[11:], None
        self.journal._books[journal].changes += 1
        self.index.announce(ALL, journal)

    def limited(self, session_bytes, entry_bytes):
        options = JournalOptions(session_bytes=session_bytes, entry_bytes=entry_bytes)
        return MemoryJournal(AGENT, self.clock, options)

    def close(self):
        self.index.close()


class Embedded(Announcing):
    """FileJournal and SqliteIndex in a directory."""

    def __init__(self, tmp_path):
        super().__init__()
        self.folder = os.path.join(tmp_path, "agents", AGENT)
        self._others = []
        self._open()

    def _open(self):
        self.journal = FileJournal(self.folder, AGENT, self.clock, announce=self.announce)
        self.index = SqliteIndex(
            os.path.join(self.folder, "index"), AGENT, self.journal, self.clock,
            recalled=os.path.join(self.folder, "recalled.jsonl"),
        )  # fmt: skip

    def reopen(self):
        self.index.close()
        self.journal.close()
        self._open()

    def damage(self, journal, id):
        path = os.path.join(self.folder, "sessions", journal, "memory.jsonl")
        with open(path, "rb") as file:
            data = file.read()
        at = data.index(f'"id":"{id}"'.encode())
        with open(path, "wb") as file:
            file.write(data[: at + 8] + b"#" + data[at + 9 :])
        self.index.announce(ALL, journal)

    def limited(self, session_bytes, entry_bytes):
        options = JournalOptions(session_bytes=session_bytes, entry_bytes=entry_bytes)
        folder = os.path.join(self.folder, f"limited-{session_bytes}")
        return FileJournal(folder, AGENT, self.clock, options=options)

    def structure(self):
        connection = self.index.database().take()
        schema = connection.execute("SELECT name || ' ' || coalesce(sql, '') FROM sqlite_schema").fetchall()
        keys = connection.execute("SELECT key FROM meta").fetchall()
        return sorted({word for (text,) in schema + keys for word in re.findall(r"\w+", text) if len(word) > 7})

    def close(self):
        self.index.close()
        self.journal.close()
