"""Stretches of the calendar: seasons, quarters, parts of months and years, ranges; and words that are none of these."""

import subprocess
import sys
from datetime import UTC, datetime

import pytest

from holdfast.recall import stretches
from holdfast.recall.asking import understand
from holdfast.recall.dates import Named
from holdfast.recall.days import told_of
from holdfast.recall.stretches import asked_dates

MONDAY = 1_794_830_400_000  # 16 November 2026, noon


def ms(date):
    return int(datetime.fromisoformat(date).replace(tzinfo=UTC).timestamp() * 1000)


def day(moment):
    return f"{datetime.fromtimestamp(moment / 1000, UTC):%Y-%m-%d}"


def spans(question, now=MONDAY, year=2026):
    """From which day to which, the second not included; those of any year in this one."""
    told = told_of(asked_dates(question, now, "UTC"), [year])
    return sorted((day(each.full[0]), day(each.full[1])) for each in told)


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("last summer", "2026-06-01", "2026-09-01"),
        ("what did Ana paint last summer near Fort Wayne", "2026-06-01", "2026-09-01"),
        ("last fall", "2025-09-01", "2025-12-01"),
        ("last winter", "2025-12-01", "2026-03-01"),
        ("over the past spring", "2026-03-01", "2026-06-01"),
        ("in the summer of 2023", "2023-06-01", "2023-09-01"),
        ("late summer 2023", "2023-06-01", "2023-09-01"),
        ("Fall 2023", "2023-09-01", "2023-12-01"),
        ("winter 2022/23", "2022-12-01", "2023-03-01"),
        ("winter of 2022-2023", "2022-12-01", "2023-03-01"),
        ("summer last year", "2025-06-01", "2025-09-01"),
        ("in the fall of last year", "2025-09-01", "2025-12-01"),
        ("this spring", "2026-03-01", "2026-06-01"),
        ("this fall we met", "2026-09-01", "2026-12-01"),
        ("this winter", "2026-12-01", "2027-03-01"),
        ("over the winter", "2025-12-01", "2026-03-01"),
        ("in the summer", "2026-06-01", "2026-09-01"),
        ("during the fall", "2026-09-01", "2026-12-01"),
        ("what did we do that summer in Spain?", "2026-06-01", "2026-09-01"),
    ],
)
def test_seasons_are_whole_months_of_the_north(question, first, last):
    assert spans(question) == [(first, last)]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what changed since September?", (2026, 9, None)),
        ("since 16 November", (2026, 11, 16)),
        ("since Nov. 17", (2025, 11, 17)),
        ("Since December", (2025, 12, None)),
        ("since the 3rd of May", (2026, 5, 3)),
        ("since early March", (2026, 3, 1)),
        ("since the end of May", (2026, 5, 21)),
        ("since June last year", (2025, 6, None)),
        ("since March 2024", (2024, 3, None)),
    ],
)
def test_what_goes_on_since_a_month_or_day_goes_on_since_the_last_one(question, first):
    (date,) = asked_dates(question, MONDAY, "UTC")
    assert ((date.year, date.month, date.day), date.since) == (first, True)


def test_the_words_around_may_name_something_else():
    assert asked_dates("since the May release", MONDAY, "UTC") == []
    assert [date.since for date in asked_dates("in September", MONDAY, "UTC")] == [False]


def test_the_winter_of_a_year_may_be_either():
    assert spans("winter 2022") == [("2022-01-01", "2022-03-01"), ("2022-12-01", "2023-03-01")]


@pytest.mark.parametrize(
    ("now", "last", "this", "over"),
    [
        ("2026-01-15", "2024-12-01", "2025-12-01", "2025-12-01"),
        ("2026-03-01", "2025-12-01", "2025-12-01", "2025-12-01"),
        ("2026-10-15", "2025-12-01", "2026-12-01", "2025-12-01"),
        ("2026-12-15", "2025-12-01", "2026-12-01", "2026-12-01"),
    ],
)
def test_the_last_winter_is_over_and_this_one_is_the_nearest(now, last, this, over):
    for which, first in (("last", last), ("this", this), ("over the", over)):
        assert [begin for begin, _ in spans(f"{which} winter", ms(now))] == [first]


