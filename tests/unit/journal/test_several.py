"""One call to several journals: all locks first, all checks under them, and a disk that fails leaves nothing behind."""

import errno
import hashlib
import json
import os
import threading
import time

import pytest

from holdfast.disk import Disk
from holdfast.errors import FormatTooNew, Locked, StorageFailed
from holdfast.lock import Lock
from holdfast.model.batch import Batch
from holdfast.model.card import Card
from holdfast.model.moment import iso
from holdfast.testing.disk import FaultyDisk
from tests.unit.journal.world import ALL, ANA, SESSION, World, texts

NAMES = [f"sess_20260101_{name}" for name in ("aaaaaa", "bbbbbb", "cccccc")]
FIRST, SECOND, THIRD = NAMES


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "home")
    for name in NAMES:
        made.session(name)
    return made


def batches(world, *names, text="new", **cards):
    return [
        Batch(scope=ANA, journal=name, drafts=[world.draft(text, session_id=name)], card=cards.get(name))
        for name in names or NAMES
    ]


def stored(world):
    return [texts(world.journal.replay(ALL, name)) for name in NAMES]


def lock_of(name):
    return hashlib.sha256(name.encode()).hexdigest()[:2]


def sharing(name):
    """Another session that has the same lock file."""
    tried = (f"sess_20260101_{number:06d}" for number in range(100_000))
    return next(other for other in tried if lock_of(other) == lock_of(name))


class Failing(Disk):
    """Fails these calls on these files; one call may be told to succeed so many times first."""

    def __init__(self, **calls):
        self.calls, self.paths = calls, {}

    def open(self, path, flags, mode=0o600):
        fd = super().open(path, flags, mode)
        self.paths[fd] = path
        return fd

    def _fails(self, call, fd):
        if any(
            name in self.paths.get(fd, "") and self.paths[fd].endswith(".jsonl") for name in self.calls.get(call, ())
        ):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    def write(self, fd, data):
        self._fails("write", fd)
        return super().write(fd, data)

    def pwrite(self, fd, data, offset):
        self._fails("pwrite", fd)
        return super().pwrite(fd, data, offset)

    def sync(self, fd):
        self._fails("sync", fd)
        super().sync(fd)

    def ftruncate(self, fd, size):
        self._fails("ftruncate", fd)
        super().ftruncate(fd, size)


class Watching(Disk):
    """Notes which files are locked, opened and written, in order."""

    def __init__(self):
        self.seen, self.paths, self.most = [], {}, 0

    def open(self, path, flags, mode=0o600):
        fd = super().open(path, flags, mode)
        self.paths[fd] = path
        self.most = max(self.most, len(self.paths))
        return fd

    def close(self, fd):
        self.paths.pop(fd, None)
        super().close(fd)

    def lock(self, fd, exclusive=True, block=False):
        self.seen.append(("lock", os.path.basename(self.paths[fd])))
        return super().lock(fd, exclusive, block)

    def write(self, fd, data):
        self.seen.append(("write", self.paths[fd].split(os.sep)[-2]))
        return super().write(fd, data)


def test_all_locks_are_had_in_ascending_order_before_anything_is_written(world):
    disk = Watching()
    world.another(disk).append_all(ALL, batches(world)[::-1])
    locks = sorted({lock_of(name) for name in NAMES})
    assert disk.seen == [*[("lock", name) for name in locks], *[("write", name) for name in NAMES[::-1]]]


def test_a_lock_that_two_journals_share_is_had_once(world):
    other = sharing(FIRST)
    world.session(other)
    disk = Watching()
    world.another(disk).append_all(ALL, batches(world, FIRST, other))
    assert [name for act, name in disk.seen if act == "lock"] == [lock_of(FIRST)]
    assert texts(world.journal.replay(ALL, other)) == ["new"]


@pytest.mark.parametrize("busy", NAMES)
def test_where_one_lock_is_not_had_in_time_nothing_is_written(world, busy):
    with (
        Lock(os.path.join(world.folder, "locks", lock_of(busy))).hold(0, "test"),
        pytest.raises(Locked),
    ):
        world.journal.append_all(ALL, batches(world))
    assert stored(world) == [[], [], []]
    world.journal.append_all(ALL, batches(world))
    assert stored(world) == [["new"]] * 3


def test_where_one_was_written_by_a_later_version_nothing_is_written(world):
    path = world.path(journal=SECOND)
    with open(path, "rb") as source:
        header = json.loads(source.readline())
    header.update(journal=2, checksum=None)
    body = json.dumps({name: value for name, value in header.items() if value is not None}, separators=(",", ":"))[:-1]
    digest = hashlib.sha256(body.encode()).hexdigest()
    with open(path, "w", encoding="utf-8") as target:
        target.write(f'{body},"checksum":"sha256:{digest}"}}\n')
    with pytest.raises(FormatTooNew):
        world.another().append_all(ALL, batches(world))
    assert stored(world) == [[], [], []]


@pytest.mark.parametrize("call", ["write", "sync"])
@pytest.mark.parametrize("failing", NAMES)
def test_where_one_cannot_be_written_what_others_got_is_taken_back(world, call, failing):
    world.journal.append_all(ALL, batches(world, text="before"))
    with pytest.raises(StorageFailed) as refused:
        world.another(Failing(**{call: [failing]})).append_all(ALL, batches(world))
    assert "written" not in refused.value.details
    assert stored(world) == [["before"]] * 3
    assert [entries[0].seq for entries in world.journal.append_all(ALL, batches(world))] == [2, 2, 2]


