"""Rebuild, compaction and forget killed at random points: the store answers as before, and a forget is finished."""

from __future__ import annotations

import os
import random
import shutil
import time

import pytest

import holdfast
from holdfast.testing import FixedClock
from tests.crash.homes import AGENT, WORDS_ONLY, answers, copied, everything, fill, sessions_of
from tests.crash.zygote import Zygote
from tests.leftovers import leftovers
from tests.sizes import UPKEEP_KILLS

SECRETS = ("the vexnomblark lives at 12 quixotrabble lane", "zyfferwunk owes us for the drobnishka 秘密的钥匙在花园里")


@pytest.fixture(scope="module")
def zygote():
    with Zygote("tests.crash.upkeep_acts") as made:
        yield made


class Case:
    """A home in which there is something to rebuild, to compact and to forget; copied for every kill."""

    def __init__(self, folder, zygote):
        self.zygote, self.work = zygote, os.path.join(folder, "work")
        self.home = os.path.join(folder, "home")
        with holdfast.open(self.home, clock=FixedClock(), settings=WORDS_ONLY) as memory:
            ids = fill(memory)
            places = [(text, key) for text in SECRETS for key in ("morning", "evening")]
            self.secrets = [memory.add(text, session=key, tags=["secret.garden"]).id for text, key in places]
            for id in ids[4:8]:
                memory.delete(id)
            memory.undelete(ids[4])
        self._damage_a_secret()
        self.reset()
        with holdfast.open(self.work, clock=FixedClock(), settings=WORDS_ONLY) as memory:
            self.entries, self.answers = shown(memory), answers(memory, damaged=True)

    def _damage_a_secret(self):
        """A line with secret words, whose nobody knows, loses a bit: quarantine, too, holds something to forget."""
        path = max(sessions_of(self.home), key=os.path.getsize)
        with holdfast.open(self.home, clock=FixedClock(), settings=WORDS_ONLY) as memory:
            lost = memory.add("a damaged vexnomblark remains", session=os.path.basename(os.path.dirname(path)))
        with open(path, "r+b") as file:
            data = file.read()
            file.seek(data.index(lost.id.encode()) + 10)
            file.write(b"?")
        shutil.rmtree(os.path.join(self.home, AGENT, "index"))
        with holdfast.open(self.home, clock=FixedClock(), settings=WORDS_ONLY) as memory:
            memory.sync()
        assert os.listdir(os.path.join(self.home, AGENT, "quarantine"))

    def reset(self):
        shutil.rmtree(self.work, ignore_errors=True)
        copied(self.home, self.work)

    def measure(self, act):
        """How many steps the act takes, and how long."""
        self.reset()
        self.zygote.begin("run", self.work, act, 0)
        self.zygote.expect("begun")
        started = time.monotonic()
        steps = self.zygote.hear()
        assert "steps" in steps, steps
        self.zygote.expect("done")
        return steps["steps"], time.monotonic() - started

    def kill(self, act, chance, steps, seconds):
        """Run the act and kill it: at a step of its own, or at any moment."""
        self.reset()
        fused = chance.random() < 0.7
        pid = self.zygote.begin("run", self.work, act, chance.randrange(1, steps + 1) if fused else 0)
        self.zygote.expect("begun")
        if fused:
            self.zygote.wait(pid)
        else:
            time.sleep(chance.random() * seconds)
            self.zygote.kill(pid)
        for _ in self.zygote.drained():
            pass

    def open(self):
        return holdfast.open(self.work, clock=FixedClock(), settings=WORDS_ONLY)


def shown(memory):
    """Every entry without its checksum, which folding an amendment changes."""
    return {id: {**entry, "checksum": None} for id, entry in everything(memory).items()}


@pytest.fixture(scope="module")
def case(swift_home_path, zygote):
    return Case(swift_home_path, zygote)


@pytest.mark.parametrize("act", ["rebuild", "compaction"])
def test_a_store_whose_upkeep_was_killed_answers_as_before(case, act):
    steps, seconds = case.measure(act)
    for number in range(UPKEEP_KILLS):
        case.kill(act, random.Random(f"{act}-{number}"), steps, seconds)
        with case.open() as memory:
            assert answers(memory, damaged=True) == case.answers, number
            assert shown(memory) == case.entries, number
        with case.open() as memory:
            memory.compact() if act == "compaction" else memory.reindex()
            assert shown(memory) == case.entries, number
            assert memory.add("and goes on", session="evening").seq > 0


@pytest.mark.parametrize("way", ["sync", "reindex", "forget"])
def test_a_killed_forget_is_finished_and_nothing_else_changes(case, way):
    steps, seconds = case.measure("forget")
    finished = 0
    for number in range(UPKEEP_KILLS // 3):
        case.kill("forget", random.Random(f"forget-{way}-{number}"), steps, seconds)
        begun = os.path.exists(os.path.join(case.work, AGENT, "forgetting.json"))
        with case.open() as memory:
            rest = {id: entry for id, entry in shown(memory).items() if id not in case.secrets}
            assert rest == {id: entry for id, entry in case.entries.items() if id not in case.secrets}, number
            finish(memory, way)
            left = [id for id in case.secrets if id in shown(memory)]
            if begun or way == "forget":
                finished += 1
                assert left == [], number
                kept = [entry["content"]["text"] for entry in rest.values()]
                assert leftovers(case.work, SECRETS, kept) == [], number
                assert not os.path.exists(os.path.join(case.work, AGENT, "forgetting.json"))
            assert left in ([], case.secrets) or set(left) == set(case.secrets), number
    assert finished


def finish(memory, way):
    """What a person might do next: each of these finishes what was begun."""
    if way == "forget":
        memory.forget(topic="secret")
    else:
        getattr(memory, way)()
