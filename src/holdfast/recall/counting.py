"""Counting: what a question counts from now: "last Tuesday", "two weeks ago", "in the last 48 hours".

Days are those of the user's zone, and only past ones are counted: of others nothing is remembered. English only, as the
month names are.
"""

from __future__ import annotations

import re
import time
from functools import lru_cache

from ..model.moment import DAY_MS, HOUR_MS
from .dates import Named, day_of, ends_phrase, going_on, is_since, midnight

_WORD = re.compile(r"\w+")
_WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SMALL = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
          "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty")  # fmt: skip
_NUMBERS = {name: number for number, name in enumerate(_SMALL, 1)} | {"couple": 2, "few": 3, "several": 5}
_VAGUE = ("few", "several")
_LENGTHS = {"day": 1, "week": 7, "month": 30, "year": 365}
_TIMES = {"minute": HOUR_MS // 60, "hour": HOUR_MS, "hr": HOUR_MS, "h": HOUR_MS}
_YEARS_AGO = 30  # days before and after that are meant as well, for each year: half a year off is not a year ago
_UNIT = "day|week|month|year|hour|minute"
_WEEKDAY = rf"(?:{'|'.join(day[:-3] for day in _WEEK)})day"
_COUNT = rf"\d{{1,3}}|{'|'.join(_SMALL)}|(?:a\s+)?couple(?:\s+of)?|(?:a\s+)?few|several"
_COUNTED = (
    rf"\b(?:(?P<before>(?:the\s+)?day\s+before\s+yesterday)"
    rf"|(?P<again>night|weekend|week|month|year|{_WEEKDAY})\s+before\s+last"
    rf"|(?:on\s+)?(?P<within>{_WEEKDAY})(?:,|\s+of)?\s+(?P<of>last|past|this)\s+week"
    rf"|(?P<week>last|past|this)\s+week(?:['’]s|,)?\s+(?:on\s+)?(?P<its>{_WEEKDAY})"
    rf"|(?:(?:on\s+)?(?P<around>{_WEEKDAY}),?\s+)?(?<!half\s)(?P<count>{_COUNT}|an?)\s+"
    rf"(?:(?P<such>{_WEEKDAY}|weekend)s|(?P<ago>{_UNIT})s?)\s+ago"
    rf"(?:(?<=week\sago|eeks\sago)(?:\s+(?P<after>today|yesterday|{_WEEKDAY})|,?\s+on\s+(?P<near>{_WEEKDAY})))?"
    r"|(?P<day>today|tonight|this\s+(?:morning|afternoon|evening)|last\s+(?:night|evening)"
    r"|yesterday(?:\s+(?:morning|afternoon|evening|night))?)"
    rf"|(?P<last>last|on|this|past|since)\s+(?P<weekday>{_WEEKDAY})"
    rf"|(?:last|past)\s+(?P<lately>{_COUNT})\s*(?P<units>(?:{_UNIT}|hr)s|hour|h)"
    rf"|(?:in|over|during|within)\s+the\s+(?:last|past)\s+(?P<rolling>{_UNIT})(?!\s+of\b)"
    r"|(?:last|past|this|over\s+the|on\s+the|at\s+the)\s+(?P<end>weekend)"
    r"|(?P<which>last|past|this)\s+(?P<whole>week|month|year))\b"
)
# one of these is in each of them; quicker to look for
_IN_COUNTED = ("day", "week", "month", "year", "night", "morning", "noon", "evening", "hour", "hrs", "minute", "2h",
               "4h", "6h", "8h", "0h")  # fmt: skip


def counted(question: str, now: int, zone: str) -> list[Named]:
    """Hours, days, weeks and months that are counted from now in the user's zone."""
    if question.isascii() and not any(word in question.lower() for word in _IN_COUNTED):
        return []
    hits = [hit for hit in _counting().finditer(question) if not hit["again"] or ends_phrase(hit)]
    if not hits:
        return []
    year, month, day = day_of(now, zone)
    today = (midnight(year, month, day) or now) // DAY_MS
    found = []
    for hit in hits:
        date = _of_calendar(hit, year, month) or _of_clock(hit, now)
        if date is None:
            first, last = _days(hit, today)
            about = _day_begins(today + (first + last) // 2, zone) if hit["ago"] else None
            date = Named(span=(_day_begins(today + first, zone), _day_begins(today + last, zone)), about=about)
        if date.span is None:
            date = date.replace(zone=zone)
        elif hit["lately"] or hit["rolling"] or is_since(hit):
            date = date.replace(span=(date.span[0], _day_begins(today + 1, zone)), about=None)
        found.append(going_on(date, hit).replace(said=tuple(_WORD.findall(hit[0].lower()))))
    return found


@lru_cache(1)
def _counting() -> re.Pattern[str]:
    """Made when first needed: it takes longer than all else here, and most questions count nothing."""
    return re.compile(_COUNTED, re.IGNORECASE)


def _day_begins(day: int, zone: str) -> int:
    """When a day begins in a zone, by its number since 1970; a day on which clocks are set has not 24 hours."""
    found = midnight(*time.gmtime(day * DAY_MS // 1000)[:3], zone)
    return day * DAY_MS if found is None else found


def _of_calendar(hit: re.Match[str], year: int, month: int) -> Named | None:
    """This month or year, or one of the two before."""
    unit = (hit["whole"] or hit["again"] or "").lower()
    back = 2 if hit["again"] else int((hit["which"] or "").lower() != "this")
    if unit == "year":
        return Named(year=year - back)
    return Named(year=year - (month <= back), month=(month - back - 1) % 12 + 1) if unit == "month" else None


def _of_clock(hit: re.Match[str], now: int) -> Named | None:
    """So many hours or minutes up to now, or around the moment so long ago."""
    length = _TIMES.get((hit["units"] or hit["rolling"] or hit["ago"] or "").lower().rstrip("s"))
    if length is None:
        return None
    count = _number(hit["lately"] or hit["count"] or "")
    if not hit["ago"]:
        return Named(span=(now - count * length, now))
    beside = max(length, count * length // 4)
    return Named(span=(now - count * length - beside, now - count * length + beside))


def _days(hit: re.Match[str], today: int) -> tuple[int, int]:
    """From which day to which, today being 0 and past days negative; `today` is its number since 1970, a Thursday."""
    since_monday = (today + 3) % 7
    if hit["before"]:
        return -2, -1
    if hit["day"]:
        return _one_day(-int(hit["day"].lower().startswith(("yesterday", "last"))))
    if hit["count"]:
        return _ago(hit, since_monday)
    if unit := hit["units"] or hit["rolling"]:
        return -_lately(hit["lately"] or "") * _LENGTHS[unit.lower().rstrip("s")], 1
    if hit["again"]:
        return _again(hit["again"].lower(), since_monday)
    if hit["end"]:
        return _weekend(since_monday)
    if hit["which"]:
        return (-since_monday, 1) if hit["which"].lower() == "this" else (-since_monday - 7, -since_monday)
    return _on_weekday(hit, since_monday)


def _on_weekday(hit: re.Match[str], since_monday: int) -> tuple[int, int]:
    """A day of this week or of the last, or the last such day."""
    if weekday := hit["within"] or hit["its"]:
        last = (hit["of"] or hit["week"]).lower() != "this"
        return _one_day(_WEEK.index(weekday.lower()) - since_monday - 7 * last)
    said, back = hit["last"].lower(), _back_to(hit["weekday"].lower(), since_monday)
    if said not in ("last", "past"):
        back %= 7
    return -back, 1 if said == "since" else 1 - back


def _again(unit: str, since_monday: int) -> tuple[int, int]:
    """The one before the last."""
    if unit == "night":
        return -2, -1
    if unit in _WEEK:
        return _one_day(-_back_to(unit, since_monday) - 7)
    return (-since_monday - 14, -since_monday - 7) if unit == "week" else _weekend(since_monday, 1)


def _ago(hit: re.Match[str], since_monday: int) -> tuple[int, int]:
    """So many days or weeks ago, or so many Tuesdays; with weeks, a day of the week may be said."""
    count = _number(hit["count"])
    if such := (hit["such"] or "").lower():
        if such == "weekend":
            return _weekend(since_monday, count - 1)
        return _one_day(-_back_to(such, since_monday) - 7 * (count - 1))
    if weekday := hit["near"] or (hit["around"] if hit["ago"].lower() == "week" else None):
        away = (_WEEK.index(weekday.lower()) - since_monday + 3) % 7 - 3  # the nearest to the day so many weeks ago
        return _one_day(away - 7 * count)
    if after := (hit["after"] or "").lower():  # "a week ago Friday": a week before the last
        back = _back_to(after, since_monday) if after in _WEEK else int(after == "yesterday")
        return _one_day(-back - 7 * count)
    return _around(hit["count"], _LENGTHS[hit["ago"].lower()])


def _one_day(first: int) -> tuple[int, int]:
    return first, first + 1


def _back_to(weekday: str, since_monday: int) -> int:
    """How many days ago the last such day was, today not counting."""
    return (since_monday - _WEEK.index(weekday)) % 7 or 7


def _weekend(since_monday: int, before: int = 0) -> tuple[int, int]:
    """The last one or the one that it is, or so many before it."""
    saturday = (since_monday - 5) % 7 + 7 * before
    return -saturday, 2 - saturday


def _around(count: str, length: int) -> tuple[int, int]:
    """The days about the one so long ago: who says weeks, or a few, does not mean that day."""
    number = _number(count)
    beside = min(_YEARS_AGO * number, length // 2) if length == _LENGTHS["year"] else length // 2
    beside += length * count.lower().endswith(_VAGUE)
    first = -length * number - beside
    return first, first + 2 * beside + 1


def _lately(said: str) -> int:
    """How many of the last days or weeks; who says a few does not want the fourth left out."""
    return _number(said) + said.lower().endswith(_VAGUE)


def _number(said: str) -> int:
    """What a count says, 1 where that is only an article."""
    words = said.lower().split()
    return next(
        (int(word) if word.isdigit() else _NUMBERS[word] for word in words if word.isdigit() or word in _NUMBERS), 1
    )
