"""Promise 1 under loss of power: everything not synced is gone, everything acknowledged is there.

The disk keeps what a medium would: bytes at the last sync of their file, names at the last sync of
their directory. Also where a writer was killed first and another one went on before the cut.
"""

from __future__ import annotations

import os
import shutil

import pytest

from holdfast.model.entry import Tombstone
from holdfast.testing.disk import FaultyDisk, PowerLossDisk
from tests.unit.journal.world import ALL, ANA, QUICK, SESSION, World

pytestmark = pytest.mark.crash


class Killed(BaseException):
    """The process is gone: nothing catches this."""


class MortalDisk(PowerLossDisk, FaultyDisk):
    """A power-loss disk whose process dies at its n-th call; half of a write may have happened by then."""

    def __init__(self, root, die_at=0):
        PowerLossDisk.__init__(self, root)
        FaultyDisk.__init__(self, 0)
        self.die_at = die_at

    def _count(self, writes=False):
        self.calls += 1
        if self.die_at and self.calls == self.die_at and writes:
            return True
        if self.die_at and self.calls >= self.die_at:
            raise Killed
        return False

    def write(self, fd, data):
        written = super().write(fd, data)
        if self.die_at and self.calls >= self.die_at:
            raise Killed
        return written


class Story:
    """Writes of every kind; `cut` compares what was acknowledged with what survives a cut right now."""

    def __init__(self, tmp_path, disk):
        self.tmp_path, self.disk = tmp_path, disk
        self.world = World(tmp_path / "root" / "home", disk, QUICK)
        self.acked, self.stones, self.cuts = {}, [], 0

    def new_process(self):
        self.world.journal = self.world.another()

    def begin(self):
        self.world.session()

    def append(self, *texts):
        for entry in self.world.add(*texts):
            self.acked[entry.id] = entry

    def amend(self):
        entry = next(iter(self.acked.values()))
        self.world.journal.amend(ANA, SESSION, entry.id, "user", {"importance": 0.25})
        self.acked[entry.id] = entry.replace(importance=0.25)

    def bury(self):
        entry = next(iter(self.acked.values()))
        stone = Tombstone(id=entry.id, timestamp=entry.timestamp, reason="user")
        self.world.journal.bury(ANA, SESSION, [stone])
        self.stones.append(stone)

    def rewrite(self):
        self.world.journal.rewrite(ALL, SESSION, lambda entry: entry)

    def survive(self):
        """Another process goes on with whatever it finds; each acknowledgement is followed by a cut."""
        if not os.path.exists(self.world.path()):
            self.begin()
        self.append("by the survivor")
        self.cut()
        self.bury()
        self.cut()

    def steps(self):
        yield self.begin
        yield lambda: self.append("one")
        yield lambda: self.append("two", "three 日本")
        yield self.amend
        yield self.bury
        yield self.rewrite
        yield lambda: self.append("four")
        yield self.bury
        yield self.rewrite
        yield lambda: self.append("five")

    def cut(self):
        image = self.tmp_path / f"image{self.cuts}"
        self.cuts += 1
        self.disk.image(str(image))
        after = World(image / "home")
        found = after.journal.fetch(ALL, after.addresses().values())
        for id, entry in self.acked.items():
            assert found[id].content == entry.content
            assert found[id].importance in (entry.importance, 0.25), "an amendment may come before its acknowledgement"
        stones = after.journal.tombstones(ALL, SESSION)[0]
        assert all(stone in stones for stone in self.stones)
        shutil.rmtree(image)


def story(tmp_path, die_at=0):
    (tmp_path / "root").mkdir(parents=True)
    return Story(tmp_path, MortalDisk(str(tmp_path / "root"), die_at))


def test_a_cut_after_every_acknowledged_write_loses_nothing(tmp_path):
    tale = story(tmp_path)
    for step in tale.steps():
        step()
        tale.cut()
    assert tale.cuts == 10
    tale.disk.close_all()


def test_a_card_survives_once_it_was_saved(tmp_path):
    tale = story(tmp_path)
    tale.begin()
    tale.world.journal.save_card(ANA, tale.world.journal.card(ANA, SESSION).replace(title="kept"))
    tale.disk.image(str(tmp_path / "image"))
    assert World(tmp_path / "image" / "home").journal.card(ANA, SESSION).title == "kept"
    tale.disk.close_all()


def test_killed_at_any_call_then_written_by_another_then_cut_loses_nothing(tmp_path):
    """The survivor must not build on names that only the dead writer's memory held."""
    killed = 0
    for die_at in range(1, 2000):
        tale = story(tmp_path / str(die_at), die_at)
        try:
            for step in tale.steps():
                step()
        except Killed:
            killed += 1
        dead = tale.disk.calls >= die_at
        tale.disk.die_at = 0
        tale.new_process()
        tale.survive()
        tale.disk.close_all()
        shutil.rmtree(tmp_path / str(die_at))
        if not dead:
            break
    assert killed > 100
    assert not dead


def test_without_its_sync_the_same_check_fails(tmp_path):
    class Forgetful(MortalDisk):
        def sync(self, fd):
            return

    (tmp_path / "root").mkdir()
    tale = Story(tmp_path, Forgetful(str(tmp_path / "root")))
    tale.begin()
    tale.append("one")
    with pytest.raises(KeyError):
        tale.cut()
    tale.disk.close_all()
