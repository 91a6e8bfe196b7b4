"""What a build that was killed leaves has every text of its time: it goes, and what is being built does not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import holdfast
from holdfast.testing import FixedClock
from tests.crash.homes import AGENT, WORDS_ONLY, fill
from tests.crash.zygote import Zygote


@pytest.fixture(scope="module")
def zygote():
    with Zygote("tests.crash.upkeep_acts") as made:
        yield made


@pytest.fixture
def home(swift_path):
    made = os.path.join(swift_path, "home")
    with opened(made) as memory:
        ids = fill(memory, rounds=1)
        memory.sync()
        memory.delete(ids[0])
    return made


def opened(home):
    return holdfast.open(home, clock=FixedClock(), settings=WORDS_ONLY)


def generations(home):
    return sorted(name for name in os.listdir(os.path.join(home, AGENT, "index")) if name.startswith("v"))


def build_halfway(zygote, home):
    """A process that has begun to build a second generation, and waits in the middle."""
    pid = zygote.begin("rebuild_halfway", home)
    zygote.expect("halfway")
    assert len(generations(home)) == 2
    return pid


def compare_after_a_restart(memory, monkeypatch):
    monkeypatch.setattr("holdfast.index.live.boot_id", lambda: "another")
    memory.search("deploy")


WAYS = {
    "sync": lambda memory, _: memory.sync(),
    "verify": lambda memory, _: memory.verify(),
    "compact": lambda memory, _: memory.compact(),
    "restart": compare_after_a_restart,
}


@pytest.mark.parametrize("way", WAYS)
def test_what_a_killed_build_left_goes(zygote, home, way, monkeypatch):
    before = generations(home)
    zygote.kill(build_halfway(zygote, home))
    with opened(home) as memory:
        WAYS[way](memory, monkeypatch)
        assert generations(home) == before
        assert memory.search("deploy").hits


def test_what_another_process_is_building_stays_and_nobody_waits_for_it(zygote, home, monkeypatch):
    before = generations(home)
    build_halfway(zygote, home)
    with opened(home) as memory:
        for way in WAYS.values():
            way(memory, monkeypatch)
        assert len(generations(home)) == 2
        Path(home, "go").touch()
        zygote.expect("done")
        assert len(generations(home)) == 1
        assert generations(home) != before
        assert memory.search("deploy").hits
