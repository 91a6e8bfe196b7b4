"""A journal that cannot be read: nobody else misses anything, and it is taken up as soon as it can be."""

import errno
import os
import shutil

import pytest

from holdfast.errors import StorageFailed
from holdfast.index.bringing import Unread
from holdfast.model.query import Filter

FILES = ("memory.jsonl", "tombstones.jsonl", "metadata.json")


class Failing:
    """A journal of which the disk refuses some files; `late` ones only after a first piece of them was read."""

    def __init__(self, journal, *, number=errno.EIO):
        self._journal, self._number = journal, number
        self.bad, self.late, self.blind = set(), set(), set()

    def __getattr__(self, name):
        return getattr(self._journal, name)

    def _refuse(self, journal, act="read"):
        name = errno.errorcode[self._number]
        raise StorageFailed(f"could not {act} {journal}: ({name})", errno=name, path=journal, act=act)

    def size(self, scope, journal):
        if journal in self.blind:
            self._refuse(journal, "look at")
        return self._journal.size(scope, journal)

    def replay(self, scope, journal, since=None, most=None):
        if journal in self.bad | self.blind or (journal in self.late and since is not None):
            self._refuse(journal)
        return self._journal.replay(scope, journal, since, most)

    def tombstones(self, scope, journal, offset=0):
        if journal in self.blind:
            self._refuse(journal)
        return self._journal.tombstones(scope, journal, offset)

    def card(self, scope, journal):
        if journal in self.blind:
            self._refuse(journal)
        return self._journal.card(scope, journal)

    def owner(self, scope, journal):
        return None if journal in self.blind else self._journal.owner(scope, journal)


@pytest.fixture
def failing(embedded, monkeypatch):
    """An index over three sessions, ana's, bo's and ana's, and what makes their journals fail."""
    monkeypatch.setattr("holdfast.index.catchup.PIECE", 800)
    embedded.failing = Failing(embedded.journal)
    embedded.names = [embedded.session(number, user) for number, user in ((1, "ana"), (2, "bo"), (3, "ana"))]
    embedded.entries = {
        name: [embedded.add(name, f"word {number}", user=user).id for number in range(4)]
        for name, user in zip(embedded.names, ("ana", "bo", "ana"), strict=True)
    }
    embedded.index.close()
    embedded.index = embedded.open_index(journal=embedded.failing)
    return embedded


def shown(embedded, scope):
    return {row.id for row in embedded.index.rows(scope, Filter())}


def start_over(embedded):
    """Without an index."""
    embedded.index.close()
    shutil.rmtree(embedded.folder / "index")
    embedded.index = embedded.open_index(journal=embedded.failing)


@pytest.mark.parametrize("how", ["bad", "late", "blind"])
def test_a_build_leaves_it_out_and_a_later_answer_takes_it_up(failing, how):
    start_over(failing)
    first, second, third = failing.names
    getattr(failing.failing, how).add(second)
    assert failing.index.refresh(failing.all, 2_000) == 0
    assert shown(failing, failing.all) == {*failing.entries[first], *failing.entries[third]}
    assert list(failing.index.unreadable(failing.all)) == [second]
    getattr(failing.failing, how).clear()
    assert failing.index.refresh(failing.all, 2_000) == 0
    assert failing.index.unreadable(failing.all) == {}
    assert shown(failing, failing.all) == {id for ids in failing.entries.values() for id in ids}


@pytest.mark.parametrize("how", ["bad", "late", "blind"])
def test_its_rows_stay_as_they_were_and_the_others_are_brought_level(failing, how):
    first, second, third = failing.names
    failing.index.refresh(failing.all, 2_000)
    before = shown(failing, failing.all)
    getattr(failing.failing, how).add(second)
    fresh = {failing.add(name, "fresh", user=user).id for name, user in ((first, "ana"), (third, "ana"))}
    failing.add(second, "fresh", user="bo")
    assert failing.index.refresh(failing.all, 2_000) == 0
    assert shown(failing, failing.all) == before | fresh
    failing.index.compare(failing.all)
    assert shown(failing, failing.all) == before | fresh
    assert failing.index.trouble is None


