"""What a question counts from now: days, weeks and hours."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from holdfast.recall.counting import counted

DAY = 86_400_000
HOUR = DAY // 24
MONDAY = 1_794_830_400_000  # 16 November 2026, noon


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
        ("the last couple of days", -2, 1),
        ("the last couple weeks", -14, 1),
        ("over the last few days", -4, 1),
        ("the past few weeks", -28, 1),
        ("in the last several days", -6, 1),
        ("a few days ago", -4, -1),
        ("a couple weeks ago", -17, -10),
        ("several days ago", -6, -3),
        ("in the last week", -7, 1),
        ("over the past month", -30, 1),
        ("within the last year", -365, 1),
        ("on Tuesday two weeks ago", -13, -12),
        ("Friday, a week ago", -10, -9),
        ("a week ago Friday", -10, -9),
        ("two weeks ago on Thursday", -11, -10),
        ("a week ago today", -7, -6),
        ("two weeks ago yesterday", -15, -14),
        ("two Tuesdays ago", -13, -12),
        ("two Mondays ago", -14, -13),
        ("two weekends ago", -9, -7),
        ("the weekend before last", -9, -7),
        ("the week before last", -14, -7),
        ("what did we say the week before last when Ana was here", -14, -7),
        ("the Tuesday before last", -13, -12),
        ("the night before last", -2, -1),
        ("the day before yesterday in town", -2, -1),
        ("day before yesterday", -2, -1),
        ("yesterday evening", -1, 0),
        ("yesterday morning", -1, 0),
        ("last evening", -1, 0),
        ("this morning", 0, 1),
        ("this afternoon", 0, 1),
        ("this evening", 0, 1),
        ("since yesterday", -1, 1),
        ("since last week", -7, 1),
        ("since two weeks ago", -17, 1),
    ],
)
def test_days_are_counted_from_today(question, first, last):
    (found,) = counted(question, MONDAY, "UTC")
    midnight = MONDAY - DAY // 2
    assert found.span == (midnight + first * DAY, midnight + last * DAY)


@pytest.mark.parametrize(
    "question",
    [
        "the last supper", "on the week", "two days", "ago", "Tuesday's child", "the last two meetings",
        "last three commits", "the last few releases", "the last couple of hourglasses", "the last day of the trip",
        "in the last hour of the flight", "the week before last Christmas", "the day before the exam", "past tense",
        "a week from now", "next week", "opening hours", "48 hours", "four weekends",
    ],
)  # fmt: skip
def test_other_words_count_no_days(question):
    assert counted(question, MONDAY, "UTC") == []


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


@pytest.mark.parametrize(
    ("question", "hours"),
    [
        ("in the last 48 hours", 48), ("over the past 24 hours", 24), ("during the last three hours", 3),
        ("the last 24h", 24), ("last 12 hrs", 12), ("in the past hour", 1), ("the last couple of hours", 2),
        ("within the last 30 minutes", 0.5),
    ],
)  # fmt: skip
def test_the_last_hours_go_from_so_long_ago_to_the_end_of_today(question, hours):
    (found,) = counted(question, MONDAY, "UTC")
    assert found.span == (MONDAY - hours * HOUR, MONDAY + DAY // 2)


def test_hours_ago_is_about_that_moment():
    (one,), (many,) = counted("an hour ago", MONDAY, "UTC"), counted("36 hours ago", MONDAY, "UTC")
    assert one.span == (MONDAY - 2 * HOUR, MONDAY)
    assert many.span == (MONDAY - 45 * HOUR, MONDAY - 27 * HOUR)


def test_the_month_or_year_before_last_is_one_of_the_calendar():
    (month,), (year,) = counted("the month before last", MONDAY, "UTC"), counted("the year before last?", MONDAY, "UTC")
    assert (month.year, month.month, year.year, year.month) == (2026, 9, 2024, None)
    for days, found in ((50, (2026, 11)), (80, (2026, 12))):
        (then,) = counted("the month before last", MONDAY + days * DAY, "UTC")
        assert (then.year, then.month) == found
    (since,) = counted("since last month", MONDAY, "UTC")
    assert (since.month, since.since) == (10, True)


@pytest.mark.parametrize("days", range(7))
def test_two_tuesdays_ago_is_a_week_before_the_last(days):
    now = MONDAY + days * DAY
    ((last,), (two,), (before,)) = (
        counted(question, now, "UTC") for question in ("last Tuesday", "two Tuesdays ago", "the Tuesday before last")
    )
    assert two.span == before.span == (last.span[0] - 7 * DAY, last.span[1] - 7 * DAY)


@pytest.mark.parametrize("days", range(7))
def test_a_day_some_weeks_ago_is_the_one_nearest_to_it(days):
    (found,) = counted("Tuesday two weeks ago", MONDAY + days * DAY, "UTC")
    away = MONDAY - DAY // 2 + (days - 14) * DAY - found.span[0]
    assert abs(away) <= 3 * DAY
    assert datetime.fromtimestamp(found.span[0] / 1000, ZoneInfo("UTC")).weekday() == 1
