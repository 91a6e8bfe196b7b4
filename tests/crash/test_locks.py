"""Locks between real processes: killed holders free them, stopped holders are waited for and named,
and nobody who writes to one session at the same time as others loses anything."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from holdfast.errors import Locked
from holdfast.lock import Lock
from holdfast.model.ids import entry_id
from tests.unit.journal.world import ALL, ANA, QUICK, SESSION, World

pytestmark = pytest.mark.crash

PATIENT = QUICK.replace(lock_ms=30_000)


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path / "home", options=PATIENT)
    world.session()
    return world


def forked(act):
    """A child that runs `act`; exit code 0 if nothing was raised."""
    child = os.fork()
    if not child:
        code = 1
        try:
            act()
            code = 0
        finally:
            os._exit(code)
    return child


def exit_code(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.fixture
def holder(world):
    """Another process that holds the session's lock."""
    read, write = os.pipe()

    def hold():
        with Lock(world.journal._places.lock(SESSION)).hold(0, "rewrite"):
            os.write(write, b"x")
            time.sleep(60)

    child = forked(hold)
    assert os.read(read, 1) == b"x"
    os.close(read)
    os.close(write)
    yield child
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_when_the_holder_is_killed_the_next_writer_goes_on_at_once(world, holder):
    threading.Timer(0.2, lambda: os.kill(holder, signal.SIGKILL)).start()
    started = time.monotonic()
    assert world.add("after the kill")[0].seq == 1
    assert time.monotonic() - started < 5


def test_when_the_holder_is_stopped_the_wait_is_bounded_and_the_error_names_it(world, holder):
    os.kill(holder, signal.SIGSTOP)
    impatient = world.another(options=QUICK.replace(lock_ms=200))
    started = time.monotonic()
    with pytest.raises(Locked) as caught:
        impatient.append(ANA, SESSION, [world.draft("no")])
    assert 0.2 <= time.monotonic() - started < 5
    assert caught.value.details["pid"] == holder
    assert caught.value.details["what"] == "rewrite"
    assert world.texts() == [], "nobody breaks in"
    assert not impatient.when_idle(ALL, SESSION, lambda: None)


def test_readers_are_not_kept_out_by_a_stopped_writer(world, holder):
    os.kill(holder, signal.SIGSTOP)
    assert world.journal.replay(ALL, SESSION).lines == ()
    assert world.journal.card(ANA, SESSION)


def written(world, name, count):
    """Append `count` entries one by one through a handle of one's own."""
    journal = world.another()
    for number in range(count):
        journal.append(ANA, SESSION, [world.draft(f"{name}-{number}", id=entry_id(number))])


def check(world, names, count):
    expected = {f"{name}-{number}" for name in names for number in range(count)}
    found = world.texts()
    assert len(found) == len(expected)
    assert set(found) == expected
    assert [line.record["seq"] for line in world.replay().lines] == list(range(1, len(expected) + 1))


def test_sixteen_processes_lose_nothing(world):
    children = [forked(lambda name=name: written(world, name, 25)) for name in range(16)]
    assert [exit_code(child) for child in children] == [0] * 16
    check(world, range(16), 25)


def test_eight_threads_of_one_handle_lose_nothing(world):
    def work(name):
        for number in range(25):
            world.journal.append(ANA, SESSION, [world.draft(f"{name}-{number}")])

    threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(world, range(8), 25)


def test_forked_children_of_an_open_parent_lose_nothing(world):
    world.add("p-0")

    def work(name):
        for number in range(25):
            world.add(f"{name}-{number}")

    children = [forked(lambda name=name: work(name)) for name in range(4)]
    for number in range(1, 25):
        world.add(f"p-{number}")
    assert [exit_code(child) for child in children] == [0] * 4
    check(world, [*range(4), "p"], 25)


def test_writers_and_a_rewriter_together_lose_nothing(world):
    stop = threading.Event()
    rewriter = world.another()

    def rewrite():
        while not stop.is_set():
            rewriter.rewrite(ALL, SESSION, lambda entry: entry)

    thread = threading.Thread(target=rewrite)
    children = [forked(lambda name=name: written(world, name, 25)) for name in range(3)]
    thread.start()
    codes = [exit_code(child) for child in children]
    stop.set()
    thread.join()
    assert codes == [0] * 3
    check(world, range(3), 25)


def test_writers_killed_at_random_lose_nothing_that_they_acknowledged(world):
    """Twenty kills here; the long version goes through `open()`."""

    def work():
        journal = world.another()
        number = 0
        while True:
            entry = journal.append(ANA, SESSION, [world.draft("x" * (number % 700), id=entry_id(number))])[0]
            os.write(write, entry.id.encode())
            number += 1

    acked = set()
    for kill in range(20):
        read, write = os.pipe()
        child = forked(work)
        acked.add(os.read(read, 30).decode())  # on a busy machine the first may take a while
        time.sleep(kill % 5 * 0.007)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(write)
        while piece := os.read(read, 30):
            acked.add(piece.decode())
        os.close(read)
    found = [line.record["id"] for line in world.replay().lines if line.record]
    assert len(acked) > 20
    assert acked <= set(found)
    assert len(found) == len(set(found))
