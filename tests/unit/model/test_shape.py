"""What counts as an entry, an amendment, a header, a tombstone or a card: each field of its own kind."""

import pytest

from holdfast.model.shape import is_amendment, is_card, is_entry, is_header, is_tombstone, is_usual

STAMP = "2026-01-10T14:23:45.678Z"
ENTRY = {
    "schema_version": 1, "seq": 3, "id": "mem_1", "scope": "session", "session_id": "sess_1", "user_id": "ana",
    "timestamp": STAMP, "type": "note", "content": {"text": "hello", "role": "user"}, "importance": 0.5,
    "tags": ["a"], "references": [], "metadata": {}, "provenance": "user", "sensitive": False, "pinned": False,
    "checksum": "sha256:0",
}  # fmt: skip
AMENDMENT = {
    "schema_version": 1, "seq": 4, "amends": "mem_1", "timestamp": STAMP, "by": "owner", "set": {"pinned": True}
}  # fmt: skip
HEADER = {"journal": 1, "id": "sess_1", "generation": 1, "next_seq": 1, "kind": "session", "created_at": STAMP}
NOT_TEXT = (5, ["a"], {"a": 1}, True)


def nested(levels):
    return {"deeper": nested(levels - 1)} if levels else {}


def test_an_entry_as_we_write_it_is_one_and_needs_no_second_look():
    assert is_entry(ENTRY)
    assert is_usual(ENTRY)
    assert is_usual({**ENTRY, "workspace": "/w"})


@pytest.mark.parametrize("name", ["session_id", "user_id", "importance", "tags", "references", "metadata", "pinned"])
def test_an_entry_may_lack_what_has_a_default(name):
    assert is_entry({field: value for field, value in ENTRY.items() if field != name})


@pytest.mark.parametrize("name", ["id", "scope", "timestamp", "type", "content"])
def test_an_entry_may_not_lack_what_has_none(name):
    assert not is_entry({field: value for field, value in ENTRY.items() if field != name})


def test_unknown_fields_are_nobodys_to_judge():
    assert is_entry({**ENTRY, "aura": ["blue"], "key": "editor", "metadata": {"a": [1.5, None, {}]}})


WRONG = [
    *[(name, value) for name in ("id", "session_id", "user_id", "workspace", "key", "tool", "path", "type",
      "provenance", "timestamp", "checksum", "scope") for value in NOT_TEXT],
    *[("content", {"text": "a", name: value}) for name in ("text", "role", "author") for value in NOT_TEXT],
    *[("content", value) for value in ("a", 5, ["a"])], *[("metadata", value) for value in ("a", 5, ["a"])],
    *[(name, value) for name in ("tags", "references") for value in ("abc", 5, {"a": 1}, [5], ["a", None])],
    *[(name, value) for name in ("sensitive", "pinned", "compacted") for value in (0, 1, "yes", [])],
    *[("schema_version", value) for value in (True, 1.0, "1", None)],
    *[("seq", value) for value in (-1, 2**70, 1.0, "1", True)],
    *[("importance", value) for value in ("0.5", True, [], float("inf"), 10**400, 1e308, -1e308)],
    ("scope", "everywhere"), ("timestamp", "yesterday"), ("timestamp", "2026-01-10T14:23:45"), ("timestamp", ""),
    ("timestamp", "1969-12-31T23:59:59.999Z"), ("timestamp", "0000-01-01T00:00:00.000Z"),
    ("timestamp", "1970-01-00T00:00:00.000Z"),
    ("metadata", {"a": float("inf")}), ("metadata", nested(200)), ("aura", nested(200)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), WRONG, ids=repr)
def test_an_entry_with_a_value_of_another_kind_is_none(name, value):
    assert not is_entry({**ENTRY, name: value})
    assert not is_usual({**ENTRY, name: value})


@pytest.mark.parametrize("name", ["amends", "by", "timestamp", "set", "schema_version", "seq"])
def test_an_amendment_says_what_it_changes_who_did_it_and_when(name):
    assert is_amendment(AMENDMENT)
    assert not is_amendment({field: value for field, value in AMENDMENT.items() if field != name})


@pytest.mark.parametrize(
    "changes", [5, [], {"text": 5}, {"tags": "a"}, {"tags": [1]}, {"pinned": "yes"}, {"sensitive": 1},
    {"importance": "high"}, {"importance": float("inf")}, {"importance": 10**400}], ids=repr,
)  # fmt: skip
def test_an_amendment_sets_values_of_the_kinds_that_an_entry_has(changes):
    assert not is_amendment({**AMENDMENT, "set": changes})


def test_an_amendment_of_what_nobody_knows_is_one():
    assert is_amendment({**AMENDMENT, "set": {"aura": "blue"}})


@pytest.mark.parametrize(
    ("name", "value"), [("id", 5), ("generation", "1"), ("next_seq", -1), ("user_id", ["a"]), ("created_at", "x")]
)
def test_a_header_with_a_value_of_another_kind_is_none(name, value):
    assert is_header(HEADER)
    assert not is_header({**HEADER, name: value})


def test_a_tombstone_names_its_entry_time_and_reason():
    stone = {"id": "mem_1", "timestamp": STAMP, "reason": "user"}
    assert is_tombstone(stone)
    assert not any(is_tombstone({**stone, name: 5}) for name in stone)
    assert not any(is_tombstone({n: value for n, value in stone.items() if n != name}) for name in stone)


CARD = {
    "version": 1, "session_id": "sess_1", "id": "sess_1", "kind": "session", "created_at": STAMP, "ended_at": None,
    "decay_config": {"enabled": True, "half_life_hours": 168, "min_decay_factor": 0.1,
                     "type_specific": {"decision": {"decay_enabled": False}, "note": {"half_life_hours": None}}},
    "compaction_config": {"auto_compact": True, "threshold": 0.8}, "statistics": {"conversations": 1},
    "preferences": {"language": "en", "custom": {}}, "aura": "blue",
}  # fmt: skip


def test_a_card_may_hold_overrides_and_what_nobody_knows():
    assert is_card(CARD)


@pytest.mark.parametrize(
    "decay", [{"enabled": 1}, {"half_life_hours": 0}, {"half_life_hours": "1"}, {"min_decay_factor": 7},
    {"type_specific": {"note": 5}}, {"type_specific": {"note": {"half_life_hours": -1}}}], ids=repr,
)  # fmt: skip
def test_a_card_whose_overrides_nobody_can_reckon_with_is_none(decay):
    assert not is_card({**CARD, "decay_config": decay})
