"""Opening: which index belongs to which home."""

import os
import shutil

import pytest

import holdfast


@pytest.fixture
def opened(tmp_path):
    """Opens homes whose indexes lie in one directory elsewhere."""
    memories = []

    def opened(name):
        settings = {"index.path": str(tmp_path / "indexes" / "{agent}")}
        memories.append(holdfast.open(tmp_path / name, embedder="none", settings=settings))
        return memories[-1]

    yield opened
    for memory in memories:
        memory.close()


def test_a_home_and_its_copy_with_one_path_for_indexes_keep_their_memories_apart(opened, tmp_path):
    first = opened("home")
    first.add("apples in the orchard", session="talk")
    first.close()
    shutil.copytree(tmp_path / "home", tmp_path / "copy")
    first, copy = opened("home"), opened("copy")
    copy.add("bananas in the grove", session="other")
    assert [hit.text for hit in copy.search("bananas")] == ["bananas in the grove"]
    found = first.search("bananas")
    assert (found.hits, found.degraded) == ((), None)
    first.sync()
    assert first.verify()["problems"] == []
    assert [hit.text for hit in copy.search("bananas")] == ["bananas in the grove"]


def test_one_home_finds_its_index_by_whatever_name_it_is_opened(opened, tmp_path):
    with opened("home") as memory:
        memory.add("apples in the orchard")
    os.symlink(tmp_path / "home", tmp_path / "link")
    with opened("link") as memory:
        assert len(memory.search("apples")) == 1
    assert len(os.listdir(tmp_path / "indexes" / "main")) == 1