def test_a_journal_that_was_made_for_it_goes_again(world):
    new = "sess_20260101_zzzzzz"
    card = Card(id=new, user_id="ana", created_at=iso(world.clock.now()))
    disk = Failing(write=[THIRD])
    with pytest.raises(StorageFailed):
        world.another(disk).append_all(ALL, batches(world, new, THIRD, **{new: card}))
    assert not os.path.exists(world.path("", new))
    world.journal.append_all(ALL, batches(world, new, THIRD, **{new: card}))
    assert texts(world.journal.replay(ALL, new)) == ["new"]


def test_an_interrupt_takes_back_too(world):
    class Interrupted(Failing):
        def sync(self, fd):
            if SECOND in self.paths.get(fd, ""):
                raise KeyboardInterrupt
            super().sync(fd)

    with pytest.raises(KeyboardInterrupt):
        world.another(Interrupted()).append_all(ALL, batches(world))
    assert stored(world) == [[], [], []]


def test_what_cannot_be_cut_off_is_spaced_out_or_written_anew(world):
    world.journal.append_all(ALL, batches(world, text="before"))
    disk = Failing(write=[SECOND], ftruncate=[FIRST])
    with pytest.raises(StorageFailed) as refused:
        world.another(disk).append_all(ALL, batches(world))
    assert "written" not in refused.value.details
    assert stored(world) == [["before"]] * 3


def test_what_cannot_be_taken_back_at_all_is_named(world):
    class Stubborn(Failing):
        def replace(self, source, target):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    disk = Stubborn(write=[SECOND], ftruncate=[FIRST], pwrite=[FIRST])
    with pytest.raises(StorageFailed, match="look there") as refused:
        world.another(disk).append_all(ALL, batches(world))
    assert refused.value.details["written"] == [FIRST]
    assert stored(world) == [["new"], [], []]


def test_whatever_call_fails_all_are_written_or_none(world):
    """Two faults never come together here, so that nothing stands in the way of taking back."""
    for fail_at in range(1, 1000):
        before = stored(world)
        disk = FaultyDisk(fail_at)
        try:
            world.another(disk).append_all(ALL, batches(world, text=str(fail_at)))
        except StorageFailed:
            assert stored(world) == before, fail_at
        else:
            assert stored(world) == [[*found, str(fail_at)] for found in before], fail_at
        if not disk.injected:
            return
    raise AssertionError("no run was clean")


def test_a_call_to_very_many_journals_needs_few_open_files(world):
    names = [f"sess_20260101_{number:06d}" for number in range(400)]
    for name in names:
        world.session(name)
    disk = Watching()
    world.another(disk).append_all(ALL, batches(world, *names))
    assert disk.most <= 256 + 2


def test_calls_to_the_same_journals_in_any_order_all_end(world):
    def write(number):
        journal = world.another()
        for turn in range(10):
            names = NAMES if (number + turn) % 2 else NAMES[::-1]
            journal.append_all(ALL, batches(world, *names))
            journal.append(ANA, names[0], [world.draft("alone", session_id=names[0])])

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [found.count("new") for found in stored(world)] == [40, 40, 40]
    for name in NAMES:
        seqs = [line.record["seq"] for line in world.journal.replay(ALL, name).lines]
        assert seqs == list(range(1, len(seqs) + 1))


def test_the_locks_of_chosen_ids_are_had_before_those_of_journals(world):
    chosen = [
        Batch(scope=ANA, journal=name, drafts=[world.draft("new", session_id=name, chosen_id=True)]) for name in NAMES
    ]
    disk = Watching()
    world.another(disk).append_all(ALL, chosen)
    ids = {f"id{hashlib.sha256(batch.drafts[0].id.encode()).hexdigest()[0]}" for batch in chosen}
    journals = {lock_of(name) for name in NAMES}
    assert [name for act, name in disk.seen if act == "lock"] == [*sorted(ids), *sorted(journals)]
    disk.seen.clear()
    one = world.draft("one", session_id=FIRST, chosen_id=True)
    world.another(disk).append(ANA, FIRST, [one])
    assert [name for act, name in disk.seen if act == "lock"][1:] == [lock_of(FIRST)]


def test_one_wait_bounds_the_locks_of_id_and_journal_together(world):
    started = time.monotonic()
    one = world.draft("one", session_id=FIRST, chosen_id=True)
    held = Lock(os.path.join(world.folder, "locks", lock_of(FIRST))).hold(0, "test")
    with held, pytest.raises(Locked):
        world.journal.append(ANA, FIRST, [one])
    assert time.monotonic() - started < 2 * world.options.lock_ms / 1000


def test_relaxed_says_so_of_each(world):
    from holdfast.journal import JournalOptions

    journal = world.another(options=JournalOptions(durability="relaxed"))
    written = journal.append_all(ALL, batches(world))
    assert [entries[0].durable for entries in written] == [False] * 3
    journal.close()


def test_one_session_is_written_as_before(world):
    assert SESSION not in NAMES
    disk = Watching()
    world.another(disk).append(ANA, FIRST, [world.draft("one", session_id=FIRST)])
    assert disk.seen == [("lock", lock_of(FIRST)), ("write", FIRST)]
