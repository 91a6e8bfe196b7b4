"""What was seen level is believed until a stat says that it changed."""

import errno
import os
import threading

from holdfast.disk import Disk
from holdfast.index.marks import MOST_KEPT, Levels, boot_id
from holdfast.index.noted import Noted
from holdfast.model.replay import Size

SMALL = Size(entries=1, tombstones=0, inode=1, changed=1, card_changed=1)
LARGE = SMALL.replace(entries=2)


def test_a_size_that_was_noted_is_level_and_no_other():
    levels, base = Levels(), object()
    levels.note(base, {"a": SMALL})
    assert levels.has(base, "a", SMALL)
    assert not levels.has(base, "a", LARGE)
    assert levels.knows(base, "a")
    assert not levels.knows(base, "b")


def test_another_database_knows_nothing():
    levels = Levels()
    levels.note(object(), {"a": SMALL})
    assert not levels.knows(object(), "a")


def looked_at_after_every_change(kind, look):
    """One of this kind at which another thread looks whenever an attribute of it was set."""

    class Looked(kind):
        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            if looking:
                seen.append(look(self))

    seen, looking = [], []
    made = Looked()
    looking.append(True)
    return made, seen


def test_what_was_level_in_one_database_is_at_no_moment_so_in_another():
    old, new = object(), object()
    levels, seen = looked_at_after_every_change(Levels, lambda levels: levels.has(new, "a", SMALL))
    levels.note(old, {"a": SMALL})
    levels.note(new, {"b": SMALL})
    assert seen
    assert not any(seen)


class Stated:
    """An index in a state, with which it answers whatever is asked."""

    def __init__(self, state):
        self._state = state

    def lately(self):
        return self._state

    def ask(self, question):
        return question(None)

    def notes(self, noted):
        return noted.of(self, "kind", ["key"], lambda _, keys: dict.fromkeys(keys, self._state))["key"]


def test_what_was_noted_of_one_state_is_at_no_moment_an_answer_of_another():
    noted, seen = looked_at_after_every_change(Noted, lambda noted: Stated(2).notes(noted) if not seen else 2)
    seen.append(2)
    assert Stated(1).notes(noted) == 1
    seen.clear()
    assert Stated(2).notes(noted) == 2
    assert seen
    assert set(seen) == {2}


def test_a_line_written_by_another_process_is_seen_by_the_next_answer(embedded):
    session = embedded.session()
    embedded.add(session, "mine")
    assert len(embedded.find("mine")) == 1
    other = type(embedded)(embedded.home)
    theirs = other.add(session, "mine too").id
    other.journal.close()
    assert theirs in embedded.find("mine")


def test_what_another_process_indexed_needs_no_second_look(embedded):
    session = embedded.session()
    embedded.add(session, "mine")
    embedded.find("mine")
    other = type(embedded)(embedded.home)
    theirs = other.add(session, "mine too").id
    assert theirs in other.find("mine")
    held = embedded.index.lock.hold(0, "test")
    with held:
        assert theirs in embedded.find("mine")  # and does not wait for the lock
    other.index.close()


def test_marks_do_not_pile_up_where_many_journals_are_written(embedded):
    for number in range(1, 3 * MOST_KEPT):
        embedded.add(embedded.session(number), "hello")
        embedded.index.refresh(embedded.all, 0)
    assert len(embedded.index.marks.names()) <= MOST_KEPT + 1
    assert len(embedded.find("hello", limit=200)) == 3 * MOST_KEPT - 1


def test_a_disk_that_fails_while_the_lock_is_waited_for_does_not_keep_it(embedded):
    session = embedded.session()
    embedded.find("words")
    held = embedded.index.lock.hold(1_000, "another")
    entry = embedded.add(session, "words")

    class Once(Disk):
        armed = False

        def stat(self, path):
            if self.armed and path.endswith("memory.jsonl"):
                self.armed = False
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return super().stat(path)

    disk = embedded.journal._disk = Once()

    def let_go():
        disk.armed = True
        held.release()

    threading.Timer(0.2, let_go).start()
    assert embedded.index.refresh(embedded.all, 2_000) == 0
    assert list(embedded.index.unreadable(embedded.all)) == [session]
    assert not disk.armed
    assert embedded.find("words") == [entry.id]


def test_what_was_noted_for_one_answer_is_not_believed_in_the_next(embedded, monkeypatch):
    monkeypatch.setattr("holdfast.index.live.STEADY_S", 3_600.0)
    session = embedded.session()
    for word, others in (("alpha", "beta"), ("beta", "gamma")):
        embedded.add(session, word)
        embedded.index.refresh(embedded.all, 1_000)
        assert embedded.index.rarity(embedded.all, [word, others])[1] == {word: 1, others: 0}


def test_a_boot_has_one_id():
    assert boot_id() == boot_id() != ""
