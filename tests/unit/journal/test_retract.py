"""A line is synced after the lock was let go: others write meanwhile, and a sync that fails takes back only its own."""

import errno
import json
import os
import subprocess
import sys

import pytest

import holdfast
from holdfast.disk import Disk
from holdfast.errors import Locked, StorageFailed
from holdfast.lock import Lock
from holdfast.model.entry import Tombstone
from holdfast.model.moment import iso
from holdfast.model.record import fold
from tests.unit.journal.world import ANA, SESSION


class Meanwhile(Disk):
    """Does something during the first sync, and then fails it if told to."""

    def __init__(self, act, fails=True):
        self.act, self.fails = act, fails

    def sync(self, fd):
        act, self.act = self.act, None
        if act is not None:
            act()
            if self.fails:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
        super().sync(fd)


def failing(world, act):
    return world.another(Meanwhile(act))


def test_another_may_write_while_a_line_is_synced(world):
    seqs = [entry.seq for entry in world.add("one", journal=world.another(Meanwhile(lambda: world.add("two"), False)))]
    assert seqs == [1]
    assert world.texts() == ["one", "two"]
    assert [line.record["seq"] for line in world.replay().lines] == [1, 2]


def test_a_line_with_others_behind_it_is_taken_back_and_they_stay(world):
    world.add("one")
    with pytest.raises(StorageFailed, match="sync"):
        world.add("two", "three", journal=failing(world, lambda: world.add("four")))
    assert world.texts() == ["one", "four"]
    assert b"two" not in world.bytes()
    assert not [line for line in world.replay().lines if line.record is None]
    assert world.add("five")[0].seq == 5


def test_lines_of_another_program_outlive_the_header_that_a_retraction_puts_above_them(world):
    foreign = [
        {"id": f"old-{n}", "timestamp": "2025-12-31T00:00:00Z", "type": "note", "content": {"message": f"old {n}"}}
        for n in (1, 2)
    ]
    world.put(b"".join(json.dumps(line).encode() + b"\n" for line in foreign))
    before = [line.record for line in world.replay().lines]
    with pytest.raises(StorageFailed, match="sync"):
        world.add("two", journal=failing(world, lambda: world.add("three")))
    assert world.texts() == ["old 1", "old 2", "three"]
    after = [line.record for line in world.replay().lines]
    assert [{**line, "checksum": ""} for line in after[:2]] == [{**_FULL, **line, "checksum": ""} for line in before]
    assert [line["user_id"] for line in after] == ["ana"] * 3


_FULL = {"importance": 0.5, "tags": [], "references": [], "metadata": {}, "provenance": "user", "sensitive": False,
         "pinned": False}  # fmt: skip


def test_a_line_that_was_carried_into_another_generation_is_taken_back_there(world):
    world.add("one")

    def compact():
        world.journal.rewrite(ANA, SESSION, lambda entry: entry)

    with pytest.raises(StorageFailed):
        world.add("two", journal=failing(world, compact))
    assert world.texts() == ["one"]


def test_a_line_that_was_removed_meanwhile_is_gone(world):
    with pytest.raises(StorageFailed):
        world.add("two", journal=failing(world, lambda: world.journal.remove(ANA, SESSION)))
    assert not os.path.exists(world.path())


def test_an_amendment_is_synced_under_the_lock_so_that_no_compaction_folds_in_what_is_refused(world):
    entry = world.add("one")[0]
    seen = []

    def compact():
        try:
            world.another(options=world.options.replace(lock_ms=20)).rewrite(ANA, SESSION, lambda entry: entry)
        except Locked as error:
            seen.append(error)

    with pytest.raises(StorageFailed):
        failing(world, compact).amend(ANA, SESSION, entry.id, "user", {"importance": 1.0})
    assert len(seen) == 1
    world.journal.rewrite(ANA, SESSION, lambda entry: entry)
    assert fold(world.replay().lines)[entry.id].importance == 0.5


def test_what_a_refused_tombstone_hid_is_made_up_for_and_its_place_not_used_again(world):
    first, second = world.add("one", "two")
    stones = [Tombstone(id=id, timestamp=iso(world.clock.now()), reason="user") for id in (first.id, second.id)]
    read = []
    with pytest.raises(StorageFailed):
        failing(world, lambda: read.append(world.journal.tombstones(ANA, SESSION))).bury(ANA, SESSION, stones[:1])
    world.journal.bury(ANA, SESSION, stones[1:])
    ((seen, offset),) = read
    assert [stone.id for stone in seen] == [first.id]
    later, _ = world.journal.tombstones(ANA, SESSION, offset)
    assert [(stone.id, stone.hides) for stone in later] == [(first.id, False), (second.id, True)]


