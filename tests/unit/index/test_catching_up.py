"""Rows follow their journals: grown, rewritten, cut, damaged, removed; marks name what to look at."""

import errno
import json
import os
import threading
import time

import apsw
import pytest

import holdfast
from holdfast.index import SqliteIndex
from holdfast.index.database import WAIT_MS
from holdfast.index.mending import IndexLock
from holdfast.model.entry import Tombstone
from holdfast.model.moment import iso
from holdfast.model.query import Filter


def marks(embedded):
    return sorted(embedded.index.marks.names())


def unmarked(embedded, session):
    """An entry of which no index knows, and no mark tells."""
    embedded.find("words")
    entry = embedded.add(session, "unindexed words")
    for name in marks(embedded):
        embedded.index.marks.take_away(name)
    return entry


def test_what_another_handle_wrote_is_found_without_being_told(embedded):
    session = embedded.session()
    first = embedded.add(session, "first words")
    assert embedded.find("words") == [first.id]
    other = embedded.open_index()
    second = embedded.add(session, "second words")
    other.refresh(embedded.all, 2_000)
    assert set(embedded.find("words")) == {first.id, second.id}
    other.close()


def test_a_mark_stays_while_its_journal_is_busy_and_goes_at_close(embedded):
    session = embedded.session()
    embedded.add(session, "words")
    embedded.index.refresh(embedded.all, 2_000)
    assert marks(embedded) == [session]
    embedded.index.close()
    assert marks(embedded) == []


def test_a_mark_of_a_killed_writer_is_enough_to_find_its_lines(embedded):
    session = embedded.session()
    embedded.find("words")
    entry = embedded.add(session, "unindexed words")
    embedded.reopen()
    assert embedded.find("unindexed") == [entry.id]


def test_lost_marks_are_made_up_for_by_a_comparison(embedded):
    entry = unmarked(embedded, embedded.session())
    assert embedded.find("unindexed") == []
    assert embedded.index.compare(embedded.all) == 1
    assert embedded.find("unindexed") == [entry.id]


def test_after_a_restart_of_the_machine_all_journals_are_compared(embedded, monkeypatch):
    entry = unmarked(embedded, embedded.session())
    monkeypatch.setattr("holdfast.index.live.boot_id", lambda: "another boot")
    embedded.reopen()
    assert embedded.find("unindexed") == [entry.id]


@pytest.mark.parametrize("changed", [True, False])
def test_then_too_whoever_keeps_the_index_to_themselves_is_waited_for_only_as_long_as_was_asked(
    embedded, changed, monkeypatch
):
    entry = unmarked(embedded, embedded.session()) if changed else embedded.add(embedded.session(), "words")
    if not changed:
        embedded.find("words")
    monkeypatch.setattr("holdfast.index.live.boot_id", lambda: "another boot")
    other = embedded.open_index()
    held = other.lock.hold(1_000, "be stopped")
    timer = threading.Timer(4, held.release)
    timer.start()
    embedded.reopen()
    started = time.monotonic()
    assert embedded.index.refresh(embedded.all, 100) == int(changed)
    assert time.monotonic() - started < 2
    timer.cancel()
    held.release()
    assert embedded.find("words") == [entry.id]
    other.close()


def test_a_comparison_for_which_the_disk_has_no_room_is_not_taken_for_done(embedded, monkeypatch):
    entry = unmarked(embedded, embedded.session())
    monkeypatch.setattr("holdfast.index.live.boot_id", lambda: "another boot")
    embedded.reopen()

    def full(journal):
        raise OSError(errno.ENOSPC, "no room for a mark")

    with monkeypatch.context() as disk:
        disk.setattr(embedded.index.marks, "put", full)
        assert [embedded.index.refresh(embedded.all, 2_000) for _ in range(3)] == [1, 1, 1]
    assert embedded.find("unindexed") == [entry.id]


def of_another_version(embedded):
    """The index that another version of Holdfast keeps here."""
    folder = embedded.folder / "index" / "v99-000007"
    folder.mkdir()
    (folder / "index.db").write_bytes(b"theirs")
    pointer = embedded.folder / "index" / "CURRENT"
    pointer.write_text("v99-000007\n" + pointer.read_text())
    return folder / "index.db"


