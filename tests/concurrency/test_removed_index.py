"""The index may be thrown away at any time, also while it is in use: no write fails, and nothing is missed."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

import holdfast
from tests.crash.homes import AGENT, WORDS_ONLY

REMOVE = """
import shutil, sys, time
end = time.monotonic() + float(sys.argv[3])
while time.monotonic() < end:
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    time.sleep(float(sys.argv[2]))
"""
THREADS = 3


@pytest.fixture
def home(tmp_path):
    return str(tmp_path / "home")


def removing(home, pause, seconds):
    folder = f"{home}/{AGENT}/index"
    return subprocess.Popen([sys.executable, "-c", REMOVE, folder, str(pause), str(seconds)])


def missing(memory, ids):
    return set(ids) - {entry.id for entry in memory.query(rank="oldest", every=True)}


def test_no_write_fails_and_none_is_missed_while_the_index_is_removed_all_the_time(home):
    ids, failures = [], []

    def write(number):
        try:
            while remover.poll() is None:
                ids.append(memory.add(f"entry of {number}", session=f"session {number}").id)
        except holdfast.HoldfastError as error:
            failures.append(repr(error))

    with holdfast.open(home, settings=WORDS_ONLY) as memory:
        for number in range(THREADS):
            memory.create_session(key=f"session {number}")
        remover = removing(home, 0.01, 2)
        crowd = [threading.Thread(target=write, args=(number,)) for number in range(THREADS)]
        for thread in crowd:
            thread.start()
        for thread in crowd:
            thread.join()
        assert failures == []
        assert len(ids) >= THREADS
        assert missing(memory, ids) == set()
    with holdfast.open(home, settings=WORDS_ONLY) as memory:
        assert missing(memory, ids) == set()
        assert memory.verify()["ok"]


def test_searches_heal_while_the_index_is_removed_again_and_again(home):
    with holdfast.open(home, settings=WORDS_ONLY) as memory:
        first = memory.add("the tide table").id
        remover = removing(home, 0.15, 2)
        found = []
        while remover.poll() is None:
            found.append([hit.id for hit in memory.search("tide")])
        assert found
        assert all(hits == [first] for hits in found)
