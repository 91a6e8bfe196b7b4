"""Cards that are damaged, odd or gone: made again, named by `verify`, and no other session's trouble."""

import json
import os
import shutil

import pytest

import holdfast
from holdfast.journal.header import guessed_card


@pytest.fixture
def memory(tmp_path):
    """A session that was closed, and another one."""
    with holdfast.open(tmp_path / "home", embedder="none") as opened:
        opened.add("elephants", session="closed")
        opened.close_session("closed")
        opened.add("giraffes", session="open")
        opened.sync()
        yield opened


def folder(memory, key="closed"):
    found = next(session for session in memory.sessions() if session.key == key)
    return os.path.join(memory.home, "agents", "main", "sessions", found.id)


def change(memory, **values):
    """Write the card of the closed session as if somebody had edited it by hand, or another program had been at it."""
    path = os.path.join(folder(memory), "metadata.json")
    with open(path, "r+") as file:
        card = json.load(file)
        del card["checksum"]
        file.seek(0)
        file.truncate()
        json.dump({**card, **values}, file)
    return path


def texts(memory, words, **where):
    return [hit.text for hit in memory.search(words, **where)]


ODD = [
    {"created_at": "2026-91-01T00:00:00.000Q"}, {"ended_at": "not so long ago"}, {"key": 5}, {"key": {}},
    {"workspace": ["/w"]}, {"title": "\ud83d"}, {"decay_config": {"half_life_hours": "long"}},
]  # fmt: skip


@pytest.mark.parametrize("values", ODD, ids=repr)
def test_an_odd_card_is_no_other_sessions_trouble(memory, values):
    change(memory, **values)
    memory.sync()
    memory.add("gorillas", session="open")
    assert texts(memory, "gorillas") == ["gorillas"]
    assert texts(memory, "elephants", session="closed") == ["elephants"]
    assert memory.reindex()


@pytest.mark.parametrize("values", ODD, ids=repr)
def test_an_odd_card_is_named_by_verify(memory, values):
    path = change(memory, **values)
    found = memory.verify()["problems"]
    assert [problem["file"] for problem in found] == [os.path.relpath(path, memory.home)]
    assert "card missing or damaged" in found[0]["what"]


@pytest.mark.parametrize("values", ODD, ids=repr)
def test_an_odd_card_does_not_stand_in_the_way_of_a_new_index(memory, values):
    change(memory, **values)
    memory.close()
    shutil.rmtree(os.path.join(memory.home, "agents", "main", "index"))
    with holdfast.open(memory.home, embedder="none") as again:
        assert texts(again, "giraffes") == ["giraffes"]
        assert texts(again, "elephants", session="closed") == ["elephants"]


def lose(memory, key="closed"):
    os.unlink(os.path.join(folder(memory, key), "metadata.json"))


def test_a_session_whose_card_is_lost_is_still_one_after_a_rebuild(memory):
    lose(memory)
    memory.reindex()
    assert sorted(session.key for session in memory.sessions()) == ["closed", "open"]
    assert texts(memory, "elephants", session="closed") == ["elephants"]


def test_a_compaction_reaches_a_session_whose_card_is_lost_and_writes_it_again(memory):
    path = os.path.join(folder(memory), "metadata.json")
    entry = memory.query(session="closed")[0]
    lose(memory)
    memory.reindex()
    memory.delete(entry.id)
    assert memory.compact(session="closed")["entries_after"] == 0
    assert os.path.exists(path)
    assert memory.verify()["ok"]


@pytest.mark.parametrize("named", ["key", "id"])
def test_the_next_write_to_a_session_whose_card_is_lost_writes_it_again(memory, named):
    path = os.path.join(folder(memory), "metadata.json")
    lose(memory)
    memory.reindex()
    memory.add("antelopes", session="closed" if named == "key" else os.path.basename(os.path.dirname(path)))
    assert os.path.exists(path)
    assert memory.verify()["ok"]


def test_a_write_leaves_a_damaged_card_as_it_was_found(memory):
    path = change(memory, key=5)
    before = open_bytes(path)
    memory.add("antelopes", session="closed")
    assert open_bytes(path) == before


