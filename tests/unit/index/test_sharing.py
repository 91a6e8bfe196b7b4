"""Many write to one home: what one knows ends where another writes, and lines that come together are indexed so."""

import os
import threading
import time
from contextlib import closing

import apsw
import pytest

import holdfast
from holdfast.index.database import Database
from holdfast.index.marks import Burst
from holdfast.index.rows import Rows
from holdfast.model.query import Filter


class Log:
    """A database whose log was last written at a time that the test says."""

    def __init__(self):
        self.time = time.time_ns()

    def logged(self):
        return self.time


@pytest.fixture
def another(embedded):
    made = type(embedded)(embedded.home)
    yield made
    made.index.close()
    made.journal.close()


def numbers(embedded):
    rows = embedded.index.live.ask(lambda c: c.execute("SELECT n, id FROM entries ORDER BY n").fetchall())
    return [n for n, _ in rows]


def test_two_that_index_by_turns_never_give_a_number_twice(embedded, another):
    session = embedded.session()
    for number in range(6):
        one = (embedded, another)[number % 2]
        one.add(session, f"word {number}")
        assert one.index.refresh(one.all, 2_000) == 0
    assert numbers(embedded) == [1, 2, 3, 4, 5, 6]
    assert len(another.find("word")) == 6


def test_what_was_known_is_not_used_after_another_forgot_it(embedded, another):
    first, second = embedded.session(1), embedded.session(2, user="bo")
    kept = embedded.add(first, "a word that stays")
    embedded.add(second, "a word that goes", user="bo")
    embedded.find("word")
    another.journal.remove(another.all, second)
    another.find("word")
    again = embedded.session(2, user="bo")
    new = embedded.add(again, "a word that came", user="bo")
    assert embedded.find("word", user="bo") == [new.id]
    assert embedded.find("word") == [kept.id]


def test_a_transaction_that_failed_leaves_nothing_known(embedded, monkeypatch):
    session = embedded.session()
    for text in ("one word", "two words"):
        embedded.add(session, text)
        embedded.find("word")
    embedded.add(session, "three words")
    with monkeypatch.context() as broken:
        broken.setattr(Rows, "flush", lambda rows: os.stat(os.path.join(embedded.home, "missing")))
        assert embedded.index.refresh(embedded.all, 0) == 1
    assert len(embedded.find("word")) == 3
    assert numbers(embedded) == [1, 2, 3]


def test_a_line_that_comes_alone_is_indexed_at_once():
    base = Log()
    base.time -= 1_000_000_000
    assert not Burst().goes_on(base, 1)
    assert not Burst().goes_on(None, 1), "nor where nobody has looked at the index yet"


def test_a_line_that_follows_upon_another_is_left_whoever_indexed_that():
    assert Burst().goes_on(Log(), 1)


def test_only_some_lines_in_a_row_are_left():
    burst, base = Burst(), Log()
    assert [burst.goes_on(base, 1) for _ in range(34)] == [True] * 32 + [False] * 2
    burst.note()
    assert burst.goes_on(base, 1)


def test_a_batch_of_many_lines_is_indexed_at_once():
    burst, base = Burst(), Log()
    assert not burst.goes_on(base, 33)
    assert burst.goes_on(base, 30)
    assert not burst.goes_on(base, 3)


def test_whoever_left_something_indexes_it_before_it_closes():
    burst, base = Burst(), Log()
    assert burst.goes_on(base, 1)
    assert burst.end()
    assert not burst.goes_on(base, 1)
    assert not Burst().end()


def rows(memory):
    return memory.store.index.live.ask(lambda c: c.execute("SELECT count(*) FROM entries").fetchone())[0]


def test_a_burst_of_writes_is_indexed_some_lines_at_a_time_and_whole_when_it_is_asked_for(tmp_path):
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        session = memory.create_session("ana")
        ids = [session.add(f"word {number}").id for number in range(100)]
        assert rows(memory) >= 100 - 32
        assert [entry.id for entry in memory.query(session=session.id, rank="oldest", every=True)] == ids
        assert rows(memory) == 100


