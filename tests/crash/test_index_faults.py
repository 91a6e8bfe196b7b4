"""The index's disk fails at its n-th call, for every n until a clean run.

No acknowledged entry is lost, no write fails because of the index, and a search answers rightly, says that it
is degraded, or raises a typed error.
"""

from __future__ import annotations

import os
import shutil
from typing import NamedTuple

import apsw
import pytest

import holdfast
from holdfast import wiring
from holdfast.index.sqlite import IndexOptions
from holdfast.testing import FixedClock
from tests.crash.faulty_vfs import CALLS, FULL, FaultyVFS
from tests.crash.homes import AGENT, WORDS_ONLY, copied, everything, make
from tests.sizes import FAULT_STRIDE

MOST = 20_000  # a scenario with more calls than this would never come to its clean run


class Fault(NamedTuple):
    """What goes wrong, at which calls, and for how long; `stride` tries only every so manieth place."""

    error: type[apsw.Error]
    calls: tuple[str, ...] = CALLS
    forever: bool = False
    settings: dict[str, bool] = WORDS_ONLY
    stride: int = 7


FAULTS = {
    "I/O error": Fault(apsw.IOError, stride=1),
    "I/O error, with vectors": Fault(apsw.IOError, settings={}, stride=11),
    "full": Fault(apsw.FullError, FULL),
    "I/O errors from here on": Fault(apsw.IOError, forever=True),
}


@pytest.fixture(scope="module")
def home(swift_home_path):
    return make(os.path.join(swift_home_path, "home"), rounds=1)


@pytest.fixture
def vfs(monkeypatch):
    made = FaultyVFS()
    monkeypatch.setattr(wiring, "IndexOptions", lambda **given: IndexOptions(vfs=made.name, **given))
    yield made
    made.unregister()


class Run:
    """One run of a scenario: what was acknowledged in it, and how its searches ended."""

    def __init__(self, memory):
        self.memory = memory
        self.told: dict[str, str] = {}
        self.gone: set[str] = set()
        self.unsure: set[str] = set()  # hidden or not: nobody acknowledged it
        self.ended = {"right": 0, "degraded": 0, "refused": 0}

    def add(self, *texts, session="evening"):
        for entry in self.memory.add_many([{"text": text, "session": session} for text in texts]):
            self.told[entry.id] = entry.text

    def search(self, word):
        wanted = {id for id, text in self.told.items() if word in text and id not in self.gone}
        try:
            found = self.memory.search(word, limit=50)
        except holdfast.HoldfastError:
            self.ended["refused"] += 1
            return
        if found.degraded is not None:
            self.ended["degraded"] += 1
            return
        holding = {hit.id for hit in found if word in hit.text}  # neighbours may come along
        assert holding - self.unsure == wanted - self.unsure
        self.ended["right"] += 1


def ordinary_work(run):
    """Add, search, change, hide: what an agent does all day."""
    run.add("zebra one")
    run.search("zebra")
    run.add("zebra two", "zebra three", session="a new key")
    run.search("zebra")
    kept = run.memory.user("local").remember("drink", "zebra milk")
    run.told[kept.id] = kept.text
    first = next(iter(run.told))
    try:
        run.memory.delete(first)
        run.gone.add(first)
    except holdfast.HoldfastError:
        run.unsure.add(first)
    run.search("three")


def building(run):
    """The index is missing: the first search builds it."""
    shutil.rmtree(os.path.join(run.memory.home, AGENT, "index"))
    run.add("zebra one")
    run.search("zebra")


def rebuilding(run):
    """Asked to build anew; the old generation goes on if the new one fails."""
    run.add("zebra one")
    try:
        run.memory.reindex()
    except holdfast.HoldfastError:
        run.ended["refused"] += 1
    run.search("zebra")


def faulty_run(scenario, home, work, vfs, fail_at, fault):
    """One run with one fault; afterwards, on a sound disk, everything acknowledged is there and found."""
    shutil.rmtree(work, ignore_errors=True)
    copied(home, work)
    vfs.disarm()
    with holdfast.open(work, clock=FixedClock(), settings=fault.settings) as memory:
        before = everything(memory)
        run = Run(memory)
        vfs.arm(fail_at, fault.error, fault.calls, fault.forever)
        scenario(run)
    injected = vfs.injected
    vfs.disarm()
    with holdfast.open(work, clock=FixedClock(), settings=fault.settings) as memory:
        check(memory, run, before)
    return injected, run


def check(memory, run, before):
    now = everything(memory)
    assert {id: now.get(id) for id in before} == before
    for id, text in run.told.items():
        if id not in run.gone | run.unsure:
            assert memory.get(id).text == text
    ended = Run(memory)
    ended.told, ended.gone, ended.unsure = run.told, run.gone, run.unsure
    ended.search("zebra")
    assert ended.ended["right"] == 1


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("scenario", [ordinary_work, building, rebuilding], ids=lambda scenario: scenario.__name__)
def test_a_fault_of_the_indexs_disk_at_any_call(scenario, fault, home, vfs, swift_path):
    stride = min(FAULT_STRIDE, FAULTS[fault].stride)
    faults, ended = 0, {"right": 0, "degraded": 0, "refused": 0}
    for fail_at in range(1, MOST, stride):  # from the first call on, to a run in which nothing fails
        injected, run = faulty_run(scenario, home, os.path.join(swift_path, "work"), vfs, fail_at, FAULTS[fault])
        faults += injected
        for name, count in run.ended.items():
            ended[name] += count
        if not injected:
            break
    assert injected == 0, "never came to a clean run"
    assert faults > 10
    assert ended["right"] > 0
    assert ended["degraded"] + ended["refused"] > 0 or not FAULTS[fault].forever  # one fault alone is tried again
