"""Stretches of the calendar: "last summer", "Q3 2023", "the end of May", "between May and July 2023", "before 2020".

They are read before single dates and taken out of the question, so that nothing is read twice. Seasons are those of the
northern hemisphere, in whole months: spring begins in March. Words that are mostly others ("fall", "Q3") count only
where those around them say so. A question that holds no word of a form is not read for it, and a form's pattern is
made when first needed: most questions name no stretch at all.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial

from .counting import counted
from .dates import MONTH_NAME, MONTHS, Named, day_of, ends_phrase, midnight, month_of, named_dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Today = tuple[int, int, int] | None  # year, month and day, where they are known
    Point = tuple[int | None, int | None, int | None]  # the same of one end of a range, as far as said
    Reader = Callable[[re.Match[str], Today], list[Named]]

_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_SEASON = "|".join(_SEASONS)
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_PART = r"early|mid|late|(?:beginning|start|middle|end)\s+of"
_PARTS = {
    "early": "early",
    "beginning": "early",
    "start": "early",
    "mid": "mid",
    "middle": "mid",
}  # all others are late
_OF_MONTH = {"early": (1, 11), "mid": (11, 21), "late": (21, 32)}  # its first day, and the one after its last
_OF_YEAR = {"early": 1, "mid": 5, "late": 9}  # its first month of four
_DAY, _YEAR = r"\d{1,2}(?:st|nd|rd|th)?\b(?!\s*(?:%|am\b|pm\b|:))", r"(?:19|20)\d\d\b"
_DATE = rf"\d{{4}}-\d\d-\d\d\b|(?:{_DAY}\s+(?:of\s+)?)?(?:{MONTH_NAME})\b\.?(?:\s+{_DAY})?(?:,?\s+(?:of\s+)?{_YEAR})?"
_POINT = rf"{_DATE}|{_DAY}(?:,?\s+{_YEAR})?|{_YEAR}"
_EDGE = r"(?:\b(?P<edge>since|before|prior\s+to|until|till|after)\s+(?:the\s+)?)"
_WORD, _NUMBER = re.compile(r"\w+"), re.compile(r"\d+")
_WHO_DID = ("i", "we", "you", "he", "she", "they", "did", "was", "were", "had")
_OWNERS = ("the", "my", "your", "his", "her", "its", "our", "their", "'s", "’s", "s'", "s’")
_COUNTED = ("day", "week", "weekend", "month", "year", "night", "hour", "minute", "morning", "evening")
_CALENDAR = ("19", "20", *(name[:3] for name in MONTHS))  # whatever names a month or a year has one of these
_BELONGS = (
    rf"\b(?P<what>{_PART}|(?:in|of|during|since|until|till|before|after|from|and|to)\s+(?:{MONTH_NAME})"
    rf"|(?:{MONTH_NAME})\s+{_DAY}|{_DAY}\s+(?:of\s+)?(?:{MONTH_NAME})|(?-i:May|March)|(?!may\b|mar\b|march\b)(?:{MONTH_NAME})"
    r"|summer|winter|autumn|(?:the|in)\s+(?:spring|fall)|quarter|half|q[1-4]),?[\s-]+"
    r"(?P<when>(?:(?:of|in)\s+)?(?P<which>last|this|the)\s+(?P<unit>year|month))\b"
)
_RANGE = (
    rf"(?:\b(?P<lead>between|from)\s+(?:the\s+)?)?(?<![\w.-])(?P<left>{_POINT})"
    rf"(?:\s+(?P<joint>and|to|until|till|through|thru)\s+(?:the\s+)?|\s*[-–—]\s*)(?P<right>{_POINT})(?![\w-])"
)
_IN_PART = (
    rf"{_EDGE}?\b(?P<part>{_PART})[\s-]+(?:in\s+|of\s+)?"
    rf"(?:(?P<month>{MONTH_NAME})\b\.?(?:,?\s+(?:of\s+)?(?P<year>{_YEAR}))?(?!\s+\d)|(?P<bare>{_YEAR}))"
)
_IN_QUARTER = (
    rf"{_EDGE}?\b(?:(?:Q(?P<number>[1-4])|H(?P<half>[12])|(?P<ordinal>{'|'.join(_ORDINALS)}|last|final)\s+quarter"
    rf"|(?P<which_half>first|second)\s+half)(?:\s+(?:of|in)|,)?[\s/-]+(?P<year>{_YEAR})"
    rf"|(?P<before>(?:19|20)\d\d)[\s/-]*Q(?P<after>[1-4])\b|(?P<which>last|past|this)\s+"
    r"(?:Q(?P<its>[1-4])\b|quarter\b(?!-|\s+(?:of|mile|hour|note|final|century|pound|inch|turn)s?\b)))"
)
_IN_SEASON = (
    rf"{_EDGE}?\b(?:(?:early|mid|late)[\s-]+)?(?:(?P<named>{_SEASON})(?:\s+of|,)?\s+(?P<year>{_YEAR})"
    r"(?:\s*[-/–]\s*(?P<second>(?:20)?\d\d)\b)?(?!\s*(?:%|k?m\b|met|feet\b|times\b|steps\b))"
    r"|(?P<which>last|past|this|that|during(?:\s+the)?|in\s+the(?:\s+(?:last|past))?|over\s+the(?:\s+(?:last|past))?)"
    rf"\s+(?P<season>{_SEASON})\b(?!,?\s+(?:of\b|{_YEAR})))"
)
_SINCE = rf"\bsince\s+(?:the\s+(?=\d|{_PART}))?(?:(?:{_PART})[\s-]+)?(?P<point>{_DATE})"
_BESIDE = rf"\b(?P<edge>before|prior\s+to|until|till|after)\s+(?:the\s+)?(?P<point>{_DATE}|{_YEAR})"


def asked_dates(question: str, now: int | None = None, zone: str = "") -> list[Named]:
    """All dates that a question names; those counted from today only where `now` is given."""
    if now is None:
        found, rest = _taken(question, None)
        return [*found, *named_dates(rest)]
    text, said = _with_years(question, now, zone)
    text = _since_the_last(text, now, zone)
    found, rest = _taken(text, (now, zone))
    dates = [*(date.replace(zone=zone) for date in found), *named_dates(rest, zone), *counted(rest, now, zone)]
    return [dates[0].replace(said=(*dates[0].said, *said)), *dates[1:]] if said and dates else dates


def _with_years(question: str, now: int, zone: str) -> tuple[str, list[str]]:
    """The question with a year for `last year` where that belongs to something ("June last year"), and its words."""
    lower = question.lower()
    if " year" not in lower and " month" not in lower:
        return question, []
    year, month, _ = day_of(now, zone)
    said: list[str] = []

    def numbered(hit: re.Match[str]) -> str:
        what, which, monthly = hit["what"].lower(), hit["which"].lower(), hit["unit"].lower() == "month"
        part = what.split()[0] in ("early", "mid", "late", "beginning", "start", "middle", "end")
        if (which == "the" and what[:5] not in ("begin", "start")) or (monthly and not part):
            return hit[0]
        said.extend(_WORD.findall(hit["when"].lower()))
        back = which == "last"
        if not monthly:
            return f"{hit['what']} {year - back}"
        return f"{hit['what']} {MONTHS[month - back - 1]} {year - (back and month == 1)}"

    return _compiled(_BELONGS).sub(numbered, question), said


def _since_the_last(question: str, now: int, zone: str) -> str:
    """With the year of the last one where something goes on since a month or day that is told without."""
    if "since " not in question.lower():
        return question
    year, *today = day_of(now, zone)

    def numbered(hit: re.Match[str]) -> str:
        its, month, day = _point(hit["point"])
        return hit[0] if its is not None or month is None else f"{hit[0]} {year - ([month, day or 1] > today)}"

    return _compiled(_SINCE).sub(numbered, question)


def _taken(question: str, when: tuple[int, str] | None) -> tuple[list[Named], str]:
    """The stretches in a question, and the question without them."""
    lower = question.lower()
    dated = any(beginning in lower for beginning in _CALENDAR)
    found: list[Named] = []
    for words, needs_date, pattern, read in _FORMS:
        if (dated or not needs_date) and any(word in lower for word in words):
            today = None if when is None else day_of(*when)
            question = _compiled(pattern).sub(partial(_read, read, today, found), question)
    return found, question


def _read(read: Reader, today: Today, found: list[Named], hit: re.Match[str]) -> str:
    """Adds what a form reads in a place to what is found; what is left there."""
    dates = read(hit, today)
    said = tuple(_WORD.findall(hit[0].lower())) if dates else ()
    found += [_edged(date, hit).replace(said=said) for date in dates]
    return " ; " if dates else hit[0]


@lru_cache(8)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _edged(date: Named, hit: re.Match[str]) -> Named:
    """All before or after a stretch, where the word in front says so and its year is known."""
    edge = (hit.groupdict().get("edge") or "").lower()
    if not edge or date.year is None or date.end is None or _is_counted(hit):
        return date
    since = edge in ("since", "after")
    if edge not in ("until", "till", "after"):  # at where it begins
        return date.replace(end=None, since=since, until=not since)
    later, month, day = date.end
    if date.month is None:
        return Named(year=date.year + later, since=since, until=not since)
    return Named(year=date.year + later, month=month, day=day, since=since, until=not since)


def _is_counted(hit: re.Match[str]) -> bool:
    """Whether a time is counted up to it or from it ("the week before"): then all the time before is not meant."""
    return _word_before(hit).rstrip("s").endswith(_COUNTED)


def _word_before(hit: re.Match[str]) -> str:
    return "".join(hit.string[max(0, hit.start() - 24) : hit.start()].lower().split()[-1:])


def _months(year: int | None, first: int, count: int) -> Named:
    after = first - 1 + count
    return Named(year=year, month=first, day=1, end=(after // 12, after % 12 + 1, 1))


def _latest(today: Today, first: int, count: int) -> int | None:
    """The year in which such months began last that are over, or with a count of 0 that have begun."""
    return None if today is None else (12 * today[0] + today[1] - first - count) // 12


def _season(hit: re.Match[str], today: Today) -> list[Named]:
    """Of a year, the last one, this one, or any; the winter of a year may be the one it begins with or ends with."""
    first = _SEASONS[(hit["season"] or hit["named"]).lower()]
    if hit["year"]:
        year, second = int(hit["year"]), hit["second"]
        if second and int(second[-2:]) != (year + 1) % 100:
            return []
        winters = [_months(year, 12, 3), _months(year, 1, 2)]
        return [_months(year, first, 3)] if first != 12 else winters[: 1 if second else 2]
    which = hit["which"].lower().split()
    if not _is_season(hit, which):
        return []
    if which[-1] in ("last", "past"):
        year_of = _latest(today, first, 3)
    elif which[0] == "this":
        year_of = None if today is None else today[0] - (first == 12 and today[1] <= 6)
    else:
        year_of = _latest(today, first, 0) if which[0] == "over" else None
    return [_months(year_of, first, 3)]


def _is_season(hit: re.Match[str], which: list[str]) -> bool:
    """Whether it is not another word: what can fall or spring, her last fall, the Spring release."""
    verb = hit["season"].lower() in ("spring", "fall")
    if not verb and which[0] in ("last", "past", "this"):
        return True
    if verb and which[0] in ("this", "that"):
        after = "".join(hit.string[hit.end() : hit.end() + 24].lower().split()[:1])
        return ends_phrase(hit) and (not after.isalpha() or (which[0] == "this" and after in _WHO_DID))
    owned = verb and which[0] in ("last", "past") and _word_before(hit).endswith(_OWNERS)
    return ends_phrase(hit) and not owned


def _quarter(hit: re.Match[str], today: Today) -> list[Named]:
    """A quarter or a half of a year; the last or this one only where it is known when now is."""
    if year := hit["year"] or hit["before"]:
        said = (hit["number"] or hit["after"] or hit["half"] or hit["ordinal"] or hit["which_half"]).lower()
        halves = bool(hit["half"] or hit["which_half"])
        length, last = (6, 2) if halves else (3, 4)
        place = int(said) if said.isdigit() else _ORDINALS.get(said, last)
        return [_months(int(year), (place - 1) * length + 1, length)] if place <= last else []
    if today is None:
        return []
    back = hit["which"].lower() != "this"
    if hit["its"]:
        first = 3 * int(hit["its"]) - 2
        return [_months(_latest(today, first, 3) if back else today[0], first, 3)]
    quarter = 4 * today[0] + (today[1] - 1) // 3 - back
    return [_months(quarter // 4, quarter % 4 * 3 + 1, 3)]


def _part(hit: re.Match[str], _today: Today) -> list[Named]:
    """A third of a month or of a year."""
    said = _PARTS.get(hit["part"].lower().split()[0], "late")
    if hit["bare"]:
        return [_months(int(hit["bare"]), _OF_YEAR[said], 4)]
    month, (first, after) = month_of(hit["month"]), _OF_MONTH[said]
    end = (0, month, after) if after < 32 else (month // 12, month % 12 + 1, 1)
    return [Named(year=int(hit["year"]) if hit["year"] else None, month=month, day=first, end=end)]


def _beside(hit: re.Match[str], _today: Today) -> list[Named]:
    """What all before or after is asked for: only where the year is known, and `after 2000 requests` is no year."""
    year, month, day = _point(hit["point"])
    if year is None or _is_counted(hit) or (month is None and not ends_phrase(hit)):
        return []
    return _from_to((year, month, day), (year, month, day))


def _range(hit: re.Match[str], _today: Today) -> list[Named]:
    """From one date to another, as far as both say; what one leaves out is as in the other."""
    lead, joint = (hit["lead"] or "").lower(), (hit["joint"] or "").lower()
    left, right = _point(hit["left"]), _point(hit["right"])
    if (joint == "and") != (lead == "between") and joint:
        return []
    if not (left[1] or right[1]):
        return _from_to(left, right) if lead and not (left[2] or right[2]) and ends_phrase(hit) else []
    return _from_to(left, right) if lead or any((*left[::2], *right[::2])) else []


def _from_to(left: Point, right: Point) -> list[Named]:
    """From the beginning of one to the end of the other; nothing where the calendar has none such."""
    (year, month, day), (other, last, until) = left, right
    if month is None and last is None:
        return [Named(year=year, end=(other - year + 1, 1, 1))] if year and other and year <= other else []
    if (month is None) != (last is None) and None in (day, until) and None in (year, other):
        return []
    month, last = month or (last if day else 1) or 1, last or (month if until else 12) or 12
    later = _years_between((year, month, day), (other, last, until))
    year = year if year is not None or other is None else other - later
    if midnight(year or 2024, month, day or 1) is None or midnight((year or 2024) + later, last, until or 1) is None:
        return []
    if later < 0 or (later == 0 and (month, day or 1) > (last, until or 31)):
        return []
    if until and midnight((year or 2024) + later, last, until + 1) is not None:
        return [Named(year=year, month=month, day=day or 1, end=(later, last, until + 1))]
    return [Named(year=year, month=month, day=day or 1, end=(later + last // 12, last % 12 + 1, 1))]


def _years_between(left: tuple[int | None, int, int | None], right: tuple[int | None, int, int | None]) -> int:
    """How many years later the other is; where one has none, the next such date is meant."""
    if left[0] is not None and right[0] is not None:
        return right[0] - left[0]
    return int(left[1] > right[1])


def _point(said: str) -> Point:
    """Year, month and day of a date, as far as it has them."""
    numbers = [int(number) for number in _NUMBER.findall(said)]
    if said[4:5] == "-":
        return numbers[0], numbers[1], numbers[2]
    name = _compiled(rf"\b(?:{MONTH_NAME})\b").search(said)
    year = next((number for number in numbers if number > 99), None)
    return year, month_of(name[0]) if name else None, next((number for number in numbers if number <= 99), None)


# Words of which one is in each form, whether it names a month or a year, how it is said, and what reads it.
_FORMS: tuple[tuple[tuple[str, ...], bool, str, Reader], ...] = (
    ((" and ", " to ", "-", "–", "—", "until ", "till ", " thr"), True, _RANGE, _range),
    (("early", "mid", "late", "beginning", "start", "end of"), True, _IN_PART, _part),
    (("quarter", "half", "q1", "q2", "q3", "q4", "h1", "h2"), False, _IN_QUARTER, _quarter),
    (tuple(_SEASONS), False, _IN_SEASON, _season),
    (("before ", "prior ", "until ", "till ", "after "), True, _BESIDE, _beside),
)
