"""A clock that stands still until told otherwise."""

from __future__ import annotations


class FixedClock:
    """Implements the Clock port for tests: `now` is what you set, in epoch milliseconds."""

    def __init__(self, now: int = 1_767_225_600_000) -> None:  # 2026-01-01T00:00:00Z
        self._now = now

    def now(self) -> int:
        return self._now

    def advance(self, millis: int) -> None:
        """Let time pass."""
        self._now += millis
