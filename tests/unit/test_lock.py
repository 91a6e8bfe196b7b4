import json
import os
import subprocess
import sys
import threading
import time

import pytest

import holdfast.lock
from holdfast.disk import Disk
from holdfast.errors import Locked, StorageFailed
from holdfast.index.mending import IndexLock
from holdfast.lock import Lock
from holdfast.model.ids import entry_id
from tests.interrupts import interrupted_everywhere


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "locks" / "00")


def in_child(act):
    """Run `act` in a forked child; its truth is the exit code."""
    child = os.fork()
    if not child:
        code = 1
        try:
            code = 0 if act() else 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_lock_that_is_free_is_had_and_its_file_is_private(path):
    with Lock(path).hold(0, "test"):
        assert os.stat(path).st_mode & 0o777 == 0o600
        assert os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700
    assert os.path.exists(path), "never unlinked"


def test_another_process_is_kept_out_until_it_is_released(path):
    with Lock(path).hold(0, "test"):
        assert in_child(lambda: Lock(path).attempt("x") is None)
    assert in_child(lambda: Lock(path).attempt("x") is not None)


def test_the_error_names_holder_work_and_wait(path):
    with Lock(path).hold(0, "compact"), pytest.raises(Locked) as caught:
        Lock(path).hold(30, "append")
    details = caught.value.details
    assert (details["pid"], details["what"]) == (os.getpid(), "compact")
    assert details["waited_ms"] >= 30
    assert details["since"].endswith("Z")
    assert str(os.getpid()) in str(caught.value)


def test_a_second_hold_by_the_same_thread_ends_in_locked_and_not_in_a_deadlock(path):
    lock = Lock(path)
    with lock.hold(0, "outer"):
        with pytest.raises(Locked):
            lock.hold(20, "inner")
        assert lock.attempt("inner") is None
    assert lock.attempt("after")


def test_waiting_ends_when_the_holder_lets_go(path):
    held = Lock(path).hold(0, "first")
    threading.Timer(0.05, held.release).start()
    started = time.monotonic()
    with Lock(path).hold(5000, "second"):
        assert 0.04 < time.monotonic() - started < 2


def test_releasing_twice_frees_nobody_elses_lock(path):
    first = Lock(path).hold(0, "first")
    first.release()
    second = Lock(path).hold(0, "second")
    first.release()
    assert Lock(path).attempt("third") is None
    second.release()


def test_threads_exclude_each_other(path, tmp_path):
    counter = tmp_path / "counter"
    counter.write_text("0")

    def work():
        for _ in range(50):
            with Lock(path).hold(10_000, "count"):
                counter.write_text(str(int(counter.read_text()) + 1))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.read_text() == "400"


def test_a_damaged_note_does_not_matter(path):
    Lock(path).hold(0, "x").release()
    with open(path, "wb") as note:
        note.write(b"\xff{")
    held = Lock(path).hold(0, "y")
    with open(path, "wb") as note:
        note.write(b"[1]")
    with pytest.raises(Locked, match="another process"):
        Lock(path).hold(5, "z")
    held.release()


def test_a_short_note_replaces_a_long_one(path):
    Lock(path).hold(0, "x" * 60).release()
    Lock(path).hold(0, "y").release()
    with open(path, "rb") as note:
        assert json.loads(note.read())["what"] == "y"


def test_no_room_for_the_note_is_no_reason_to_fail(path):
    class Full(Disk):
        def pwrite(self, fd, data, offset):
            raise OSError(28, "full")

    with Lock(path, Full()).hold(0, "forget"):
        assert Lock(path).attempt("another") is None


def test_a_read_only_home_is_a_typed_error_and_leaves_the_mutex_free(path):
    class ReadOnly(Disk):
        def open(self, path, flags, mode=0o600):
            raise OSError(30, "read-only")

    for _ in range(2):
        with pytest.raises(StorageFailed, match="EROFS"):
            Lock(path, ReadOnly()).hold(0, "append")


def test_a_forked_child_neither_owns_nor_frees_what_its_parent_holds(path):
    held = Lock(path).hold(0, "parent")

    def child():
        held.release()
        return held.fd < 0 and Lock(path).attempt("child") is None

    assert in_child(child)
    assert in_child(lambda: Lock(path).attempt("another") is None), "the parent still holds it"
    held.release()


def test_a_forked_child_does_not_inherit_a_mutex_that_nobody_will_release(path):
    inside, done = threading.Event(), threading.Event()

    def hold():
        with Lock(path).hold(0, "thread"):
            inside.set()
            done.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait(10)
    threading.Timer(0.1, done.set).start()
    assert in_child(lambda: Lock(path).hold(5000, "child"))
    thread.join()


def test_a_child_that_outlives_its_parent_does_not_keep_the_lock(path):
    script = (
        "import os, sys, time; from holdfast.lock import Lock\n"
        "held = Lock(sys.argv[1]).hold(0, 'parent')\n"
        "if os.fork():\n    os._exit(0)\n"
        "os.close(1); os.close(2); time.sleep(5)\n"
    )
    package = os.path.dirname(os.path.dirname(holdfast.lock.__file__))
    subprocess.run(
        [sys.executable, "-c", script, path], check=True, timeout=20, env={**os.environ, "PYTHONPATH": package}
    )
    assert Lock(path).hold(2000, "next")


def test_parent_and_child_do_not_make_the_same_ids():
    entry_id(1000)
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, entry_id(1000).encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(read, 100).decode()
    os.close(read)
    os.close(write)
    assert entry_id(1000) != theirs


@pytest.mark.parametrize("kind", [Lock, IndexLock])
def test_an_interrupt_at_any_moment_leaves_nothing_locked(path, kind):
    lock = kind(path)

    def use():
        with lock.hold(100, "work"):
            pass
        held = lock.attempt("work")
        with held:
            pass

    for moment in interrupted_everywhere(use):
        held = lock.attempt("look")
        assert held is not None, moment
        held.release()
    assert moment > 30
