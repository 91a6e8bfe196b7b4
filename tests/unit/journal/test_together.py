"""Threads that write to one journal at the same moment share a lock, a write and a sync, and nothing else."""

import threading
import time

import pytest

from holdfast.disk import Disk
from holdfast.errors import Denied, HoldfastError, Locked, SizeLimit, StorageFailed
from holdfast.journal import JournalOptions
from holdfast.journal.together import Table
from holdfast.lock import Lock
from holdfast.testing.disk import UnsyncedDisk
from tests.interrupts import interrupted_everywhere
from tests.unit.journal.world import ANA, BEN, SESSION, World


class Slow(Disk):
    """Syncs slowly, so that others come meanwhile; counts, and fails when told to."""

    def __init__(self):
        self.syncs, self.broken, self.first = 0, None, threading.Event()

    def sync(self, fd):
        self.syncs += 1
        self.first.set()
        time.sleep(0.05)
        if self.broken is not None and self.syncs == 2:
            raise self.broken
        super().sync(fd)


@pytest.fixture
def disk():
    return Slow()


def opened(tmp_path, disk, **options):
    world = World(tmp_path / "home", disk, JournalOptions(**{"lock_ms": 5000, "backoff_ms": 1, **options}))
    world.session()
    disk.syncs = 0
    return world


def at_once(world, disk, *appends):
    """One append leads, all others come while it is at work; what each returned or raised, in order."""
    answers = {}

    def run(number, scope, drafts):
        try:
            answers[number] = world.journal.append(scope, SESSION, drafts)
        except (HoldfastError, RuntimeError) as error:
            answers[number] = error

    threads = [threading.Thread(target=run, args=(number, *append)) for number, append in enumerate(appends)]
    disk.first.clear()
    threads[0].start()
    assert disk.first.wait(5)
    for thread in threads[1:]:
        thread.start()
    for thread in threads:
        thread.join()
    return [answers[number] for number in range(len(appends))]


def test_those_who_come_while_one_writes_share_the_next_write(tmp_path, disk):
    world = opened(tmp_path, disk)
    answers = at_once(world, disk, *[(ANA, [world.draft(f"text {number}")]) for number in range(8)])
    assert disk.syncs == 2
    assert sorted(answer[0].seq for answer in answers) == list(range(1, 9))
    assert [answer[0].text for answer in answers] == [f"text {number}" for number in range(8)]
    stored = {line.record["id"]: line.record for line in world.replay().lines}
    assert all(stored[answer[0].id]["checksum"] == answer[0].checksum for answer in answers)


def test_each_gets_its_own_error_and_the_others_are_stored(tmp_path, disk):
    world = opened(tmp_path, disk, entry_bytes=2000)
    good, denied, long, also = at_once(
        world, disk, (ANA, [world.draft("good")]), (BEN, [world.draft("of another")]),
        (ANA, [world.draft("x" * 3000)]), (ANA, [world.draft("also good")]),
    )  # fmt: skip
    assert isinstance(denied, Denied)
    assert isinstance(long, SizeLimit)
    assert world.texts() == ["good", "also good"]
    assert (good[0].seq, also[0].seq) == (1, 2)


def test_one_that_does_not_fit_keeps_nobody_else_out(tmp_path, disk):
    world = opened(tmp_path, disk, session_bytes=6000)
    _, large, small = at_once(
        world, disk, (ANA, [world.draft("first")]), (ANA, [world.draft("x" * 5000)]), (ANA, [world.draft("small")])
    )
    assert isinstance(large, SizeLimit)
    assert large.details["kind"] == "journal"
    assert [entry.text for entry in small] == ["small"]
    assert world.texts() == ["first", "small"]


def test_a_sync_that_fails_is_told_to_all_who_waited_for_it_and_never_tried_again(tmp_path, disk):
    world = opened(tmp_path, disk)
    disk.broken = OSError(5, "broken")
    first, *rest = at_once(world, disk, *[(ANA, [world.draft(f"text {number}")]) for number in range(4)])
    assert [entry.text for entry in first] == ["text 0"]
    assert [type(error) for error in rest] == [StorageFailed] * 3
    assert disk.syncs == 2
    assert world.texts() == ["text 0"]


def test_a_leader_that_is_interrupted_leaves_nobody_waiting(tmp_path, disk):
    world = opened(tmp_path, disk)
    disk.broken = RuntimeError("out of the blue")
    first, *rest = at_once(world, disk, *[(ANA, [world.draft(f"text {number}")]) for number in range(4)])
    assert [entry.text for entry in first] == ["text 0"]
    assert sorted(type(error).__name__ for error in rest) == ["RuntimeError", "StorageFailed", "StorageFailed"]
    assert world.add("after all")[0].text == "after all"


def test_nobody_waits_longer_than_it_was_told_to(tmp_path, disk):
    world = opened(tmp_path, disk, lock_ms=100)
    path = world.journal._places.lock(SESSION)
    answers = []

    def run():
        try:
            answers.append(world.add("x"))
        except Locked as error:
            answers.append(error)

    with Lock(path).hold(0, "a long rewrite"):
        threads = [threading.Thread(target=run) for _ in range(4)]
        started = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert time.monotonic() - started < 1
    assert [(type(answer), answer.details["what"]) for answer in answers] == [(Locked, "a long rewrite")] * 4


def test_a_request_that_was_taken_and_never_written_is_told_so(tmp_path, disk, monkeypatch):
    """An interrupt may fall between taking a request from the table and noting that it was taken."""
    world = opened(tmp_path, disk)
    monkeypatch.setattr(Table, "taken", lambda table: table.waiting.clear() or [])
    with pytest.raises(StorageFailed, match="interrupted"):
        world.add("lost on the way")


def test_an_interrupt_at_any_moment_leaves_neither_a_lock_nor_something_to_be_written_later(tmp_path):
    world = World(tmp_path / "home", UnsyncedDisk(), JournalOptions(lock_ms=50, backoff_ms=1))
    world.session()
    for moment in interrupted_everywhere(lambda: world.add("interrupted")):
        tables = world.journal._together._tables.values()
        assert not any(table.mutex.locked() or table.waiting for table in tables), moment
        assert Lock(world.journal._places.lock(SESSION)).hold(0, "look").release() is None
    assert moment > 100
    assert world.add("after")[0].seq > 1
