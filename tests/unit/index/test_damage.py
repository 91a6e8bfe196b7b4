"""The index is disposable: whatever happens to its files, the next question is answered as before."""

import os
import random
import shutil
import struct

import apsw
import pytest

import holdfast
from holdfast.index.rows import Rows
from holdfast.model.query import Filter
from holdfast.text.words import words

QUESTIONS = [
    "deploy",
    "server certificate",
    "deploy* staging",
    "c?rtificate",
    "数据库",
    "nothing of the kind",
    "tea OR coffee",
]


def fill(embedded):
    for number in (1, 2, 3):
        session = embedded.session(number)
        for place in range(20):
            embedded.add(
                session, f"turn {place}: deploy to staging server {place % 4} with certificate", tags=[f"t.{place % 3}"]
            )
        embedded.add(session, "数据库连接失败 and tea")
    embedded.index.refresh(embedded.all, 2_000)


def answers(embedded):
    embedded.index.refresh(embedded.all, 2_000)
    rows = lambda question: embedded.index.match(embedded.scope(), Filter(), words(question), 15)  # noqa: E731
    return [[(row.id, round(row.score, 6)) for row in rows(question)] for question in QUESTIONS]


def emptied(path):
    open(path, "wb").close()


def cut(path):
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) // 2 // 4096 * 4096)


def cut_inside_a_page(path):
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) - 777)


def garbage(path):
    with open(path, "wb") as file:
        file.write(random.Random(7).randbytes(50_000))


def a_directory(path):
    os.unlink(path)
    os.mkdir(path)


def another_database(path):
    os.unlink(path)
    connection = apsw.Connection(path)
    connection.execute("CREATE TABLE entries(id)").fetchall()
    connection.close()


def gone(path):
    os.unlink(path)


def whole_folder_gone(path):
    shutil.rmtree(os.path.dirname(os.path.dirname(path)))


def folder_is_a_file(path):
    folder = os.path.dirname(os.path.dirname(path))
    shutil.rmtree(folder)
    open(folder, "w").close()


def current_is_garbage(path):
    with open(os.path.join(os.path.dirname(os.path.dirname(path)), "CURRENT"), "wb") as file:
        file.write(b"\xff\xfe../../etc/passwd\nv1-banana\n")