def test_what_another_version_may_have_indexed_is_compared_and_else_nothing(embedded, monkeypatch):
    session = embedded.session()
    embedded.find("words")
    theirs = of_another_version(embedded)
    embedded.find("words")
    compared = []
    every = SqliteIndex._every
    monkeypatch.setattr(SqliteIndex, "_every", lambda index: compared.append(1) or every(index))
    for written in (True, False, False, True, False):
        if written:
            entry = unmarked(embedded, session)
            theirs.write_bytes(entry.id.encode())
        embedded.reopen()
        assert entry.id in embedded.find("words")
    assert len(compared) == 2


def test_what_another_version_wrote_is_found_by_who_has_the_index_open(embedded):
    session = embedded.session()
    embedded.find("words")
    theirs, found = of_another_version(embedded), []
    for _ in range(3):
        found.append(unmarked(embedded, session).id)
        theirs.write_bytes(found[-1].encode())
        assert sorted(embedded.find("words")) == found


def test_what_an_earlier_version_left_is_no_more_after_a_week(embedded):
    embedded.add(embedded.session(), "words")
    embedded.find("words")
    theirs = of_another_version(embedded)
    half_built = embedded.folder / "index" / "v99-000008"
    half_built.mkdir()
    week = 8 * 24 * 3600
    for path in (theirs, theirs.parent):
        os.utime(path, (time.time() - week, time.time() - week))
    embedded.reopen()
    assert len(embedded.find("words")) == 1
    assert not theirs.parent.exists()
    assert half_built.exists()  # somebody may be at it: only who holds `build.lock` knows
    embedded.index.rebuild(embedded.all)
    assert "v99" not in (embedded.folder / "index" / "CURRENT").read_text()


def test_rows_of_a_rewritten_journal_follow_their_lines(embedded):
    session = embedded.session()
    kept = [embedded.add(session, f"kept {n} words") for n in range(3)]
    dropped = embedded.add(session, "dropped words")
    assert len(embedded.find("words")) == 4
    embedded.journal.rewrite(embedded.scope(), session, lambda entry: None if entry.id == dropped.id else entry)
    assert set(embedded.find("words")) == {entry.id for entry in kept}
    assert set(embedded.read([entry.id for entry in kept])) == {entry.id for entry in kept}


def test_a_cut_journal_is_loud_and_what_only_the_index_had_goes_to_quarantine(embedded):
    session = embedded.session()
    first = embedded.add(session, "the first entry")
    second = embedded.add(session, "the second entry")
    assert len(embedded.find("entry")) == 2
    path = embedded.folder / "sessions" / session / "memory.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    embedded.index.compare(embedded.all)
    assert embedded.find("entry") == [first.id]
    kept = embedded.journal.quarantined(embedded.all)
    assert len(kept) == 1
    assert second.id in (embedded.folder / "quarantine" / os.path.basename(kept[0]["file"])).read_text()


def test_a_rewrite_sends_nothing_to_quarantine(embedded):
    session = embedded.session()
    embedded.add(session, "to be erased")
    embedded.find("erased")
    embedded.journal.rewrite(embedded.scope(), session, lambda entry: None)
    assert embedded.find("erased") == []
    assert embedded.journal.quarantined(embedded.all) == []


def test_a_damaged_line_is_counted_once_and_the_rest_is_found(embedded):
    session = embedded.session()
    entries = [embedded.add(session, f"entry number{n}") for n in range(4)]
    path = embedded.folder / "sessions" / session / "memory.jsonl"
    data = path.read_bytes().replace(b"number2", b"numbor2")
    path.write_bytes(data)
    embedded.index.refresh(embedded.all, 2_000)
    assert set(embedded.find("entry")) == {e.id for e in entries if e is not entries[2]}
    assert embedded.index.counts(embedded.scope())["damaged"] == 1
    embedded.index.rebuild(embedded.all)
    assert embedded.index.counts(embedded.scope())["damaged"] == 1
    assert len(embedded.journal.quarantined(embedded.all)) == 1


def test_a_line_overwritten_in_place_is_noticed_by_the_next_comparison(embedded):
    session = embedded.session()
    entries = [embedded.add(session, f"entry number{n}") for n in range(4)]
    assert len(embedded.find("entry")) == 4
    path = embedded.folder / "sessions" / session / "memory.jsonl"
    path.write_bytes(path.read_bytes().replace(b"number1", b"numbor1"))
    embedded.index.compare(embedded.all)
    assert set(embedded.find("entry")) == {e.id for e in entries if e is not entries[1]}
    assert embedded.index.counts(embedded.scope())["damaged"] == 1


