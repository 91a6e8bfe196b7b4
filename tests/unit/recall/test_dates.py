"""Dates that a question names: as people write them, and as they count from today."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from holdfast.recall.dates import Named, counted, meant, named_dates, spelled
from holdfast.text.words import tokens

DAY = 86_400_000
MONDAY = 1_794_830_400_000  # 16 November 2026, noon


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What happened on 7 May 2023?", [Named(year=2023, month=5, day=7)]),
        ("What happened on May 7th, 2023?", [Named(year=2023, month=5, day=7)]),
        ("the 3rd of March", [Named(month=3, day=3)]),
        ("on 2024-02-29", [Named(year=2024, month=2, day=29)]),
        ("in June", [Named(month=6)]),
        ("in August 2022", [Named(year=2022, month=8)]),
        ("of 2021", [Named(year=2021)]),
        ("since 2021", [Named(year=2021, since=True)]),
        ("Since June 2021", [Named(year=2021, month=6, since=True)]),
        ("since 2021-06-05", [Named(year=2021, month=6, day=5, since=True)]),
        ("since 5 June", [Named(month=6, day=5)]),
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


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("what happened today?", 0, 1),
        ("what happened yesterday?", -1, 0),
        ("where were we last night", -1, 0),
        ("what did we say last Tuesday", -6, -5),
        ("what did we say on Monday", 0, 1),
        ("what did we say last monday", -7, -6),
        ("three days ago", -3, -2),
        ("two weeks ago", -17, -10),
        ("a month ago", -45, -14),
        ("a year ago", -395, -334),
        ("two years ago", -790, -669),
        ("twenty years ago", -20 * 365 - 182, -20 * 365 + 183),
        ("what did we say on Tuesday last week", -6, -5),
        ("what did we say last week on Friday", -3, -2),
        ("Friday of last week", -3, -2),
        ("last week's Sunday", -1, 0),
        ("Wednesday, this week", 2, 3),
        ("the plan of last week", -7, 0),
        ("the plan of this week", 0, 1),
        ("the day before yesterday", -2, -1),
        ("what is on tonight", 0, 1),
        ("over the weekend", -2, 0),
        ("last weekend", -2, 0),
        ("what broke since Friday", -3, 1),
        ("in the last three days", -3, 1),
        ("the past 2 weeks", -14, 1),
        ("a couple of days ago", -2, -1),
        ("fifteen days ago", -15, -14),
    ],
)
def test_days_are_counted_from_today(question, first, last):
    (found,) = counted(question, MONDAY, "UTC")
    midnight = MONDAY - DAY // 2
    assert found.span == (midnight + first * DAY, midnight + last * DAY)


@pytest.mark.parametrize("question", ["the last supper", "on the week", "two days", "ago", "Tuesday's child"])
def test_other_words_count_no_days(question):
    assert counted(question, MONDAY, "UTC") == []


def test_numbers_with_dots_or_strokes_are_dates_too():
    said = {"said": ("15", "11")}
    assert named_dates("on 15.11.2025") == [Named(year=2025, month=11, day=15, **said)]
    assert named_dates("on 15/11/2025") == [Named(year=2025, month=11, day=15, **said)]
    assert named_dates("on 2025/11/15") == [Named(year=2025, month=11, day=15)]
    either = {(date.day, date.month) for date in named_dates("on 5/11/2025")}
    assert either == {(5, 11), (11, 5)}
    assert named_dates("version 1.2.3 of 10.20.30") == []


def test_half_a_year_is_no_year():
    assert counted("half a year ago", MONDAY, "") == []


def test_months_and_years_are_those_of_the_calendar():
    (last,), (this,) = counted("last month", MONDAY, "UTC"), counted("this year", MONDAY, "UTC")
    assert (last.year, last.month, this.year, this.month) == (2026, 10, 2026, None)
    (december,) = counted("past month", MONDAY + 50 * DAY, "UTC")
    assert (december.year, december.month) == (2026, 12)


@pytest.mark.parametrize(("zone", "hours"), [("Asia/Tokyo", -9), ("America/Los_Angeles", 8)])
def test_today_and_its_day_of_the_week_are_the_users(zone, hours):
    for question in ("today", "on Monday"):
        (there,), (utc,) = counted(question, MONDAY, zone), counted(question, MONDAY, "UTC")
        assert there.span[0] == utc.span[0] + hours * DAY // 24


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "Pacific/Kiritimati", "Etc/GMT+12", "Europe/Berlin"])
@pytest.mark.parametrize("hour", range(0, 24, 6))
def test_days_are_those_of_the_users_calendar_however_far_from_utc(zone, hour):
    wednesday = datetime(2026, 4, 1, hour, tzinfo=ZoneInfo(zone))  # a few days after Berlin's clocks were set
    now = int(wednesday.timestamp() * 1000)
    for question, first, last in (("last Tuesday", 31, 1), ("last week", 23, 30), ("three days ago", 29, 30)):
        (found,) = counted(question, now, zone)
        begin, end = (datetime.fromtimestamp(moment / 1000, ZoneInfo(zone)) for moment in found.span)
        assert (begin.day, begin.hour, end.day, end.hour) == (first, 0, last, 0)
    (month,) = counted("last month", now, zone)
    assert (month.year, month.month) == (2026, 3)


def test_a_date_that_is_named_in_several_ways_is_one_date():
    named = named_dates("on 7 May 2023, or 2023-05-07, or 7.5.2023, in June, in June")
    assert meant(named) == (Named(year=2023, month=5, day=7), Named(month=6))
