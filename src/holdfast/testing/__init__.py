"""For tests of Holdfast and of what is built on it: a fixed clock, backends in memory, contract suites."""

from .clock import FixedClock

__all__ = ["FixedClock"]