def test_a_tombstone_beats_its_entry_whatever_comes_first(embedded):
    session = embedded.session()
    entry = embedded.add(session, "a word to hide")
    stone = Tombstone(id=entry.id, timestamp=iso(embedded.clock.now()), reason="user")
    embedded.journal.bury(embedded.scope(), session, [stone])
    assert embedded.find("word") == []
    embedded.index.rebuild(embedded.all)
    assert embedded.find("word") == []
    embedded.journal.bury(embedded.scope(), session, [stone.replace(reason="undelete")])
    assert embedded.find("word") == [entry.id]


def test_the_newest_value_of_a_key_is_the_only_one_found(embedded):
    user = embedded.user()
    old = embedded.add(user, "favourite editor is emacs", type="preference", key="editor")
    new = embedded.add(user, "favourite editor is vim", type="preference", key="editor")
    assert embedded.find("favourite editor") == [new.id]
    embedded.index.rebuild(embedded.all)
    assert embedded.find("favourite editor") == [new.id]
    rows = embedded.index.rows(embedded.scope(), Filter(keys=("editor",), superseded=True))
    assert {row.id for row in rows} == {old.id, new.id}


def test_amendments_move_the_row_and_its_words(embedded):
    session = embedded.session()
    entry = embedded.add(session, "the old wording", tags=["draft"])
    embedded.find("wording")
    changes = {"text": "the new phrasing", "tags": ["final"], "importance": 0.9}
    embedded.journal.amend(embedded.scope(), session, entry.id, "user", changes)
    assert embedded.find("wording") == []
    assert embedded.find("phrasing") == [entry.id]
    assert embedded.find("draft") == []
    assert embedded.index.tags(embedded.scope()) == {"final": 1}
    read = embedded.read([entry.id])[entry.id]
    assert (read.text, read.tags, read.importance) == ("the new phrasing", ("final",), 0.9)
    embedded.index.rebuild(embedded.all)
    assert embedded.find("phrasing") == [entry.id]


def test_the_index_holds_no_file_open_outside_sqlite(embedded):
    session = embedded.session()
    embedded.add(session, "words")
    embedded.find("words")
    database = os.path.realpath(embedded.index.database().path)
    held = [
        os.readlink(f"/proc/self/fd/{fd}")
        for fd in os.listdir("/proc/self/fd")
        if os.path.exists(f"/proc/self/fd/{fd}")
    ]
    assert held.count(database) >= 1  # SQLite's own; nothing else may open it (the next test would lose rows)


def test_the_seeds_tables_are_there_as_views(embedded):
    session = embedded.session()
    embedded.add(session, "hello there", role="user")
    embedded.add(session, "we use flow", type="fact")
    user = embedded.user()
    embedded.add(user, "vim", type="preference", key="editor")
    embedded.index.refresh(embedded.all, 2_000)
    connection = embedded.index.database().take()
    one = lambda sql: connection.execute(sql).fetchall()  # noqa: E731
    assert one("SELECT message_type, content FROM messages") == [("user", "hello there")]
    assert one("SELECT key, content FROM user_memories") == [("editor", "vim")]
    assert one("SELECT content FROM facts") == [("we use flow",)]
    assert len(one("SELECT * FROM records")) == 2
    assert one("SELECT * FROM session_summaries") == []
    embedded.index.database().give(connection)


def test_recalls_are_kept_by_the_hour_and_survive_a_rebuild(embedded):
    session = embedded.session()
    entry = embedded.add(session, "words")
    embedded.find("words")
    for _ in range(3):
        embedded.index.recall(embedded.scope(), [entry.id], embedded.clock.now())
    embedded.reopen()
    assert len((embedded.folder / "recalled.jsonl").read_text().splitlines()) == 1
    assert json.loads((embedded.folder / "recalled.jsonl").read_text())["id"] == entry.id
    embedded.add(session, "more")
    embedded.find("more")
    assert embedded.recalled(entry.id) == embedded.clock.now()
    embedded.index.rebuild(embedded.all)
    assert embedded.recalled(entry.id) == embedded.clock.now()


def test_a_value_that_comes_back_to_light_and_goes_in_one_reading_leaves_no_word(embedded):
    """An older backup of a user's journal: the later value is gone, and the earlier one is what it first was."""
    own = embedded.user()
    first = embedded.add(own, "walnut", type="preference", key="snack")
    path = embedded.folder / "users" / own / "memory.jsonl"
    backup = path.read_bytes()
    embedded.journal.amend(embedded.scope(), own, first.id, "user", {"text": "pecan"})
    last = embedded.add(own, "hazel", type="preference", key="snack")
    assert embedded.find("walnut pecan hazel") == [last.id]
    path.write_bytes(backup)
    embedded.index.compare(embedded.all)
    assert embedded.find("walnut pecan hazel") == [first.id]
    assert embedded.index.rarity(embedded.all, ["walnut", "pecan", "hazel"]) == (
        1, {"walnut": 1, "pecan": 0, "hazel": 0},
    )  # fmt: skip


