"""Who is inside SQLite, so that a fork can wait for them."""

import gc
from threading import Event, Thread

from holdfast.index.gate import Gate
from tests.interrupts import interrupted_everywhere


def visited(gate):
    """A thread that stays inside until it is told to leave, and the means to tell it so."""
    came, leave = Event(), Event()

    def stay():
        with gate.visit():
            came.set()
            leave.wait(10)

    thread = Thread(target=stay)
    thread.start()
    came.wait(10)

    def end():
        leave.set()
        thread.join()

    return end


def test_whoever_shuts_it_waits_until_nobody_is_inside():
    gate = Gate()
    end = visited(gate)
    assert not gate.shut(0.01)
    gate.reopen()
    end()
    assert gate.shut(0.01)


def test_nobody_comes_in_while_it_is_shut_but_who_shut_it():
    gate, came = Gate(), []
    assert gate.shut(0)
    with gate.visit():
        thread = Thread(target=lambda: came.append(gate.visit().__enter__()))
        thread.start()
        thread.join(0.05)
        assert not came
    gate.reopen()
    thread.join()
    assert came


def test_who_is_inside_may_enter_again_while_somebody_waits():
    gate, told = Gate(), []
    with gate.visit():
        waiting = Thread(target=lambda: told.append(gate.shut(5)))
        waiting.start()
        while not gate._shut:
            pass
        with gate.visit():
            pass
    waiting.join()
    assert told == [True]


def test_who_is_inside_does_not_wait_for_itself():
    gate = Gate()
    with gate.visit():
        assert not gate.shut(60)


def test_no_interrupt_leaves_anybody_inside():
    gate, kept = Gate(), []

    def act():
        try:
            with gate.visit(), gate.visit():
                len("")
        except BaseException as error:
            kept.append(error)  # with all its frames, as a debugger has them
            raise

    for _ in interrupted_everywhere(act):
        assert gate.shut(0)
        gate.reopen()
    assert len(kept) > 10


def test_visits_that_are_over_are_not_remembered():
    gate = Gate()
    for _ in range(10):
        with gate.visit():
            pass
    gc.collect()
    assert not gate._visits


def test_in_a_child_those_have_gone_whose_threads_have():
    gate = Gate()
    end = visited(gate)
    with gate.visit():
        gate.after_fork()  # as it would be there
        assert not gate.shut(0)
    gate.reopen()
    assert gate.shut(0)
    end()
