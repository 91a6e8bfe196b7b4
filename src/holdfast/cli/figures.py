"""Figures for people: times in their zone, sizes in their units, counts with the right word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model.moment import millis

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from holdfast import Memory

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
_AGES = ((86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"))


def zone_of(memory: Memory) -> tzinfo | None:
    """The zone that the settings name; None is the system's (D43)."""
    name = memory.store.settings["time.zone"]
    if not name:
        return None
    from zoneinfo import ZoneInfo

    return ZoneInfo(name)


def _local(stamp: str, zone: tzinfo | None) -> datetime:
    from datetime import UTC, datetime

    there = datetime.fromtimestamp(millis(stamp) / 1000, UTC)
    try:
        return there.astimezone(zone)
    except (OverflowError, ValueError):  # the last day of 9999, seen from the east: no calendar has the next one
        return there


def when(stamp: str, zone: tzinfo | None = None) -> str:
    """2026-01-10 14:23, as the clock on the wall showed it."""
    return _local(stamp, zone).strftime("%Y-%m-%d %H:%M")


def day(stamp: str, zone: tzinfo | None = None) -> str:
    """Saturday 10 January 2026"""
    local = _local(stamp, zone)
    return f"{local:%A} {local.day} {local:%B %Y}"


def clock(stamp: str, zone: tzinfo | None = None) -> str:
    """14:23"""
    return _local(stamp, zone).strftime("%H:%M")


def ago(stamp: str, now: int) -> str:
    """3 days ago"""
    age = now - millis(stamp)
    if age < 0:
        return "in the future"
    for length, name in _AGES:
        if age >= length:
            return f"{count(age // length, name)} ago"
    return "just now"


def size(number: int | float) -> str:
    """1.4 MiB"""
    power = 0
    while abs(number) >= 1024 and power < len(_UNITS) - 1:
        number /= 1024
        power += 1
    return f"{number:.1f} {_UNITS[power]}" if power else f"{number:.0f} {'byte' if number == 1 else 'bytes'}"


def count(number: int, one: str, many: str = "") -> str:
    """1 entry, 2 entries"""
    if number == 1:
        return f"1 {one}"
    return f"{number:,} {many or (one[:-1] + 'ies' if one.endswith('y') and one != 'day' else one + 's')}"


def took(ms: float) -> str:
    """0.8 ms, 1.2 s"""
    return f"{ms / 1000:.1f} s" if ms >= 1000 else f"{ms:.1f} ms"
