"""What a journal holds, read from the journal itself."""

from holdfast.model.entry import Tombstone
from holdfast.model.moment import iso
from holdfast.model.scope import whole
from holdfast.testing.workbench import ALL, ANA, OTHER, SESSION
from holdfast.upkeep.holdings import holdings, records_of, standing


def held_by(desk, journal=SESSION):
    return holdings(desk.journal, ALL, journal)


def test_a_holding_is_the_entry_as_it_stands_with_all_its_lines(desk):
    entry = desk.add("first words")
    desk.journal.amend(ANA, SESSION, entry.id, "ana", {"text": "second words"})
    (holding,) = held_by(desk)
    assert holding.entry.text == "second words"
    assert [record.get("content", record.get("set"))["text"] for record in holding.records] == [
        "first words", "second words",
    ]  # fmt: skip
    assert holding.amendments == 1
    assert holding.visible


def test_the_records_of_some_entries_are_those_that_their_holdings_have(desk):
    first, second, lost = desk.add("first"), desk.add("second"), desk.add("lost")
    for entry in (first, second, lost):
        desk.journal.amend(ANA, SESSION, entry.id, "ana", {"text": f"{entry.text} again"})
    desk.damage(SESSION, lost.id)
    by_id = held_by(desk).by_id
    for ids in ({first.id}, {first.id, lost.id}, {"mem_none"}, set()):
        wanted = [record for id in ids if id in by_id for record in by_id[id].records]
        assert records_of(desk.journal, ALL, SESSION, ids) == wanted
    assert records_of(desk.journal, ALL, OTHER, {first.id}) == []


def test_bytes_of_all_holdings_are_the_bytes_of_all_lines(desk):
    for text in ("a", "b" * 100, "日本"):
        desk.journal.amend(ANA, SESSION, desk.add(text).id, "ana", {"pinned": True})
    held = held_by(desk)
    lines = desk.journal.replay(ALL, SESSION).lines
    assert sum(holding.bytes for holding in held) == sum(line.length + 1 for line in lines)
    assert len(held) == 3


def test_deleted_and_superseded_entries_are_held_but_not_visible(desk):
    own = desk.user()
    deleted = desk.add("gone")
    desk.bury(deleted)
    old = desk.add("vim", own, type="preference", key="editor")
    new = desk.add("emacs", own, type="preference", key="editor")
    assert [holding.stone is not None for holding in held_by(desk)] == [True]
    states = {holding.entry.id: holding.superseded for holding in held_by(desk, own)}
    assert states == {old.id: True, new.id: False}


def test_an_undeleted_entry_is_visible_again(desk):
    entry = desk.add("back")
    desk.bury(entry)
    desk.bury(entry, reason="undelete")
    assert [holding.visible for holding in held_by(desk)] == [True]


def test_damaged_lines_are_told_apart(desk):
    desk.damage(SESSION, desk.add("spoilt").id)
    desk.add("fine")
    held = held_by(desk)
    assert (len(held), len(held.damaged)) == (1, 1)


def test_there_is_nothing_where_there_is_no_journal(desk):
    assert held_by(desk, OTHER) is None
    desk.bury(desk.add())
    desk.journal.remove(ALL, SESSION)
    assert held_by(desk) is None


def test_the_last_tombstone_of_an_id_stands():
    stones = [Tombstone(id="a", timestamp=iso(0), reason=reason) for reason in ("user", "undelete", "forget")]
    stones += [Tombstone(id="b", timestamp=iso(0), reason=reason) for reason in ("user", "undelete")]
    assert {id: stone.reason for id, stone in standing(stones).items()} == {"a": "forget"}
    assert whole("main") == ALL