DAMAGE = [
    emptied, cut, cut_inside_a_page, garbage, a_directory, another_database, gone, whole_folder_gone,
    folder_is_a_file, current_is_garbage,
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_the_same_answers_after_the_index_was(embedded, damage):
    fill(embedded)
    before = answers(embedded)
    assert any(before)
    damage(embedded.database())
    embedded.index = embedded.open_index()
    assert answers(embedded) == before


@pytest.mark.parametrize("damage", [gone, whole_folder_gone, a_directory], ids=lambda damage: damage.__name__)
def test_damage_under_an_open_index_is_noticed(embedded, damage):
    fill(embedded)
    before = answers(embedded)
    damage(embedded.index.database().path)
    assert answers(embedded) == before


def test_a_rebuild_gives_the_same_answers_as_growing(embedded):
    fill(embedded)
    before = answers(embedded)
    embedded.index.rebuild(embedded.all)
    assert answers(embedded) == before
    assert embedded.index.generations.current() == "v9-000002"
    assert embedded.index.generations.unbuilt() == []


def test_a_build_that_was_killed_is_swept_by_the_next(embedded):
    fill(embedded)
    left = embedded.folder / "index" / "v9-000044"
    left.mkdir(mode=0o700)
    (left / "index.db").write_bytes(b"half")
    before = answers(embedded)
    embedded.index.rebuild(embedded.all)
    assert not left.exists()
    assert answers(embedded) == before


def test_two_versions_keep_their_own_index(embedded):
    fill(embedded)
    pointer = embedded.folder / "index" / "CURRENT"
    pointer.write_text("v99-000007\n" + pointer.read_text())
    (embedded.folder / "index" / "v99-000007").mkdir()
    embedded.index.rebuild(embedded.all)
    assert pointer.read_text().split() == ["v99-000007", "v9-000002"]
    assert (embedded.folder / "index" / "v99-000007").exists()


@pytest.mark.parametrize(
    ("column", "wrong"),
    [*((column, "another") for column in ("scope", "session_id", "user_id", "workspace", "type")), ("time", 7),
     ("tags", '["b"]')],
)  # fmt: skip
def test_a_row_that_says_whose_and_what_an_entry_is_and_errs_is_put_right_by_reading_its_journal_again(
    embedded, column, wrong
):
    session = embedded.session()
    entry = embedded.add(session, "words", tags=["a"])
    embedded.index.refresh(embedded.all, 2_000)
    whose = f"SELECT scope, session_id, user_id, workspace, type, time, tags FROM entries WHERE id='{entry.id}'"
    before = embedded.index.database().ask(lambda c: c.execute(whose).fetchall())
    embedded.index.database().ask(lambda c: c.execute(f"UPDATE entries SET {column}=?", (wrong,)).fetchall())
    embedded.index.suspect(embedded.all, session)
    embedded.index.refresh(embedded.all, 2_000)
    assert embedded.index.database().ask(lambda c: c.execute(whose).fetchall()) == before
    assert embedded.find("words") == embedded.find("a") == [entry.id]


def in_the_middle(connection):
    connection.execute("SELECT id FROM entries").fetchall()
    return connection


OURS = {
    "a value that cannot be bound": (UnicodeEncodeError, lambda c: in_the_middle(c).execute("SELECT ?", ("\ud800",))),
    "a value of no kind": (TypeError, lambda c: in_the_middle(c).execute("SELECT ?", (object(),))),
    "a number too large": (OverflowError, lambda c: in_the_middle(c).execute("SELECT ?", (2**70,))),
    "more values than a statement takes": (
        apsw.SQLError, lambda c: in_the_middle(c).execute("SELECT " + ",".join("?" * 40_000), ["a"] * 40_000),
    ),
    "one of many values": (
        TypeError, lambda c: c.executemany("INSERT OR REPLACE INTO meta VALUES(?,?)", [("a", "b"), ("c", {})]),
    ),
    "too few values": (apsw.BindingsError, lambda c: in_the_middle(c).execute("SELECT ?, ?", ("a",))),
    "a statement that is none": (apsw.SQLError, lambda c: in_the_middle(c).execute("SELECT it FROM nowhere")),
    "words that are no question": (
        apsw.SQLError, lambda c: in_the_middle(c).execute("SELECT 1 FROM chunks_fts WHERE chunks_fts MATCH ?", ('"',)),
    ),
    "our own code before it has read": (KeyError, lambda c: {}["order"]),
}  # fmt: skip


@pytest.mark.parametrize(("error", "question"), OURS.values(), ids=OURS)
def test_what_can_only_be_our_error_costs_no_index(embedded, error, question):
    fill(embedded)
    name = embedded.index.live.name
    for _ in range(2):
        with pytest.raises(error):
            embedded.index.live.ask(question)
    assert (embedded.index.live.name, embedded.index.live.rebuilt) == (name, 0)


def test_our_error_over_rows_that_are_right_is_said_after_one_rebuild_and_costs_no_other(embedded):
    fill(embedded)
    question = lambda c: [{}[id] for (id,) in c.execute("SELECT id FROM entries")]  # noqa: E731
    for _ in range(3):
        with pytest.raises(KeyError):
            embedded.index.live.ask(question)
    assert embedded.index.live.rebuilt == 1


def test_what_was_found_to_be_our_error_costs_another_process_no_index_for_a_day(embedded, monkeypatch):
    fill(embedded)
    question = lambda c: [{}[id] for (id,) in c.execute("SELECT id FROM entries")]  # noqa: E731
    for days, rebuilt in ((0, 1), (0, 0), (2, 1), (2, 0)):
        monkeypatch.setattr("holdfast.index.judging.time.time", lambda days=days: 1e9 + days * 86400)
        embedded.index = embedded.open_index()
        with pytest.raises(KeyError):
            embedded.index.live.ask(question)
        assert embedded.index.live.rebuilt == rebuilt


def test_our_error_over_a_line_costs_no_index(embedded, monkeypatch):
    fill(embedded)
    name, builds = embedded.index.live.name, []
    monkeypatch.setattr(Rows, "add", lambda *_: {}["tags"])
    monkeypatch.setattr(embedded.index.live, "_builder", counted(embedded.index.live._builder, builds))
    entry = embedded.add(embedded.session(4), "one more")
    for _ in range(3):
        assert embedded.index.refresh(embedded.all, 2_000) > 0
    assert (embedded.index.generations.current(), embedded.index.trouble, len(builds)) == (name, "KeyError", 1)
    monkeypatch.undo()
    assert embedded.find("one more") == [entry.id]


def counted(make, calls):
    return lambda: calls.append(1) or make()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE entries SET time='then'",
        "UPDATE entries SET importance=x'00'",
        "UPDATE entries SET session_id=CAST(session_id AS BLOB)",
        "UPDATE chunks SET text=CAST(x'ff41' AS TEXT)",
        "UPDATE entries SET spans='[[1;2]]'",
        "DELETE FROM chunks_fts_config",
        "UPDATE chunks_fts_config SET v=17 WHERE k='version'",
        "UPDATE sqlite_schema SET sql=replace(sql, 'importance', 'inportance') WHERE name='entries'",
        "UPDATE sqlite_schema SET sql=replace(sql, 'TABLE entries', 'TABLE emtries') WHERE name='entries'",
    ],
)
def test_what_a_row_or_the_schema_says_and_cannot_be_is_mended(embedded, damage):
    fill(embedded)
    before = answers(embedded), sorted(embedded.read([id for id, _ in answers(embedded)[0]]))
    path = embedded.database()
    connection = apsw.Connection(path)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    connection.execute("PRAGMA writable_schema=ON").fetchall()
    connection.execute(damage).fetchall()
    connection.close()
    embedded.index = embedded.open_index()
    assert (answers(embedded), sorted(embedded.read([id for id, _ in before[0][0]]))) == before
    assert embedded.index.live.rebuilt == 1


