import json
import os

import pytest

from holdfast.disk import REAL
from holdfast.errors import Invalid, NotFound
from holdfast.journal.cards import read_card
from holdfast.journal.files import Places
from holdfast.journal.line import intact
from holdfast.model.card import Card
from holdfast.model.ids import user_dir
from holdfast.model.value import FrozenDict
from tests.unit.journal.world import ALL, ANA, SESSION

STAMP = "2026-01-01T00:00:00.000Z"


def test_a_card_comes_back_as_it_was_saved(world):
    card = world.journal.card(ANA, SESSION)
    assert (card.title, card.key, card.user_id) == ("Über", "default", "ana")
    changed = card.replace(
        title="new", statistics=FrozenDict({"conversation": 3}), extra=FrozenDict({"summarised_through": 7})
    )
    world.journal.save_card(ANA, changed)
    assert world.journal.card(ANA, SESSION) == changed


def test_creating_an_existing_journal_changes_nothing_and_returns_its_card(world):
    world.add("one")
    before = world.bytes()
    again = world.journal.create(ANA, Card(id=SESSION, user_id="ana", key="other", created_at=STAMP))
    assert again.key == "default"
    assert world.bytes() == before


def test_a_creation_that_was_cut_short_is_finished_by_the_next(world):
    os.unlink(world.path("metadata.json"))
    world.session()
    assert json.loads(world.bytes("metadata.json"))["title"] == "Über"


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"null", b'{"id":"sess_20260101_zzz999"}', b"\xff\x00" * 50])
def test_a_damaged_card_is_made_again_from_the_header_and_left_as_found(world, damage):
    world.put(damage, "metadata.json")
    card = world.journal.card(ANA, SESSION)
    assert (card.user_id, card.key, card.workspace, card.created_at) == ("ana", "default", "/w", STAMP)
    assert card.extra == {"rebuilt": True}
    assert world.bytes("metadata.json") == damage
    world.journal.save_card(ANA, card.replace(title="again"))
    assert world.journal.card(ANA, SESSION).extra == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [("created_at", "2026-41-01T00:00:00.00"), ("created_at", 5), ("ended_at", "2026-0q-01"), ("last_accessed", []),
     ("key", 5), ("workspace", ["/w"]), ("title", {}), ("title", "\ud83d"), ("kind", "sessioo"), ("version", "1"),
     ("total_entries", 2**70), ("decay_config", [1]), ("decay_config", {"half_life_hours": "long"}),
     ("decay_config", {"type_specific": [1]}), ("compaction_config", {"threshold": "x"}), ("statistics", 5)],
)  # fmt: skip
def test_a_card_with_a_value_of_another_kind_is_damaged(world, name, value):
    edit(world, **{name: value})
    assert world.journal.card(ANA, SESSION).extra == {"rebuilt": True}


def edit(world, **values):
    """As somebody edits a card by hand, or another program writes one: without a checksum."""
    card = json.loads(world.bytes("metadata.json"))
    del card["checksum"]
    world.put(json.dumps({**card, **values}).encode(), "metadata.json")


def test_a_card_without_a_checksum_is_read_and_gets_one_when_it_is_next_saved(world):
    edit(world, title="by hand", colour="blue")
    card = world.journal.card(ANA, SESSION)
    assert (card.title, card.extra) == ("by hand", {"colour": "blue"})
    world.journal.save_card(ANA, card)
    assert intact(world.bytes("metadata.json").removesuffix(b"\n"))
    assert world.journal.card(ANA, SESSION) == card


def test_no_flipped_bit_of_a_card_changes_what_it_says(world):
    card, data = world.journal.card(ANA, SESSION), world.bytes("metadata.json")
    for bit in range(len(data) * 8):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        world.put(bytes(flipped), "metadata.json")
        found = read_card(REAL, Places(world.folder).of(SESSION))
        assert found.extra == {"rebuilt": True} or found.replace(extra=FrozenDict()) == card


def test_a_flipped_bit_of_a_card_is_named(world):
    world.put(world.bytes("metadata.json").replace("Über".encode(), "Ûber".encode()), "metadata.json")
    assert world.journal.card(ANA, SESSION).title is None
    (found,) = world.journal.inspect(ANA, SESSION)
    assert found["file"] == world.path("metadata.json")


def test_a_card_saved_by_an_editor_that_marks_its_files_is_read(world):
    world.put(b"\xef\xbb\xbf" + world.bytes("metadata.json"), "metadata.json")
    assert world.journal.card(ANA, SESSION).title == "Über"


def test_a_card_that_names_another_owner_than_the_header_is_not_believed(world):
    world.put(world.bytes("metadata.json").replace(b'"ana"', b'"ben"'), "metadata.json")
    assert world.journal.card(ALL, SESSION).user_id == "ana"


def test_the_card_is_enough_where_the_header_is_damaged(world):
    world.put(b"x" + world.bytes()[1:])
    assert world.journal.card(ANA, SESSION).title == "Über"


def test_no_card_where_there_is_no_journal(world):
    assert world.journal.card(ALL, "sess_20260101_zzz999") is None
    with pytest.raises(NotFound):
        world.journal.save_card(ALL, Card(id="sess_20260101_zzz999", created_at=STAMP))


def test_kind_id_and_user_must_go_together(world):
    for card in (
        Card(id=SESSION, kind="user", user_id="ana", created_at=STAMP),
        Card(id=user_dir("ben"), kind="user", user_id="ana", created_at=STAMP),
        Card(id="global", kind="session", created_at=STAMP),
        Card(id=SESSION, kind="odd", created_at=STAMP),
    ):
        with pytest.raises(Invalid):
            world.journal.create(ALL, card)


def test_no_temporary_file_stays(world):
    world.journal.save_card(ANA, world.journal.card(ANA, SESSION))
    assert sorted(os.listdir(os.path.dirname(world.path()))) == ["memory.jsonl", "metadata.json"]
