"""Lines that another program wrote and that make no sense: damaged, named, and no other line's trouble."""

import json
import os
from hashlib import sha256

import pytest

import holdfast
from holdfast.journal.line import sealed

SESSION = "sess_20260110_abcdef"
ENTRY = {
    "schema_version": 1, "seq": 1, "id": "mem_01KEM4NC0E7Z9W3N5T7R2QJ4D6", "scope": "session", "session_id": SESSION,
    "user_id": "local", "timestamp": "2026-01-10T14:23:45.678Z", "type": "note", "content": {"text": "elephant"},
    "importance": 0.5, "tags": [], "references": [], "metadata": {}, "provenance": "user", "sensitive": False,
    "pinned": False,
}  # fmt: skip
ODD = {
    "half an emoji": {"content": {"text": "cut \ud83d"}}, "half an emoji in a tag": {"tags": ["\ud83d"]},
    "a workspace that is a list": {"workspace": ["a"]}, "a key that is an object": {"key": {}},
    "a tool that is an object": {"tool": {}}, "a path that is a number": {"path": 5},
    "a seq that no index can hold": {"seq": 2**70}, "a role that is a list": {"content": {"text": "a", "role": ["b"]}},
    "an author that is an object": {"content": {"text": "a", "author": {}}},
    "an amendment of nothing": {"amends": ENTRY["id"], "set": 5},
    "a change in no order": {"amends": ENTRY["id"], "by": "ana", "set": {"pinned": True}, "seq": None},
    "an endless number": {"metadata": {"a": 1e999}},
    "a time before all others": {"timestamp": "0000-01-01T00:00:00.000Z"},
    "levels without end": {"metadata": json.loads('{"a":' * 300 + "1" + "}" * 300)},
}  # fmt: skip


def older(record):
    """The line as the seeds have it."""
    content = record["content"]
    shown = {**record, "content": {**content, "message": content["text"]}}
    del shown["schema_version"], shown["content"]["text"]
    return json.dumps(shown).replace("Infinity", "1e999").encode()


def current(record):
    """The line as we have it, its checksum right."""
    head = json.dumps(record, separators=(",", ":")).replace("Infinity", "1e999")[:-1].encode()
    return head + b',"checksum":"sha256:' + sha256(head).hexdigest().encode() + b'"}'


HEADER = {
    "journal": 1, "id": SESSION, "user_id": "local", "kind": "session", "generation": 1,
    "created_at": ENTRY["timestamp"],
}  # fmt: skip
FILES = {"older": (older, b""), "current": (current, sealed(HEADER) + b"\n")}


@pytest.fixture(params=FILES.values(), ids=FILES)
def plant(request, tmp_path):
    """Puts a session with a good line and this odd one beside a session of ours, and opens the home again."""
    line, header = request.param
    opened = []

    def planted(odd):
        home = tmp_path / "home"
        with holdfast.open(home, embedder="none") as memory:
            memory.add("giraffe", session="ours")
            memory.sync()
        folder = home / "agents" / "main" / "sessions" / SESSION
        folder.mkdir(0o700)
        path = folder / "memory.jsonl"
        second = {**ENTRY, "id": "mem_01KEM4NC0E7Z9W3N5T7R2QJ4D7", "seq": 2, **odd}
        path.write_bytes(header + line(ENTRY) + b"\n" + line(second) + b"\n")
        path.chmod(0o600)
        opened.append(holdfast.open(home, embedder="none"))
        return opened[-1]

    yield planted
    for memory in opened:
        memory.close()


def texts(memory, words):
    return [hit.text for hit in memory.search(words, user="*")]


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_an_odd_line_costs_nothing_but_itself(plant, odd):
    memory = plant(odd)
    memory.sync()
    memory.add("gorilla", session="ours")
    assert [texts(memory, word) for word in ("giraffe", "gorilla", "elephant")] == [
        ["giraffe"], ["gorilla"], ["elephant"]
    ]  # fmt: skip
    memory.reindex()
    assert texts(memory, "elephant") == ["elephant"]
    assert memory.forget(session="ours").clean


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_an_odd_line_is_named_by_verify_and_said_by_a_search(plant, odd):
    memory = plant(odd)
    found = [problem for problem in memory.verify()["problems"] if problem["what"] == "damaged line"]
    with open(os.path.join(memory.home, "agents", "main", "sessions", SESSION, "memory.jsonl"), "rb") as file:
        lines = file.read().count(b"\n")
    assert [(problem["journal"], problem["line"]) for problem in found] == [(SESSION, lines)]
    assert "1 damaged or lost" in memory.search("elephant", user="*").degraded


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_an_odd_line_that_a_rewrite_took_out_is_lost_and_said_to_be(plant, odd):
    memory = plant(odd)
    memory.sync()
    memory.delete(ENTRY["id"])
    memory.compact(user="*")
    assert "1 damaged or lost" in memory.search("elephant", user="*").degraded


def test_a_tombstone_that_names_no_entry_is_damaged_and_costs_nothing_else(tmp_path):
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        entry = memory.add("giraffe", session="ours")
        folder = os.path.join(memory.home, "agents", "main", "sessions", entry.session_id)
        with open(os.path.join(folder, "tombstones.jsonl"), "wb") as file:
            file.write(sealed({"id": 5, "timestamp": ENTRY["timestamp"], "reason": ["user"]}) + b"\n")
            os.fchmod(file.fileno(), 0o600)
        memory.reindex()
        assert texts(memory, "giraffe") == ["giraffe"]
        assert [problem["what"] for problem in memory.verify()["problems"]] == ["damaged tombstone"]


def test_changes_hold_by_their_numbers_wherever_somebody_has_put_their_lines(tmp_path):
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        entry = memory.add("giraffe", session="ours")
        for word in ("gnu", "gazelle"):
            memory.amend(entry.id, text=word)
        memory.sync()
        path = os.path.join(memory.home, "agents", "main", "sessions", entry.session_id, "memory.jsonl")
        with open(path, "r+b") as file:
            header, *lines = file.read().splitlines(keepends=True)
            file.seek(0)
            file.write(b"".join([header, *reversed(lines)]))
        for settle in (memory.sync, memory.reindex, memory.compact):
            settle()
            assert [texts(memory, word) for word in ("giraffe", "gnu", "gazelle")] == [[], [], ["gazelle"]]
            assert memory.get(entry.id).text == "gazelle"


@pytest.mark.parametrize("plant", [FILES["current"]], ids=["current"], indirect=True)
def test_a_day_that_no_calendar_has_costs_no_question_its_answer(plant):
    memory = plant({"timestamp": "2026-13-45T14:23:45.678Z"})
    memory.sync()
    assert texts(memory, "elephant on 5 March 2026") == ["elephant", "elephant"]


@pytest.mark.parametrize("plant", [FILES["current"]], ids=["current"], indirect=True)
@pytest.mark.parametrize("importance", [10**400, 1e308], ids=["digits", "power"])
def test_an_importance_that_nobody_can_reckon_with_costs_nothing_but_its_line(plant, importance):
    memory = plant({"importance": importance})
    memory.sync()
    assert texts(memory, "elephant") == ["elephant"]
    assert memory.query(rank="relevance", user="*").degraded == memory.search("elephant").degraded
    assert memory.forget(session="ours").clean
