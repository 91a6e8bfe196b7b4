"""The index is disposable: whatever happens to its files, the next question is answered as before."""

import os
import random
import shutil

import apsw
import pytest

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
    assert embedded.index.generations.current() == "v6-000002"
    assert embedded.index.generations.unbuilt() == []


def test_a_build_that_was_killed_is_swept_by_the_next(embedded):
    fill(embedded)
    left = embedded.folder / "index" / "v6-000044"
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
    assert pointer.read_text().split() == ["v99-000007", "v6-000002"]
    assert (embedded.folder / "index" / "v99-000007").exists()


@pytest.mark.parametrize("column", ["scope", "session_id", "user_id", "workspace"])
def test_a_row_that_says_whose_an_entry_is_and_errs_is_put_right_by_reading_its_journal_again(embedded, column):
    session = embedded.session()
    entry = embedded.add(session, "words")
    embedded.index.refresh(embedded.all, 2_000)
    whose = f"SELECT scope, session_id, user_id, workspace FROM entries WHERE id='{entry.id}'"
    before = embedded.index.database().ask(lambda c: c.execute(whose).fetchall())
    embedded.index.database().ask(lambda c: c.execute(f"UPDATE entries SET {column}='another'").fetchall())
    embedded.index.suspect(embedded.all, session)
    embedded.index.refresh(embedded.all, 2_000)
    assert embedded.index.database().ask(lambda c: c.execute(whose).fetchall()) == before
    assert embedded.find("words") == [entry.id]
