"""Days: when the dates of a question are told of, and how near a moment lies to them.

What somebody tells on a day is mostly about that day or the days before, so an entry counts in full from the named day
to three days later, and less a little further off. A question without a date gives no signal at all.
"""

from __future__ import annotations

from ..model.moment import DAY_MS
from .dates import day_of, midnight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .dates import Named

    _Span = tuple[int, int, int, int]  # epoch ms: from where on it counts a little, and in full; until where each

_AFTER_DAYS, _AFTER_MONTH_DAYS = 3, 7  # how long afterwards a day, or a month, is still told of
_LATER_DAYS = 10  # how long afterwards a day is told of at times


class Days:
    """The dates of one question, each worked out once for all that is compared with them."""

    def __init__(self, dates: Iterable[Named]) -> None:
        self._spans: list[_Span] = []
        self._open: list[Named] = []  # of any year, or of no day: the calendar of each moment says how near it is
        for date in dates:
            if date.span is not None:
                first, last = date.span
                self._spans.append((first - DAY_MS, first, last, last + DAY_MS))
            elif date.year is None or date.month is None or date.day is None:
                self._open.append(date)
            elif (span := _told_of(date.year, date)) is not None:
                self._spans.append(span)
        self._zones = {date.zone for date in self._open}

    def nearness(self, when: int) -> float:
        """0..1: how near this moment (epoch ms) lies to the nearest of the dates."""
        near = max((_within(span, when) for span in self._spans), default=0.0)
        if not self._open or near == 1.0:
            return near
        days = {zone: day_of(when, zone) for zone in self._zones}
        return max(near, *(_near(date, when, days[date.zone]) for date in self._open))


def spans(dates: Sequence[Named], years: Iterable[int]) -> list[tuple[int, int]]:
    """From when to when entries count in full; a date without a year may be of any of `years`, a bare year is none."""
    found = [date.span for date in dates if date.span is not None]
    for date in dates:
        if date.month is not None:
            for year in (date.year,) if date.year is not None else years:
                start = midnight(year, date.month, date.day or 1, date.zone)
                after = (year + date.month // 12, date.month % 12 + 1, 1)
                end = midnight(*after, date.zone) if date.day is None else start
                if start is not None and end is not None:
                    found.append((start, end + (_AFTER_DAYS + 1) * DAY_MS if date.day is not None else end))
    return found


def _told_of(year: int, date: Named) -> _Span | None:
    """When a day is told of; None where the calendar has none such."""
    assert date.month is not None
    assert date.day is not None
    start = midnight(year, date.month, date.day, date.zone)
    if start is None:
        return None
    return start - DAY_MS, start, start + (_AFTER_DAYS + 1) * DAY_MS, start + (_LATER_DAYS + 1) * DAY_MS


def _within(span: _Span, when: int) -> float:
    early, first, last, late = span
    return 1.0 if first <= when < last else 0.6 if early <= when < late else 0.0


def _near(date: Named, when: int, day: tuple[int, int, int]) -> float:
    """How near a moment lies to a date that is not one day of one year; `day` is its own."""
    if date.month is None:
        return 0.3 if day[0] == date.year else 0.0
    if date.day is None:
        return _near_month(date, *day)
    span = _told_of(day[0], date)
    return 0.0 if span is None else _within(span, when)


def _near_month(date: Named, year: int, month: int, day: int) -> float:
    """The named month in full; the first week of the next a little, for what is told afterwards."""
    assert date.month is not None
    if month == date.month and date.year in (None, year):
        return 1.0
    before = (year, month - 1) if month > 1 else (year - 1, 12)
    return 0.4 if day <= _AFTER_MONTH_DAYS and date.month == before[1] and date.year in (None, before[0]) else 0.0
