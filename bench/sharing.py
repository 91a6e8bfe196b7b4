"""Sharing: many processes, and many threads, that write to one session at the same time.

Beside as many bare loops of flock + append + fdatasync on one file. Every entry that was acknowledged
is looked for afterwards.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import holdfast
from bench.bare import Appender
from bench.homes import ROOMY
from bench.rounds import percentile
from bench.row import Row, ms
from bench.run import Run
from bench.writing import line_of

PROCESSES = 16
THREADS = 8
_TEXT = "The deploy key lives in the vault, and only the release job may read it. " * 5


@dataclass
class Done:
    """What one writer did: when, what was acknowledged, how long each write took, what failed."""

    started: float
    ended: float
    ids: list[str]
    took: list[float]
    errors: list[str]


def loop(count: int, write: Callable[[], str]) -> Done:
    """So many writes in a row."""
    done = Done(time.time(), 0, [], [], [])
    for _ in range(count):
        before = time.perf_counter()
        try:
            done.ids.append(write())
        except holdfast.HoldfastError as error:
            done.errors.append(type(error).__name__)
        done.took.append((time.perf_counter() - before) * 1000)
    done.ended = time.time()
    return done


def write_ours(home: str, session: str, count: int, wait: Callable[[], object]) -> Done:
    """One writer of ours; all begin together."""
    with holdfast.open(home, settings=ROOMY) as memory:
        handle = memory.load_session(session)
        wait()
        return loop(count, lambda: handle.add(_TEXT, role="user").id)


def write_bare(path: str, count: int, wait: Callable[[], object]) -> Done:
    """One bare writer."""
    file, line = Appender(path), line_of(_TEXT)
    wait()
    done = loop(count, lambda: file.append(line))
    file.close()
    return done


def _in_process(write: Callable[[Callable[[], object]], Done], barrier: threading.Barrier, results: object) -> None:
    results.put(write(barrier.wait))  # type: ignore[attr-defined]


def _by_processes(write: Callable[[Callable[[], object]], Done], number: int) -> list[Done]:
    spawn = multiprocessing.get_context("spawn")
    barrier, results = spawn.Barrier(number), spawn.Queue()
    workers = [spawn.Process(target=_in_process, args=(write, barrier, results)) for _ in range(number)]
    for worker in workers:
        worker.start()
    done = [results.get(timeout=300) for _ in workers]
    for worker in workers:
        worker.join()
    return done


def _by_threads(write: Callable[[Callable[[], object]], Done], number: int) -> list[Done]:
    barrier = threading.Barrier(number)
    done: list[Done] = []
    workers = [threading.Thread(target=lambda: done.append(write(barrier.wait))) for _ in range(number)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return done


def _rate(done: list[Done]) -> float:
    span = max(one.ended for one in done) - min(one.started for one in done)
    return sum(len(one.ids) for one in done) / span


def processes(run: Run) -> list[Row]:
    """Sixteen processes, one session."""
    return [_shared(run, f"{PROCESSES} processes, one session", _by_processes, PROCESSES, run.rounds)]


def threads(run: Run) -> list[Row]:
    """Eight threads of one process, one session."""
    return [_shared(run, f"{THREADS} threads, one session", _by_threads, THREADS, 2 * run.rounds)]


def _shared(run: Run, what: str, spread: Callable[..., list[Done]], number: int, count: int) -> Row:
    bare_path = os.path.join(run.homes.folder, "bare.jsonl")
    rates: dict[str, list[float]] = {"ours": [], "bare": []}
    done: list[Done] = []
    with run.homes.fresh() as memory:
        session = memory.create_session().id
        for _ in range(3):
            ours = spread(partial(write_ours, memory.home, session, count), number)
            rates["ours"].append(_rate(ours))
            rates["bare"].append(_rate(spread(partial(write_bare, bare_path, count), number)))
            done += ours
        stored = {entry.id for entry in memory.query(session=session, rank="oldest", every=True)}
    acknowledged = [id for one in done for id in one.ids]
    errors, lost = sum(len(one.errors) for one in done), len(set(acknowledged) - stored)
    rate, peer = percentile(rates["ours"], 50), percentile(rates["bare"], 50)
    waits = [value for one in done for value in one.took]
    return Row(
        what, "0 errors, 0 lost, ≥ half the bare rate",
        f"{errors} errors, {lost} lost, {rate:,.0f}/s; a write p50 {ms(percentile(waits, 50))}, p99 "
        f"{ms(percentile(waits, 99))}",
        f"{peer:,.0f}/s flock + append + fdatasync", rate / peer, errors == lost == 0 and rate >= peer / 2,
    )  # fmt: skip
