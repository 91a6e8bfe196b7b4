"""Eight writers, killed at random moments: what was acknowledged is there, once, and nobody repairs anything."""

from __future__ import annotations

import json
import random
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

import holdfast
from tests.crash.writers import ROOMY
from tests.crash.zygote import Zygote
from tests.sizes import KILLS

WRITERS = 8
MARK = b',"checksum":"sha256:'


def good_lines(path):
    """Records whose checksum is right, by our own arithmetic; and how many lines are not."""
    records, bad = [], 0
    for line in Path(path).read_bytes().split(b"\n"):
        head, _, seal = line.rpartition(MARK)
        if head and seal == sha256(head).hexdigest().encode() + b'"}':
            records.append(json.loads(line))
        else:
            bad += bool(line)
    return records, bad


class Killing:
    """Writers under fire, and what they acknowledged."""

    def __init__(self, home, zygote, seed):
        self.home, self.zygote, self.chance = str(home), zygote, random.Random(seed)
        self.slots: dict[int, int] = {}  # pid -> slot
        self.acknowledged: dict[str, str] = {}  # entry id -> mark
        self.failures: list[str] = []
        self.kills = self.started = 0

    def run(self, kills):
        for slot in range(WRITERS):
            self.start(slot)
        while self.kills < kills:
            self.listen(self.chance.choice((0.0, 0.002, 0.01, 0.05)))
            self.kill_one()
        for pid in list(self.slots):
            self.zygote.kill(pid)
        for heard in self.zygote.drained():
            self.take(heard)

    def start(self, slot):
        self.started += 1
        self.zygote.start("write", self.home, f"writer{slot}", self.started)
        while slot not in self.slots.values():
            self.take(self.zygote.hear(), slot)

    def listen(self, seconds):
        while (heard := self.zygote.hear(seconds)) is not None:
            self.take(heard)
            seconds = 0

    def take(self, heard, slot=None):
        assert heard is not None, "the writers fell silent"
        if heard.get("event") == "started":
            self.slots[heard["pid"]] = slot
        elif heard.get("event") == "failed":
            self.failures.append(heard["error"])
        for id, mark in heard.get("added", ()):
            assert id not in self.acknowledged
            self.acknowledged[id] = mark

    def kill_one(self):
        assert not self.failures, self.failures
        pid = self.chance.choice(sorted(self.slots))
        self.zygote.kill(pid)
        self.kills += 1
        self.start(self.slots.pop(pid))


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A home whose first moment, too, is spent under fire: no process made it in peace."""
    home = tmp_path_factory.mktemp("killed") / "home"
    with Zygote("tests.crash.writers") as zygote:
        killing = Killing(home, zygote, seed=20260115)
        killing.run(KILLS)
    return killing


def journals(killed):
    return list(Path(killed.home).glob("agents/main/sessions/*/memory.jsonl"))


def torn(killed):
    """Lines that a kill cut short, within the write: as a rule none."""
    return sum(good_lines(path)[1] for path in journals(killed))


def unfinished(killed):
    """Those of them behind which nobody has written."""
    return sum(not path.read_bytes().endswith(b"\n") for path in journals(killed))


def test_the_writers_were_killed_at_work(killed):
    assert killed.kills == KILLS
    assert killed.failures == []
    assert len(killed.acknowledged) > KILLS


def test_no_acknowledged_entry_is_lost(killed):
    with holdfast.open(killed.home, user="ana") as memory:
        for id, mark in killed.acknowledged.items():
            assert memory.get(id).text.split()[0] == mark
        shown = {entry.id for entry in memory.query(every=True, rank="oldest")}
        assert shown >= killed.acknowledged.keys()


def test_every_acknowledged_entry_is_found_by_its_words(killed):
    with holdfast.open(killed.home, user="ana") as memory:
        memory.sync()
        sealed = torn(killed) - unfinished(killed)
        whole = f"{sealed} damaged or lost entries left out; run `holdfast verify`" if sealed else None
        for id, mark in random.Random(1).sample(sorted(killed.acknowledged.items()), 50):
            found = memory.search(mark, limit=50)
            assert found.degraded == whole
            assert id in {hit.id for hit in found}


def test_nothing_is_there_twice(killed):
    ids, marks = Counter(), Counter()
    for journal in journals(killed):
        records, _ = good_lines(journal)
        seqs = [record["seq"] for record in records if "id" in record and "seq" in record]
        assert seqs == sorted(set(seqs)), journal
        entries = [record for record in records if "content" in record]
        ids.update(record["id"] for record in entries)
        marks.update(record["content"]["text"].split()[0] for record in entries)
    assert set(ids.values()) == {1}
    assert set(marks.values()) == {1}
    assert ids.keys() >= killed.acknowledged.keys()


def test_one_session_was_made_for_each_key(killed):
    with holdfast.open(killed.home, user="ana") as memory:
        keys = Counter(session.key for session in memory.sessions())
    assert keys == Counter({"shared": 1, **{f"writer{slot}": 1 for slot in range(WRITERS)}})


def test_verify_finds_nothing_but_torn_tails(killed):
    with holdfast.open(killed.home, user="ana") as memory:
        problems = memory.verify()["problems"]
    assert len(problems) == torn(killed) <= KILLS + WRITERS
    assert {problem["what"] for problem in problems} <= {"damaged line", "unfinished last line"}


def test_the_store_is_written_to_without_repair(killed):
    with holdfast.open(killed.home, user="ana", settings=ROOMY) as memory:
        added = memory.add("after the storm", session="shared")
        assert memory.get(added.id).text == "after the storm"
        assert memory.search("storm").hits[0].id == added.id
