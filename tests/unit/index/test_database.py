"""Putting rows into a table, many at a time."""

import apsw
import pytest

from holdfast.index.database import ask_all, put_all


@pytest.mark.parametrize("count", [0, 1, 39, 40, 41, 85])
def test_rows_are_all_put_however_many(count):
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE told(n INTEGER PRIMARY KEY, said TEXT)")
    rows = [(n, f"row {n}") for n in range(count)]
    put_all(connection, "told(n, said)", rows)
    assert ask_all(connection, "SELECT n, said FROM told ORDER BY n") == rows


def test_a_row_that_cannot_be_put_fails_its_transaction():
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE told(n INTEGER PRIMARY KEY)")
    with pytest.raises(apsw.ConstraintError), connection:
        put_all(connection, "told(n)", [(n % 60,) for n in range(80)])
    assert ask_all(connection, "SELECT * FROM told") == []
