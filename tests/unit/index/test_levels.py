"""What was seen level is believed until a stat says that it changed."""

from holdfast.index.marks import Levels
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