def test_a_season_of_no_year_may_be_of_any():
    assert asked_dates("in the summer", MONDAY, "UTC")[0].year is None
    assert asked_dates("last summer")[0].year is None  # nobody said when now is


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("Q3 2023", "2023-07-01", "2023-10-01"),
        ("q4 of 2023", "2023-10-01", "2024-01-01"),
        ("2023 Q1", "2023-01-01", "2023-04-01"),
        ("2023-Q1", "2023-01-01", "2023-04-01"),
        ("the second quarter of 2024", "2024-04-01", "2024-07-01"),
        ("the 3rd quarter of 2024", "2024-07-01", "2024-10-01"),
        ("in the last quarter of 2023", "2023-10-01", "2024-01-01"),
        ("last quarter", "2026-07-01", "2026-10-01"),
        ("last quarter's numbers", "2026-07-01", "2026-10-01"),
        ("this quarter", "2026-10-01", "2027-01-01"),
        ("Q3 of last year", "2025-07-01", "2025-10-01"),
        ("Q1 this year", "2026-01-01", "2026-04-01"),
        ("last Q4", "2025-10-01", "2026-01-01"),
        ("this Q4", "2026-10-01", "2027-01-01"),
        ("the first half of 2023", "2023-01-01", "2023-07-01"),
        ("H2 2023", "2023-07-01", "2024-01-01"),
    ],
)
def test_quarters_and_halves_of_a_year(question, first, last):
    assert spans(question) == [(first, last)]


def test_in_january_the_last_quarter_was_of_the_year_before():
    assert spans("last quarter", ms("2026-01-05")) == [("2025-10-01", "2026-01-01")]


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("early March 2024", "2024-03-01", "2024-03-11"),
        ("mid-March 2024", "2024-03-11", "2024-03-21"),
        ("in mid March", "2026-03-11", "2026-03-21"),
        ("late February 2024", "2024-02-21", "2024-03-01"),
        ("late in December 2023", "2023-12-21", "2024-01-01"),
        ("the beginning of May", "2026-05-01", "2026-05-11"),
        ("at the start of May", "2026-05-01", "2026-05-11"),
        ("in the middle of May", "2026-05-11", "2026-05-21"),
        ("the end of May 2023", "2023-05-21", "2023-06-01"),
        ("the end of last month", "2026-10-21", "2026-11-01"),
        ("early last month", "2026-10-01", "2026-10-11"),
        ("early 2023", "2023-01-01", "2023-05-01"),
        ("mid-2023", "2023-05-01", "2023-09-01"),
        ("the end of 2023", "2023-09-01", "2024-01-01"),
        ("the end of last year", "2025-09-01", "2026-01-01"),
        ("the beginning of the year", "2026-01-01", "2026-05-01"),
        ("late last year", "2025-09-01", "2026-01-01"),
    ],
)
def test_parts_of_months_and_years_are_thirds(question, first, last):
    assert spans(question) == [(first, last)]


def test_in_january_the_end_of_last_month_was_in_december():
    assert spans("the end of last month", ms("2026-01-05")) == [("2025-12-21", "2026-01-01")]


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("between May and July 2023", "2023-05-01", "2023-08-01"),
        ("from May to July", "2026-05-01", "2026-08-01"),
        ("from May 2023 to July", "2023-05-01", "2023-08-01"),
        ("May–July 2023", "2023-05-01", "2023-08-01"),
        ("between November and February 2024", "2023-11-01", "2024-03-01"),
        ("between November and February", "2026-11-01", "2027-03-01"),
        ("between January 2023 and March 2024", "2023-01-01", "2024-04-01"),
        ("from March 2021 to 2023", "2021-03-01", "2024-01-01"),
        ("from 2021 until March 2023", "2021-01-01", "2023-04-01"),
        ("between 2021 and 2023", "2021-01-01", "2024-01-01"),
        ("from 3 to 7 June", "2026-06-03", "2026-06-08"),
        ("between the 3rd and the 7th of June 2024", "2024-06-03", "2024-06-08"),
        ("3-7 June 2024", "2024-06-03", "2024-06-08"),
        ("June 3-7", "2026-06-03", "2026-06-08"),
        ("June 3 to 7, 2024", "2024-06-03", "2024-06-08"),
        ("from 28 May to 3 June 2024", "2024-05-28", "2024-06-04"),
        ("from 3 to 30 June 2024", "2024-06-03", "2024-07-01"),
        ("from 20 to 28 February", "2026-02-20", "2026-03-01"),
        ("from 27 to 31 December 2023", "2023-12-27", "2024-01-01"),
        ("from 2024-03-01 to 2024-03-10", "2024-03-01", "2024-03-11"),
        ("from May to July last year", "2025-05-01", "2025-08-01"),
    ],
)
def test_a_range_goes_from_the_beginning_of_one_to_the_end_of_the_other(question, first, last):
    assert spans(question) == [(first, last)]


@pytest.mark.parametrize(
    ("question", "month"),
    [("June last year", (2025, 6)), ("in May last year", (2025, 5)), ("March this year", (2026, 3))],
)
def test_a_month_of_last_year_is_one_month(question, month):
    (found,) = asked_dates(question, MONDAY, "UTC")
    assert (found.year, found.month, found.day) == (*month, None)


def test_a_day_of_last_year_is_one_day():
    (found,) = asked_dates("on 5 June last year", MONDAY, "UTC")
    assert (found.year, found.month, found.day) == (2025, 6, 5)


