"""Full text in many pieces is brought together by whoever compares everything, and answers stay the same."""

import pytest

from holdfast.errors import Locked
from holdfast.index import merging


@pytest.fixture
def scattered(embedded, monkeypatch):
    monkeypatch.setattr(merging, "LEAST", 2)
    monkeypatch.setattr(merging, "STEP", 1)
    session = embedded.session()
    for number in range(3):
        embedded.add(session, f"alpha beta number{number}")
        embedded.find("alpha")
    for start in (0, 800):
        embedded.add(session, " ".join(f"word{number:05d}" for number in range(start, start + 800)))
        embedded.find("alpha")
    return embedded


def pieces(embedded):
    return len(embedded.index.live.ask(lambda c: c.execute("SELECT DISTINCT segid FROM chunks_fts_idx").fetchall()))


def test_comparing_everything_brings_the_pieces_together(scattered):
    before = [scattered.find(word) for word in ("alpha", "number1", "word00007", "word00807")]
    assert pieces(scattered) > 1
    assert scattered.index.compare(scattered.all) == 0
    assert pieces(scattered) == 1
    assert [scattered.find(word) for word in ("alpha", "number1", "word00007", "word00807")] == before
    assert all(before)


def test_a_small_memory_is_left_as_it_is(embedded):
    session = embedded.session()
    for number in range(3):
        embedded.add(session, f"alpha beta number{number}")
        embedded.find("alpha")
    before = pieces(embedded)
    embedded.index.compare(embedded.all)
    assert pieces(embedded) == before > 1


def test_where_the_lock_cannot_be_had_comparing_goes_on(scattered, monkeypatch):
    def refused(*_args):
        raise Locked("busy")

    monkeypatch.setattr(merging, "merge", refused)
    before = pieces(scattered)
    assert scattered.index.compare(scattered.all) == 0
    assert pieces(scattered) == before
    assert scattered.index.trouble is None
