"""Which journals an answer waits for and speaks of while the index is behind: those of its own scope."""

import fcntl
import os
import time
from contextlib import contextmanager

import pytest

from holdfast.index.owning import concerns
from holdfast.model.card import Card
from holdfast.model.ids import GLOBAL, user_dir
from holdfast.model.moment import iso

SESSION = "sess_20260101_000001"


@contextmanager
def stuck(embedded):
    """While somebody else keeps the index to themselves."""
    lock = os.open(embedded.folder / "index" / "index.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(lock)


def behind(embedded, **narrow):
    """How many journals an answer to each of the two is told of, and which."""
    scopes = [embedded.scope(user, **narrow) for user in ("ana", "bo")]
    return [(embedded.index.refresh(scope, 20), sorted(embedded.index.lagging(scope))) for scope in scopes]


@pytest.fixture
def two(embedded):
    """A session of each of two users, and the index level."""
    for number, user in ((1, "ana"), (2, "bo")):
        embedded.add(embedded.session(number, user), "a word", user=user)
    embedded.index.refresh(embedded.all, 2_000)
    return embedded


@pytest.mark.parametrize(
    ("journal", "owner", "expected"),
    [
        (SESSION, "ana", True), (SESSION, "bo", False), (SESSION, None, True), (GLOBAL, None, True),
        (user_dir("ana"), None, True), (user_dir("bo"), None, False),
    ],
)  # fmt: skip
def test_a_journal_concerns_its_owner_and_whoever_may_be_it(embedded, journal, owner, expected):
    assert concerns(embedded.scope(), journal, owner) is expected
    assert concerns(embedded.all, journal, owner)


def test_what_is_shared_concerns_only_who_may_see_it(embedded):
    assert not concerns(embedded.scope(shared=False), GLOBAL, None)


def test_sessions_that_are_behind_are_told_to_their_user_known_ones_and_new_ones(two):
    with stuck(two):
        two.add("sess_20260101_000002", "another word", user="bo")
        new = two.session(3, user="bo")
        two.add(new, "a word", user="bo")
        assert behind(two) == [(0, []), (2, ["sess_20260101_000002", new])]
        assert two.index.refresh(two.all, 20) == 2
        assert sorted(two.index.lagging(two.scope("ana"))) == []
    assert behind(two) == [(0, []), (0, [])]


def test_a_users_own_journal_is_told_to_that_user_and_the_shared_one_to_all_who_see_it(two):
    with stuck(two):
        own = two.user("bo")
        two.add(own, "a word", user="bo")
        two.journal.create(two.all, Card(id=GLOBAL, kind="global", created_at=iso(two.clock.now())))
        assert behind(two) == [(1, [GLOBAL]), (2, sorted([GLOBAL, own]))]
        assert behind(two, shared=False) == [(0, []), (1, [own])]


def test_a_session_that_changed_hands_is_told_to_both(two):
    two.journal.remove(two.all, SESSION)
    two.clock.advance(1_000)
    with stuck(two):
        two.session(1, user="bo")
        two.add(SESSION, "a word that came", user="bo")
        assert behind(two) == [(1, [SESSION]), (1, [SESSION])]


def test_nobody_waits_for_what_is_anothers(two):
    with stuck(two):
        two.add("sess_20260101_000002", "another word", user="bo")
        started = time.monotonic()
        assert two.index.refresh(two.scope("ana"), 10_000) == 0
        assert time.monotonic() - started < 5


def test_while_the_index_cannot_be_written_everybody_is_told(two, monkeypatch):
    two.add("sess_20260101_000002", "another word", user="bo")

    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(two.index, "_bring", full)
    assert two.index.refresh(two.scope("ana"), 20) == 1
    assert two.index.lagging(two.scope("ana")) == {}


def test_ones_own_journals_are_read_first(two, monkeypatch):
    brought = []
    real = two.index._bring
    monkeypatch.setattr(two.index, "_bring", lambda sizes, deadline: (brought.append([*sizes]), real(sizes, deadline)))
    journals = {"ana": SESSION, "bo": "sess_20260101_000002"}
    for user, journal in journals.items():
        monkeypatch.setattr(two.index._bringing, "suspects", set(journals.values()))
        two.index.refresh(two.scope(user), 2_000)
        assert brought[-1][0] == journal
