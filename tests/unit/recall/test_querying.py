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
