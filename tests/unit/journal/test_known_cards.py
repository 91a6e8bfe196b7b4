"""A card is read once and believed as long as its file and its journal are the same ones."""

from tests.unit.journal.world import ALL, SESSION


def test_a_card_that_another_process_saved_is_seen(world):
    world.add("one")
    before = world.journal.card(ALL, SESSION)
    world.another().save_card(ALL, before.replace(title="changed"))
    assert world.journal.card(ALL, SESSION).title == "changed"


def test_a_card_that_was_damaged_is_made_again_from_the_header(world):
    world.add("one")
    assert world.journal.card(ALL, SESSION).extra == {}
    world.put(b"{", "metadata.json")
    assert world.journal.card(ALL, SESSION).extra == {"rebuilt": True}


def test_an_unchanged_card_is_not_read_again(world, monkeypatch):
    world.add("one")
    found = world.journal.card(ALL, SESSION)
    monkeypatch.setattr("holdfast.journal.cards.read_card", None)
    assert world.journal.card(ALL, SESSION) is found


def test_a_journal_that_is_gone_has_no_card(world):
    world.add("one")
    assert world.journal.card(ALL, SESSION) is not None
    world.journal.remove(ALL, SESSION)
    assert world.journal.card(ALL, SESSION) is None
