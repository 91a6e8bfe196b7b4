"""Rounds: contenders take turns, so that a busy moment of the machine falls on all of them.

Owns the clocks. A sample is wall time and the CPU time of this process; for child processes the CPU
time that the kernel charged to the child. Figures are medians and percentiles, never means: one
descheduled round must not decide.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

Contenders = Mapping[str, Callable[[], object]]


class Samples:
    """What one contender took, in milliseconds."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.cpu: list[float] = []

    def add(self, wall: float, cpu: float) -> None:
        self.wall.append(wall)
        self.cpu.append(cpu)

    def wall_at(self, percent: float = 50) -> float:
        return percentile(self.wall, percent)

    def cpu_at(self, percent: float = 50) -> float:
        return percentile(self.cpu, percent)


def percentile(values: Sequence[float], percent: float) -> float:
    """The nearest-rank percentile; the median of two is the lower one."""
    ranked = sorted(values)
    return ranked[max(0, math.ceil(len(ranked) * percent / 100) - 1)]


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU milliseconds of one call in this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    act()
    return (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000


def interleaved(contenders: Contenders, rounds: int, warm: int = 1) -> dict[str, Samples]:
    """Each contender once a round, who begins rotating; the first `warm` rounds do not count."""
    found = {name: Samples() for name in contenders}
    names = list(contenders)
    for number in range(rounds + warm):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            sample = timed(contenders[name])
            if number >= warm:
                found[name].add(*sample)
    return found


def child(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> tuple[float, float]:
    """Wall and CPU milliseconds of a whole process; an error in it is an error here."""
    started = time.perf_counter()
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    pid = os.posix_spawn(arguments[0], list(arguments), environment or os.environ, file_actions=quiet)
    _, status, used = os.wait4(pid, 0)
    wall = (time.perf_counter() - started) * 1000
    if status != 0:
        raise RuntimeError(f"{' '.join(arguments)[:200]} ended with {os.waitstatus_to_exitcode(status)}")
    return wall, (used.ru_utime + used.ru_stime) * 1000


def children(
    contenders: Mapping[str, Sequence[str]], rounds: int, environment: Mapping[str, str] | None = None
) -> dict[str, Samples]:
    """The same as `interleaved` for whole processes; one warm-up each."""
    found = {name: Samples() for name in contenders}
    for number in range(rounds + 1):
        for name, arguments in contenders.items():
            sample = child(arguments, environment)
            if number:
                found[name].add(*sample)
    return found


def each(contenders: Mapping[str, Callable[[str], object]], items: Sequence[str], rounds: int) -> dict[str, Samples]:
    """Every item by every contender in turn; the first of the rounds warms caches and does not count."""
    found = {name: Samples() for name in contenders}
    for number in range(rounds + 1):
        for item in items:
            for name, act in contenders.items():
                sample = timed(partial(act, item))
                if number:
                    found[name].add(*sample)
    return found


def one_thread() -> None:
    """CPU time is compared, and threads that wait by spinning charge theirs to whoever works next.

    To be called before NumPy is loaded.
    """
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
