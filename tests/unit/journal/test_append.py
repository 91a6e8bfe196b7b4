import errno
import json
import os

import pytest

from holdfast.disk import Disk
from holdfast.errors import FormatTooNew, Invalid, NotFound, SizeLimit, StorageFailed
from holdfast.journal import JournalOptions
from holdfast.journal.line import sealed
from holdfast.model.entry import Tombstone
from tests.unit.journal.world import ALL, ANA, QUICK, SESSION, World


def test_entries_come_back_with_seq_and_the_checksum_that_the_line_carries(world):
    first, second = world.add("one", "two")
    assert (first.seq, second.seq) == (1, 2)
    assert first.durable
    lines = world.bytes().splitlines()
    assert json.loads(lines[0])["journal"] == 1
    assert [json.loads(line)["checksum"] for line in lines[1:]] == [first.checksum, second.checksum]


def test_seq_goes_on_in_another_handle_and_over_amendments(world):
    entry = world.add("one")[0]
    assert world.journal.amend(ANA, SESSION, entry.id, "user", {"pinned": True}).seq == 2
    assert world.add("two", journal=world.another())[0].seq == 3
    assert world.add("three")[0].seq == 4


def test_what_was_withheld_is_told_and_not_written(world):
    entry = world.journal.append(ANA, SESSION, [world.draft("x", withheld=("content.text",))])[0]
    assert entry.withheld == ("content.text",)
    assert b"withheld" not in world.bytes()
    assert b"chosen_id" not in world.bytes()


def test_nothing_to_append_writes_nothing(world):
    before = world.bytes()
    assert world.journal.append(ANA, SESSION, []) == []
    assert world.bytes() == before


def test_a_write_is_announced_before_the_first_byte(world):
    sizes = []
    world.announced = type("Log", (), {"append": lambda self, journal: sizes.append(len(world.bytes()))})()
    journal = world.another()
    before = len(world.bytes())
    world.add("one", journal=journal)
    assert sizes == [before]


def test_a_torn_tail_is_sealed_as_its_own_bad_line_and_its_seq_is_not_given_again(world):
    world.add("one")
    world.put(world.bytes() + b'{"schema_version":1,"seq":2,"id"')
    entry = world.add("two", journal=world.another())[0]
    assert entry.seq == 3
    assert world.texts() == ["one", "two"]
    assert [line.record is None for line in world.replay().lines] == [False, True, False]


def test_a_line_that_lost_its_line_end_is_kept(world):
    world.add("one", "two")
    world.put(world.bytes()[:-1])
    assert world.add("three", journal=world.another())[0].seq == 3
    assert world.texts() == ["one", "two", "three"]


def test_seq_is_found_behind_a_long_stretch_of_damage(world):
    world.add("one")
    world.put(world.bytes() + b"rubbish\n" * 20_000)
    assert world.add("two", journal=world.another())[0].seq == 20_002


def test_no_seq_is_given_twice_where_lines_were_put_in_another_order(world):
    world.session()
    world.add(*(f"number {number}" for number in range(40)))
    header, *lines = world.bytes().splitlines(keepends=True)
    world.put(header + b"".join([*lines[:-4], lines[-1], *lines[-4:-1]]))
    (entry,) = world.add("next", journal=world.another())
    assert entry.seq == 41


def test_a_known_tail_is_not_trusted_after_somebody_else_wrote(world):
    world.add("one")
    other = world.another()
    world.add("two", journal=other)
    world.put(world.bytes() + b"torn")
    assert world.add("three")[0].seq == 4


def test_an_entry_over_its_limit_is_refused_with_its_bytes(world):
    journal = world.another(options=QUICK.replace(entry_bytes=2000))
    with pytest.raises(SizeLimit, match="2000") as caught:
        journal.append(ANA, SESSION, [world.draft("ok"), world.draft("é" * 1500)])
    assert caught.value.details["bytes"] > 3000
    assert world.texts() == []


def test_a_journal_may_be_exactly_full_and_not_a_byte_more(world):
    world.add("one")
    full = len(world.bytes())
    world.put(world.bytes()[: -full + world.bytes().index(b"\n") + 1])
    exact = world.another(options=QUICK.replace(session_bytes=full))
    assert world.add("two", journal=exact)
    with pytest.raises(SizeLimit):
        world.add("x", journal=exact)
    assert len(world.bytes()) == full


