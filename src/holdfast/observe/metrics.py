"""Metrics of one open store: counters and distributions, in bounded memory.

The first five names are those of the specification (A181-A185), letter for letter; its levels (A178-A180:
sessions, entries, bytes) are counted by whoever asks (`upkeep.status`). What a metric is follows from the end of
its name: `.duration_ms` is a distribution, anything else a counter. Distributions keep count, sum, least and most
of all values, and percentiles of the last 1,024.
"""

from __future__ import annotations

import math

WRITE_MS = "memory.operations.write.duration_ms"
QUERY_MS = "memory.operations.query.duration_ms"
LOCKS_CONTENTION = "memory.locks.contention.count"
COMPACTIONS = "memory.compaction.count"
CORRUPTION = "memory.errors.corruption.count"
HOOKS_FAILED = "memory.errors.hook.count"
LOG_FAILED = "memory.errors.log.count"

NAMES = (WRITE_MS, QUERY_MS, LOCKS_CONTENTION, COMPACTIONS, CORRUPTION)
KEPT = 1024


class Metrics:
    """All metrics by name; not locked, the observer does that."""

    __slots__ = ("_counters", "_distributions")

    def __init__(self) -> None:
        self._counters: dict[str, float] = {name: 0 for name in NAMES if not name.endswith(".duration_ms")}
        self._distributions = {name: Distribution() for name in NAMES if name.endswith(".duration_ms")}

    def add(self, name: str, value: float) -> None:
        """Count or record, by what the name says the metric is."""
        if name.endswith(".duration_ms"):
            if name not in self._distributions:
                self._distributions[name] = Distribution()
            self._distributions[name].add(value)
        else:
            self._counters[name] = self._counters.get(name, 0) + value

    def snapshot(self) -> dict[str, dict[str, float]]:
        """`{"count": n}` for counters, the whole shape for distributions."""
        counts = {name: {"count": value} for name, value in self._counters.items()}
        shapes = {name: distribution.shape() for name, distribution in self._distributions.items()}
        return dict(sorted((counts | shapes).items()))


class Distribution:
    """Count, sum, least and most of all values, and the last ones for percentiles."""

    __slots__ = ("_count", "_last", "_least", "_most", "_sum")

    def __init__(self) -> None:
        self._count, self._sum, self._least, self._most = 0, 0.0, math.inf, -math.inf
        self._last: list[float] = []

    def add(self, value: float) -> None:
        if self._count < KEPT:
            self._last.append(value)
        else:
            self._last[self._count % KEPT] = value
        self._count += 1
        self._sum += value
        self._least, self._most = min(self._least, value), max(self._most, value)

    def shape(self) -> dict[str, float]:
        """Empty distributions have a count and a sum only: there is no least of nothing."""
        if not self._count:
            return {"count": 0, "sum": 0.0}
        ranked = sorted(self._last)
        at = {f"p{percent}": ranked[math.ceil(len(ranked) * percent / 100) - 1] for percent in (50, 95, 99)}
        return {"count": self._count, "sum": self._sum, "min": self._least, "max": self._most, **at}
