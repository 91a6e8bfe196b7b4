"""Dates that a question names.

Reads English month names, ISO dates and years as people write them. Months of other languages are for `months`, days
counted from today for `counting`, seasons and the like for `stretches`; how near an entry lies to any of them is for
`days` to say.
"""

from __future__ import annotations

import re
import time
from functools import lru_cache

from ..errors import Invalid
from ..model.moment import parse
from ..model.value import Value
from . import months
from .times import moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
           "november", "december")  # fmt: skip
_SHORT = {name[:3]: number for number, name in enumerate(MONTHS, 1)} | {"sept": 9}
MONTH_NAME = "|".join(sorted([*MONTHS, *_SHORT], key=len, reverse=True))
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"((?:19|20)\d\d)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b{_YEAR}[-/](?P<m>\d\d)[-/](\d\d)(?:\b|(?=T\d\d:))",
        rf"\b{_DAY}\s+(?:of\s+)?(?P<m>{MONTH_NAME})\b\.?,?(?:\s+{_YEAR}\b)?",
        rf"\b(?P<m>{MONTH_NAME})\b\.?\s+{_DAY}\b(?!\s*(?:%|am\b|pm\b|:)),?(?:\s+{_YEAR}\b)?",
        rf"\b(?P<m>{MONTH_NAME})\b\.?,?\s+(?:of\s+)?{_YEAR}\b",
    )
)
_DIGIT = re.compile(r"\d")
_NUMERIC = re.compile(rf"\b(\d{{1,2}})([./])(\d{{1,2}})\2{_YEAR}\b")
# Without a number beside it, `may`, `march` and `mar` are mostly other words.
_ALONE = re.compile(
    rf"\b(?:in|of|during|since|by|until|early|late|mid|last|this|next|from)[\s-]+({MONTH_NAME})\b", re.IGNORECASE
)
_BARE_YEAR = re.compile(
    rf"\b(in|of|during|since|year|early|late|summer|winter|spring|fall|autumn)\s+{_YEAR}(?:-(0[1-9]|1[0-2]))?\b",
    re.IGNORECASE,
)  # or a year with its month in numbers
_SINCE = re.compile(r"\bsince\s+(?:the\s+)?\Z", re.IGNORECASE)
# What ends a phrase of time, or goes on after it; before any other word ("the last spring release") it is none.
_PHRASE_ENDS = (
    r"\W*\Z|\s*(?:[?!;,)\]\"'’]|[.:](?!\w)|[-–—]\s)|\s+(?:i|we|you|he|she|they|it|my|our|his|her|their|did|do|does"
    r"|was|were|is|are|had|have|has|when|where|who|what|which|how|why|and|or|but|with|at|in|on|before|after|because"
    r"|about|for|by|as|then|there|too|also|until|while)\b"
)
MOST = 16  # dates that a question asks for; a prompt that names more, a log say, asks for none of them