@pytest.mark.parametrize(
    ("question", "until"),
    [
        ("before March 2024", Named(year=2024, month=3, day=1, until=True)),
        ("prior to 2024-03-05", Named(year=2024, month=3, day=5, until=True)),
        ("until March 2024", Named(year=2024, month=4, day=1, until=True)),
        ("until 31 March 2024", Named(year=2024, month=4, day=1, until=True)),
        ("after March 2024", Named(year=2024, month=4, day=1, since=True)),
        ("after June 5, 2023", Named(year=2023, month=6, day=6, since=True)),
        ("before 2020", Named(year=2020, until=True)),
        ("until 2020", Named(year=2021, until=True)),
        ("after 2020?", Named(year=2021, since=True)),
        ("before last summer", Named(year=2026, month=6, day=1, until=True)),
        ("since last summer", Named(year=2026, month=6, day=1, since=True)),
        ("since Q3 2023", Named(year=2023, month=7, day=1, since=True)),
        ("since the beginning of the year", Named(year=2026, month=1, day=1, since=True)),
        ("until the end of 2023", Named(year=2024, month=1, day=1, until=True)),
        ("after the winter of 2022/23", Named(year=2023, month=3, day=1, since=True)),
    ],
)
def test_all_before_or_after_a_date_with_its_year_is_meant_where_it_is_said(question, until):
    (found,) = asked_dates(question, MONDAY, "UTC")
    assert found.replace(said=(), zone=None) == until


@pytest.mark.parametrize(
    "question",
    ["the week before August 3, 2023", "two weeks before August 3, 2023", "the Sunday before August 3, 2023"],
)
def test_what_is_counted_from_a_date_is_not_all_before_it(question):
    assert asked_dates(question, MONDAY, "UTC") == [Named(year=2023, month=8, day=3, zone="UTC")]


@pytest.mark.parametrize(
    "question",
    [
        "the spring framework", "what broke in the spring config?", "in the spring-boot app", "last spring release",
        "will this fall over?", "does this fall in the range?", "tests that fall at random", "what springs to mind",
        "ideas that spring to mind", "when was grandma's last fall?", "her last fall", "in the fall of Rome",
        "during the fall of the wall", "what did Summer say?", "Summer told me", "the winter coat", "in summer",
        "May I march on?", "the battery may last", "Q3", "answer Q3 of the exam", "the last quarter of the game",
        "a quarter mile", "the last quarter mile", "this quarter-final", "a half", "early bird", "a late fee",
        "the end of the story", "the end of Marvin", "the start of the march", "the middle of the second half",
        "after 2000 requests", "before 2000 people", "between 1900 and 2000 users", "from 1 to 10", "between 3 and 7",
        "from 3 to 7 pm", "3-7", "version 1.2-3", "between you and me", "from may to must", "2024-13-45 to 2024-14-01",
        "from 7 to 3 June-ish", "the last two meetings", "last three commits",
    ],
)  # fmt: skip
def test_other_words_name_no_stretch(question):
    assert not [date for date in asked_dates(question, MONDAY, "UTC") if date.end or date.until or date.since]


@pytest.mark.parametrize(
    "question",
    [
        "in the last 48 hours", "the last couple of days", "two Tuesdays ago", "the week before last", "last summer",
        "in the summer of 2023", "over the winter", "Q3 2023", "the second quarter of 2024", "last quarter",
        "in early March 2024", "at the end of last year", "between May and July 2023", "from 3 to 7 June",
        "before March 2024", "in June last year", "in mid-2023",
    ],
)  # fmt: skip
def test_the_words_of_a_stretch_are_words_of_a_date(question):
    assert understand(f"What did I do {question}?", [], now=MONDAY, zone="UTC").only_dated
    assert not understand(f"What did I paint {question}?", [], now=MONDAY, zone="UTC").only_dated


def test_a_stretch_is_of_the_users_days():
    (found,) = asked_dates("Q3 2023", MONDAY, "Asia/Tokyo")
    (told,) = told_of([found], [])
    assert told.full == (ms("2023-07-01") - 9 * 3_600_000, ms("2023-10-01") - 9 * 3_600_000)


def test_what_is_read_as_a_stretch_is_not_read_again():
    found = asked_dates("between May and July 2023, in the summer of 2021 and at the end of last year", MONDAY, "UTC")
    assert [(date.year, date.month) for date in found] == [(2023, 5), (2025, 9), (2021, 6)]


def test_no_pattern_is_made_before_a_question_has_a_word_of_it(monkeypatch):
    made = []
    monkeypatch.setattr(stretches, "_compiled", lambda pattern: made.append(pattern))
    assert asked_dates("Where is the key of the vault, and who gave it to Ben?", MONDAY, "UTC") == []
    assert made == []


def test_the_import_makes_no_long_pattern():
    code = """
import holdfast.recall.stretches as stretches, holdfast.recall.counting as counting
print(stretches._compiled.cache_info().currsize, counting._counting.cache_info().currsize)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout.split() == ["0", "0"]