def test_a_session_whose_card_is_lost_can_be_forgotten(memory):
    lose(memory)
    memory.reindex()
    assert memory.forget(session="closed").clean
    assert texts(memory, "elephants") == []


@pytest.fixture
def nameless(memory):
    """An entry of a session whose header is damaged and whose card is gone."""
    entry = memory.query(session="closed")[0]
    path = os.path.join(folder(memory), "memory.jsonl")
    lose(memory)
    with open(path, "r+b") as file:
        file.seek(3)
        file.write(b"X")
    memory.sync()
    return entry


def still_says(home, word):
    """The files below a home that hold a word."""
    paths = (os.path.join(below, name) for below, _, names in os.walk(home) for name in names)
    return [path for path in paths if word in open_bytes(path)]


def open_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def test_what_has_neither_header_nor_card_belongs_to_whom_its_entries_say(memory, nameless):
    memory.reindex()
    assert texts(memory, "elephants", user="local") == ["elephants"]
    assert [session.card.user_id for session in memory.sessions()] == ["local", "local"]


@pytest.mark.parametrize("choice", ["id", "session", "user"])
def test_what_has_neither_header_nor_card_can_be_forgotten(memory, nameless, choice):
    given = {"id": (nameless.id,), "session": (), "user": ()}[choice]
    named = {"id": {}, "session": {"session": nameless.session_id}, "user": {"user": "*"}}[choice]
    assert nameless.id in memory.forget(*given, **named).entries
    assert still_says(memory.home, b"elephants") == []


def test_a_file_of_another_program_without_a_card_can_be_forgotten(memory):
    session = "sess_20260110_abcdef"
    below = os.path.join(memory.home, "agents", "main", "sessions", session)
    os.mkdir(below, 0o700)
    line = {"id": "mem_01KEM4NC0E7Z9W3N5T7R2QJ4D6", "timestamp": "2026-01-10T14:23:45.678Z"}
    with open(os.path.join(below, "memory.jsonl"), "w") as file:
        file.write(json.dumps({**line, "content": {"message": "rhinoceros"}}) + "\n")
        os.fchmod(file.fileno(), 0o600)
    memory.sync()
    assert texts(memory, "rhinoceros", user="*") == ["rhinoceros"]
    receipt = memory.forget(user="*")
    assert receipt.clean
    assert line["id"] in receipt.entries
    assert still_says(memory.home, b"rhinoceros") == []


def test_a_journal_in_which_nothing_is_good_goes_with_its_user(memory):
    path = os.path.join(folder(memory), "memory.jsonl")
    lose(memory)
    with open(path, "r+b") as file:
        damaged = b"".join(b"X" + line[1:] for line in file.read().splitlines(keepends=True))
        file.seek(0)
        file.write(damaged)
    memory.sync()
    memory.forget(user="*")
    assert still_says(memory.home, b"elephants") == []


NO_PATHS = ["", " ", "/w" * 3_000, "/w\n"]


@pytest.mark.parametrize("workspace", NO_PATHS, ids=lambda text: repr(text[:4]))
def test_a_workspace_that_is_none_counts_as_none_and_costs_no_other_value_of_the_card(memory, workspace):
    change(memory, workspace=workspace, title="a title")
    memory.sync()
    assert [item.text for item in memory.context("elephants", session="closed").items] == ["elephants"]
    added = memory.add("rhinos", session="closed")
    assert added.workspace is None
    assert memory.load_session("closed").card.title == "a title"
    assert texts(memory, "rhinos", session="closed") == ["rhinos"]
    assert memory.verify()["problems"] == []


@pytest.mark.parametrize("workspace", NO_PATHS, ids=lambda text: repr(text[:4]))
def test_nor_does_it_count_where_a_card_is_guessed_from_an_entry(workspace):
    assert guessed_card("sess_20260101_aaaaaa", {"user_id": "ana", "workspace": workspace}, "").workspace is None
    assert guessed_card("sess_20260101_aaaaaa", {"user_id": "ana", "workspace": "/w"}, "").workspace == "/w"
