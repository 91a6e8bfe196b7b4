"""A store without the facade, for the tests of this folder: in memory, or on real files."""

from __future__ import annotations

import json
import os

from holdfast import config
from holdfast.capture.places import Writer
from holdfast.disk import REAL, make_private_dir
from holdfast.guard.redaction import Redactor
from holdfast.model.scope import Caller
from holdfast.observe.events import Observer
from holdfast.providers.embedding import Embedding
from holdfast.recall.entries import Reader
from holdfast.store import Store
from holdfast.testing.workbench import AGENT, ALL, SESSION
from holdfast.upkeep.compaction import make_room
from tests.contract.backends import Embedded, InMemory


class Shop:
    """What both kinds of desk have besides their backend."""

    def __init__(self, home, settings=None):
        self.home = str(home)
        make_private_dir(REAL, os.path.join(self.home, "agents", AGENT))
        super().__init__(self.home)
        self.settings = config.load(self.home, agent=AGENT, arguments=settings or {}, environ={})
        self.store = self.make_store()

    def make_store(self):
        return Store(
            home=self.home, agent=AGENT, settings=self.settings, clock=self.clock, journal=self.journal,
            index=self.index, redactor=Redactor(b"k" * 32), observer=Observer(self.clock),
            reader=Reader(self.journal, self.index),
            embedding=lambda: Embedding(os.path.join(self.home, "agents", AGENT), self.settings, self.index, ALL),
        )  # fmt: skip

    def reopen(self):
        super().reopen()
        self.store = self.make_store()

    def writer(self, **fields):
        return Writer(**{"caller": Caller(), "user": "ana", "make_room": make_room, **fields})

    def derive(self, text, *sources, journal=None, **fields):
        """A fact made from other entries."""
        references = tuple(source.id for source in sources)
        return self.add(text, journal or SESSION, type=fields.pop("type", "fact"), references=references, **fields)

    def said(self, journal=SESSION):
        """Every text that the journal still holds, former ones included."""
        lines = self.journal.replay(ALL, journal).lines
        return json.dumps([line.record for line in lines if line.record], ensure_ascii=False)

    def files_with(self, needle):
        """Names of files below the home that hold these bytes, read by a process that may (see `scan`)."""
        found, sought = [], (needle if isinstance(needle, bytes) else needle.encode()).lower()
        for folder, _, names in os.walk(self.home):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    if sought in file.read().lower():
                        found.append(os.path.relpath(os.path.join(folder, name), self.home))
        return sorted(found)


class MemoryDesk(Shop, InMemory):
    """Memory backends; the home holds nothing but what upkeep writes."""


class FileDesk(Shop, Embedded):
    """A real home."""