def test_a_journal_read_in_pieces_gives_the_rows_that_it_gives_at_once(embedded, monkeypatch):
    session = embedded.session()
    entries = [embedded.add(session, f"words number {n}") for n in range(40)]
    for n, text in ((0, "amended once"), (39, "amended late"), (0, "amended twice")):
        embedded.journal.amend(embedded.scope(), session, entries[n].id, "user", {"text": text})
    late = [embedded.add(session, f"later words {n}") for n in range(10)]
    monkeypatch.setattr("holdfast.index.catchup.PIECE", 1_500)
    assert len(embedded.find("words", limit=100)) == 48
    assert embedded.find("once") == []
    assert embedded.find("twice") == [entries[0].id]
    assert embedded.find("late") == [entries[39].id]
    path = embedded.folder / "sessions" / session / "memory.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:5], b"damaged\n", *lines[5:30], b"damaged too\n", *lines[30:]]))
    embedded.index.rebuild(embedded.all)
    assert len(embedded.find("words", limit=100)) == 48
    assert embedded.index.status(embedded.all)["damaged"] == 2
    assert set(embedded.read([entry.id for entry in late])) == {entry.id for entry in late}


def test_amendments_hold_by_seq_in_whatever_piece_they_stand(embedded, monkeypatch):
    session = embedded.session()
    entry = embedded.add(session, "the first words")
    for text in ("the second words", "the third words"):
        embedded.journal.amend(embedded.scope(), session, entry.id, "user", {"text": text})
    path = embedded.folder / "sessions" / session / "memory.jsonl"
    header, own, second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join((header, third, second, own)))  # as a merge may leave them
    monkeypatch.setattr("holdfast.index.catchup.PIECE", len(third) + 10)
    embedded.index.rebuild(embedded.all)
    assert embedded.find("third") == [entry.id]
    assert embedded.find("first") == embedded.find("second") == []


def test_a_journal_that_is_rewritten_between_two_pieces_is_compared_whole(embedded, monkeypatch):
    session = embedded.session()
    entries = [embedded.add(session, f"words number {n}") for n in range(20)]
    embedded.journal.amend(embedded.scope(), session, entries[0].id, "user", {"text": "amended words"})
    replay, pieces = embedded.journal.replay, []

    def rewriting(scope, journal, since=None, most=None):
        if len(pieces) == 1:
            embedded.journal.rewrite(embedded.all, journal, lambda entry: entry if entry.id != entries[1].id else None)
        pieces.append(replay(scope, journal, since, most))
        return pieces[-1]

    monkeypatch.setattr("holdfast.index.catchup.PIECE", 1_500)
    monkeypatch.setattr(embedded.journal, "replay", rewriting)
    embedded.index.rebuild(embedded.all)
    assert pieces[0].more
    assert pieces[1].fresh
    found = embedded.find("words", limit=100)
    assert sorted(found) == sorted({entry.id for entry in entries} - {entries[1].id})
    assert embedded.find("amended") == [entries[0].id]


def test_who_has_begun_to_write_and_does_not_end_keeps_nobody_waiting_for_long(tmp_path):
    home = str(tmp_path / "home")
    with holdfast.open(home, settings={"recall.vectors": False, "index.wait_ms": 300}) as memory:
        memory.add("alpha")
        assert memory.search("alpha").hits
        prompt = apsw.Connection(str(next((tmp_path / "home").glob("agents/main/index/v*/index.db"))))
        prompt.execute("BEGIN IMMEDIATE")
        started = time.monotonic()
        memory.add("beta")
        found = memory.search("beta")
        assert time.monotonic() - started < WAIT_MS / 1000, "one of them has waited for the whole of SQLite's patience"
        assert [hit.text for hit in found] == ["beta"] or "index behind by 1" in (found.degraded or "")
        prompt.execute("ROLLBACK")
        assert [hit.text for hit in memory.search("beta")] == ["beta"]
        prompt.close()


def test_a_lock_file_that_is_another_each_time_is_given_up_in_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(IndexLock, "_in_place", lambda self, fd: False)
    lock = IndexLock(str(tmp_path / "index.lock"))
    assert lock.attempt("look") is None
    with pytest.raises(holdfast.Locked):
        lock.hold(10, "work")
