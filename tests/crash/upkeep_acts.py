"""Rebuild, compaction and forget in processes that are killed in the middle, from outside or by a fuse."""

from __future__ import annotations

import os
import signal
import sys
import time

import holdfast
import holdfast.wiring  # before the fork
from holdfast.testing import FixedClock
from holdfast.upkeep import compaction, forget  # noqa: F401
from tests.crash.homes import WORDS_ONLY
from tests.crash.zygote import say

FILE_EVENTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.scandir", "os.listdir", "os.chmod"}


class Fuse:
    """Counts what this process does to files, and kills it at a given count."""

    def __init__(self, die_at):
        self.count, self._die_at = 0, die_at
        sys.addaudithook(self._burn)

    def _burn(self, event, _arguments):
        if event in FILE_EVENTS:
            self.count += 1
            if self.count == self._die_at:
                os.kill(os.getpid(), signal.SIGKILL)


def run(home, act, die_at):
    """Open, then the act under the fuse; how many steps it took in all is told at the end."""
    with holdfast.open(home, clock=FixedClock(), settings=WORDS_ONLY) as memory:
        memory.stats()
        say(event="begun")
        fuse = Fuse(die_at)
        ACTS[act](memory)
        say(steps=fuse.count)


def rebuild_halfway(home):
    """Build a generation, and wait in the middle until there is a file `go`, or for ever."""

    def halfway(done, _total):
        if done == 1:
            say(event="halfway")
            while not os.path.exists(os.path.join(home, "go")):
                time.sleep(0.005)

    with holdfast.open(home, clock=FixedClock(), settings=WORDS_ONLY) as memory:
        memory.reindex(progress=halfway)


def _forget(memory):
    receipt = memory.forget(topic="secret")
    assert receipt.clean, receipt.residue


ACTS = {
    "rebuild": lambda memory: memory.reindex(),
    "compaction": lambda memory: memory.compact(),
    "forget": _forget,
}
