"""Restating: of what somebody said twice, the later one stands before the earlier."""

import pytest

import holdfast
from holdfast.model.query import Row
from holdfast.recall.restating import LONGEST, restated
from holdfast.recall.wording import Sought
from holdfast.testing import FixedClock

FLIGHT = Sought([("flight", 2.0), ("oslo", 2.0)])


def row(time, said, author="user", size=None, file=1, seq=0):
    made = Row(said, time, "conversation", 0.5, False, "s", None, "user", author, file, seq)
    made.said, made.size = said, len(said) if size is None else size
    return made


def newer(rows, sums, sought=FLIGHT):
    return restated(rows, sums, sought.held([row.said for row in rows]))


def after(rows, sums, sought=FLIGHT):
    """The texts in the order in which they stand then."""
    added = newer(rows, sums, sought) or [0.0] * len(rows)
    sums = [own + more for own, more in zip(sums, added, strict=True)]
    return [rows[place].said for place in sorted(range(len(rows)), key=lambda place: -sums[place])]


OLD = row(1, "The flight to Oslo leaves at 7:15")
NEW = row(2, "Update: the flight to Oslo leaves at 9:40 now")
NEWEST = row(3, "The flight to Oslo leaves at 11:05 instead")


def test_the_later_of_two_stands_before_the_earlier():
    assert after([OLD, NEW], [1.0, 0.7]) == [NEW.said, OLD.said]


def test_the_latest_of_several_stands_first_whatever_their_order_was():
    assert after([NEW, OLD, NEWEST], [0.8, 1.0, 0.6]) == [NEWEST.said, NEW.said, OLD.said]


def test_of_two_that_were_written_together_the_later_line_of_one_journal_stands_first():
    later = row(1, NEW.said, seq=1)
    assert after([OLD, later], [1.0, 0.7]) == after([later, OLD], [0.7, 1.0]) == [NEW.said, OLD.said]
    assert newer([OLD, row(1, NEW.said, file=2, seq=1)], [1.0, 0.7]) == []


def test_where_the_later_one_is_first_anyway_nothing_is_added():
    assert newer([OLD, NEW], [0.7, 1.0]) == []


@pytest.mark.parametrize(
    "other",
    [
        row(2, "The train to Oslo leaves at 9:40"),
        row(2, "The flight to Oslo leaves at 9:40", author="somebody else"),
        row(2, "Is it true that the flight to Oslo leaves at 9:40?"),
        row(2, "My sister has booked a flight to Oslo and a cabin by the sea with a sauna"),
        row(2, "The flight to Oslo leaves at 9:40", size=LONGEST + 1),
    ],
    ids=["of something else", "by somebody else", "a question", "much else", "a long text"],
)
def test_what_is_not_said_anew_stays_where_it_is(other):
    assert newer([OLD, other], [1.0, 0.7]) == []


def test_what_hardly_matches_stays_where_it_is():
    assert newer([OLD, NEW], [1.0, 0.4]) == []


@pytest.fixture
def memory(tmp_path):
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        memory.add_many([
            {"text": f"The wifi code of the cabin is moose{number}", "role": "user", "session": f"s{number}",
             "timestamp": f"2025-0{number}-01T10:00:00Z"}
            for number in (1, 2, 3)
        ])  # fmt: skip
        yield memory


def test_a_search_gives_a_corrected_fact_before_what_it_was(memory):
    found = memory.search("What is the wifi code of the cabin?")
    assert [hit.snippet[-6:] for hit in found] == ["moose3", "moose2", "moose1"]


def test_a_correction_of_the_same_moment_stands_before_what_it_corrects(tmp_path):
    told = ["The flight to Oslo leaves at 7:15", "The flight to Oslo leaves at 9:40 now"]
    with holdfast.open(tmp_path / "home", embedder="none", clock=FixedClock()) as memory:
        memory.add_many({"text": text, "type": "fact", "session": "k"} for text in told)
        for rank in ("match", "relevance", "recent", "importance"):
            found = memory.search("When does the flight to Oslo leave?", rank=rank)
            assert [hit.snippet for hit in found] == told[::-1]


def test_who_asks_for_the_first_gets_no_order_by_time(memory):
    found = memory.search("What was the original wifi code of the cabin?")
    assert all(hit.scores["newer"] == 0.0 for hit in found)
