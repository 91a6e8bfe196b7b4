"""Opening: which index belongs to which home."""

import errno
import gc
import os
import shutil
import weakref

import pytest

import holdfast
from holdfast.config.edit import set_value


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


SECRET = "my key is AKIAIOSFODNN7EXAMPLQ ok"


def refuse(monkeypatch, path, number):
    """Whoever opens this file is told so by the disk, as the owner of everything never is."""
    real = os.open

    def opened(name, *rest, **named):
        if os.fspath(name) == str(path):
            raise OSError(number, os.strerror(number), str(path))
        return real(name, *rest, **named)

    monkeypatch.setattr("os.open", opened)


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO])
def test_a_key_that_cannot_be_read_refuses_what_needs_it_and_nothing_else(tmp_path, monkeypatch, number):
    with holdfast.open(tmp_path, embedder="none") as memory:
        before = memory.add(SECRET).text
    with monkeypatch.context() as patch:
        refuse(patch, tmp_path / "key", number)
        with holdfast.open(tmp_path, embedder="none") as memory:
            memory.add("the ferry leaves at eight")
            assert len(memory.search("ferry")) == 1
            with pytest.raises(holdfast.StorageFailed, match=rf"{tmp_path}/key.*{errno.errorcode[number]}"):
                memory.add(SECRET)
            assert any(str(tmp_path / "key") in told for told in memory.status()["degraded"])
            assert any(str(tmp_path / "key") in found["what"] for found in memory.verify()["problems"])
            patch.undo()
            assert memory.add(SECRET).text == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_in_place_of_the_key_holds_nobody_up(tmp_path):
    holdfast.open(tmp_path, embedder="none").close()
    os.unlink(tmp_path / "key")
    os.mkfifo(tmp_path / "key")
    with holdfast.open(tmp_path, embedder="none") as memory:
        memory.add("the ferry leaves at eight")
        with pytest.raises(holdfast.StorageFailed, match="it is a pipe, socket or device: move it away"):
            memory.add(SECRET)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_in_place_of_the_settings_is_named_at_once(tmp_path):
    os.mkfifo(tmp_path / "config.toml")
    with pytest.raises(holdfast.BadConfig, match=r"config\.toml cannot be read"):
        holdfast.open(tmp_path)
    with pytest.raises(holdfast.StorageFailed, match=r"config\.toml"):
        set_value(str(tmp_path), "recall.limit", 5)


def test_a_closed_memory_keeps_no_embedder(tmp_path):
    """Who opens and closes for each question would keep a table of 7 MB for each until they are collected."""
    gc.disable()
    try:
        with holdfast.open(tmp_path) as memory:
            memory.add("pilot in the harbour")
            assert memory.search("harbour").mode == "hybrid"
            kept = [weakref.ref(memory.store.embedding), weakref.ref(memory.store.embedding._made[1])]
        del memory
        assert [one() for one in kept] == [None, None]
    finally:
        gc.enable()