class Named(Value):
    """A date as named: any part may be missing, but not all; or a stretch from it on, or a span counted from today."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    since: bool = False  # then, and at any time after it; known where the year is
    until: bool = False  # at any time before it; only with a year
    end: tuple[int, int, int] | None = None  # a stretch from then on: years later, month and day by which it is over
    span: tuple[int, int] | None = None  # epoch ms, the end not included
    about: int | None = None  # when the day within the span begins that is meant most
    said: tuple[str, ...] = ()  # in which words, where that does not follow from the numbers
    zone: str | None = None  # whose days are meant: an IANA zone, "" for the system's, None for UTC


def named_dates(question: str, zone: str | None = None) -> list[Named]:
    """The dates in a question, most exact first, as days of the zone; each stretch of text is read once."""
    others, question = months.elsewhere(question)
    numbered = _DIGIT.search(question) is not None  # most questions have none, and so no date but a month
    found, rest = _with_numbers(question) if numbered else ([], question)
    found += [Named(year=year, month=month, day=day) for year, month, day in others]
    found += [Named(month=month_of(hit[1])) for hit in _ALONE.finditer(rest)]
    if numbered:
        years = _BARE_YEAR.finditer(_ALONE.sub(" ", rest))
        found += [
            Named(year=int(hit[2]), month=int(hit[3]) if hit[3] else None, since=hit[1].lower() == "since")
            for hit in years
        ]
    there = [date for date in found if date.month is None or 1 <= date.month <= 12]
    return there if zone is None else [date.replace(zone=zone) for date in there]


def _with_numbers(question: str) -> tuple[list[Named], str]:
    """Those that name a day, or a year with its month; and the question without them."""
    found: list[Named] = []
    rest = question
    for number, form in enumerate(_FORMS):
        found += [going_on(_read(number, hit), hit) for hit in form.finditer(rest)]
        rest = form.sub(" ", rest)
    found += [going_on(date, hit) for hit in _NUMERIC.finditer(rest) for date in _numeric(hit)]
    return found, _NUMERIC.sub(" ", rest)


def going_on(date: Named, hit: re.Match[str]) -> Named:
    """The same, and all after it where the question says `since` and the year."""
    return date.replace(since=True) if date.year is not None and is_since(hit) else date


def is_since(hit: re.Match[str]) -> bool:
    """Whether the word before says that what is found goes on until now."""
    return _SINCE.search(hit.string, max(0, hit.start() - 12), hit.start()) is not None


def ends_phrase(hit: re.Match[str]) -> bool:
    """Whether words of time can end where this does, and do not belong to the next ("in the spring release")."""
    return _phrase_ends().match(hit.string, hit.end()) is not None


@lru_cache(1)
def _phrase_ends() -> re.Pattern[str]:
    return re.compile(_PHRASE_ENDS, re.IGNORECASE)


def _read(form: int, hit: re.Match[str]) -> Named:
    if form == 0:
        return Named(year=int(hit[1]), month=int(hit["m"]), day=int(hit[3]))
    if form == 3:
        return Named(year=int(hit[2]), month=month_of(hit["m"]))
    day, year = (hit[1], hit[3]) if form == 1 else (hit[2], hit[3])
    return Named(year=int(year) if year else None, month=month_of(hit["m"]), day=int(day))


def _numeric(hit: re.Match[str]) -> list[Named]:
    """`15.11.2025` is a day in front of its month; `5/11/2025` may be either."""
    first, second, year = int(hit[1]), int(hit[3]), int(hit[4])
    either = [(first, second)] if hit[2] == "." or first == second else [(first, second), (second, first)]
    said = (hit[1], hit[3])
    return [Named(year=year, month=month, day=day, said=said) for day, month in either if 1 <= month <= 12]


def month_of(name: str) -> int:
    name = name.lower()
    return int(name) if name.isdigit() else _SHORT.get(name) or _SHORT[name[:3]]


def spelled(dates: Sequence[Named]) -> frozenset[str]:
    """The words in which these dates can stand in a question, in lower case."""
    found = {word for date in dates for word in date.said}
    found.update({str(date.year) for date in dates if date.year is not None})
    for month in {date.month for date in dates if date.month is not None}:
        found.update((MONTHS[month - 1], f"{month:02}"))
        found.update(name for name, number in (_SHORT | months.NUMBERS).items() if number == month)
    for day in {date.day for date in dates if date.day is not None}:
        found.update((f"{day:02}", *(f"{day}{end}" for end in ("", "st", "nd", "rd", "th"))))
    return frozenset(found)


def meant(dates: Sequence[Named]) -> tuple[Named, ...]:
    """Each of these dates once, in whatever words; none where there are more than anybody asks for."""
    found: dict[tuple[object, ...], Named] = {}
    for date in dates:
        found.setdefault((date.year, date.month, date.day, date.since, date.until, date.end, date.span), date)
    return tuple(found.values()) if len(found) <= MOST else ()


@lru_cache(1_024)  # asked for every candidate, where dates have no year: MOST dates in 64 years
def midnight(year: int, month: int, day: int, zone: str | None = None) -> int | None:
    """Midnight of a day in a zone; None where the calendar has none such."""
    date = f"{year:04d}-{month:02d}-{day:02d}"
    try:
        return parse(f"{date}T00:00:00Z") if zone is None else moment(date, 0, zone)
    except Invalid:
        return None


def day_of(when: int, zone: str | None) -> tuple[int, int, int]:
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
