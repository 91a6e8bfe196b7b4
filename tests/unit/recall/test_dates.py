"""Dates that a question names, as people write them."""

import pytest

from holdfast.recall.dates import Named, meant, named_dates, spelled
from holdfast.text.words import tokens


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What happened on 7 May 2023?", [Named(year=2023, month=5, day=7)]),
        ("What happened on May 7th, 2023?", [Named(year=2023, month=5, day=7)]),
        ("the 3rd of March", [Named(month=3, day=3)]),
        ("on 2024-02-29", [Named(year=2024, month=2, day=29)]),
        ("at 2024-02-29T23:59:58Z", [Named(year=2024, month=2, day=29)]),
        ("in June", [Named(month=6)]),
        ("in August 2022", [Named(year=2022, month=8)]),
        ("of 2021", [Named(year=2021)]),
        ("since 2021", [Named(year=2021, since=True)]),
        ("Since June 2021", [Named(year=2021, month=6, since=True)]),
        ("since 2021-06-05", [Named(year=2021, month=6, day=5, since=True)]),
        ("since 5 June", [Named(month=6, day=5)]),
        ("since the 5th of June 2021", [Named(year=2021, month=6, day=5, since=True)]),
        ("in 2021-06", [Named(year=2021, month=6)]),
        ("since 2021-06", [Named(year=2021, month=6, since=True)]),
        ("of 2021-13", [Named(year=2021)]),
        ("invoice 2021-06", []),
        ("May I march in?", []),
        ("a 2000 word essay", []),
    ],
)
def test_dates_are_read_as_people_write_them(question, found):
    assert named_dates(question) == found


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("what happened on 7 July, 2023", {"what", "happened", "on"}),
        ("what did she say on July 7th 2023", {"what", "did", "she", "say", "on"}),
        ("notes of 2023-07-07", {"notes", "of"}),
        ("the first week of Sept 2022", {"the", "first", "week", "of"}),
        ("where did we go in 2021", {"where", "did", "we", "go", "in"}),
        ("7 of the items", {"7", "of", "the", "items"}),
    ],
)
def test_the_words_of_a_date_are_told_from_the_others(question, others):
    assert set(tokens(question.lower())) - spelled(named_dates(question)) == others


def test_numbers_with_dots_or_strokes_are_dates_too():
    said = {"said": ("15", "11")}
    assert named_dates("on 15.11.2025") == [Named(year=2025, month=11, day=15, **said)]
    assert named_dates("on 15/11/2025") == [Named(year=2025, month=11, day=15, **said)]
    assert named_dates("on 2025/11/15") == [Named(year=2025, month=11, day=15)]
    either = {(date.day, date.month) for date in named_dates("on 5/11/2025")}
    assert either == {(5, 11), (11, 5)}
    assert named_dates("version 1.2.3 of 10.20.30") == []


def test_a_date_that_is_named_in_several_ways_is_one_date():
    named = named_dates("on 7 May 2023, or 2023-05-07, or 7.5.2023, in June, in June")
    assert meant(named) == (Named(year=2023, month=5, day=7), Named(month=6))
