"""Sessions as seed 004 has them: lines without a checksum, a user or one of our ids, and a card that says whose."""

import json
import os

import pytest

import holdfast

SESSION, ENTRY = "sess_20260110_user123", "mem_abc123xyz"
LINE = {
    "id": ENTRY, "session_id": SESSION, "timestamp": "2026-01-10T14:23:45.678Z", "type": "conversation",
    "content": {"message": "elephants never forget", "role": "user"}, "tags": ["zoo"], "decay_factor": 1.0,
}  # fmt: skip
CARD = {"session_id": SESSION, "user_id": "ana", "created_at": "2026-01-10T14:00:00.000Z"}


def put(home, name, text):
    path = os.path.join(home, "agents", "main", "sessions", SESSION, name)
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
        os.fchmod(file.fileno(), 0o600)


@pytest.fixture
def memory(tmp_path):
    """A home with such a session, of two lines, beside one of ours."""
    with holdfast.open(tmp_path / "home", embedder="none") as opened:
        opened.add("giraffes", session="ours")
        second = {**LINE, "id": "mem_zzz", "session_id": "another", "content": {"message": "elephants remember"}}
        put(opened.home, "memory.jsonl", json.dumps(LINE) + "\n" + json.dumps(second) + "\n")
        put(opened.home, "metadata.json", json.dumps(CARD))
        opened.sync()
        yield opened


def found(memory, user="ana"):
    return sorted(hit.id for hit in memory.search("elephants", user=user))


def test_lines_that_name_no_user_are_of_whom_the_card_names(memory):
    assert found(memory) == [ENTRY, "mem_zzz"]
    assert found(memory, "local") == []
    assert memory.get(ENTRY).user_id == "ana"


def test_they_stay_that_users_when_the_journal_is_rewritten(memory):
    memory.amend(ENTRY, importance=0.9)
    memory.compact(user="ana")
    assert found(memory) == [ENTRY, "mem_zzz"]
    memory.reindex()
    assert found(memory) == [ENTRY, "mem_zzz"]
    assert memory.verify()["problems"] == []


def test_a_card_that_comes_later_says_whose_they_are_from_then_on(memory):
    put(memory.home, "metadata.json", json.dumps({**CARD, "user_id": "ben"}))
    memory.sync()
    assert (found(memory, "ana"), found(memory, "ben")) == ([], [ENTRY, "mem_zzz"])


def test_a_line_is_of_the_session_in_whose_folder_it_lies(memory):
    assert memory.get("mem_zzz").session_id == SESSION
    assert len(list(memory.export(user="*"))) == 7


@pytest.mark.parametrize("act", ["delete", "pin", "amend", "forget"])
def test_what_has_an_id_of_another_program_can_be_changed_by_it(memory, act):
    given = {"importance": 0.1} if act == "amend" else {}
    assert getattr(memory, act)(ENTRY, **given)
    assert (ENTRY in found(memory)) == (act in ("pin", "amend"))


def test_it_is_forgotten_by_its_topic(memory):
    receipt = memory.forget(topic="zoo", user="ana")
    assert (receipt.clean, receipt.entries) == (True, (ENTRY, "mem_zzz"))


def test_it_comes_back_from_an_export_under_its_id(memory, tmp_path):
    lines = list(memory.export(user="ana"))
    with holdfast.open(tmp_path / "other", embedder="none") as other:
        assert other.load(lines)["added"] == 2
        assert found(other) == [ENTRY, "mem_zzz"]


def test_an_id_for_a_new_entry_is_still_of_our_making(memory):
    with pytest.raises(holdfast.Invalid):
        memory.add("giraffes", session="ours", id=ENTRY)
