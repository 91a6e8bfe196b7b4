"""A least score leaves what the list without one holds of it, in its order, or the answer says where it stopped."""

import random

import pytest

import holdfast
from holdfast.recall import sifting
from holdfast.recall.ordering import RANKS
from holdfast.testing import FixedClock

WORDS = "alpha beta deploy login server database cache error budget paris flight meeting python token"
QUESTION = "which gateway server is called heron"
DAY = 86_400_000


@pytest.fixture(scope="module", params=["builtin", "none"])
def notes(request, tmp_path_factory):
    """450 weak hits of no weight, newer than the one that answers."""
    clock = FixedClock()
    with holdfast.open(tmp_path_factory.mktemp("notes") / "home", clock=clock, embedder=request.param) as memory:
        memory.add("The gateway server is called heron and stands in rack 7", type="fact", importance=1.0)
        clock.advance(30 * DAY)
        memory.add_many(
            {"text": f"restarted the server, attempt {number}, it came back fine", "type": "event", "importance": 0.1}
            for number in range(450)
        )
        clock.advance(30 * DAY)
        memory.sync()
        yield memory


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """What holds some of fourteen words, of all weights and ages."""
    chance, clock = random.Random(1), FixedClock()
    words = WORDS.split()
    with holdfast.open(tmp_path_factory.mktemp("mixed") / "home", clock=clock) as memory:
        memory.add_many(
            {"text": " ".join(chance.choices(words, k=chance.randint(2, 12))), "type": chance.choice(["note", "fact"]),
             "importance": chance.choice([0, 0.2, 0.5, 0.9, 1]), "session": chance.choice("abc"),
             "timestamp": clock.now() - chance.randrange(90 * DAY)}
            for _ in range(400)
        )  # fmt: skip
        memory.sync()
        yield memory


def scored(result):
    return [(hit.id, hit.score) for hit in result]


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("least", [0.8, 0.9])
def test_an_answer_is_found_behind_hundreds_that_score_too_little(notes, rank, least):
    found = notes.search(QUESTION, rank=rank, min_score=least)
    assert ["heron" in hit.snippet for hit in found] == [True]
    assert found.degraded is None


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("question", ["deploy server", "flight to paris", "python token error cache", "budget"])
def test_a_least_score_is_a_filter_of_the_list_without_one(mixed, rank, question):
    whole = scored(mixed.search(question, rank=rank, limit=200))
    for least in (0.5, 0.6, 0.7, 0.8, 0.9):
        expected = [(id, score) for id, score in whole if score >= least]
        found = scored(mixed.search(question, rank=rank, limit=200, min_score=least))
        assert found[: len(expected)] == expected
        assert len(whole) == 200 or found == expected


def test_pages_with_a_least_score_fit_together(mixed):
    whole = scored(mixed.search("deploy server", limit=60, min_score=0.6))
    pages = [scored(mixed.search("deploy server", limit=10, offset=start, min_score=0.6)) for start in range(0, 60, 10)]
    assert [hit for page in pages for hit in page] == whole


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("bound", ["MOST_READ", "MOST_PASSED"])
def test_after_very_many_in_vain_the_answer_says_where_it_stopped(mixed, monkeypatch, rank, bound):
    monkeypatch.setattr(sifting, "MOST_READ", 10**9)
    monkeypatch.setattr(sifting, "MOST_PASSED", 10**9)
    assert mixed.search("deploy server", rank=rank, min_score=0.88, limit=200).degraded is None
    monkeypatch.setattr(sifting, bound, 5)
    found = mixed.search("deploy server", rank=rank, min_score=0.88, limit=200)
    assert "entries that score less than 0.88" in found.degraded


def test_nothing_is_read_of_what_cannot_score_enough(notes, monkeypatch):
    read = []
    entries = notes.store.reader.entries
    monkeypatch.setattr(notes.store.reader, "entries", lambda scope, ids: read.extend(ids) or entries(scope, ids))
    assert len(notes.search(QUESTION, rank="recent", min_score=0.9)) == 1
    assert len(read) < 50
