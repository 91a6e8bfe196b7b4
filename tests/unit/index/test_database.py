"""Putting rows into a table, many at a time."""

import apsw
import pytest

from holdfast.disk import REAL
from holdfast.index.database import ask_all, ask_one, create, put_all


@pytest.mark.parametrize("count", [0, 1, 39, 40, 41, 85])
def test_rows_are_all_put_however_many(count):
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE told(n INTEGER PRIMARY KEY, said TEXT)")
    rows = [(n, f"row {n}") for n in range(count)]
    put_all(connection, "told(n, said)", rows)
    assert ask_all(connection, "SELECT n, said FROM told ORDER BY n") == rows


@pytest.mark.parametrize("count", [0, 1, 39, 40, 41, 125])
@pytest.mark.parametrize("owners", [1, 2, 90])
def test_rows_that_begin_alike_are_put_like_any_others(count, owners):
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE told(owner TEXT, place TEXT, n INTEGER PRIMARY KEY, said TEXT)")
    begins = [(f"owner {n * owners // count}", None) for n in range(count)]
    rows = [(n, f"row {n}") for n in range(count)]
    put_all(connection, "told(owner, place, n, said)", rows, begins)
    assert ask_all(connection, "SELECT * FROM told ORDER BY n") == [
        begin + row for begin, row in zip(begins, rows, strict=True)
    ]


def test_a_row_that_cannot_be_put_fails_its_transaction():
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE told(n INTEGER PRIMARY KEY)")
    with pytest.raises(apsw.ConstraintError), connection:
        put_all(connection, "told(n)", [(n % 60,) for n in range(80)])
    assert ask_all(connection, "SELECT * FROM told") == []


def test_more_than_fits_into_memory_can_be_taken_back_while_an_index_is_built(tmp_path):
    connection = create(REAL, str(tmp_path / "index.db"))
    with connection:
        put_all(connection, "meta", [(f"kept {n}", "x" * 100_000) for n in range(20)])
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM meta WHERE key LIKE 'kept 1%'")
    put_all(connection, "meta", [(f"taken back {n}", "y" * 100_000) for n in range(400)])  # the page cache has 16 MB
    connection.execute("ROLLBACK")
    assert ask_one(connection, "SELECT count(*) FROM meta WHERE key LIKE 'kept %'") == (20,)
    assert ask_all(connection, "PRAGMA integrity_check") == [("ok",)]
