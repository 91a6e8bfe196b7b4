"""When the dates of a question are told of, and how near a moment lies to them."""

import pytest

from holdfast.recall import days as telling
from holdfast.recall.counting import counted
from holdfast.recall.dates import Named, spelled
from holdfast.recall.days import Days, told_of

DAY = 86_400_000
MAY_7 = 1_683_417_600_000  # 2023-05-07T00:00:00Z
MONDAY = 1_794_830_400_000  # 16 November 2026, noon


@pytest.mark.parametrize("year", [2023, None])
@pytest.mark.parametrize(("alone", "after"), [(False, [0.95, 0.9, 0.85]), (True, [0.9, 0.8, 0.7])])
def test_the_named_day_is_nearest_and_then_the_days_after(year, alone, after):
    days = Days([Named(year=year, month=5, day=7)], alone)
    around = (-3, -1, -1 / DAY, 0, 1 - 1 / DAY, 1, 2, 4 - 1 / DAY, 4, 10, 11)
    found = [days.nearness(MAY_7 + round(away * DAY)) for away in around]
    assert found == pytest.approx([0.0, 0.6, 0.6, 1.0, 1.0, *after, 0.6, 0.6, 0.0])
    assert [days.hold(MAY_7 + away * DAY) for away in (-1, 0, 3, 4)] == [False, True, True, False]


def test_the_last_day_of_a_year_is_told_of_in_the_next():
    new_year = 1_704_067_200_000  # 2024-01-01
    assert Days([Named(month=12, day=31)]).nearness(new_year) == 0.95


@pytest.mark.parametrize(("alone", "near"), [(False, 0.3), (True, 1.0)])
def test_a_year_counts_in_full_where_nothing_else_is_asked_for(alone, near):
    days = Days([Named(year=2023)], alone)
    ends = (1_672_531_200_000, 1_704_067_200_000)
    assert [days.nearness(when) for when in (ends[0] - 1, ends[0], ends[1] - 1, ends[1])] == [0.0, near, near, 0.0]
    assert days.hold(MAY_7) is alone


@pytest.mark.parametrize("date", [Named(year=2023), Named(year=2023, month=5), Named(year=2023, month=5, day=7)])
def test_since_a_date_is_any_time_after_it(date):
    days = Days([date.replace(since=True)], alone=True)
    assert [days.nearness(when) for when in (MAY_7, MAY_7 + 5_000 * DAY)] == [1.0, 1.0]
    assert days.nearness(MAY_7 - 200 * DAY) == 0.0


def test_of_the_time_around_a_day_so_long_ago_the_day_itself_is_nearest():
    (named,) = counted("a year ago", MONDAY, "UTC")
    around = [Days([named]).nearness(MONDAY - back * DAY) for back in (200, 340, 364, 365, 366, 390, 500)]
    assert around == pytest.approx([0.0, 0.875, 0.995, 1.0, 0.995, 0.875, 0.0])


def test_a_month_reaches_a_little_into_the_next():
    named = [Named(month=4)]
    assert Days(named).nearness(MAY_7 - 20 * DAY) == 1.0
    assert Days(named).nearness(MAY_7) == 0.4
    assert Days(named).nearness(MAY_7 + 2 * DAY) == 0.0
    assert Days([Named(year=2022, month=4)]).nearness(MAY_7 - 20 * DAY) == 0.0


def test_december_reaches_into_january():
    january_3 = 1_704_240_000_000  # 2024-01-03
    assert Days([Named(year=2023, month=12)]).nearness(january_3) == 0.4
    assert Days([Named(year=2024, month=12)]).nearness(january_3) == 0.0


def test_a_day_that_the_calendar_lacks_is_near_nothing():
    assert Days([Named(year=2023, month=2, day=30)]).nearness(MAY_7) == 0.0


def test_no_date_gives_no_signal():
    assert Days([]).nearness(MAY_7) == 0.0


def test_a_span_counts_in_full_and_the_days_beside_it_less():
    (found,) = counted("yesterday", MONDAY, "UTC")
    assert [Days([found]).nearness(MONDAY - back * DAY) for back in (0, 1, 2, 3)] == [0.6, 1.0, 0.6, 0.0]
    assert spelled([found]) == {"yesterday"}


def test_a_stretch_counts_in_full_and_reaches_a_little_into_what_comes_after():
    stretch = Named(year=2023, month=5, day=1, end=(0, 5, 8))
    away = (-7, -6, 0, 1, 7, 8)
    assert [Days([stretch]).nearness(MAY_7 + days * DAY) for days in away] == [0.0, 1.0, 1.0, 0.4, 0.4, 0.0]
    assert [Days([stretch]).hold(MAY_7 + days * DAY) for days in away] == [False, True, True, False, False, False]
    assert Days([stretch.replace(year=None)]).nearness(MAY_7 + 365 * DAY) == 1.0


def test_a_stretch_of_any_year_may_end_in_the_next():
    winter = [Named(month=12, day=1, end=(1, 3, 1))]
    january, april = 1_704_240_000_000, 1_711_929_600_000  # of 2024
    assert [Days(winter).nearness(when) for when in (january, april)] == [1.0, 0.0]


def test_a_stretch_up_to_28_february_is_as_long_in_every_year():
    found = told_of([Named(month=2, day=20, end=(0, 2, 29))], [2023, 2024])
    assert [(told.full[1] - told.full[0]) // DAY for told in found] == [9, 9]


@pytest.mark.parametrize(("alone", "near"), [(False, 0.3), (True, 1.0)])
def test_before_a_date_is_any_time_until_it(alone, near):
    assert Days([Named(year=2023, until=True)], alone).nearness(MAY_7 - 3_000 * DAY) == near
    assert Days([Named(year=2023, month=5, day=7, until=True)]).nearness(MAY_7 - 1) == 1.0
    assert Days([Named(year=2023, month=5, day=7, until=True)]).nearness(MAY_7) == 0.0


def test_some_years_together_count_like_one():
    years = Named(year=2022, end=(2, 1, 1))
    assert [Days([years], alone).nearness(MAY_7) for alone in (False, True)] == [0.3, 1.0]


def test_dates_without_a_year_may_be_of_any_that_there_is():
    named = [Named(month=12), Named(month=2, day=30), Named(year=2024), Named(year=2025, month=3, day=1)]
    days = [(told.full[0] // DAY, told.full[1] // DAY) for told in told_of(named, [2024])]
    assert days == [(20058, 20089), (19723, 20089), (20148, 20152)]  # December and all of 2024; 1 to 4 March 2025


@pytest.mark.parametrize("last", [Named(year=9999), Named(year=9999, month=12), Named(year=9999, month=12, since=True)])
def test_the_last_year_of_the_calendar_ends_no_question(last):
    assert Days([last, Named(year=2023)], alone=True).nearness(MAY_7) == 1.0


def test_each_date_is_worked_out_once_however_much_is_compared_with_it(monkeypatch):
    asked = []
    monkeypatch.setattr(telling, "midnight", lambda *date: asked.append(date) or MAY_7)
    days = Days([Named(year=year, month=5, day=day) for day in range(1, 9) for year in (2023, None)])
    assert [days.nearness(MAY_7 + away * DAY) > 0.5 for away in range(100)] == [True] * 11 + [False] * 89
    assert len(asked) == 8 + 3 * 8  # without a year: of this one, and those before and after
