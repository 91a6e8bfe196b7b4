import os

from holdfast.journal.line import sealed
from holdfast.model.scope import Scope
from tests.unit.journal.world import ALL, ANA, BEN, SESSION


def test_entries_come_with_their_amendments_folded_in_by_seq(world):
    first, second = world.add("one", "two")
    world.journal.amend(ANA, SESSION, first.id, "user", {"importance": 0.9})
    world.journal.amend(ANA, SESSION, first.id, "user", {"importance": 0.2, "pinned": True})
    addresses = world.addresses()
    shuffled = addresses[first.id].replace(spans=(addresses[first.id].spans[0], *addresses[first.id].spans[:0:-1]))
    found = world.journal.fetch(ANA, [shuffled, addresses[second.id]])
    assert (found[first.id].importance, found[first.id].pinned) == (0.2, True)
    assert found[second.id] == second


def test_what_does_not_check_out_is_left_out(world):
    first, second = world.add("one", "two")
    good, other = world.addresses()[first.id], world.addresses()[second.id]
    offset, length = good.spans[0]
    for spans in ((), ((offset + 1, length),), ((offset, length - 1),), ((0, 50),), ((10**9, 10),), other.spans,
                  (*good.spans, *other.spans)):  # fmt: skip
        assert world.journal.fetch(ALL, [good.replace(spans=spans)]) == {}, spans


def test_a_damaged_byte_leaves_only_its_own_entry_out(world):
    second = world.add("one", "two")[1]
    addresses = world.addresses().values()
    world.put(world.bytes().replace(b'"one"', b'"0ne"'))
    assert list(world.journal.fetch(ALL, addresses)) == [second.id]


def test_old_addresses_after_a_rewrite_give_nothing_wrong(world):
    world.add("one", "two", "three")
    addresses = list(world.addresses().values())
    world.journal.rewrite(ALL, SESSION, lambda entry: None if entry.text == "one" else entry)
    found = world.journal.fetch(ALL, addresses)
    assert all(found[id].id == id for id in found)


def test_only_what_the_scope_sees_is_returned(world):
    world.add("one")
    addresses = list(world.addresses().values())
    assert len(world.journal.fetch(ANA, addresses)) == 1
    assert world.journal.fetch(BEN, addresses) == {}
    assert world.journal.fetch(Scope(agent="main", user="ana", sessions=("sess_20260101_zzz999",)), addresses) == {}


def test_a_missing_journal_leaves_its_entries_out(world):
    world.add("one")
    addresses = list(world.addresses().values())
    os.unlink(world.path())
    assert world.journal.fetch(ALL, addresses) == {}


def test_entries_of_a_journal_without_checksums_can_be_fetched(world):
    world.put(b'{"id":"mem_1","timestamp":"2026-01-01T00:00:00Z","content":{"message":"old"}}\n')
    assert world.journal.fetch(ALL, world.addresses().values())["mem_1"].text == "old"


def test_entries_of_a_later_schema_that_cannot_be_read_are_left_out(world):
    world.put(world.bytes() + sealed({"schema_version": 9, "id": "mem_1", "timestamp": "", "content": {}}) + b"\n")
    assert world.journal.fetch(ALL, world.addresses().values()) == {}
