"""Writers and readers in processes and threads of their own, as `test_processes` starts them."""

from __future__ import annotations

import errno
import os
import random
import threading
import time

import holdfast
import holdfast.wiring  # before the fork
from holdfast.disk import Disk
from holdfast.errors import NotFound, StorageFailed
from tests.crash.homes import WORDS_ONLY
from tests.crash.zygote import say

SESSION = "everybody"


def text_of(writer, number):
    """A text that says of itself whether it is whole."""
    return f"begin {writer} {number} " + "雪" * (number % 40) + f" {writer} {number} end"


def is_whole(text):
    words = text.split()
    return words[0] == "begin" and words[-1] == "end" and words[1:3] == words[-3:-1]


def write(home, writer, count):
    """Add to the one session; ids are told after `add` returned."""
    with holdfast.open(home, user="ana", settings=WORDS_ONLY) as memory:
        _write(memory, writer, count)


def _write(memory, writer, count):
    for number in range(count):
        entry = memory.add(text_of(writer, number), session=SESSION)
        say(id=entry.id, seq=entry.seq, text=entry.text)


def write_until_refused(home, session, most):
    """Add to a session under its id, until that is not found."""
    with holdfast.open(home, user="ana", settings=WORDS_ONLY) as memory:
        for number in range(most):
            try:
                entry = memory.add(text_of("late", number), session=session)
            except NotFound:
                say(refused=number)
                return
            say(id=entry.id, seq=entry.seq, text=entry.text)


class Sometimes(Disk):
    """A disk that fails one sync in five."""

    def __init__(self, seed):
        self._chance = random.Random(seed)

    def sync(self, fd):
        super().sync(fd)
        if self._chance.random() < 0.2:
            raise OSError(errno.EIO, os.strerror(errno.EIO))


def write_on_a_failing_disk(home, writer, count):
    """Add to the one session, and tell what was stored and what was refused."""
    with holdfast.open(home, user="ana", settings=WORDS_ONLY) as memory:
        memory.store.journal._desk.disk = Sometimes(writer)
        for number in range(count):
            text = text_of(writer, number)
            try:
                entry = memory.add(text, session=SESSION)
                say(id=entry.id, seq=entry.seq, text=text)
            except StorageFailed:
                say(refused=text)


def read(home, until):
    """Look at whatever is there until the time is up; everything seen must be whole."""
    looks = seen = 0
    with holdfast.open(home, user="ana", settings=WORDS_ONLY) as memory:
        while time.time() < until:
            found = [*memory.search("begin end", limit=50), *memory.query(rank="recent", limit=50)]
            torn = [item.id for item in found if not is_whole(item.text)]
            assert not torn, torn
            looks, seen = looks + 1, seen + len(found)
    say(looks=looks, seen=seen)


def threads(home, count, each):
    """Several threads on one handle."""
    failures = []
    with holdfast.open(home, user="ana", settings=WORDS_ONLY) as memory:

        def work(writer):
            try:
                _write(memory, writer, each)
                memory.search("begin")
            except BaseException as error:  # noqa: BLE001 - counted, and raised below
                failures.append(f"{type(error).__name__}: {error}")

        crowd = [threading.Thread(target=work, args=(f"thread{number}",)) for number in range(count)]
        for thread in crowd:
            thread.start()
        for thread in crowd:
            thread.join()
    assert not failures, failures


def forks(home, count, each):
    """Children of a process whose store is open; the parent writes on as well."""
    with holdfast.open(home, user="ana", settings=WORDS_ONLY) as memory:
        _write(memory, "parent", each)
        memory.search("begin")
        children = []
        for number in range(count):
            child = os.fork()
            if child == 0:
                _as_child(lambda number=number: (_write(memory, f"child{number}", each), memory.search("begin")))
            children.append(child)
        _write(memory, "parent-again", each)
        assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * count


def _as_child(act):
    try:
        act()
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - told to the test, which fails on it
        say(event="failed", error=f"{type(error).__name__}: {error}"[:1000])
        os._exit(1)


def forks_under_load(home, count, seconds):
    """Children forked while other threads are inside the store, holding whatever locks they hold."""
    stop = threading.Event()
    with holdfast.open(home, user="ana", settings=WORDS_ONLY) as memory:
        memory.add(text_of("parent", 0), session=SESSION)
        memory.search("begin")  # what is loaded on first use is loaded: a fork during an import is beyond us
        busy = [threading.Thread(target=_hammer, args=(memory, stop, number)) for number in range(3)]
        for thread in busy:
            thread.start()
        stuck = sum(_stuck(memory, number, seconds) for number in range(count))
        stop.set()
        for thread in busy:
            thread.join()
    say(children=count, stuck=stuck)


def _hammer(memory, stop, number):
    while not stop.is_set():
        memory.add(text_of(f"hammer{number}", 1), session=f"hammer{number}")
        memory.search("begin")


def _stuck(memory, number, seconds):
    """Fork a child that works; whether it had to be killed."""
    child = os.fork()
    if child == 0:
        _as_child(lambda: (_write(memory, f"forked{number}", 2), memory.search("begin")))
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            assert os.waitstatus_to_exitcode(status) == 0
            return False
        time.sleep(0.005)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return True
