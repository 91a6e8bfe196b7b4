"""What was written again and again leaves room for anything else, and is all there on later pages."""

import pytest

import holdfast
from holdfast.model.query import Row
from holdfast.recall.copies import NEARLY, SAME, uncrowded

WHY = "The payments deploy times out since the health check comes before the migrations: raise its grace period"


def rows(*texts, score=1.0, author=None):
    found = [Row(f"mem_{n}", n, "finding", 0.5, False, None, None, author=author) for n in range(len(texts))]
    for row, text in zip(found, texts, strict=True):
        row.said, row.score = text, score
    return found


def said(found):
    return [row.said for row in found]


def test_of_those_that_say_the_same_the_newest_few_stay():
    kept, copies = uncrowded(lambda most: rows(*["again"] * 9, "other")[:most], 10)
    assert [row.time for row in kept] == [6, 7, 8, 9]
    assert [row.time for row in copies] == [0, 1, 2, 3, 4, 5]


def test_of_those_that_differ_in_numbers_alone_some_more_stay():
    kept, copies = uncrowded(lambda most: rows(*(f"took {n} s" for n in range(20)))[:most], 20)
    assert said(kept) == [f"took {n} s" for n in range(20 - NEARLY, 20)]
    assert len(copies) == 20 - NEARLY


def test_the_best_stay_before_the_newest():
    found = rows(*["again"] * 9)
    found[0].score = 2.0
    kept, _ = uncrowded(lambda most: found[:most], 9)
    assert [row.time for row in kept] == [0, 7, 8]


def test_the_same_words_of_others_are_no_copies():
    found = rows(*["I agree"] * 9)
    for number, row in enumerate(found):
        row.author = f"author {number}"
    assert uncrowded(lambda most: found[:most], 9) == (found, [])


def test_where_copies_take_most_places_more_are_looked_at():
    texts = rows(*["again"] * 90, *(f"other {'x' * n}" for n in range(30)))
    asked = []
    kept, copies = uncrowded(lambda most: asked.append(most) or texts[:most], 20)
    assert asked == [20, 160]
    assert len(kept) == 20
    assert len(copies) == 90 - SAME


def test_where_nothing_ties_nothing_is_compared():
    found = rows("again", "again", "again", "again", "again")
    for number, row in enumerate(found):
        row.score -= number / 10
    assert uncrowded(lambda most: found[:most], 5) == (found, [])


@pytest.fixture(params=["builtin", "none"], scope="module")
def logged(request, tmp_path_factory):
    """A note among what failed every night for months."""
    with holdfast.open(tmp_path_factory.mktemp("logged") / "home", embedder=request.param) as memory:
        memory.add(WHY)
        failed = "deploy failed: timeout waiting for the payments service"
        memory.add_many([{"text": text} for n in range(150) for text in (failed, f"{failed} after {n} s")])
        yield memory


def test_a_note_stands_before_the_hundredth_copy_of_what_it_explains(logged):
    found = [hit.snippet for hit in logged.search("why does the deploy of payments fail with a timeout?", limit=10)]
    assert WHY in found
    assert found.count("deploy failed: timeout waiting for the payments service") == SAME


def test_every_copy_comes_once_on_the_pages_behind(logged):
    pages = [logged.search("deploy timeout", limit=100, offset=start) for start in range(0, 400, 100)]
    found = [hit.id for page in pages for hit in page]
    assert len(found) == len(set(found)) == 301


def test_the_one_whose_number_is_asked_for_is_the_first(logged):
    hit, *_ = logged.search("which deploy failed after 45 s?")
    assert hit.snippet.endswith("after 45 s")


def test_a_context_has_few_that_differ_in_numbers_alone_before_anything_else(tmp_path):
    with holdfast.open(tmp_path / "home") as memory:
        memory.add("The nightly backup failed since the disk of the vault was full")
        memory.add_many([{"text": f"nightly backup failed after {n} s"} for n in range(50)])
        found = [item.snippet for item in memory.context("why did the nightly backup fail?", parts=["recall"]).items]
    assert "The nightly backup failed since the disk of the vault was full" in found[:3]
    assert len(found) == len(set(found)) > 3
