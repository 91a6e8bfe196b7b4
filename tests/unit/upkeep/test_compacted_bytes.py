"""What compaction erases leaves no byte in any file, unless somebody who reads the index keeps it there."""

import os
import shutil
import threading
import time

import apsw
import pytest

from holdfast.errors import StorageFailed
from holdfast.index import erasing, levelling
from holdfast.index.cache import Cache
from holdfast.model.ids import digest
from holdfast.testing.embedder import HashingEmbedder
from holdfast.testing.workbench import ALL, ANA, OTHER, SESSION
from holdfast.upkeep.compaction import compact_all

SECRET = "the xylophonist quarrelled"


def compacted(files):
    return compact_all(files.store, ALL, [SESSION])


@pytest.fixture
def deleted(files):
    """Among others an entry that was deleted, all of them indexed."""
    for number in range(50):
        files.add(f"something that stays {number}")
    entry = files.add(SECRET)
    assert files.find("xylophonist") == [entry.id]
    files.bury(entry)
    assert files.find("xylophonist") == []
    return entry


@pytest.fixture
def reader(files, deleted):
    """Somebody at a SQL prompt, in a transaction that sees the entry."""
    connection = apsw.Connection(files.index.status(ALL)["path"])
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM entries").fetchall()
    yield connection
    connection.close()


def test_a_deleted_entry_is_in_no_file(files, deleted):
    assert compacted(files)["erased"] is True
    assert files.files_with("lophonis") == []
    assert len(files.find("something", limit=100)) == 50


def test_former_words_are_in_no_file(files):
    entry = files.add(SECRET)
    assert files.find("xylophonist") == [entry.id]
    files.journal.amend(ANA, SESSION, entry.id, "ana", {"text": "present"})
    assert compacted(files)["erased"] is True
    assert files.files_with("lophonis") == []
    assert files.find("present") == [entry.id]


def test_no_vector_of_former_words_stays_in_the_cache_of_a_costly_embedder(files):
    entry, embedder = files.add(SECRET), HashingEmbedder(costly=True)
    files.level().embed(ALL, embedder, None)
    files.journal.amend(ANA, SESSION, entry.id, "ana", {"text": "present"})
    files.level().embed(ALL, embedder, None)
    former = embedder.embed([SECRET])[0].tobytes()
    assert any(name.endswith("cache.db") for name in files.files_with(former))
    assert compacted(files)["erased"] is True
    assert files.files_with(former) == files.files_with(digest(SECRET.encode())) == []
    embedder.calls.clear()
    assert files.level().embed(ALL, embedder, None) == 0
    assert embedder.calls == []  # of what it says now the vector was kept


def lose_generations(files):
    """As after an upgrade: what lies there is of another version, or of none."""
    files.index.close()
    folder = os.path.join(files.folder, "index")
    shutil.rmtree(os.path.join(folder, files.index.generations.current()))
    os.unlink(os.path.join(folder, "CURRENT"))


@pytest.fixture
def embedded(files):
    """Three entries with vectors in the cache, the index that they were made for lost; the former of two of them."""
    gone, amended, _ = files.add(SECRET), files.add(f"{SECRET} once"), files.add("what stays")
    embedder = HashingEmbedder(costly=True)
    files.level().embed(ALL, embedder, None)
    lose_generations(files)
    files.bury(gone)
    files.journal.amend(ANA, SESSION, amended.id, "ana", {"text": "present"})
    return [embedder.embed([text])[0].tobytes() for text in (SECRET, f"{SECRET} once")]


@pytest.mark.parametrize("searched", [False, True])
def test_no_vector_of_what_is_erased_stays_there_where_the_index_is_another_one(files, embedded, searched):
    for former in embedded:
        assert files.files_with(former) != []
    if searched:
        files.level()
    assert compacted(files)["erased"] is True
    assert [files.files_with(former) for former in embedded] == [[], []]
    embedder = HashingEmbedder(costly=True)
    assert files.level().embed(ALL, embedder, None) == 0
    assert embedder.calls == ["present"]


def test_nor_where_there_is_none_and_many_journals(files, embedded, monkeypatch):
    monkeypatch.setattr(levelling, "_INLINE_JOURNALS", 0)
    assert compacted(files)["erased"] is True
    assert [files.files_with(former) for former in embedded] == [[], []]


def test_the_cache_is_looked_through_once_for_each_index(files, embedded, monkeypatch):
    assert compacted(files)["erased"] is True
    with monkeypatch.context() as patch:
        patch.setattr(Cache, "sweep", lambda *_: pytest.fail("looked through again"))
        assert compacted(files)["erased"] is True
    files.index.rebuild(ALL)
    looked, sweep = [], Cache.sweep
    monkeypatch.setattr(Cache, "sweep", lambda *about: looked.append(1) or sweep(*about))
    assert compacted(files)["erased"] is True
    assert looked == [1]


def test_a_cache_that_refuses_is_told_and_looked_through_later(files, monkeypatch):
    entry, embedder = files.add(SECRET), HashingEmbedder(costly=True)
    files.level().embed(ALL, embedder, None)
    assert compacted(files)["erased"] is True
    files.bury(entry)
    with monkeypatch.context() as patch:
        patch.setattr(Cache, "_use", lambda *_: None)
        patch.setattr(Cache, "remove", lambda _: None)
        assert compacted(files)["erased"] is False
    former = embedder.embed([SECRET])[0].tobytes()
    assert [name for name in files.files_with(former) if name.endswith("cache.db")]
    assert compacted(files)["erased"] is True
    assert files.files_with(former) == []


