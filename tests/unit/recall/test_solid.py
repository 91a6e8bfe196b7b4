"""A name is found however it is written: with separators or without, in the text or in the question."""

import pytest

import holdfast
from holdfast.testing import FixedClock

OTHERS = ["Ana likes tea", "The office opens at nine", "Please call the plumber", "Room C is free"]


@pytest.fixture(params=[True, False], ids=["with vectors", "without"])
def store(request, tmp_path):
    with holdfast.open(tmp_path / "home", settings={"recall.vectors": request.param}, clock=FixedClock()) as store:
        yield store


def remember(store, *texts):
    session = store.create_session("u")
    return store.add_many([{"text": text, "type": "note", "session": session.id, "user": "u"} for text in texts])


@pytest.mark.parametrize(
    ("with_separators", "without"),
    [
        ("Wi-Fi", "wifi"), ("B-12", "B12"), ("AS/400", "AS400"), ("UTF-8", "utf8"), ("ABC-123", "ABC123"),
        ("WH-1000XM5", "WH1000XM5"), ("65,000", "65000"), ("12,480.55", "12480.55"), ("v2.3.1", "2.3.1"),
        ("978-3-16-148410-0", "9783161484100"), ("e-mail", "email"),
    ],
)  # fmt: skip
def test_a_name_is_found_in_both_ways_of_writing_like_an_exact_word(store, with_separators, without):
    remember(store, f"They speak of {with_separators} again", *OTHERS)
    exact, other = (store.search(asked, user="u").hits[0] for asked in (with_separators, without))
    assert exact.text == other.text == f"They speak of {with_separators} again"
    assert other.score == pytest.approx(exact.score, abs=0.02)
    assert [other.snippet[start:end] for start, end in other.marks] == [with_separators]
    remember(store, f"Others say {without} as well")
    for asked in (with_separators, without):
        hits = store.search(asked, user="u").hits
        assert {hit.text for hit in hits[:2]} == {other.text, f"Others say {without} as well"}


@pytest.mark.parametrize(
    ("asked", "said"),
    [("wi-fi", "wifi"), ("B-12", "B12"), ("65,000", "65000"), ("v2.3.1", "2.3.1"), ("AS/400", "AS400")],
)
def test_a_name_with_separators_finds_those_who_only_write_it_without(store, asked, said):
    remember(store, f"They speak of {said} again", *OTHERS)
    exact, other = (store.search(one, user="u").hits[0] for one in (said, asked))
    assert exact.text == other.text == f"They speak of {said} again"
    assert other.score >= 0.9 * exact.score - 0.001  # its words hold all, though a vector may see less


def test_the_parts_of_a_name_still_find_it_and_a_name_its_parts(store):
    remember(store, "The on-call rota is on the wall", *OTHERS)
    assert store.search("rota of the call", user="u").hits[0].text == "The on-call rota is on the wall"
    assert "Please call the plumber" in [hit.text for hit in store.search("on-call", user="u").hits]


def test_what_was_put_behind_a_text_goes_with_it(store):
    (entry,) = remember(store, "Wi-Fi in room B-12 costs 65,000")
    assert all(_held(store, word) for word in ("wifi", "B12", "65000"))
    store.amend(entry.id, text="Nothing of it is left but the AS/400")
    assert not any(_held(store, word) for word in ("wifi", "B12", "65000"))
    assert _held(store, "AS400")
    assert store.verify()["ok"]
    store.delete(entry.id)
    assert not _held(store, "AS400")
    store.forget(entry.id)
    assert store.verify()["ok"]


def _held(store, word):
    return [hit for hit in store.search(word, user="u").hits if hit.scores["coverage"]]
