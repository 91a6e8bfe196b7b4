"""Observer: where every stage reports what happened and how long it took.

Owns metrics, the hooks given to `open(on_event=…)` and the way to the log. Facts go through the
allow-list of `facts.py` first, so neither a log line nor a hook can carry remembered text. With no
hook and no log an event costs one attribute check. A hook that fails is counted and never breaks the
store; it runs inside the store's locks, so it must be quick and must not call the store.
"""

from __future__ import annotations

from _thread import allocate_lock
from time import perf_counter

from ..model.value import FrozenDict, Value
from .metrics import HOOKS_FAILED, LOG_FAILED, Metrics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ..ports import Clock
    from .log import Log

    Hook = Callable[["Event"], object]

METRIC = "metric"  # the level of events that report a measurement


class Event(Value):
    """One thing that happened: an event of the store, or a measurement (level `metric`, fact `value`)."""

    name: str
    level: str  # debug, info, warn, error, metric
    component: str
    time: int  # epoch milliseconds
    session_id: str | None = None
    facts: FrozenDict = FrozenDict()


class Observer:
    """Collects metrics always, tells hooks and the log when there are any."""

    __slots__ = ("_clock", "_home", "_hooks", "_lock", "_log", "_metrics", "listening")

    def __init__(
        self, clock: Clock, *, home: str | None = None, log: Log | None = None, on_event: Hook | Iterable[Hook] = ()
    ) -> None:
        self._clock, self._home, self._log = clock, home, log
        self._hooks: tuple[Hook, ...] = (on_event,) if callable(on_event) else tuple(on_event)
        self._metrics = Metrics()
        self._lock = allocate_lock()
        self.listening = bool(self._hooks) or log is not None  # whether anybody wants events: check before costly facts

    def emit(self, event: str, level: str, component: str, **facts: Any) -> None:
        """Report an event: a short fixed name such as `compaction done`, and facts by name."""
        if not self.listening:
            return
        from .facts import SESSION, safe, safe_message

        kept = safe(facts, self._home)
        session = kept.pop(SESSION, None)
        told = Event(
            name=safe_message(event), level=level, component=safe_message(component),
            time=self._clock.now(), session_id=session, facts=FrozenDict(kept),
        )  # fmt: skip
        if self._log is not None and not self._log.write(told):
            self._add(LOG_FAILED, 1)
        self._call(told)

    def count(self, metric: str, by: int = 1) -> None:
        """Add to a counter, `….count`."""
        self._measure(metric, by)

    def record(self, metric: str, value: float) -> None:
        """Add one measurement to a distribution, `….duration_ms`."""
        self._measure(metric, value)

    def timed(self, metric: str) -> Timed:
        """`with observer.timed("memory.operations.write.duration_ms"):` records how long the block took."""
        return Timed(self, metric)

    def snapshot(self) -> dict[str, dict[str, float]]:
        """All metrics by name; see `Metrics.snapshot`."""
        with self._lock:
            return self._metrics.snapshot()

    def close(self) -> None:
        """Let go of the log's file."""
        if self._log is not None:
            self._log.close()

    def after_fork(self) -> None:
        """In a child: another thread of the parent may have held our lock."""
        self._lock = allocate_lock()

    def _add(self, metric: str, value: float) -> None:
        with self._lock:
            self._metrics.add(metric, value)

    def _measure(self, metric: str, value: float) -> None:
        self._add(metric, value)
        if self._hooks:
            facts = FrozenDict(value=value)
            self._call(Event(name=metric, level=METRIC, component="metrics", time=self._clock.now(), facts=facts))

    def _call(self, event: Event) -> None:
        for hook in self._hooks:
            try:
                hook(event)
            except Exception:  # noqa: BLE001 - somebody else's code must not fail the write it watches; counted
                self._add(HOOKS_FAILED, 1)


class Timed:
    """Measures one block; a block that fails is measured too."""

    __slots__ = ("_metric", "_observer", "_started")

    def __init__(self, observer: Observer, metric: str) -> None:
        self._observer, self._metric, self._started = observer, metric, 0.0

    def __enter__(self) -> Timed:
        self._started = perf_counter()
        return self

    def __exit__(self, *_error: object) -> None:
        self._observer.record(self._metric, (perf_counter() - self._started) * 1000)