def test_a_full_journal_names_the_bytes_by_kind_and_tombstones_count(world):
    entry = world.journal.append(ANA, SESSION, [world.draft("one", pinned=True), world.draft("two", type="decision")])[
        0
    ]
    world.journal.amend(ANA, SESSION, entry.id, "user", {"importance": 0.9})
    world.journal.bury(ANA, SESSION, [Tombstone(id=entry.id, timestamp=entry.timestamp, reason="user")])
    limit = len(world.bytes()) + len(world.bytes("tombstones.jsonl"))
    with pytest.raises(SizeLimit) as caught:
        world.add("three", journal=world.another(options=QUICK.replace(session_bytes=limit)))
    kinds = caught.value.details["kinds"]
    assert set(kinds) == {"conversation", "decision", "amendments", "tombstones", "pinned"}
    assert kinds["tombstones"] == len(world.bytes("tombstones.jsonl"))
    header = world.bytes().index(b"\n") + 1
    assert kinds["conversation"] + kinds["decision"] + kinds["amendments"] == len(world.bytes()) - header


def test_the_same_id_twice_in_one_batch_is_invalid(world):
    draft = world.draft("one")
    with pytest.raises(Invalid, match="twice"):
        world.journal.append(ANA, SESSION, [draft, draft])


def test_a_chosen_id_that_is_stored_returns_the_stored_entry_and_writes_nothing(world):
    draft = world.draft("one", chosen_id=True)
    stored = world.journal.append(ANA, SESSION, [draft], known=lambda ids: {})[0]
    before = world.bytes()
    asked = []

    def known(drafts):
        asked.extend(drafts)
        return {stored.id: stored}

    assert world.journal.append(ANA, SESSION, [draft], known=known) == [stored]
    assert asked == [draft]
    assert world.bytes() == before
    fresh = world.draft("new")
    mixed = world.journal.append(ANA, SESSION, [fresh, draft], known=known)
    assert [entry.id for entry in mixed] == [fresh.id, draft.id]


def test_a_chosen_id_that_is_used_otherwise_is_invalid_and_leaves_the_file_as_it_is(world):
    def known(drafts):
        raise Invalid("in use", field="id")

    before = world.bytes()
    with pytest.raises(Invalid, match="in use"):
        world.journal.append(ANA, SESSION, [world.draft("one", chosen_id=True)], known=known)
    assert world.bytes() == before


def test_known_is_asked_under_the_lock(world):
    free = []

    def known(ids):
        free.append(world.another().when_idle(ALL, SESSION, lambda: None))
        return {}

    world.journal.append(ANA, SESSION, [world.draft(chosen_id=True)], known=known)
    assert free == [False]


def test_a_draft_that_belongs_elsewhere_is_invalid(world):
    for fields in ({"session_id": "sess_20260101_zzz999"}, {"scope": "global"}, {"scope": "user"}, {"id": "../../x"}):
        with pytest.raises(Invalid):
            world.journal.append(ANA, SESSION, [world.draft(**fields)])


def test_an_unknown_journal_is_not_found(world):
    other = "sess_20260101_zzz999"
    with pytest.raises(NotFound):
        world.journal.append(ALL, other, [world.draft(session_id=other)])
    with pytest.raises(NotFound):
        world.journal.amend(ALL, other, "mem_x", "user", {"pinned": True})
    assert not os.path.exists(os.path.dirname(world.path(journal=other)))


def test_a_journal_of_a_later_version_is_read_only_and_not_a_byte_is_changed(world):
    entry = world.add("one")[0]
    later = sealed(
        {"schema_version": 2, "seq": 2, "id": entry.id, "timestamp": entry.timestamp, "content": {"text": "x"}}
    )
    _, rest = world.bytes().split(b"\n", 1)
    newer_header = sealed({"journal": 2, "id": SESSION, "something": "else"})
    for data in (world.bytes() + later + b"\n", newer_header + b"\n" + rest):
        world.put(data)
        journal = world.another()
        for change in (
            lambda journal=journal: world.add("two", journal=journal),
            lambda journal=journal: journal.amend(ALL, SESSION, entry.id, "user", {"pinned": True}),
            lambda journal=journal: journal.rewrite(ALL, SESSION, lambda entry: entry),
            lambda journal=journal: journal.blank(ALL, SESSION, [entry.id]),
        ):
            with pytest.raises(FormatTooNew):
                change()
        assert world.bytes() == data
        assert world.replay().newer
        assert "one" in world.texts()


