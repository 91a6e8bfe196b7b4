import errno
import os

import pytest

from holdfast.disk import REAL, read_file
from holdfast.errors import StorageFailed
from holdfast.journal.line import decoded, sealed
from holdfast.model.value import FrozenDict
from holdfast.testing.disk import FaultyDisk
from tests.unit.journal.world import ALL, ANA, SESSION


def everything(entry):
    return entry


def test_survivors_keep_bytes_order_and_seq_and_the_generation_rises(world):
    entries = world.add("one", "two", "three")
    lines = world.bytes().splitlines()
    done = world.journal.rewrite(ALL, SESSION, lambda entry: None if entry.text == "two" else entry)
    after = world.bytes().splitlines()
    assert after[1:] == [lines[1], lines[3]]
    header = decoded(after[0])
    assert (header["generation"], header["next_seq"], header["user_id"]) == (2, 4, "ana")
    assert (done.generation, done.kept, done.dropped, done.damaged) == (2, 2, 1, 0)
    assert (done.bytes_before, done.bytes_after) == (sum(map(len, lines)) + 4, len(world.bytes()))
    assert entries[2].seq == 3


def test_no_seq_is_given_again_after_the_last_entries_went(world):
    world.add("one", "two")
    world.journal.rewrite(ALL, SESSION, lambda entry: None)
    assert world.add("three")[0].seq == 3
    assert world.add("four", journal=world.another())[0].seq == 4


def test_amendments_are_folded_in_and_the_checksum_is_new(world):
    first, second = world.add("one", "two")
    world.journal.amend(ANA, SESSION, first.id, "user", {"importance": 0.9, "tags": ["x"], "text": "uno"})
    world.journal.amend(ANA, SESSION, first.id, "user", {"importance": 0.7})
    seen = []
    world.journal.rewrite(ALL, SESSION, lambda entry: seen.append(entry) or entry)
    assert (seen[0].text, seen[0].importance, seen[0].tags) == ("uno", 0.7, ("x",))
    lines = [line.record for line in world.replay().lines]
    assert [record["seq"] for record in lines] == [1, 2]
    assert lines[0]["content"]["text"] == "uno"
    assert lines[0]["checksum"] != first.checksum
    assert lines[1]["checksum"] == second.checksum
    assert b"one" not in world.bytes()


def test_what_keep_changed_is_written_anew(world):
    world.add("one")
    done = world.journal.rewrite(ALL, SESSION, lambda entry: entry.replace(metadata=FrozenDict(), compacted=True))
    record = world.replay().lines[0].record
    assert record["compacted"] is True
    assert done.kept == 1


def test_unknown_fields_survive_a_rewrite(world):
    entry = world.add("one")[0]
    odd = sealed({**entry.replace(checksum=None).to_dict(), "seq": 2, "mood": "good"})
    world.put(world.bytes() + odd + b"\n")
    world.journal.rewrite(ALL, SESSION, lambda entry: entry.replace(importance=0.1))
    assert world.replay().lines[1].record["mood"] == "good"


def test_damaged_lines_go_to_quarantine_as_found(world):
    world.add("one", "two", "three")
    broken = world.bytes().replace(b'"two"', b'"tw0"')
    world.put(broken + b"torn end")
    done = world.another().rewrite(ALL, SESSION, everything)
    assert done.damaged == 2
    assert world.texts() == ["one", "three"]
    kept = world.journal.quarantined(ALL, SESSION)
    assert [read_file(REAL, piece["file"]) for piece in kept] == [broken.splitlines()[2], b"torn end"]
    assert kept[0]["offset"] == broken.index(broken.splitlines()[2])
    assert world.add("four")[0].seq == 5, "the seqs of both pieces stay taken"


def test_damaged_lines_that_must_be_forgotten_are_not_kept(world):
    world.add("one", "two")
    world.put(world.bytes().replace(b'"two"', b'"tw0"'))
    world.another().rewrite(ALL, SESSION, everything, drop_damaged=lambda raw: b"tw0" in raw)
    assert world.journal.quarantined(ALL) == []


def test_a_damaged_header_is_made_again(world):
    world.add("one", "two")
    world.put(b"x" + world.bytes()[1:])
    world.another().rewrite(ALL, SESSION, everything)
    header = decoded(world.bytes().splitlines()[0])
    assert (header["user_id"], header["key"], header["next_seq"]) == ("ana", "default", 3)
    assert header["generation"] > 1, "no number that an old mark could carry"


def test_without_header_and_card_the_first_entry_says_whose_it_is(world):
    world.add("one")
    world.put(b"x" + world.bytes()[1:])
    os.unlink(world.path("metadata.json"))
    world.another().rewrite(ALL, SESSION, everything)
    assert decoded(world.bytes().splitlines()[0])["user_id"] == "ana"


def test_a_journal_without_checksums_gets_them(world):
    world.put(b'{"id":"mem_1","timestamp":"2026-01-01T00:00:00Z","content":{"message":"old"},"type":"decision"}\n' * 2)
    assert world.add("new", journal=world.another())[0].seq == 3
    world.another().rewrite(ALL, SESSION, everything)
    assert [decoded(line) is not None for line in world.bytes().splitlines()] == [True] * 4
    assert world.texts() == ["old", "old", "new"]


def test_erased_lines_and_amendments_of_nothing_disappear(world):
    entry = world.add("one")[0]
    world.journal.amend(ANA, SESSION, "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV", "user", {"text": "orphan"})
    world.put(world.bytes() + b"     \n\n")
    world.another().rewrite(ALL, SESSION, everything)
    assert [line.record["id"] for line in world.replay().lines] == [entry.id]
    assert b"orphan" not in world.bytes()
    assert world.add("two")[0].seq == 4


def test_a_full_disk_leaves_the_old_journal_and_no_temporary_file(world):
    world.add("one")
    before = world.bytes()

    class Full(FaultyDisk):
        def write(self, fd, data):
            raise OSError(errno.ENOSPC, "full")

    with pytest.raises(StorageFailed, match="ENOSPC"):
        world.another(Full(0)).rewrite(ALL, SESSION, lambda entry: None)
    assert world.bytes() == before
    assert sorted(os.listdir(os.path.dirname(world.path()))) == ["memory.jsonl", "metadata.json"]


def test_what_killed_writers_left_is_swept(world):
    world.add("one")
    world.put(b"half a journal", "memory.jsonl.77-abcdef.tmp")
    world.put(b"half a card", "metadata.json.77-abcdef.tmp")
    world.journal.rewrite(ALL, SESSION, everything)
    assert sorted(os.listdir(os.path.dirname(world.path()))) == ["memory.jsonl", "metadata.json"]


def test_an_error_of_the_caller_changes_nothing(world):
    world.add("one")
    before = world.bytes()

    def fails(entry):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        world.journal.rewrite(ALL, SESSION, fails)
    assert world.bytes() == before
    assert world.add("two")[0].seq == 2
