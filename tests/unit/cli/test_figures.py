"""Figures for people: sizes, counts, times."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from holdfast.cli import figures

STAMP = "2026-01-10T23:30:00.000Z"
NOW = 1_768_087_800_000  # the same moment


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0 bytes"), (1, "1 byte"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (1536, "1.5 KiB"),
        (4 * 1024**2, "4.0 MiB"), (5 * 1024**4, "5.0 TiB"), (9000 * 1024**4, "9000.0 TiB"),
    ],
)  # fmt: skip
def test_sizes_are_in_the_unit_that_fits(number: int, shown: str) -> None:
    assert figures.size(number) == shown


@pytest.mark.parametrize(
    ("number", "word", "shown"),
    [(0, "entry", "0 entries"), (1, "entry", "1 entry"), (2, "day", "2 days"), (1200, "line", "1,200 lines")],
)
def test_counts_have_the_right_word(number: int, word: str, shown: str) -> None:
    assert figures.count(number, word) == shown


def test_a_count_may_have_a_plural_of_its_own() -> None:
    assert figures.count(2, "other entry", "other entries") == "2 other entries"


@pytest.mark.parametrize(
    ("later", "shown"),
    [
        (-1, "in the future"), (0, "just now"), (59_999, "just now"), (60_000, "1 minute ago"),
        (7_200_000, "2 hours ago"), (86_400_000, "1 day ago"), (900 * 86_400_000, "900 days ago"),
    ],
)  # fmt: skip
def test_ages_are_in_the_unit_that_fits(later: int, shown: str) -> None:
    assert figures.ago(STAMP, NOW + later) == shown


def test_times_are_shown_in_the_zone_of_the_person() -> None:
    tokyo = ZoneInfo("Asia/Tokyo")
    assert figures.when(STAMP, ZoneInfo("UTC")) == "2026-01-10 23:30"
    assert figures.when(STAMP, tokyo) == "2026-01-11 08:30"
    assert figures.day(STAMP, tokyo) == "Sunday 11 January 2026"
    assert figures.clock(STAMP, tokyo) == "08:30"


def test_durations_are_in_milliseconds_or_seconds() -> None:
    assert (figures.took(0.84), figures.took(1234)) == ("0.8 ms", "1.2 s")


def test_a_time_that_the_zone_has_no_day_for_is_shown_as_it_is_stored() -> None:
    assert figures.when("9999-12-31T23:59:59.999Z", ZoneInfo("Pacific/Kiritimati")) == "9999-12-31 23:59"