def test_only_some_fields_can_be_amended(world):
    entry = world.add("one")[0]
    for changes in ({"id": "x"}, {"type": "note"}, {}):
        with pytest.raises(Invalid):
            world.journal.amend(ANA, SESSION, entry.id, "user", changes)


class Failing(Disk):
    """Fails writes or syncs with an errno, a number of times."""

    def __init__(self, call, code, times=1):
        self.call, self.code, self.times = call, code, times

    def fail(self, call):
        if call == self.call and self.times:
            self.times -= 1
            raise OSError(self.code, os.strerror(self.code))

    def write(self, fd, data):
        if self.call == "write" and self.times:
            super().write(fd, data[:7])
        self.fail("write")
        return super().write(fd, data)

    def sync(self, fd):
        self.fail("sync")
        super().sync(fd)

    def open(self, path, flags, mode=0o600):
        if flags & os.O_RDWR:
            self.fail("open")
        return super().open(path, flags, mode)


def test_a_failed_write_is_taken_back_and_tried_again(world):
    journal = world.another(Failing("write", errno.ENOSPC, times=3))
    assert world.add("one", journal=journal)[0].seq == 1
    assert world.texts() == ["one"]
    assert not [line for line in world.replay().lines if line.record is None]


def test_a_write_that_goes_on_failing_is_an_error_and_leaves_nothing(world):
    world.add("one")
    before = world.bytes()
    with pytest.raises(StorageFailed, match="ENOSPC") as caught:
        world.add("two", journal=world.another(Failing("write", errno.ENOSPC, times=99)))
    assert caught.value.details["errno"] == "ENOSPC"
    assert world.path() in str(caught.value)
    assert world.bytes() == before
    assert world.add("three")[0].seq == 2


def test_retries_end_with_the_deadline(world):
    disk = Failing("write", errno.ENOSPC, times=99)
    slow = world.another(disk, JournalOptions(lock_ms=30, backoff_ms=20, retries=20))
    with pytest.raises(StorageFailed):
        world.add("two", journal=slow)
    assert disk.times >= 96


def test_a_read_only_file_system_fails_at_once(world):
    for call in ("write", "open"):
        disk = Failing(call, errno.EROFS, times=5)
        with pytest.raises(StorageFailed, match="read-only"):
            world.add("two", journal=world.another(disk))
        assert disk.times == 4, "no retry"


def test_nobody_is_in_a_journal_of_a_read_only_file_system(world):
    ran = []
    assert world.another(Failing("open", errno.EROFS)).when_idle(ALL, SESSION, lambda: ran.append(1))
    with pytest.raises(StorageFailed, match="EACCES"):
        world.another(Failing("open", errno.EACCES)).when_idle(ALL, SESSION, lambda: ran.append(2))
    assert ran == [1]


def test_a_failed_sync_is_never_tried_again_and_nothing_stays(world):
    world.add("one")
    before = world.bytes()
    disk = Failing("sync", errno.EIO, times=99)
    with pytest.raises(StorageFailed, match="sync"):
        world.add("two", journal=world.another(disk))
    assert disk.times == 98
    assert world.bytes() == before


def test_errors_never_show_what_was_remembered(world):
    with pytest.raises(StorageFailed) as caught:
        world.add("my secret words", journal=world.another(Failing("write", errno.EIO, times=99)))
    assert "secret" not in str(caught.value) + str(caught.value.details)


def test_files_and_directories_are_private_whatever_the_umask(tmp_path):
    for mask in (0o000, 0o777):
        before = os.umask(mask)
        try:
            world = World(tmp_path / f"home{mask}")
            world.session()
            entry = world.add("one")[0]
            world.journal.bury(ANA, SESSION, [Tombstone(id=entry.id, timestamp=entry.timestamp, reason="user")])
            world.journal.quarantine(ALL, SESSION, [(3, b"bad")])
            world.journal.rewrite(ALL, SESSION, lambda entry: entry)
        finally:
            os.umask(before)
        for folder, _, files in os.walk(world.home):
            assert os.stat(folder).st_mode & 0o777 == 0o700, folder
            for name in files:
                assert os.stat(os.path.join(folder, name)).st_mode & 0o777 == 0o600, name
