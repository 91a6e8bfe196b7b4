"""When the dates of a question are told of, and how near a moment lies to them."""

from holdfast.recall import days as telling
from holdfast.recall.dates import Named, counted, spelled
from holdfast.recall.days import Days, spans

DAY = 86_400_000
MAY_7 = 1_683_417_600_000  # 2023-05-07T00:00:00Z
MONDAY = 1_794_830_400_000  # 16 November 2026, noon


def test_the_named_day_and_the_days_after_are_nearest():
    named = [Named(year=2023, month=5, day=7)]
    days = [Days(named).nearness(MAY_7 + away * DAY) for away in (-3, -1, 0, 3, 4, 10, 11)]
    assert days == [0.0, 0.6, 1.0, 1.0, 0.6, 0.6, 0.0]


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


def test_dates_without_a_year_may_be_of_any_that_there_is():
    found = spans([Named(month=12), Named(month=2, day=30), Named(year=2024), Named(year=2025, month=3, day=1)], [2024])
    days = [(since // DAY, until // DAY) for since, until in found]
    assert days == [(20058, 20089), (20148, 20152)]  # all of December 2024; 1 to 4 March 2025


def test_each_date_is_worked_out_once_however_much_is_compared_with_it(monkeypatch):
    asked = []
    monkeypatch.setattr(telling, "midnight", lambda *date: asked.append(date) or MAY_7)
    days = Days([Named(year=2023, month=5, day=day) for day in range(1, 9)])
    assert [days.nearness(MAY_7 + away * DAY) for away in range(100)] == [1.0] * 4 + [0.6] * 7 + [0.0] * 89
    assert len(asked) == 8
