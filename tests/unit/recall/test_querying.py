"""Entries by exact filters: pages of one order fit together."""

import pytest

import holdfast
from holdfast.testing import FixedClock


@pytest.fixture
def memory(tmp_path):
    with holdfast.open(tmp_path / "home", embedder="none", clock=FixedClock()) as memory:
        memory.add_many({"text": f"note {number}", "importance": (0.2, 0.4, 0.6)[number % 3]} for number in range(60))
        yield memory


def test_pages_by_relevance_fit_together_though_many_are_equal(memory):
    whole = [entry.id for entry in memory.query(every=True)]
    pages = [entry.id for offset in range(0, 60, 7) for entry in memory.query(limit=7, offset=offset)]
    assert pages == whole
    assert len(set(whole)) == 60


def test_of_what_is_equally_relevant_the_lower_id_comes_first(memory):
    best = [entry.id for entry in memory.query(every=True) if entry.importance == 0.6]
    assert best == sorted(best)
    assert [entry.id for entry in memory.query(limit=5)] == best[:5]


@pytest.fixture
def batches(tmp_path):
    """What two sessions were told in one millisecond, under ids that fall in one of them and rise in the other."""
    with holdfast.open(tmp_path / "home", embedder="none", clock=FixedClock()) as memory:
        for session, ids in (("falls", range(9, 0, -1)), ("rises", range(11, 20))):
            memory.add_many({"text": f"{session} {id}", "session": session, "id": f"mem_{id:026d}"} for id in ids)
        yield memory


WRITTEN = [f"falls {id}" for id in range(9, 0, -1)] + [f"rises {id}" for id in range(11, 20)]


def test_of_what_was_written_together_the_last_line_is_the_newest(batches):
    assert [entry.text for entry in batches.query(rank="recent", limit=3)] == WRITTEN[:-4:-1]
    assert [entry.text for entry in batches.query(session="falls", rank="recent", limit=2)] == ["falls 1", "falls 2"]
    assert [entry.text for entry in batches.query(rank="importance", every=True)] == WRITTEN[::-1]
    assert [hit.snippet for hit in batches.search("falls", rank="recent", limit=2)] == ["falls 1", "falls 2"]


def test_oldest_first_is_newest_first_reversed_and_its_pages_fit_together(batches):
    pages = [batches.query(rank="oldest", limit=4, offset=offset) for offset in range(0, 18, 4)]
    assert [entry.text for page in pages for entry in page] == WRITTEN
    assert [entry.text for entry in batches.query(rank="oldest", every=True)] == WRITTEN


def test_the_order_of_one_moment_is_the_same_in_an_index_built_anew(batches):
    batches.reindex()
    assert [entry.text for entry in batches.query(rank="oldest", every=True)] == WRITTEN
    assert [entry.text for entry in batches.query(rank="recent", every=True)] == WRITTEN[::-1]


def test_what_was_compacted_keeps_its_place_among_what_has_the_same_time(tmp_path):
    together = "2026-01-01T00:00:00.000Z"
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        one, other = memory.create_session("ana"), memory.create_session("ana")
        first = one.add("a0", timestamp=together)
        other.add("b0", timestamp=together)
        one.add("a1", timestamp=together)
        memory.amend(first.id, importance=0.9)
        written = [entry.text for entry in memory.query(user="ana", rank="oldest")]
        memory.compact(one.id)  # its line is another, and so is its row
        assert [entry.text for entry in memory.query(user="ana", rank="oldest")] == written
        memory.reindex()
        assert [entry.text for entry in memory.query(user="ana", rank="oldest")] == written
