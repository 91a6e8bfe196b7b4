"""Days: when the dates of a question are told of, and how near a moment lies to them.

What somebody tells on a day is mostly about that day or the days before, so an entry counts in full on the named day,
nearly so for three days, and less a little further off. A question without a date gives no signal at all.
"""

from __future__ import annotations

import time

from ..model.moment import DAY_MS
from .dates import midnight, named_dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .dates import Named

    Span = tuple[int, int]  # epoch ms, the end not included

AFTER_DAYS, AFTER_MONTH_DAYS = 3, 7  # how long afterwards a day, or a month, is still told of
LATER_DAYS = 10  # how long afterwards a day is told of at times
BESIDE, BESIDE_MONTH = 0.6, 0.4  # how near what lies beside is
ALWAYS = 1 << 53  # epoch ms: later than anything
YEAR = 0.3  # how near what is of a named year is, where something else is asked for as well
FADED = 0.15  # how much less the last of the days counts on which a day is told of than the day itself
FADED_ALONE = 0.3  # the same where nothing but the day is asked for


class Told:
    """When one date is told of: the time that is named, all that counts in full, and what counts a little."""

    __slots__ = ("around", "full", "little", "most", "named")

    def __init__(self, named: Span, full: Span, around: Span, most: float = 1.0, little: float = BESIDE) -> None:
        self.named, self.full, self.around = named, full, around
        self.most, self.little = most, little

    def nearness(self, when: int, faded: float) -> float:
        """0..1; in steps of a day from the named time to the ends of what counts in full, which are `faded` less."""
        if not self.around[0] <= when < self.around[1]:
            return 0.0
        if not self.full[0] <= when < self.full[1]:
            return self.little
        begin, end = self.named
        if begin <= when < end:
            return self.most
        away, whole = (begin - when, begin - self.full[0]) if when < begin else (when - end + 1, self.full[1] - end)
        return self.most - faded * _begun(away) / _begun(whole)


def _begun(span: int) -> int:
    """How many days of a span have begun."""
    return -(-span // DAY_MS)


class Days:
    """The dates of one question, each worked out once for all that is compared with them.

    Where nothing but dates is asked for (`alone`), a year says as much as a day, and a day more than those after it.
    """

    def __init__(self, dates: Iterable[Named], alone: bool = False) -> None:
        self._alone, self._faded = alone, FADED_ALONE if alone else FADED
        self._told: list[Told] = []
        self._open: list[Named] = []  # of any year
        self._years: dict[int, list[Told]] = {}
        for date in dates:
            if date.span is None and date.year is None:
                self._open.append(date)
            elif (told := _told(date, date.year or 0, alone)) is not None:
                self._told.append(told)

    def nearness(self, when: int) -> float:
        """0..1: how near this moment (epoch ms) lies to the nearest of the dates."""
        return max((told.nearness(when, self._faded) for told in self._about(when)), default=0.0)

    def hold(self, when: int) -> bool:
        """Whether this moment counts in full for one of the dates."""
        return any(told.most == 1.0 and told.full[0] <= when < told.full[1] for told in self._about(when))

    def _about(self, when: int) -> list[Told]:
        if not self._open:
            return self._told
        year = time.gmtime(when / 1000).tm_year
        if year not in self._years:  # in its own zone it may be of another, and December is told of in January
            years = (year - 1, year, year + 1)
            self._years[year] = [*self._told, *told_of(self._open, years, self._alone)]
        return self._years[year]


def says(dates: Sequence[Named], text: str) -> bool:
    """Whether a text names one of these dates, in whatever form: what is planned for a day is told before it."""
    single = [date for date in dates if date.span is None and date.end is None and not date.until]
    return bool(single) and any(_same(date, other) for other in named_dates(text) for date in single)


def _same(date: Named, other: Named) -> bool:
    of_one_year = date.year == other.year or (None in (date.year, other.year) and date.month is not None)
    return of_one_year and (date.month, date.day) == (other.month, other.day)


def told_of(dates: Sequence[Named], years: Sequence[int], alone: bool = False) -> list[Told]:
    """When these dates are told of; one without a year may be of any of `years`."""
    found = (
        _told(date, year, alone)
        for date in dates
        for year in ((date.year or 0,) if date.span is not None or date.year is not None else years)
    )
    return [told for told in found if told is not None]


def _told(date: Named, year: int, alone: bool) -> Told | None:
    """When a date is told of that has no year, or this one; None where the calendar has none such."""
    if date.span is not None:
        first, last = date.span
        named = date.span if date.about is None else (date.about, date.about + DAY_MS)
        return Told(named, date.span, (first - DAY_MS, last + DAY_MS))
    month = date.month or 1
    start = midnight(year, month, date.day or 1, date.zone)
    if start is None:
        return None
    most = 1.0 if alone or date.month is not None else YEAR
    if date.since:
        return Told((start, ALWAYS), (start, ALWAYS), (start, ALWAYS), most)
    if date.until:
        return Told((0, start), (0, start), (0, start), most)
    if date.end is not None:
        return _stretch(date, year, start, most)
    if date.day is not None:
        told = (start, start + (AFTER_DAYS + 1) * DAY_MS)
        return Told((start, start + DAY_MS), told, (start - DAY_MS, start + (LATER_DAYS + 1) * DAY_MS))
    after = (year + 1, 1) if date.month is None else (year + month // 12, month % 12 + 1)
    end = midnight(*after, 1, date.zone)
    if end is None:
        return None
    whole = (start, end)
    if date.month is None:
        return Told(whole, whole, whole, most)
    return Told(whole, whole, (start, end + AFTER_MONTH_DAYS * DAY_MS), little=BESIDE_MONTH)


def _stretch(date: Named, year: int, start: int, most: float) -> Told | None:
    """When a stretch is told of that begins in this year: like a month, a little into what comes after it."""
    later, month, day = date.end or (0, 0, 0)
    year += later
    end = midnight(year, month, day, date.zone) or midnight(year + month // 12, month % 12 + 1, 1, date.zone)
    if end is None or end <= start:
        return None
    return Told((start, end), (start, end), (start, end + AFTER_MONTH_DAYS * DAY_MS), most, min(most, BESIDE_MONTH))
