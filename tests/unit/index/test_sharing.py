"""Several processes index one home: what one knows ends where another writes, and one may leave work to another."""

import os
import time

import pytest

from holdfast.index.marks import Others
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


@pytest.fixture
def others():
    made = Others()
    made.meet()
    return made


def test_a_write_is_left_to_another_process_that_was_met_and_has_just_indexed(others):
    assert others.at_work(Log())


def test_nothing_is_left_to_others_that_were_never_met():
    assert not Others().at_work(Log())


def test_nothing_is_left_to_others_after_we_did_it_ourselves(others):
    base = Log()
    others.note(base)
    base.time += 1
    assert not others.at_work(base)


def test_nothing_is_left_to_others_when_the_last_commit_was_our_own(others):
    base = Log()
    others.note(base)
    others.meet()
    assert not others.at_work(base)


def test_nothing_is_left_to_others_that_have_been_quiet(others):
    base = Log()
    base.time -= 1_000_000_000
    assert not others.at_work(base)


def test_only_a_few_writes_in_a_row_are_left_to_others(others):
    base = Log()
    assert [others.at_work(base) for _ in range(10)] == [True] * 8 + [False] * 2


def test_whoever_relied_on_others_does_the_rest_itself_before_it_closes(others):
    base = Log()
    assert others.at_work(base)
    assert others.relied_on()
    assert not others.at_work(base)
    assert not Others().relied_on()


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
