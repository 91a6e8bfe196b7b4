"""A new generation is filled without a log; all of it is on the medium before CURRENT names it."""

import errno
import os
import time
from types import SimpleNamespace

import apsw
import pytest

from holdfast.disk import Disk
from holdfast.index import SqliteIndex
from holdfast.index.sqlite import IndexOptions
from holdfast.journal import FileJournal


class Watched(apsw.VFSFile):
    def __init__(self, log, name, flags):
        super().__init__("", name, flags)
        self._log = log
        self._name = os.path.basename(name.filename()) if isinstance(name, apsw.URIFilename) else "temporary"

    def xWrite(self, data, offset):  # noqa: N802
        self._log.append(("write", self._name))
        return super().xWrite(data, offset)

    def xSync(self, flags):  # noqa: N802
        self._log.append(("sync", self._name))
        return super().xSync(flags)


class Watching(apsw.VFS):
    """Notes every write and sync of SQLite's files."""

    def __init__(self):
        self.log = []
        super().__init__("watching", "")

    def xOpen(self, name, flags):  # noqa: N802
        return Watched(self.log, name, flags)


@pytest.fixture
def watching():
    made = Watching()
    yield made
    made.unregister()


def test_a_generation_is_synced_whole_before_it_goes_live(embedded, watching, monkeypatch):
    session = embedded.session()
    for number in range(50):
        embedded.add(session, f"word {number}")
    index = SqliteIndex(
        str(embedded.folder / "index"), "main", embedded.journal, embedded.clock,
        recalled=str(embedded.folder / "recalled.jsonl"), options=IndexOptions(vfs="watching"),
    )  # fmt: skip
    flip, seen = index.generations.flip, []
    monkeypatch.setattr(index.generations, "flip", lambda name: (seen.extend(watching.log), flip(name)))
    index.rebuild(embedded.all)
    index.close()
    assert ("write", "index.db") in seen
    last_write = max(place for place, act in enumerate(seen) if act[0] == "write")
    assert ("sync", "index.db") in seen[last_write:]


def test_a_live_generation_is_logged(embedded):
    embedded.session()
    embedded.index.refresh(embedded.all, 2_000)
    modes = embedded.index.live.ask(
        lambda c: [c.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
    )
    assert modes == ["wal", 1]


def test_a_rebuild_goes_on_although_forgetting_takes_its_generation_away_again_and_again(embedded, monkeypatch):
    session = embedded.session()
    embedded.add(session, "alpha")
    embedded.index.refresh(embedded.all, 2_000)
    moved, generations = [0.0], embedded.index.generations
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + moved[0], sleep=time.sleep)
    monkeypatch.setattr("holdfast.index.mending.time", clock)

    def taken(_done, _total):
        if moved[0] < 12.0:
            moved[0] += 1.0  # seconds that the build took so far
            for name in generations.unbuilt():
                generations.drop(name)

    before = generations.current()
    embedded.index.rebuild(embedded.all, taken)
    assert moved[0] == 12.0
    assert generations.current() != before


def test_what_a_thread_of_this_process_is_building_is_not_swept(embedded):
    embedded.add(embedded.session(), "alpha")
    embedded.index.refresh(embedded.all, 2_000)
    other, seen = embedded.open_index(), []

    def look(_done, _total):
        other.compare(embedded.all)
        other.sweep(embedded.all)
        seen.append(other.generations.unbuilt())

    embedded.index.rebuild(embedded.all, look)
    other.close()
    assert [len(found) for found in seen] == [1]
    assert embedded.index.generations.unbuilt() == []
    assert embedded.index.generations.current() == seen[0][0]


def test_nothing_is_swept_where_no_generation_is_live(embedded):
    embedded.add(embedded.session(), "alpha")
    embedded.index.refresh(embedded.all, 2_000)
    os.unlink(embedded.folder / "index" / "CURRENT")
    embedded.index.sweep(embedded.all)
    assert len(embedded.index.generations.unbuilt()) == 1


def test_a_search_does_not_look_for_leftovers(embedded, monkeypatch):
    session = embedded.session()
    first = embedded.add(session, "alpha")
    embedded.index.refresh(embedded.all, 2_000)
    monkeypatch.setattr(embedded.index.generations, "unbuilt", lambda: pytest.fail("nobody compares"))
    second = embedded.add(session, "alpha beta")
    assert set(embedded.find("alpha")) == {first.id, second.id}


class ReadOnly(Disk):
    def open(self, path, flags, mode=0o600):
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return super().open(path, flags, mode)


def test_a_home_that_cannot_be_written_is_indexed_elsewhere(embedded, tmp_path):
    entry = embedded.add(embedded.session(), "alpha")
    embedded.index.close()
    journal = FileJournal(str(embedded.folder), "main", embedded.clock, disk=ReadOnly())
    embedded.index = SqliteIndex(
        str(tmp_path / "elsewhere"), "main", journal, embedded.clock, recalled=str(embedded.folder / "recalled.jsonl")
    )
    assert embedded.find("alpha") == [entry.id]
    assert embedded.index.trouble is None
    embedded.index.rebuild(embedded.all)
    assert embedded.find("alpha") == [entry.id]
