"""Threads that write through one store: the last one out indexes for all."""

import threading

import pytest

from holdfast.store import Turns


@pytest.fixture
def turns():
    return Turns()


def test_a_single_writer_always_indexes_itself(turns):
    for _ in range(20):
        turns.begin()
        assert turns.end(wrote=True)


def test_who_ends_while_another_writes_leaves_it_to_that_one(turns):
    turns.begin()
    turns.begin()
    assert not turns.end(wrote=True)
    assert turns.end(wrote=True)


def test_only_a_few_in_a_row_are_left(turns):
    turns.begin()
    left = []
    for _ in range(20):
        turns.begin()
        left.append(not turns.end(wrote=True))
    assert left == ([True] * 8 + [False] + [True] * 8 + [False] + [True] * 2)


def test_a_write_that_failed_indexes_only_what_was_left_to_it(turns):
    turns.begin()
    assert not turns.end(wrote=False)
    turns.begin()
    turns.begin()
    assert not turns.end(wrote=True)
    assert turns.end(wrote=False)


def test_after_a_burst_of_threads_everything_is_indexed(tmp_path):
    import holdfast

    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        session = memory.create_session("ana")

        def write(number):
            for place in range(10):
                session.add(f"word {number} {place}")
            with pytest.raises(holdfast.Invalid):
                session.add("")

        threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        rows = memory.store.index.live.ask(lambda c: c.execute("SELECT count(*) FROM entries").fetchone())
        assert rows == (60,), "without a search that would have caught up"
        assert [entry.seq for entry in memory.query(session=session.id, rank="oldest", every=True)] == list(
            range(1, 61)
        )