def test_every_line_of_a_burst_can_be_had_at_once(tmp_path):
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        session = memory.create_session("ana")
        for number in range(40):
            added = session.add(f"word w{number}")
            assert memory.get(added.id) == added


def test_closing_leaves_nothing_to_index(tmp_path):
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        session = memory.create_session("ana")
        for number in range(40):
            session.add(f"word {number}")
    path = next((tmp_path / "home").rglob("index.db"))
    with closing(apsw.Connection(str(path))) as connection:
        assert connection.execute("SELECT count(*) FROM entries").fetchone() == (40,)


def test_threads_that_write_at_once_leave_little_and_lose_nothing(tmp_path):
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
        assert rows(memory) >= 60 - 32
        found = memory.query(session=session.id, every=True)
        assert sorted(entry.seq for entry in found) == list(range(1, 61))


def test_what_was_left_is_found_by_the_next_answer_of_anybody(embedded, another):
    session = embedded.session()
    embedded.add(session, "first word")
    embedded.find("word")
    another.add(session, "second word")
    another.find("word")
    left = embedded.add(session, "third word")
    embedded.index.refresh(embedded.all, 0)  # whether it indexed this or left it to the other
    assert left.id in another.find("word")


def test_who_finds_the_lock_taken_knocks_and_the_holder_hears_it_after_letting_go(embedded, another):
    mine, theirs = embedded.index.lock, another.index.lock
    with mine.hold(1_000, "x") as held:
        assert not mine.heed(held)
        assert theirs.attempt("y") is None
    assert mine.asked()
    with theirs.hold(1_000, "y") as held:
        assert theirs.heed(held), "or who is next"
        assert not theirs.heed(held)
    assert not theirs.asked()


def test_a_writer_indexes_what_another_left_to_it_while_it_was_at_work(embedded, another, monkeypatch):
    first, second = embedded.session(1), embedded.session(2)
    embedded.add(first, "one word")
    embedded.find("word")
    left = []
    bring = type(embedded.index)._bring

    def meanwhile(index, sizes, deadline):
        bring(index, sizes, deadline)
        if not left:
            left.append(another.add(second, "another word").id)
            assert another.index.refresh(another.all, 0) == 1, "it is left to us"

    monkeypatch.setattr(type(embedded.index), "_bring", meanwhile)
    embedded.add(first, "two words")
    assert embedded.index.refresh(embedded.all, 0) == 0
    found = embedded.index.live.ask(lambda c: c.execute("SELECT 1 FROM entries WHERE id=?", (left[0],)).fetchone())
    assert found == (1,)


def test_a_writer_knows_when_another_has_indexed_since_it_did(embedded, another):
    session = embedded.session()
    overtaken = []
    for one in (embedded, embedded, another, embedded, embedded):
        one.add(session, "word")
        assert one.index.refresh(one.all, 2_000) == 0
        overtaken.append(one.index._bringing.overtaken)
    assert overtaken == [False, False, False, True, False]


def test_an_answer_begins_by_looking_which_generation_is_live(embedded, another, monkeypatch):
    """However short the time since somebody last looked, and though nobody waits for those who write."""
    from holdfast.index import live

    monkeypatch.setattr(live, "STEADY_S", 1_000.0)
    session = embedded.session()
    embedded.add(session, "old words")
    embedded.find("words")
    another.index.rebuild(another.all)
    another.add(session, "new words")
    assert another.index.refresh(another.all, 2_000) == 0
    embedded.index.refresh(embedded.all, 0)
    assert len(embedded.index.rows(embedded.all, Filter())) == 2


def test_a_generation_that_is_let_go_again_and_again_while_it_is_asked_is_not_damaged(embedded, monkeypatch):
    embedded.add(embedded.session(), "one")
    embedded.index.refresh(embedded.all, 2_000)
    version, forks = Database.version, iter(range(3))

    def interrupted(base):
        version(base)
        if next(forks, None) is not None:
            embedded.index.live.let_go()  # as a fork of the process does
        return version(base)

    monkeypatch.setattr(Database, "version", interrupted)
    assert embedded.index.version(embedded.all) == embedded.index.version(embedded.all)
    assert embedded.index.live.rebuilt == 0
