"""Times as people say them: ISO 8601, dates, `2w`, `last day`, `yesterday`; in the user's zone (D43).

A date without a time begins at midnight in the zone; `last day` is the 24 hours before now, rolling
(D36). Anything else is Invalid: a guess here would filter away the wrong entries.
"""

from __future__ import annotations

import re

from ..errors import Invalid
from ..model.moment import DAY_MS, HOUR_MS, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime, tzinfo

_UNITS = {
    "m": 60_000, "min": 60_000, "h": HOUR_MS, "hour": HOUR_MS, "d": DAY_MS, "day": DAY_MS, "w": 7 * DAY_MS,
    "week": 7 * DAY_MS, "month": 30 * DAY_MS, "y": 365 * DAY_MS, "year": 365 * DAY_MS,
}  # fmt: skip
_AGO = re.compile(r"(?:last\s+)?(\d{1,6})?\s*(min|month|hour|day|week|year|m|h|d|w|y)s?(?:\s+ago)?\Z")
_DATE = re.compile(r"\d{4}-\d\d-\d\d\Z")
_EPOCH = re.compile(r"\d{9,15}\Z")  # milliseconds, as a command line gives them


def moment(given: str | int | float | datetime, now: int, zone: str = "", field: str = "since") -> int:
    """Epoch milliseconds of what a person or program gave."""
    if not isinstance(given, str):
        return parse(given, field)
    said = " ".join(given.lower().split())
    if said in ("now", "today", "yesterday"):
        return _named(said, now, zone)
    found = _AGO.match(said)
    if found and (found[1] or said.startswith("last")):
        return max(0, now - int(found[1] or 1) * _UNITS[found[2]])
    if _DATE.match(said):
        return _midnight(said, zone, field)
    if _EPOCH.match(said):
        return parse(int(said), field)
    try:
        return parse(given, field)
    except Invalid as error:
        hint = "; or say 2w, 3d, last day, yesterday, 2026-01-31"
        raise Invalid(error.message + hint, field=field) from None


def _named(said: str, now: int, zone: str) -> int:
    if said == "now":
        return now
    from datetime import datetime, timedelta

    here = datetime.fromtimestamp(now / 1000, _zone(zone))
    day = here.date() - timedelta(days=said == "yesterday")
    return _midnight(day.isoformat(), zone, "since")


def _midnight(date: str, zone: str, field: str) -> int:
    from datetime import datetime

    here = _zone(zone)
    try:
        day = datetime.fromisoformat(date)
        day = day.replace(tzinfo=here) if here is not None else day.astimezone()
    except (ValueError, OverflowError, OSError):  # no system's zone is asked about the year 1, Windows' not before 1970
        raise Invalid(f"{field} is not a date of the calendar: {date}", field=field) from None
    return parse(day, field)


def _zone(name: str) -> tzinfo | None:
    """The named zone, or None for the system's."""
    if not name:
        return None
    from zoneinfo import ZoneInfo

    return ZoneInfo(name)


def span(since: object, until: object, now: int, zone: str) -> tuple[int | None, int | None]:
    """Both ends of a range; one that can hold nothing is refused."""
    start = None if since is None else moment(since, now, zone, "since")  # type: ignore[arg-type]
    end = None if until is None else moment(until, now, zone, "until")  # type: ignore[arg-type]
    if start is not None and end is not None and start >= end:
        raise Invalid("since must be earlier than until: the range holds nothing", field="since")
    return start, end
