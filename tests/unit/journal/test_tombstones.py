import os

import pytest

from holdfast.errors import Invalid, NotFound
from holdfast.model.entry import Tombstone
from holdfast.model.ids import entry_id
from tests.unit.journal.world import ALL, ANA, SESSION

STAMP = "2026-01-01T00:00:00.000Z"


def stone(reason="user", id=None, **fields):
    return Tombstone(id=id or entry_id(5), timestamp=STAMP, reason=reason, **fields)


def test_tombstones_come_back_in_order_and_from_an_offset_on(world):
    first, second = stone(digest="sha256:00"), stone("topic", compacted_at=STAMP)
    world.journal.bury(ANA, SESSION, [first])
    found, offset = world.journal.tombstones(ANA, SESSION)
    assert found == [first]
    world.journal.bury(ANA, SESSION, [second, stone("undelete", id=first.id)])
    more, end = world.journal.tombstones(ANA, SESSION, offset)
    assert [found.reason for found in more] == ["topic", "undelete"]
    assert end == os.path.getsize(world.path("tombstones.jsonl"))
    assert world.journal.tombstones(ANA, SESSION, end) == ([], end)


def test_an_offset_past_the_end_gives_all_again(world):
    world.journal.bury(ANA, SESSION, [stone()])
    assert len(world.journal.tombstones(ANA, SESSION, 10**6)[0]) == 1


def test_a_reason_is_a_code_and_never_text(world):
    with pytest.raises(Invalid):
        world.journal.bury(ANA, SESSION, [stone("because of my secret")])
    assert world.journal.tombstones(ANA, SESSION) == ([], 0)


def test_a_torn_tombstone_is_sealed_and_does_not_spoil_the_next(world):
    world.journal.bury(ANA, SESSION, [stone()])
    world.put(world.bytes("tombstones.jsonl") + b'{"id":"mem_', "tombstones.jsonl")
    assert len(world.journal.tombstones(ANA, SESSION)[0]) == 1
    last = stone()
    world.journal.bury(ANA, SESSION, [last])
    assert world.journal.tombstones(ANA, SESSION)[0][1:] == [last]


def test_a_damaged_tombstone_still_hides_its_entry(world):
    kept, lifted = stone("topic"), stone("undelete")
    world.journal.bury(ANA, SESSION, [kept, lifted])
    broken = world.bytes("tombstones.jsonl").replace(b"sha256:", b"sha257:").replace(b"\n", b" ", 1)
    world.put(broken, "tombstones.jsonl")
    assert world.journal.tombstones(ANA, SESSION)[0] == [kept, lifted]
    world.put(broken.replace(b'"topic"', b'"t?pic"'), "tombstones.jsonl")
    assert [found.hides for found in world.journal.tombstones(ANA, SESSION)[0]] == [True, False]


def test_a_damaged_tombstone_of_a_session_still_keeps_writers_out(world):
    world.journal.bury(ANA, SESSION, [stone("forget", id=SESSION, compacted_at=STAMP)])
    world.put(world.bytes("tombstones.jsonl").replace(b"2026-01", b"2O26-01"), "tombstones.jsonl")
    with pytest.raises(NotFound):
        world.add()


def test_deleting_works_when_the_journal_is_full(world):
    world.add("one")
    small = world.another(options=world.options.replace(session_bytes=10))
    small.bury(ANA, SESSION, [stone()])
    assert world.journal.tombstones(ANA, SESSION)[0]


def test_an_unknown_journal_has_none_and_takes_none(world):
    other = "sess_20260101_zzz999"
    assert world.journal.tombstones(ALL, other) == ([], 0)
    with pytest.raises(NotFound):
        world.journal.bury(ALL, other, [stone()])
