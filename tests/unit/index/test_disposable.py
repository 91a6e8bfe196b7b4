"""Everything below `index/` may be removed or replaced at any time: no write fails for it, and nothing is missed."""

import os
import shutil

import pytest

from holdfast.errors import StorageFailed
from holdfast.index.signs import sign_of


@pytest.fixture
def store(embedded):
    """An index that is level with one entry in one session."""
    embedded.journal_id = embedded.session()
    embedded.first = embedded.add(embedded.journal_id, "alpha").id
    assert embedded.find("alpha") == [embedded.first]
    return embedded


def replace(path, kind):
    """Put something else where a file or directory of ours was."""
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)
    if kind == "a file":
        path.write_text("not ours")
    elif kind == "a directory":
        path.mkdir()
        (path / "something").write_text("not ours")
    elif kind == "a dangling link":
        path.symlink_to("nowhere")
    elif kind == "a pipe":
        os.mkfifo(path)


PLACES = ("", "behind", "CURRENT", "index.lock", "build.lock", "v", "v/index.db", "v/index.db-wal", "v/index.db-shm")


@pytest.mark.parametrize("opened", [True, False], ids=["while open", "then opened"])
@pytest.mark.parametrize("kind", ["nothing", "a file", "a directory", "a dangling link", "a pipe"])
@pytest.mark.parametrize("place", PLACES)
def test_whatever_lies_in_the_place_of_ours_writes_and_answers_go_on(store, place, kind, opened):
    folder = store.folder / "index"
    path = folder / place.replace("v", store.index.live.name, 1) if place.startswith("v") else folder / place
    if not opened:
        store.index.close()
    replace(path, kind)
    if not opened:
        store.index = store.open_index()
    second = store.add(store.journal_id, "beta").id
    store.index.refresh(store.all, 0)
    assert store.find("beta") == [second]
    assert store.find("alpha") == [store.first]
    store.reopen()
    assert store.find("beta") == [second]
    assert store.index.trouble is None


def test_what_a_link_in_our_place_points_to_is_left_alone(store, tmp_path):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "letter").write_text("mine")
    pointer = store.folder / "index" / "CURRENT"
    pointer.unlink()
    pointer.symlink_to(tmp_path / "theirs")
    assert store.find("alpha") == [store.first]
    assert (tmp_path / "theirs" / "letter").read_text() == "mine"


def test_a_mark_that_the_disk_refuses_still_fails_the_write(store, monkeypatch):
    def refuse(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.index.marks, "_put", refuse)
    with pytest.raises((OSError, StorageFailed)):
        store.add(store.journal_id, "beta")


# -- marks that were lost


def lose_marks(store):
    shutil.rmtree(store.folder / "index" / "behind")


def test_a_line_whose_mark_was_removed_is_found_by_the_next_answer(store):
    second = store.add(store.journal_id, "beta").id
    lose_marks(store)
    assert store.find("beta") == [second]


def test_a_line_whose_mark_was_removed_is_found_by_another_process(store):
    store.index.close()
    second = store.add(store.journal_id, "beta").id
    lose_marks(store)
    store.index = store.open_index()
    assert store.find("beta") == [second]


def test_a_line_whose_mark_was_removed_is_found_though_another_writer_made_the_folder_again(store):
    second = store.add(store.journal_id, "beta").id
    lose_marks(store)
    other = store.session(2)
    third = store.add(other, "gamma").id
    store.index.refresh(store.all, 0)
    assert store.find("gamma") == [third]
    assert store.find("beta") == [second]


@pytest.mark.parametrize("lost", ["the marks", "the index"])
def test_a_writer_that_is_inside_while_something_is_lost_and_mended_is_not_missed(store, lost):
    """Its mark goes, everything is compared before it appends, and it dies before it can index anything."""
    announce, looked = store.index.announce, []

    def lose_and_mend(scope, journal):
        announce(scope, journal)
        if not looked:
            looked.append(journal)
            lose_marks(store) if lost == "the marks" else shutil.rmtree(store.folder / "index")
            other = store.open_index()
            other.refresh(store.all, 2_000)
            other.live.let_go()

    store.index.announce = lose_and_mend
    second = store.add(store.journal_id, "beta").id
    assert looked
    store.index = store.open_index()  # the writer's own memory would help
    assert store.find("beta") == [second]


def test_comparing_once_is_enough(store, monkeypatch):
    lose_marks(store)
    store.index.refresh(store.all, 2_000)
    compared = []
    monkeypatch.setattr(store.index, "_compare", lambda: compared.append(1))
    store.find("alpha")
    store.reopen()
    monkeypatch.setattr(store.index, "_compare", lambda: compared.append(1))
    store.find("alpha")
    assert compared == []


def test_a_sign_is_made_once_and_again_when_its_folder_was_removed(store):
    marks = store.index.marks
    first = sign_of(marks, store.journal, store.all)
    assert sign_of(marks, store.journal, store.all) == first
    lose_marks(store)
    second = sign_of(marks, store.journal, store.all)
    assert second != first
    assert marks.has(second)
    assert second not in marks.names()


def test_no_sign_appears_in_a_folder_that_was_removed_while_it_was_made(store, monkeypatch):
    lose_marks(store)
    when_idle, lost = store.journal.when_idle, []

    def lose_once(scope, journal, act):
        if not lost:
            lost.append(journal)
            lose_marks(store)
            store.index.marks.put(journal)  # a writer makes the folder again
        return when_idle(scope, journal, act)

    monkeypatch.setattr(store.journal, "when_idle", lose_once)
    sign = sign_of(store.index.marks, store.journal, store.all)
    assert [name for name in store.index.marks.all() if not name.startswith("sess_")] == [sign]


# -- building beside a live generation


def test_what_was_written_and_indexed_while_a_generation_was_built_is_in_it(store):
    """Whoever brings the old generation level takes the mark away: it says nothing about the new one."""
    added = []

    def write(done, total):
        if done == total and not added:
            added.append(store.add(store.journal_id, "beta").id)
            other = store.open_index()
            other.refresh(store.all, 2_000)
            other.close()
            assert other.marks.names() == []

    store.index.rebuild(store.all, write)
    assert store.find("beta") == added


def test_a_journal_that_goes_while_a_generation_is_built_is_not_in_it(store):
    def remove(done, total):
        if done == total:
            shutil.rmtree(store.folder / "sessions" / store.journal_id)

    store.index.rebuild(store.all, remove)
    assert store.find("alpha") == []


def test_a_sweep_that_fails_leaves_the_new_generation_live(store, monkeypatch):
    drop = store.index.generations.drop

    def refuse(name):
        if name == old:
            raise OSError(39, "Directory not empty")
        drop(name)

    old = store.index.live.name
    monkeypatch.setattr(store.index.generations, "drop", refuse)
    store.index.rebuild(store.all)
    assert store.find("alpha") == [store.first]
    assert store.index.live.name != old
