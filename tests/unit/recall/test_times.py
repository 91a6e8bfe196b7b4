import datetime
import time

import pytest

from holdfast.errors import Invalid
from holdfast.model.moment import DAY_MS, HOUR_MS, iso, parse
from holdfast.recall.times import moment, span

NOW = parse("2026-03-31T10:30:00Z")


@pytest.mark.parametrize(
    ("given", "ago"),
    [
        ("now", 0),
        ("12h", 12 * HOUR_MS),
        ("3d", 3 * DAY_MS),
        ("2w", 14 * DAY_MS),
        ("30m", 30 * 60_000),
        ("1y", 365 * DAY_MS),
        ("last hour", HOUR_MS),
        ("last day", DAY_MS),
        ("Last  Week", 7 * DAY_MS),
        ("last month", 30 * DAY_MS),
        ("last year", 365 * DAY_MS),
        ("last 3 days", 3 * DAY_MS),
        ("2 weeks ago", 14 * DAY_MS),
        ("90 min", 90 * 60_000),
    ],
)
def test_relative_times_count_back_from_now(given, ago):
    assert moment(given, NOW, "Asia/Tokyo") == NOW - ago


def test_nothing_is_earlier_than_1970():
    assert moment("999999y", NOW) == 0


@pytest.mark.parametrize(
    ("given", "zone", "found"),
    [
        ("2026-01-10", "UTC", "2026-01-10T00:00:00.000Z"),
        ("2026-01-10", "Europe/Berlin", "2026-01-09T23:00:00.000Z"),
        ("2026-01-10", "America/New_York", "2026-01-10T05:00:00.000Z"),
        ("today", "UTC", "2026-03-31T00:00:00.000Z"),
        ("today", "Asia/Tokyo", "2026-03-30T15:00:00.000Z"),
        ("yesterday", "UTC", "2026-03-30T00:00:00.000Z"),
        ("Yesterday", "Pacific/Honolulu", "2026-03-30T10:00:00.000Z"),
        ("2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00.000Z"),
        ("2026-03-30", "Europe/Berlin", "2026-03-29T22:00:00.000Z"),
    ],
)
def test_days_begin_at_midnight_in_the_users_zone(given, zone, found):
    assert iso(moment(given, NOW, zone)) == found


@pytest.fixture
def in_lisbon(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Lisbon")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_lisbon")
def test_without_a_zone_days_are_the_systems():
    assert iso(moment("today", NOW)) == "2026-03-30T23:00:00.000Z"
    assert iso(moment("yesterday", NOW)) == "2026-03-29T23:00:00.000Z"
    assert iso(moment("2026-01-10", NOW)) == "2026-01-10T00:00:00.000Z"


@pytest.mark.parametrize(
    "given",
    [
        "2026-01-10T14:23:45.678Z",
        "2026-01-10T15:23:45.678+01:00",
        1_768_055_025_678,
        "1768055025678",
        datetime.datetime(2026, 1, 10, 14, 23, 45, 678_000, datetime.UTC),
    ],
)
def test_exact_times_are_taken_as_they_are(given):
    assert iso(moment(given, NOW)) == "2026-01-10T14:23:45.678Z"


@pytest.mark.parametrize(
    "given",
    [
        "",
        "soon",
        "last",
        "week",
        "2 fortnights",
        "-3d",
        "3.5d",
        "2026-02-30",
        "2026-01-10T14:00:00",
        "12",
        True,
        None,
        [],
        float("nan"),
        -1,
        datetime.datetime(2026, 1, 1),
        "1234567d",
    ],
)
def test_anything_else_is_invalid_and_names_the_field(given):
    with pytest.raises(Invalid) as caught:
        moment(given, NOW, "UTC", "until")
    assert caught.value.details["field"] == "until"


@pytest.mark.parametrize("zone", ["", "UTC", "Pacific/Kiritimati", "America/Los_Angeles"])
def test_a_date_before_every_entry_is_invalid_in_any_zone(zone):
    with pytest.raises(Invalid, match="since"):
        moment("0001-01-01", NOW, zone)


def test_a_span_may_be_open_at_either_end():
    assert span(None, None, NOW, "") == (None, None)
    assert span("2d", None, NOW, "") == (NOW - 2 * DAY_MS, None)
    assert span("2d", "1d", NOW, "") == (NOW - 2 * DAY_MS, NOW - DAY_MS)


@pytest.mark.parametrize(("since", "until"), [("1d", "2d"), ("1d", "1d"), ("now", "yesterday")])
def test_a_span_that_can_hold_nothing_is_refused(since, until):
    with pytest.raises(Invalid, match="earlier than until"):
        span(since, until, NOW, "UTC")
