"""Cards that are damaged, odd or gone: made again, named by `verify`, and no other session's trouble."""

import json
import os
import shutil

import pytest

import holdfast


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
    """Write the card of the closed session as if a bit of it had flipped, or another program had been at it."""
    path = os.path.join(folder(memory), "metadata.json")
    with open(path, "r+") as file:
        card = json.load(file)
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
