"""Dates that a question names.

Reads English month names, ISO dates and years as people write them, and days counted from today ("last Tuesday",
"two weeks ago"). How near an entry lies to them is for `days` to say.
"""

from __future__ import annotations

import re
import time
from functools import lru_cache

from ..errors import Invalid
from ..model.moment import DAY_MS, parse
from ..model.value import Value
from .times import moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
           "november", "december")  # fmt: skip
_SHORT = {name[:3]: number for number, name in enumerate(_MONTHS, 1)} | {"sept": 9}
_NAME = "|".join(sorted([*_MONTHS, *_SHORT], key=len, reverse=True))
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"((?:19|20)\d\d)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b{_YEAR}[-/](?P<m>\d\d)[-/](\d\d)\b",
        rf"\b{_DAY}\s+(?:of\s+)?(?P<m>{_NAME})\b\.?,?(?:\s+{_YEAR}\b)?",
        rf"\b(?P<m>{_NAME})\b\.?\s+{_DAY}\b(?!\s*(?:%|am\b|pm\b|:)),?(?:\s+{_YEAR}\b)?",
        rf"\b(?P<m>{_NAME})\b\.?,?\s+(?:of\s+)?{_YEAR}\b",
    )
)
_DIGIT, _WORD = re.compile(r"\d"), re.compile(r"\w+")
_NUMERIC = re.compile(rf"\b(\d{{1,2}})([./])(\d{{1,2}})\2{_YEAR}\b")
# Without a number beside it, `may`, `march` and `mar` are mostly other words.
_ALONE = re.compile(
    rf"\b(?:in|of|during|since|by|until|early|late|mid|last|this|next|from)[\s-]+({_NAME})\b", re.IGNORECASE
)
_BARE_YEAR = re.compile(
    rf"\b(in|of|during|since|year|early|late|summer|winter|spring|fall|autumn)\s+{_YEAR}\b", re.IGNORECASE
)
_GOES_ON = re.compile(r"\bsince\s+\Z", re.IGNORECASE)
_WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SMALL = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
          "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty")  # fmt: skip
_NUMBERS = {name: number for number, name in enumerate(_SMALL, 1)} | {"a couple of": 2, "a few": 3}
_LENGTHS = {"day": 1, "week": 7, "month": 30, "year": 365}
_YEARS_AGO = 30  # days before and after that are meant as well, for each year: half a year off is not a year ago
_UNIT = "day|week|month|year"
_WEEKDAY = "|".join(_WEEK)
_COUNTED = re.compile(
    rf"\b(?:(?P<before>the\s+day\s+before\s+yesterday)"
    rf"|(?:on\s+)?(?P<within>{_WEEKDAY})(?:,|\s+of)?\s+(?P<of>last|past|this)\s+week"
    rf"|(?P<week>last|past|this)\s+week(?:['’]s|,)?\s+(?:on\s+)?(?P<its>{_WEEKDAY})"
    rf"|(?P<day>today|tonight|this\s+morning|yesterday|last\s+night)"
    rf"|(?P<last>last|on|this|past|since)\s+(?P<weekday>{_WEEKDAY})"
    rf"|(?<!half\s)(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)}|an?)\s+(?P<ago>{_UNIT})s?\s+ago"
    rf"|(?:last|past)\s+(?P<lately>\d{{1,3}}|{'|'.join(_NUMBERS)})\s+(?P<units>{_UNIT})s"
    r"|(?:last|past|this|over\s+the|on\s+the|at\s+the)\s+(?P<end>weekend)"
    r"|(?P<which>last|past|this)\s+(?P<whole>week|month|year))\b",
    re.IGNORECASE,
)
_IN_COUNTED = ("day", "week", "month", "year", "night", "morning")  # each of these has one; quicker to look for
MOST = 16  # dates that a question asks for; a prompt that names more, a log say, asks for none of them


