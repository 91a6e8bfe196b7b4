"""Floats that were read once: never more than fit, never of a vector that is gone, and the same as in the file."""

import numpy as np
import pytest

from holdfast.index import kept as keeping
from holdfast.index import matrix as matrices
from holdfast.index.database import ask_all
from holdfast.index.kept import Kept
from holdfast.index.matrix import load
from holdfast.index.pages import vacate
from tests.unit.index.test_vectors import clustered, near, stored


@pytest.fixture
def filled(tmp_path):
    rows, asked = clustered(1_000, 64, 11)
    return stored(tmp_path / "index.db", rows), rows, asked


def numbers(*found):
    return np.array(found, np.int64)


def test_what_was_read_is_not_read_again(filled):
    connection, rows, _ = filled
    kept, seen = Kept(64), []
    connection.exec_trace = lambda _c, sql, values: seen.append(sql) or True
    kept.take(connection, numbers(1, 2, 3))
    chunks, floats = kept.take(connection, numbers(3, 1, 2))
    assert len(seen) == 1
    assert chunks.tolist() == [3, 1, 2]
    assert np.array_equal(floats, rows[[2, 0, 1]])


def test_when_it_is_full_it_begins_anew_and_still_gives_all_that_is_asked_for(filled, monkeypatch):
    connection, rows, _ = filled
    monkeypatch.setattr(keeping, "MOST_BYTES", 4 * 64 * 10)
    kept = Kept(64)
    for first in (1, 5, 300, 8, 990):
        wanted = np.arange(first, first + 8)
        chunks, floats = kept.take(connection, wanted)
        assert chunks.tolist() == wanted.tolist()
        assert np.array_equal(floats, rows[wanted - 1])
    assert len(kept._rows) <= 10


def test_more_than_fits_is_read_without_being_kept(filled, monkeypatch):
    connection, rows, _ = filled
    monkeypatch.setattr(keeping, "MOST_BYTES", 4 * 64 * 10)
    chunks, floats = Kept(64).take(connection, np.arange(1, 101))
    assert np.array_equal(floats[np.argsort(chunks)], rows[:100])


def test_vectors_that_do_not_exist_are_left_out(filled):
    connection, _, _ = filled
    chunks, floats = Kept(64).take(connection, numbers(1, 5_000, 2))
    assert chunks.tolist() == [1, 2]
    assert len(floats) == 2


def test_a_vector_that_was_taken_out_is_found_no_more_and_its_neighbours_are(filled, monkeypatch):
    connection, rows, _ = filled
    monkeypatch.setattr(matrices, "EXACT", 100)
    before = load(connection, None)
    assert near(connection, before, rows[7], 1) == [7]
    assert near(connection, before, rows[9], 1) == [9]
    (n,) = ask_all(connection, "SELECT n FROM vectors WHERE chunk=8")[0]
    connection.execute("DELETE FROM vectors WHERE n=?", (n,))
    vacate(connection, [n])
    after = load(connection, before)
    assert after.kept is before.kept
    assert near(connection, after, rows[7], 1) != [7]
    assert near(connection, after, rows[9], 1) == [9]  # of the same page, and read again
    assert not (after.kept._rows == rows[7]).all(axis=1).any()