@pytest.mark.parametrize("how", ["bad", "blind"])
def test_a_rebuild_goes_on_without_it(failing, how):
    failing.index.refresh(failing.all, 2_000)
    getattr(failing.failing, how).add(failing.names[1])
    failing.index.rebuild(failing.all)
    failing.index.refresh(failing.all, 2_000)
    assert shown(failing, failing.all).isdisjoint(failing.entries[failing.names[1]])
    getattr(failing.failing, how).clear()
    failing.index.refresh(failing.all, 2_000)
    assert shown(failing, failing.all) == {id for ids in failing.entries.values() for id in ids}


def test_only_its_owner_is_told(failing):
    failing.index.refresh(failing.all, 2_000)
    failing.failing.blind.add(failing.names[1])
    failing.index.suspect(failing.all, failing.names[1])
    failing.index.refresh(failing.all, 2_000)
    told = [list(failing.index.unreadable(failing.scope(user))) for user in ("ana", "bo")]
    assert told == [[], [failing.names[1]]]


def test_its_owner_is_found_without_an_index_where_anything_of_it_tells(failing):
    failing.failing.bad.add(failing.names[1])
    start_over(failing)
    failing.index.refresh(failing.all, 2_000)
    assert [len(failing.index.unreadable(failing.scope(user))) for user in ("ana", "bo")] == [0, 1]


def test_where_nobody_can_tell_whose_it_is_it_may_be_anybodys(failing):
    failing.failing.blind.add(failing.names[1])
    start_over(failing)
    failing.index.refresh(failing.all, 2_000)
    assert [len(failing.index.unreadable(failing.scope(user))) for user in ("ana", "bo")] == [1, 1]


def test_what_it_spoils_is_committed_before_another_is_tried(failing, monkeypatch):
    """However many cannot be read, each of the others is read twice at most."""
    begun = []
    real = failing.failing.replay

    def replay(scope, journal, since=None, most=None):
        if since is None:
            begun.append(journal)
        return real(scope, journal, since, most)

    monkeypatch.setattr(failing.failing, "replay", replay)
    failing.failing.bad.update(failing.names[1:])
    start_over(failing)
    failing.index.refresh(failing.all, 2_000)
    assert shown(failing, failing.all) == set(failing.entries[failing.names[0]])
    assert begun.count(failing.names[0]) == 2


def test_a_quarantine_that_cannot_be_written_is_no_trouble_of_the_journal(failing, monkeypatch):
    failing.index.refresh(failing.all, 2_000)
    path = failing.folder / "sessions" / failing.names[1] / "memory.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"word 2"', b'"word X"'))
    failing.index.suspect(failing.all, failing.names[1])
    refusal = StorageFailed("no room", errno="ENOSPC", act="write to", path="quarantine")
    monkeypatch.setattr(failing.failing, "quarantine", lambda *_: (_ for _ in ()).throw(refusal), raising=False)
    assert failing.index.refresh(failing.all, 2_000) >= 1
    assert failing.index.unreadable(failing.all) == {}
    assert failing.index.trouble == "StorageFailed"


def test_what_takes_long_to_fail_is_not_tried_before_every_answer(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("holdfast.index.bringing.time.monotonic", lambda: now[0])
    unread = Unread()
    slow = StorageFailed("could not read it", errno="EIO", act="read", path="it")
    now[0] = 3.0
    unread.note("slow", slow, started=0.0)
    unread.note("quick", slow, started=3.0)
    assert unread.rested(["slow", "quick", "other"]) == ["quick", "other"]
    now[0] = 63.0
    assert unread.rested(["slow"]) == ["slow"]


def test_too_many_open_files_are_no_trouble_of_one_journal():
    with pytest.raises(StorageFailed):
        Unread().note("it", StorageFailed("", errno="EMFILE", act="read"), 0.0)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("built", [True, False], ids=["known", "unknown"])
@pytest.mark.parametrize("name", FILES)
def test_a_pipe_in_place_of_a_file_holds_nobody_up(failing, name, built):
    first, second, third = failing.names
    if built:
        failing.index.refresh(failing.all, 2_000)
    else:
        start_over(failing)
    path = failing.folder / "sessions" / second / name
    if path.exists():
        path.rename(failing.folder / "kept")
    os.mkfifo(path)
    failing.index.suspect(failing.all, second)
    assert failing.index.refresh(failing.all, 2_000) == 0
    assert shown(failing, failing.all) >= {*failing.entries[first], *failing.entries[third]}
    if name != "metadata.json" or not built:  # a card whose journal has not changed is not read again
        assert list(failing.index.unreadable(failing.all)) == [second]
    assert built == (failing.entries[second][0] in shown(failing, failing.all))
