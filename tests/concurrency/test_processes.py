"""Any number of processes, threads and forked children at one session: no errors, nothing lost, nothing twice."""

from __future__ import annotations

import os
import threading
import time

import pytest

import holdfast
from tests.concurrency.crowd import SESSION, is_whole
from tests.crash.zygote import Zygote

PROCESSES = 16
THREADS = 8
CHILDREN = 4
EACH = 12


@pytest.fixture(scope="module")
def zygote():
    with Zygote("tests.concurrency.crowd") as made:
        yield made


@pytest.fixture
def home(tmp_path):
    return str(tmp_path / "home")


class Heard:
    """What the crowd said."""

    def __init__(self):
        self.told, self.looks, self.facts = {}, [], []

    def take(self, zygote, processes):
        """Listen until so many processes are done; a failure of any of them fails the test."""
        while processes:
            heard = zygote.hear()
            assert heard is not None, "the crowd fell silent"
            assert heard.get("event") != "failed", heard
            processes -= heard.get("event") == "done"
            if "id" in heard:
                assert heard["id"] not in self.told
                self.told[heard["id"]] = heard
            elif "looks" in heard:
                self.looks.append(heard)
            elif "event" not in heard:
                self.facts.append(heard)
        return self


def check(home, told, count):
    """Everything that was acknowledged is there once, whole, under a seq of its own; and nothing else is."""
    assert len(told) == count
    with holdfast.open(home, user="ana") as memory:
        entries = memory.query(session=SESSION, rank="oldest", every=True)
        assert len(entries) == count
        assert {entry.id: (entry.seq, entry.text) for entry in entries} == {
            id: (heard["seq"], heard["text"]) for id, heard in told.items()
        }
        assert sorted(entry.seq for entry in entries) == list(range(1, count + 1))
        assert all(is_whole(entry.text) for entry in entries)
        report = memory.verify()
        assert report["ok"], report["problems"]


def test_sixteen_processes_write_to_one_session_while_others_read(zygote, home):
    for number in range(PROCESSES):
        zygote.start("write", home, f"process{number}", EACH)
    for _ in range(2):
        zygote.start("read", home, time.time() + 1.5)
    heard = Heard().take(zygote, PROCESSES + 2)
    check(home, heard.told, PROCESSES * EACH)
    assert sum(look["seen"] for look in heard.looks) > 0


def test_on_a_disk_that_fails_what_was_acknowledged_is_there_and_what_was_refused_is_not(zygote, home):
    with holdfast.open(home, user="ana") as memory:
        memory.add("before the storm", session=SESSION)
    for number in range(THREADS):
        zygote.start("write_on_a_failing_disk", home, f"process{number}", EACH)
    heard = Heard().take(zygote, THREADS)
    refused = [fact["refused"] for fact in heard.facts]
    assert len(heard.told) + len(refused) == THREADS * EACH
    assert heard.told
    assert refused
    with holdfast.open(home, user="ana") as memory:
        entries = {entry.id: entry for entry in memory.query(session=SESSION, every=True) if is_whole(entry.text)}
        assert {id: entry.text for id, entry in entries.items()} == {
            id: told["text"] for id, told in heard.told.items()
        }
        assert len({entry.seq for entry in entries.values()}) == len(entries)
        found = memory.search("begin end", session=SESSION, limit=200)
        assert {hit.id for hit in found} == entries.keys()


def forgotten(memory, session):
    """The receipt; while others write all the time, the index may not be level when somebody asks."""
    while True:
        try:
            return memory.forget(session=session)
        except holdfast.Locked:
            time.sleep(0.01)


def test_a_session_that_is_forgotten_while_others_write_to_it_stays_forgotten(zygote, home):
    with holdfast.open(home, user="ana") as memory:
        session = memory.create_session("ana", key=SESSION)
        first = session.add("begin before 0 before 0 end")
        for _ in range(2):
            zygote.start("write_until_refused", home, session.id, 5_000)
        while memory.stats()["entries"] < 10:
            time.sleep(0.01)
        receipt = forgotten(memory, session.id)
        heard = Heard().take(zygote, 2)
        assert len(heard.facts) == 2
        assert receipt.clean
        assert set(receipt.entries) == {first.id, *heard.told}
        assert os.listdir(os.path.join(home, "agents", "main", "sessions", session.id)) == ["tombstones.jsonl"]
        assert (list(memory.query(every=True)), memory.sessions()) == ([], [])
        assert memory.verify()["problems"] == []
        assert memory.add("begin anew 0 anew 0 end", session=SESSION).session_id != session.id


def test_eight_threads_of_one_process_write_to_one_session(zygote, home):
    zygote.start("threads", home, THREADS, EACH)
    heard = Heard().take(zygote, 1)
    check(home, heard.told, THREADS * EACH)


def test_four_forked_children_of_an_open_parent_write_to_one_session(zygote, home):
    zygote.start("forks", home, CHILDREN, EACH)
    heard = Heard().take(zygote, 1)
    check(home, heard.told, (CHILDREN + 2) * EACH)


def test_a_fork_while_other_threads_hold_locks_leaves_no_child_stuck(zygote, home):
    zygote.start("forks_under_load", home, 25, 30)
    heard = Heard().take(zygote, 1)
    assert heard.facts == [{"pid": heard.facts[0]["pid"], "children": 25, "stuck": 0}]
    assert len(heard.told) == 50
    with holdfast.open(home, user="ana") as memory:
        assert {memory.get(id).text for id in heard.told} == {fact["text"] for fact in heard.told.values()}


def test_handles_on_one_home_share_one_backend(home):
    with holdfast.open(home) as first, holdfast.open(home) as second:
        assert first.store is second.store
        added = first.add("seen by both")
        assert second.get(added.id).text == "seen by both"
        first.close()
        assert second.search("both").hits[0].id == added.id
        with pytest.raises(holdfast.Invalid):
            first.search("both")


def test_handles_on_another_agent_or_with_other_settings_share_nothing(home):
    with (
        holdfast.open(home) as plain,
        holdfast.open(home, agent="other") as other,
        holdfast.open(home, settings={"recall.limit": 3}) as narrow,
    ):
        assert len({id(memory.store) for memory in (plain, other, narrow)}) == 3


def test_many_threads_open_and_close_the_same_home(home):
    failures = []

    def work():
        try:
            for _ in range(10):
                with holdfast.open(home) as memory:
                    assert memory.get(memory.add("opened and closed").id).text == "opened and closed"
        except BaseException as error:  # noqa: BLE001 - counted, and asserted below
            failures.append(repr(error))

    crowd = [threading.Thread(target=work) for _ in range(6)]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    assert failures == []
    with holdfast.open(home) as memory:
        assert memory.stats()["entries"] == 60
