"""Moments: epoch milliseconds inside, ISO 8601 with milliseconds and `Z` outside.

Naive times are refused, since nobody can say which moment they mean. `datetime` is loaded only
for input that is not in our own form.
"""

from __future__ import annotations

import time

from ..errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
_LAST_MS = 253_402_300_799_999  # the end of the year 9999


_shown: tuple[int, str] = (0, "1970-01-01T00:00:00")  # most writes fall into the second of the one before
_last: tuple[int, str] = (0, "1970-01-01T00:00:00.000Z")  # those of a batch even into its millisecond
_minute: tuple[str, int] = ("1970-01-01T00:00:", 0)  # and most lines into the minute of the line before
_second: tuple[str, int] = ("1970-01-01T00:00:00.", 0)  # or into its second


def iso(millis: int) -> str:
    """2026-01-10T14:23:45.678Z; a clock that is off the calendar shows its first or last moment, which can be read."""
    global _last, _shown
    last, stamp = _last
    if last == millis:
        return stamp
    seconds, rest = divmod(millis, 1000)
    known, text = _shown
    if known != seconds:
        if not 0 <= millis <= _LAST_MS:
            return iso(0 if millis < 0 else _LAST_MS)
        text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
        _shown = (seconds, text)
    stamp = f"{text}.{rest:03d}Z"
    _last = (millis, stamp)
    return stamp


def millis(stamp: str) -> int:
    """Epoch milliseconds of a stored (canonical) timestamp."""
    if len(stamp) != 24 or stamp[10] != "T" or stamp[23] != "Z":
        return parse(stamp)
    known, second = _second
    try:  # by position: quicker than a regular expression, and nothing to compile
        if not stamp.startswith(known):
            second = _seconds(stamp)
        return second + int(stamp[20:23])
    except ValueError:
        return parse(stamp)


def _seconds(stamp: str) -> int:
    """The same without its milliseconds."""
    global _minute, _second
    known, minute = _minute
    if not stamp.startswith(known):
        minute = _days(int(stamp[:4]), int(stamp[5:7]), int(stamp[8:10])) * DAY_MS
        minute += (int(stamp[11:13]) * 60 + int(stamp[14:16])) * 60_000
        _minute = (stamp[:17], minute)
    second = minute + int(stamp[17:19]) * 1000
    _second = (stamp[:20], second)
    return second


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the proleptic Gregorian calendar."""
    year -= month <= 2
    era_year = year % 400
    shifted = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return (year // 400) * 146_097 + era_year * 365 + era_year // 4 - era_year // 100 + shifted - 719_468


def parse(given: str | int | float | datetime, field: str = "timestamp") -> int:
    """Epoch milliseconds of what a caller gave: ISO 8601 with zone, epoch ms, or an aware datetime."""
    if isinstance(given, bool):
        raise Invalid(f"{field} must be a time, not a truth value", field=field)
    if isinstance(given, (int, float)):
        if given != given or not 0 <= given <= _LAST_MS:
            raise Invalid(f"{field} must be epoch milliseconds between 1970 and 9999", field=field)
        return int(given)
    from datetime import datetime

    if isinstance(given, str):
        written = given
        try:
            given = datetime.fromisoformat(written.strip())
        except ValueError:
            example = "2026-01-10T14:23:45.678Z"
            raise Invalid(f"{field} is not an ISO 8601 time such as {example}: {written[:40]!r}", field=field) from None
    if not isinstance(given, datetime):
        raise Invalid(f"{field} must be an ISO 8601 string, epoch milliseconds or a datetime", field=field)
    if given.tzinfo is None or given.utcoffset() is None:
        raise Invalid(f"{field} has no time zone; add Z or an offset such as +01:00", field=field)
    total = round(given.timestamp() * 1000)
    if not 0 <= total <= _LAST_MS:
        raise Invalid(f"{field} must lie between 1970 and 9999", field=field)
    return total
