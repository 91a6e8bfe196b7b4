"""The cache of entries that were read: never what somebody has changed or forgotten meanwhile."""

import threading

import pytest

import holdfast


@pytest.fixture
def memory(tmp_path):
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        yield memory


def while_one_has_read(memory, id, act):
    """`act` after another thread has read the entry from its journal, and before it keeps what it read."""
    reader = memory.store.reader
    fetch, read, go_on = memory.store.journal.fetch, threading.Event(), threading.Event()

    def slowly(*given):
        found = fetch(*given)
        if threading.current_thread().name == "slow":
            read.set()
            assert go_on.wait(10)
        return found

    memory.store.journal.fetch = slowly
    slow = threading.Thread(target=lambda: reader.one(memory.scope(), id), name="slow")
    slow.start()
    assert read.wait(10)
    act()
    go_on.set()
    slow.join()


def test_what_was_forgotten_while_another_thread_read_it_is_not_kept(memory):
    entry = memory.add("the colour is red")

    def act():
        memory.forget(entry.id)
        memory.add("other")
        memory.search("other")

    while_one_has_read(memory, entry.id, act)
    with pytest.raises(holdfast.NotFound):
        memory.get(entry.id)


def test_what_was_amended_while_another_thread_read_it_is_read_again(memory):
    entry = memory.add("the colour is red")

    def act():
        memory.amend(entry.id, text="the colour is blue")
        memory.search("colour")

    while_one_has_read(memory, entry.id, act)
    assert memory.get(entry.id).text == "the colour is blue"


def test_a_search_reports_no_damage_that_another_thread_came_upon(memory, tmp_path):
    theirs = memory.add("the colour is red", user="ben", session="theirs")
    memory.add("the colour is blue", user="ana", session="mine")
    memory.sync()
    journal = tmp_path / "home" / "agents" / "main" / "sessions" / theirs.session_id / "memory.jsonl"
    fetch, found = memory.store.journal.fetch, []

    def read_theirs():
        journal.write_bytes(journal.read_bytes().replace(b"is red", b"is rEd"))
        found.append(memory.store.reader.one(memory.scope(user="ben"), theirs.id))

    def meanwhile(*given):
        if threading.current_thread() is threading.main_thread():
            other = threading.Thread(target=read_theirs)
            other.start()
            other.join()
        return fetch(*given)

    memory.store.journal.fetch = meanwhile
    result = memory.search("colour", user="ana")
    assert found
    assert set(found) == {None}
    assert ([hit.entry.text for hit in result], result.degraded) == (["the colour is blue"], None)
    memory.store.journal.fetch = fetch
    assert memory.search("colour", user="ben").degraded.startswith("1 damaged")