def test_a_flipped_state_shows_neither_what_was_deleted_nor_a_former_value(tmp_path):
    home = tmp_path / "home"
    with holdfast.open(home, embedder="none") as memory:
        former = memory.user("local").remember("editor", "vim").id
        memory.user("local").remember("editor", "emacs")
        gone = memory.add("a secret garden", type="note").id
        memory.delete(gone)
        (path,) = home.glob("agents/main/index/*/index.db")
        connection = apsw.Connection(str(path))
        connection.execute("UPDATE entries SET state=0")
        connection.close()
        assert [entry.text for entry in memory.query()] == ["emacs"]
        for id in (former, gone):
            with pytest.raises(holdfast.NotFound):
                memory.get(id)
    with holdfast.open(home, embedder="none") as memory:
        memory.reindex()
        memory.undelete(gone)
        assert memory.get(gone).text == "a secret garden"


@pytest.mark.parametrize("exact", [8_000, 4], ids=["all floats in memory", "read as needed"])
@pytest.mark.parametrize("wrong", ["half of it zeros", "a flipped exponent", "not finite"])
def test_a_vector_that_is_none_any_more_is_made_again(tmp_path, monkeypatch, exact, wrong):
    """It brought nothing, or the wrong thing, to the front, and every rebuild took it over."""
    monkeypatch.setattr("holdfast.index.matrix.EXACT", exact)
    question, answer = "what is my profession?", "I work as a nurse"
    with holdfast.open(tmp_path / "home") as memory:
        memory.add_many([{"text": f"sentence number {n} about gardens {n * 7}"} for n in range(40)])
        memory.add(answer)
        memory.sync()
        assert [hit.text for hit in memory.search(question)][:1] == [answer]
        path = memory.store.index.live.opened.path
    connection = apsw.Connection(path)
    where = "WHERE chunk=(SELECT n FROM chunks WHERE text=?)"
    (data,) = connection.execute(f"SELECT data FROM vectors {where}", (answer,)).fetchone()
    bad = bytearray(data)
    if wrong == "half of it zeros":
        bad[: len(bad) // 2] = bytes(len(bad) // 2)
    else:
        largest = max(range(0, len(bad), 4), key=lambda at: abs(struct.unpack_from("<f", data, at)[0]))
        bad[largest : largest + 4] = struct.pack("<f", 0.0 if wrong == "a flipped exponent" else float("nan"))
        bad[largest + 3] ^= 0x40 if wrong == "a flipped exponent" else 0
    connection.execute(f"UPDATE vectors SET data=? {where}", (bytes(bad), answer))
    connection.close()
    with holdfast.open(tmp_path / "home") as memory:
        memory.search(question)  # comes upon it
        memory.sync()
        assert [hit.text for hit in memory.search(question)][:1] == [answer]
        assert memory.search(question).degraded is None


def test_a_rebuild_takes_no_damaged_vector_over(tmp_path):
    with holdfast.open(tmp_path / "home") as memory:
        memory.add("I work as a nurse")
        memory.sync()
        path = memory.store.index.live.opened.path
        connection = apsw.Connection(path)
        connection.execute("UPDATE vectors SET data=zeroblob(length(data))")
        connection.close()
        memory.reindex()
        assert [hit.text for hit in memory.search("what is my profession?")] == ["I work as a nurse"]
