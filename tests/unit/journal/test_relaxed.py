import errno
import os
import time

import pytest

from holdfast.disk import Disk
from holdfast.errors import StorageFailed
from tests.unit.journal.world import QUICK, World

RELAXED = QUICK.replace(durability="relaxed", relaxed_ms=20)


class Counting(Disk):
    def __init__(self, code=0):
        self.synced = []
        self.code = code

    def sync(self, fd):
        if self.code:
            raise OSError(self.code, "no")
        self.synced.append(os.readlink(f"/proc/self/fd/{fd}"))


@pytest.fixture
def relaxed(tmp_path):
    world = World(tmp_path / "home")
    world.session()
    disk = Counting()
    world.journal = world.another(disk, RELAXED)
    return world, disk


def test_a_relaxed_write_says_that_it_is_not_durable_yet_and_is_synced_soon(relaxed):
    world, disk = relaxed
    assert not world.add("one")[0].durable
    assert disk.synced == []
    deadline = time.monotonic() + 5
    while not disk.synced and time.monotonic() < deadline:
        time.sleep(0.005)
    assert disk.synced == [world.path()]
    world.add("two")
    world.journal.close()
    assert disk.synced == [world.path()] * 2


def test_close_syncs_at_once(tmp_path):
    world = World(tmp_path / "home")
    world.session()
    disk = Counting()
    journal = world.another(disk, RELAXED.replace(relaxed_ms=60_000))
    world.add("one", journal=journal)
    journal.close()
    assert disk.synced == [world.path()]


def test_a_sync_that_failed_behind_the_back_is_raised_and_not_swallowed(relaxed):
    world, disk = relaxed
    disk.code = errno.EIO
    world.add("one")
    with pytest.raises(StorageFailed, match="EIO"):
        world.journal.close()


def test_the_next_write_is_refused_before_it_writes_when_a_sync_failed(relaxed):
    world, disk = relaxed
    disk.code = errno.EIO
    world.add("one")
    deadline = time.monotonic() + 5
    while world.journal._desk.relaxed._failure is None and time.monotonic() < deadline:
        time.sleep(0.005)
    with pytest.raises(StorageFailed, match="EIO"):
        world.add("two")
    assert world.texts() == ["one"]


def test_a_forked_child_goes_on_with_its_own_thread(relaxed):
    world, disk = relaxed
    world.add("one")
    child = os.fork()
    if not child:
        disk.synced.clear()
        world.add("two")
        deadline = time.monotonic() + 5
        while not disk.synced and time.monotonic() < deadline:
            time.sleep(0.005)
        os._exit(0 if world.texts() == ["one", "two"] and disk.synced else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