def test_what_an_earlier_compaction_was_killed_over_goes_with_the_next(files, deleted, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(files.index, "scour", lambda *_: False)
        compacted(files)
    assert files.files_with("lophonis") != []
    assert compacted(files)["erased"] is True
    assert files.files_with("lophonis") == []


def test_an_index_of_another_version_goes(files, deleted):
    other = os.path.join(files.folder, "index", "v3-000001")
    os.mkdir(other)
    with open(os.path.join(other, "index.db"), "w") as file:
        file.write(SECRET)
    assert compacted(files)["erased"] is True
    assert files.files_with("lophonis") == []


def test_a_reader_is_waited_for_only_so_long_and_the_report_says_what_stays(files, deleted, reader):
    generation, started = files.index.status(ALL)["generation"], time.monotonic()
    assert compacted(files)["erased"] is False
    assert time.monotonic() - started < 10
    assert files.index.status(ALL)["generation"] == generation  # nothing is built anew for it
    reader.execute("COMMIT")
    assert compacted(files)["erased"] is True
    assert files.files_with("lophonis") == []


def test_a_reader_who_ends_soon_is_waited_for(files, deleted, reader, monkeypatch):
    monkeypatch.setattr(erasing.time, "sleep", lambda _seconds: reader.in_transaction and reader.execute("COMMIT"))
    assert compacted(files)["erased"] is True
    assert files.files_with("lophonis") == []


def test_an_index_that_another_process_keeps_to_itself_is_not_waited_for_without_end(files, deleted):
    with files.index.lock.hold(1_000, "be busy"):
        assert compacted(files)["erased"] is False
    assert compacted(files)["erased"] is True
    assert files.files_with("lophonis") == []


@pytest.mark.parametrize("journal", [SESSION, OTHER])
def test_who_goes_on_writing_meanwhile_keeps_nothing_of_it(files, deleted, journal, monkeypatch):
    files.session(OTHER)
    files.add("level", OTHER)
    files.level()
    compacted(files)
    files.add("written meanwhile", journal)
    monkeypatch.setattr(files.index, "refresh", lambda *_: 1)
    assert files.index.scour(ALL, 1_000) is True


def test_a_rewrite_that_the_index_has_not_seen_is_told(files, deleted, monkeypatch):
    files.journal.rewrite(ALL, SESSION, lambda entry: None if entry.id == deleted.id else entry)
    monkeypatch.setattr(files.index, "refresh", lambda *_: 1)
    assert files.index.scour(ALL, 1_000) is False


def test_no_index_is_built_to_erase_what_it_would_not_hold(files):
    assert files.index.scour(ALL, 1_000) is True
    assert not os.path.exists(os.path.join(files.folder, "index", "CURRENT"))


class Slow(HashingEmbedder):
    """Waits, before it makes any vector, until it is let go on."""

    def __init__(self):
        super().__init__()
        self.asked, self.go = threading.Event(), threading.Event()

    def embed(self, texts):
        self.asked.set()
        assert self.go.wait(30)
        return super().embed(texts)


def test_an_index_that_is_being_built_of_what_there_was_is_told(files):
    entry, embedder = files.add(SECRET), Slow()
    files.level()
    build = threading.Thread(target=files.index.rebuild, args=(ALL,), kwargs={"embedder": embedder})
    build.start()
    try:
        assert embedder.asked.wait(30)
        files.bury(entry)
        assert compacted(files)["erased"] is False
        assert files.files_with("lophonis") != []
    finally:
        embedder.go.set()
        build.join()
    assert compacted(files)["erased"] is True
    assert files.files_with("lophonis") == []


def test_a_journal_that_the_index_cannot_read_after_the_rewrite_is_told(files, deleted, monkeypatch):
    def replay(*_):
        raise StorageFailed("a bad sector", act="read", errno="EIO")

    with monkeypatch.context() as patch:
        rewrite = files.journal.rewrite

        def rewritten(*arguments):
            rewrite(*arguments)
            patch.setattr(files.journal, "replay", replay)

        patch.setattr(files.journal, "rewrite", rewritten)
        assert compacted(files)["erased"] is False
        assert files.files_with("lophonis") != []
    assert compacted(files)["erased"] is True
    assert files.files_with("lophonis") == []


def test_a_second_rewrite_is_told_though_it_has_the_inode_that_the_index_knows(files, deleted, monkeypatch):
    size, known = files.journal.size, files.journal.size(ALL, SESSION).inode
    files.journal.rewrite(ALL, SESSION, lambda entry: None if entry.id == deleted.id else entry)
    monkeypatch.setattr(files.journal, "size", lambda *names: size(*names).replace(inode=known))
    monkeypatch.setattr(files.index, "refresh", lambda *_: 1)
    assert files.index.scour(ALL, 1_000) is False


def test_an_index_of_another_version_that_does_not_go_is_told(files, deleted, monkeypatch):
    os.mkdir(os.path.join(files.folder, "index", "v3-000001"))
    monkeypatch.setattr(files.index.generations, "discard", lambda _name: None)
    assert compacted(files)["erased"] is False


def test_one_that_went_is_not_missed_where_there_is_no_index_of_this_version(files):
    with open(os.path.join(files.folder, "index", "CURRENT"), "w") as file:
        file.write("v3-000001\n")
    assert files.index.scour(ALL, 1_000) is True


def test_an_index_that_cannot_be_used_keeps_no_report_back(files, deleted, monkeypatch):
    def unbuildable(_condemned):
        raise StorageFailed("the disk is full", errno="ENOSPC")

    os.unlink(files.index.status(ALL)["path"])
    files.index.live.let_go()
    monkeypatch.setattr(files.index.live, "_replaced", unbuildable)
    report = compacted(files)
    assert (report["erased"], report["entries_after"]) == (False, 50)
