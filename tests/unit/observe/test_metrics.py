"""Metrics: the names of the specification, right shapes, bounded memory."""

from __future__ import annotations

import _thread
import time

import pytest

from holdfast.observe.events import Event, Observer
from holdfast.observe.metrics import KEPT, NAMES, Distribution
from holdfast.testing import FixedClock

SPECIFIED = (  # and three levels, which `upkeep.status` counts
    "memory.operations.write.duration_ms",
    "memory.operations.query.duration_ms",
    "memory.locks.contention.count",
    "memory.compaction.count",
    "memory.errors.corruption.count",
)


@pytest.fixture
def observer() -> Observer:
    return Observer(FixedClock())


def test_the_names_are_those_of_the_specification() -> None:
    assert NAMES == SPECIFIED


def test_every_name_is_there_before_anything_happened(observer: Observer) -> None:
    snapshot = observer.snapshot()
    assert set(snapshot) == set(SPECIFIED)
    assert snapshot["memory.compaction.count"] == {"count": 0}
    assert snapshot["memory.operations.write.duration_ms"] == {"count": 0, "sum": 0.0}


def test_counters_add(observer: Observer) -> None:
    for _ in range(2):
        observer.count("memory.compaction.count")
        observer.count("memory.errors.corruption.count", 3)
    snapshot = observer.snapshot()
    assert snapshot["memory.compaction.count"] == {"count": 2}
    assert snapshot["memory.errors.corruption.count"] == {"count": 6}


def test_a_distribution_has_its_percentiles(observer: Observer) -> None:
    for value in range(1, 101):
        observer.record("memory.operations.query.duration_ms", value)
    assert observer.snapshot()["memory.operations.query.duration_ms"] == {
        "count": 100, "sum": 5050, "min": 1, "max": 100, "p50": 50, "p95": 95, "p99": 99,
    }  # fmt: skip


def test_one_value_is_every_percentile() -> None:
    distribution = Distribution()
    distribution.add(7.0)
    assert distribution.shape() == {"count": 1, "sum": 7.0, "min": 7.0, "max": 7.0, "p50": 7.0, "p95": 7.0, "p99": 7.0}


def test_percentiles_are_of_the_last_values_and_extremes_of_all() -> None:
    distribution = Distribution()
    distribution.add(1_000_000)
    for _ in range(KEPT):
        distribution.add(5)
    shape = distribution.shape()
    assert (shape["count"], shape["max"], shape["p99"]) == (KEPT + 1, 1_000_000, 5)
    assert len(distribution._last) == KEPT


def test_a_block_is_timed_even_when_it_fails(observer: Observer) -> None:
    def fail_late() -> None:
        with observer.timed("memory.operations.write.duration_ms"):
            time.sleep(0.01)
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail_late()
    shape = observer.snapshot()["memory.operations.write.duration_ms"]
    assert shape["count"] == 1
    assert 9 < shape["max"] < 5000


def test_threads_lose_no_count(observer: Observer) -> None:
    done = [_thread.allocate_lock() for _ in range(8)]

    def work(mine: _thread.LockType) -> None:
        for _ in range(2000):
            observer.count("memory.locks.contention.count")
        mine.release()

    for lock in done:
        lock.acquire()
        _thread.start_new_thread(work, (lock,))
    for lock in done:
        assert lock.acquire(timeout=60)
    assert observer.snapshot()["memory.locks.contention.count"] == {"count": 16_000}


def test_a_hook_sees_measurements() -> None:
    seen: list[Event] = []
    observer = Observer(FixedClock(1000), on_event=seen.append)
    observer.record("memory.operations.write.duration_ms", 2.5)
    assert [(event.name, event.level, event.time, dict(event.facts)) for event in seen] == [
        ("memory.operations.write.duration_ms", "metric", 1000, {"value": 2.5})
    ]


def test_after_a_fork_a_held_lock_does_not_matter(observer: Observer) -> None:
    observer._lock.acquire()
    observer.after_fork()
    observer.count("memory.compaction.count")
    assert observer.snapshot()["memory.compaction.count"] == {"count": 1}