class Named(Value):
    """A date as named: any part may be missing, but not all; or a span of days counted from today."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    since: bool = False  # then, and at any time after it; known where the year is
    span: tuple[int, int] | None = None  # epoch ms, the end not included
    about: int | None = None  # when the day within the span begins that is meant most
    said: tuple[str, ...] = ()  # in which words, where that does not follow from the numbers
    zone: str | None = None  # whose days are meant: an IANA zone, "" for the system's, None for UTC


def named_dates(question: str, zone: str | None = None) -> list[Named]:
    """The dates in a question, most exact first, as days of the zone; each stretch of text is read once."""
    numbered = _DIGIT.search(question) is not None  # most questions have none, and so no date but a month
    found, rest = _with_numbers(question) if numbered else ([], question)
    found += [Named(month=_month(hit[1])) for hit in _ALONE.finditer(rest)]
    if numbered:
        years = _BARE_YEAR.finditer(_ALONE.sub(" ", rest))
        found += [Named(year=int(hit[2]), since=hit[1].lower() == "since") for hit in years]
    there = [date for date in found if date.month is None or 1 <= date.month <= 12]
    return there if zone is None else [date.replace(zone=zone) for date in there]


def _with_numbers(question: str) -> tuple[list[Named], str]:
    """Those that name a day, or a year with its month; and the question without them."""
    found: list[Named] = []
    rest = question
    for number, form in enumerate(_FORMS):
        found += [_going_on(_read(number, hit), hit) for hit in form.finditer(rest)]
        rest = form.sub(" ", rest)
    found += [_going_on(date, hit) for hit in _NUMERIC.finditer(rest) for date in _numeric(hit)]
    return found, _NUMERIC.sub(" ", rest)


def _going_on(date: Named, hit: re.Match[str]) -> Named:
    """The same, and all after it where the question says `since` and the year."""
    if date.year is None or not _GOES_ON.search(hit.string, max(0, hit.start() - 8), hit.start()):
        return date
    return date.replace(since=True)


def counted(question: str, now: int, zone: str) -> list[Named]:
    """Days, weeks and months that are counted from today in the user's zone."""
    if question.isascii() and not any(word in question.lower() for word in _IN_COUNTED):
        return []
    hits = list(_COUNTED.finditer(question))
    if not hits:
        return []
    year, month, day = _day_of(now, zone)
    today = (midnight(year, month, day) or now) // DAY_MS
    found = []
    for hit in hits:
        said = tuple(_WORD.findall(hit[0].lower()))
        if (hit["whole"] or "").lower() in ("month", "year"):
            found.append(_calendar(hit, year, month).replace(said=said, zone=zone))
        else:
            first, last = _days(hit, today)
            about = _day_begins(today + (first + last) // 2, zone) if hit["ago"] else None
            span = _day_begins(today + first, zone), _day_begins(today + last, zone)
            found.append(Named(span=span, about=about, said=said))
    return found


def _day_begins(day: int, zone: str) -> int:
    """When a day begins in a zone, by its number since 1970; a day on which clocks are set has not 24 hours."""
    found = midnight(*time.gmtime(day * DAY_MS // 1000)[:3], zone)
    return day * DAY_MS if found is None else found


def _calendar(hit: re.Match[str], year: int, month: int) -> Named:
    """This month or year, or the one before."""
    before = hit["which"].lower() != "this"
    if hit["whole"].lower() == "year":
        return Named(year=year - before)
    return Named(year=year - (before and month == 1), month=(month - before) or 12)


def _days(hit: re.Match[str], today: int) -> tuple[int, int]:
    """From which day to which, today being 0 and past days negative; `today` is its number since 1970, a Thursday."""
    since_monday = (today + 3) % 7
    if hit["before"]:
        return -2, -1
    if hit["day"]:
        back = int(hit["day"].lower().startswith(("yesterday", "last")))
        return -back, 1 - back
    if weekday := hit["within"] or hit["its"]:
        first = _WEEK.index(weekday.lower()) - since_monday - 7 * ((hit["of"] or hit["week"]).lower() != "this")
        return first, first + 1
    if hit["weekday"]:
        back = (since_monday - _WEEK.index(hit["weekday"].lower())) % 7
        back += 7 * (back == 0 and hit["last"].lower() in ("last", "past"))
        return -back, 1 if hit["last"].lower() == "since" else 1 - back
    if hit["ago"]:
        return _ago(_number(hit["count"]), _LENGTHS[hit["ago"].lower()])
    if hit["lately"]:
        return -_number(hit["lately"]) * _LENGTHS[hit["units"].lower()], 1
    if hit["end"]:
        saturday = (since_monday - 5) % 7
        return -saturday, 2 - saturday
    return (-since_monday, 1) if hit["which"].lower() == "this" else (-since_monday - 7, -since_monday)


def _ago(count: int, length: int) -> tuple[int, int]:
    """Around the day so many days, weeks, months or years ago: who says weeks does not mean the day."""
    beside = min(_YEARS_AGO * count, length // 2) if length == _LENGTHS["year"] else length // 2
    first = -length * count - beside
    return first, first + 2 * beside + 1


def _number(said: str) -> int:
    said = " ".join(said.lower().split())
    return int(said) if said.isdigit() else _NUMBERS.get(said, 1)


def _read(form: int, hit: re.Match[str]) -> Named:
    if form == 0:
        return Named(year=int(hit[1]), month=int(hit["m"]), day=int(hit[3]))
    if form == 3:
        return Named(year=int(hit[2]), month=_month(hit["m"]))
    day, year = (hit[1], hit[3]) if form == 1 else (hit[2], hit[3])
    return Named(year=int(year) if year else None, month=_month(hit["m"]), day=int(day))


def _numeric(hit: re.Match[str]) -> list[Named]:
    """`15.11.2025` is a day in front of its month; `5/11/2025` may be either."""
    first, second, year = int(hit[1]), int(hit[3]), int(hit[4])
    either = [(first, second)] if hit[2] == "." or first == second else [(first, second), (second, first)]
    said = (hit[1], hit[3])
    return [Named(year=year, month=month, day=day, said=said) for day, month in either if 1 <= month <= 12]


def _month(name: str) -> int:
    name = name.lower()
    return int(name) if name.isdigit() else _SHORT.get(name) or _SHORT[name[:3]]


def spelled(dates: Sequence[Named]) -> frozenset[str]:
    """The words in which these dates can stand in a question, in lower case."""
    found = {word for date in dates for word in date.said}
    found.update({str(date.year) for date in dates if date.year is not None})
    for month in {date.month for date in dates if date.month is not None}:
        found.update((_MONTHS[month - 1], f"{month:02}"))
        found.update(name for name, number in _SHORT.items() if number == month)
    for day in {date.day for date in dates if date.day is not None}:
        found.update((f"{day:02}", *(f"{day}{end}" for end in ("", "st", "nd", "rd", "th"))))
    return frozenset(found)


def meant(dates: Sequence[Named]) -> tuple[Named, ...]:
    """Each of these dates once, in whatever words; none where there are more than anybody asks for."""
    found: dict[tuple[object, ...], Named] = {}
    for date in dates:
        found.setdefault((date.year, date.month, date.day, date.since, date.span), date)
    return tuple(found.values()) if len(found) <= MOST else ()


@lru_cache(1_024)  # asked for every candidate, where dates have no year: MOST dates in 64 years
def midnight(year: int, month: int, day: int, zone: str | None = None) -> int | None:
    """Midnight of a day in a zone; None where the calendar has none such."""
    date = f"{year:04d}-{month:02d}-{day:02d}"
    try:
        return parse(f"{date}T00:00:00Z") if zone is None else moment(date, 0, zone)
    except Invalid:
        return None


def _day_of(when: int, zone: str | None) -> tuple[int, int, int]:
    """Year, month and day of a moment in a zone."""
    if not zone:
        return _in_local_time(when) if zone is not None else time.gmtime(when / 1000)[:3]
    from datetime import datetime
    from zoneinfo import ZoneInfo

    try:
        there = datetime.fromtimestamp(when / 1000, ZoneInfo(zone))
    except (OverflowError, ValueError):  # the last day of 9999, seen from the east: no calendar has the next one
        return time.gmtime(when / 1000)[:3]
    return there.year, there.month, there.day


def _in_local_time(when: int) -> tuple[int, int, int]:
    """In the system's zone, where it knows of that time: Windows knows of none before 1970."""
    try:
        return time.localtime(when / 1000)[:3]
    except (OSError, OverflowError):
        return time.gmtime(when / 1000)[:3]