def test_a_tombstone_that_stood_before_a_refused_lifting_stands_again(world):
    entry = world.add("one")[0]
    stone = Tombstone(id=entry.id, timestamp=iso(world.clock.now()), reason="user")
    world.journal.bury(ANA, SESSION, [stone])
    with pytest.raises(StorageFailed):
        failing(world, lambda: None).bury(ANA, SESSION, [stone.replace(reason="undelete")])
    assert world.journal.tombstones(ANA, SESSION)[0][-1] == stone


def test_on_a_disk_that_cannot_write_anew_a_line_with_others_behind_it_is_blanked(world):
    class Full(Meanwhile):
        def replace(self, source, target):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    world.add("one")
    with pytest.raises(StorageFailed, match="sync"):
        world.add("two", journal=world.another(Full(lambda: world.add("three"))))
    assert world.texts() == ["one", "three"]
    assert b"two" not in world.bytes()
    assert world.add("four")[0].seq == 4


def test_where_only_the_name_of_the_new_journal_is_not_synced_no_line_of_others_is_blanked(world):
    class Nameless(Meanwhile):
        def sync_dir(self, path):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    world.add("one")
    with pytest.raises(StorageFailed, match="sync"):
        world.add("two", journal=world.another(Nameless(lambda: world.add("three", "four"))))
    assert world.texts() == ["one", "three", "four"]
    assert not [line for line in world.replay().lines if line.record is None]


def test_where_the_lock_cannot_be_had_again_the_writer_is_told_all_the_same(world):
    taken = []
    slow = failing(world, lambda: taken.append(Lock(world.journal._places.lock(SESSION)).hold(100, "another")))
    with pytest.raises(StorageFailed, match="sync"):
        world.add("two", journal=slow)
    taken[0].release()
    assert world.add("three")[0].seq == 2


def test_an_id_that_the_caller_chose_is_durable_before_anybody_can_repeat_it(world):
    seen = []

    def repeat():
        try:
            world.another(options=world.options.replace(lock_ms=20)).append(ANA, SESSION, [draft], lambda _ids: {})
        except Locked as error:
            seen.append(error)

    draft = world.draft("one", chosen_id=True)
    with pytest.raises(StorageFailed):
        failing(world, repeat).append(ANA, SESSION, [draft])
    assert len(seen) == 1
    assert world.texts() == []


ANOTHER_PROCESS = """
import holdfast, sys
with holdfast.open(sys.argv[1], embedder="none") as other:
    other.load_session(sys.argv[2]).add("a boat on the river")
    print([hit.snippet for hit in other.search("whale")])
"""


def test_a_line_that_was_indexed_before_it_was_taken_back_is_found_no_more(tmp_path):
    seen = []

    def look():
        command = [sys.executable, "-c", ANOTHER_PROCESS, str(tmp_path), session.id]
        seen.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())

    with holdfast.open(tmp_path, embedder="none") as memory:
        session = memory.create_session()
        session.add("a kite over Lisbon")
        memory.store.journal._desk.disk = Meanwhile(look)
        with pytest.raises(StorageFailed):
            session.add("a whale off the coast")
        assert seen == ["['a whale off the coast']"]
        memory.add("a duck on the lake", session=session.id)  # before anybody looks again
        found = memory.search("whale")
        assert (found.hits, found.degraded) == ((), None)
        assert {entry.text for entry in memory.query(rank="recent")} == {
            "a kite over Lisbon", "a boat on the river", "a duck on the lake",
        }  # fmt: skip


REPLACED = """
import holdfast, sys
with holdfast.open(sys.argv[1], embedder="none") as other:
    other.add("a boat on the river", scope="user")
    print([hit.snippet for hit in other.search("whale")])
"""


def test_a_refused_value_of_a_key_does_not_hide_the_one_before_it(tmp_path):
    def look():
        subprocess.run([sys.executable, "-c", REPLACED, str(tmp_path)], capture_output=True, check=True)

    with holdfast.open(tmp_path, embedder="none") as memory:
        memory.add("the favourite is a kite", key="favourite", scope="user")
        memory.store.journal._desk.disk = Meanwhile(look)
        with pytest.raises(StorageFailed):
            memory.add("the favourite is a whale", key="favourite", scope="user")
        memory.add("a duck on the lake", scope="user")
        assert [hit.snippet for hit in memory.search("kite")] == ["the favourite is a kite"]
