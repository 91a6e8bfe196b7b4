"""I/O faults at every call of the journal's seam, until a run is clean.

Whatever fails: what was acknowledged is there, what was not is either absent or exactly as given,
the error is typed, and the store can be written again at once.
"""

from __future__ import annotations

import errno

import pytest

from holdfast.errors import NotFound, StorageFailed
from holdfast.model.entry import Tombstone
from holdfast.testing.disk import FaultyDisk, UnsyncedDisk
from tests.unit.journal.world import ALL, ANA, QUICK, SESSION, World

pytestmark = pytest.mark.crash

DROPPED = "dropped by the rewrite"


class Run:
    """One pass over every kind of write, remembering what was acknowledged."""

    def __init__(self, home, disk, options):
        self.world = World(home, disk, options)
        self.acked, self.given, self.buried, self.amended = [], [], [], []
        self.dropped = self.tried_drop = False
        self.surfaced = 0

    def go(self):
        self.attempt(self.world.session)
        for texts in (["one", "two"], [DROPPED], ["three"]):
            self.attempt(lambda texts=texts: self.append(*texts))
        self.attempt(self.amend)
        self.attempt(self.bury)
        self.attempt(self.rewrite)
        self.attempt(lambda: self.append("four"))
        self.attempt(self.save_card)
        self.attempt(lambda: self.world.journal.quarantine(ALL, SESSION, [(1, b"bad")]))
        return self

    def attempt(self, act):
        try:
            act()
        except StorageFailed:
            self.surfaced += 1
        except NotFound:  # the session could not be created
            assert self.surfaced

    def append(self, *texts):
        drafts = [self.world.draft(text) for text in texts]
        self.given += drafts
        self.acked += self.world.journal.append(ANA, SESSION, drafts)

    def amend(self):
        for entry in [entry for entry in self.acked if entry.text != DROPPED][:1]:
            self.world.journal.amend(ANA, SESSION, entry.id, "user", {"importance": 0.9})
            self.amended.append(entry.id)

    def bury(self):
        if self.acked:
            stone = Tombstone(id=self.acked[-1].id, timestamp=self.acked[-1].timestamp, reason="user")
            self.world.journal.bury(ANA, SESSION, [stone])
            self.buried.append(stone)

    def rewrite(self):
        self.tried_drop = True
        self.world.journal.rewrite(ALL, SESSION, lambda entry: None if entry.text == DROPPED else entry)
        self.dropped = True

    def save_card(self):
        card = self.world.journal.card(ANA, SESSION)
        if card:
            self.world.journal.save_card(ANA, card.replace(title="changed"))

    def check(self):
        """With a sound disk: nothing acknowledged is lost, nothing wrong is seen."""
        clean = World(self.world.home, UnsyncedDisk())
        found = clean.journal.fetch(ALL, clean.addresses().values()) if self.acked else {}
        for entry in self.acked:
            gone = entry.text == DROPPED and (self.tried_drop and entry.id not in found)
            assert gone or found[entry.id].content == entry.content, entry.text
            assert not (self.dropped and entry.text == DROPPED and entry.id in found)
        for id in self.amended:
            assert found[id].importance == 0.9
        given = {draft.id: draft for draft in self.given}
        assert all(found[id].content == given[id].content for id in found)
        assert len({entry.seq for entry in found.values()}) == len(found)
        if self.buried:
            assert clean.journal.tombstones(ALL, SESSION)[0][: len(self.buried)] == self.buried
        clean.session()
        again = clean.add("afterwards")[0]
        assert again.seq > max([entry.seq for entry in self.acked], default=0)
        assert clean.texts()[-1] == "afterwards"


@pytest.mark.parametrize("retries", [0, 3])
@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EIO, "short"])
def test_a_fault_at_any_call_loses_nothing_that_was_acknowledged(tmp_path, fault, retries):
    injected = surfaced = 0
    for call in range(1, 1000):
        disk = FaultyDisk(call, fault)
        run = Run(tmp_path / str(call), disk, QUICK.replace(retries=retries)).go()
        run.check()
        injected += disk.injected
        surfaced += run.surfaced
        if not disk.injected:
            break
    assert disk.injected == 0, "a clean run was reached"
    assert injected > (10 if fault == "short" else 100)
    assert (surfaced == 0) if fault == "short" else surfaced > 50


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EIO])
def test_a_fault_while_removing_is_finished_by_removing_again(tmp_path, fault):
    injected = 0
    for call in range(1, 100):
        world = World(tmp_path / str(call), UnsyncedDisk())
        world.session()
        entry = world.add("one")[0]
        stone = Tombstone(id=entry.id, timestamp=entry.timestamp, reason="forget")
        world.journal.bury(ANA, SESSION, [stone])
        mark = world.replay().mark
        disk = FaultyDisk(call, fault)
        try:
            world.another(disk).remove(ALL, SESSION)
        except StorageFailed:
            assert not world.journal.replay(ALL, SESSION, mark).lost, "half removed is not lost"
            world.journal.remove(ALL, SESSION)
        assert world.journal.tombstones(ALL, SESSION)[0] == [stone]
        assert world.journal.replay(ALL, SESSION).lines == ()
        injected += disk.injected
        if not disk.injected:
            break
    assert disk.injected == 0
    assert injected > 5
