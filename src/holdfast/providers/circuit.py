"""Circuit: calls of somebody else's code that may fail, be slow or never return.

Each call runs on another thread and is given up at a deadline; a thread that is done waits for the next call. Only what
cannot hang may be called `here`. After a failure the circuit is open for a minute: nobody asks again. Being late is no
failure: while a call goes on no second one is started and nobody waits, and what it brings in the end goes to whoever
asked to be told. A process that ends while such a call is inside a model's native code may be torn down by it, so its
end waits a little (`settle`).
"""

from __future__ import annotations

import os
import time
from _thread import allocate_lock, start_new_thread

from ..errors import HoldfastError, ProviderFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable
    from typing import Any, TypeVar

    Answer = TypeVar("Answer")

OPEN_S = 60.0
EXIT_S = 5.0  # loading a model and making a batch of vectors take about a second each

_going_on: list[tuple[int, LockType]] = []  # calls that were given up: their process, and what they hold until they end
_ending: list[bool] = []
_free: list[_Worker] = []  # threads that wait for a call
_MOST_FREE = 2


class Circuit:
    """Calls with a deadline, one at a time; open after a failure, and while one that was given up goes on."""

    def __init__(self) -> None:
        self._turn = allocate_lock()
        self._late: LockType | None = None  # held by a call that was given up, until it returns after all
        self._until = 0.0
        self.reason: str | None = None

    @property
    def open(self) -> bool:
        return time.monotonic() < self._until or (self._late is not None and self._late.locked())

    def call(self, act: Callable[[], Answer], wait_ms: int, late: Callable[[Answer], object] | None = None) -> Answer:
        """What `act` returns within the deadline; ProviderFailed otherwise, at once while the circuit is open.

        An answer after the deadline is given to `late`, on the thread that made it.
        """
        deadline = time.monotonic() + wait_ms / 1000
        self._refuse_if_open()
        if not self._turn.acquire(True, max(0.0, wait_ms / 1000)):
            raise ProviderFailed(f"the embedder was busy for {wait_ms} ms")
        try:
            self._refuse_if_open()  # what we waited for may have been given up
            call = self._begun(act, late)
            if not call.ended_by(deadline):
                self._late, self.reason = call.running, f"the embedder did not answer within {wait_ms} ms"
                raise ProviderFailed(self.reason)
        finally:
            self._turn.release()
        return call.answer()  # type: ignore[no-any-return]

    def here(self, act: Callable[[], Answer]) -> Answer:
        """The same on this thread, for what cannot hang: two changes of threads cost as much as a small vector."""
        self._refuse_if_open()
        try:
            return act()
        except Exception as error:  # noqa: BLE001 - as on another thread: the caller gets it and counts it
            told = self.failed(error)
            raise told from (None if told is error else error)

    def _begun(self, act: Callable[[], Answer], late: Callable[[Answer], object] | None) -> _Call:
        try:
            return _Call(act, self, late)
        except RuntimeError as error:  # the system has no thread to give, or the interpreter ends
            raise ProviderFailed("there is no thread to ask the embedder on") from error

    def _refuse_if_open(self) -> None:
        if self.open:
            raise ProviderFailed(self.reason or "the embedder failed a moment ago")

    def failed(self, error: BaseException) -> HoldfastError:
        """A failure as a typed error, for which the circuit opens."""
        told = error if isinstance(error, HoldfastError) else ProviderFailed(f"the embedder failed ({_kind(error)})")
        self.fail(told.message)
        return told

    def fail(self, reason: str) -> None:
        """Open the circuit for a minute."""
        self.reason, self._until = reason, time.monotonic() + OPEN_S


class _Call:
    """One call under way; `running` is locked until it has ended."""

    def __init__(self, act: Callable[[], Any], circuit: Circuit, late: Callable[[Any], object] | None) -> None:
        self._act, self._circuit, self._tell = act, circuit, late
        self._outcome: tuple[BaseException | None, Any] | None = None
        self._given_up = False
        self.running = allocate_lock()
        self.running.acquire()
        _free_worker().take(self)

    def run(self) -> None:
        """On another thread."""
        try:
            self._outcome = None, self._act()
        except BaseException as error:  # noqa: BLE001 - whatever it is, the caller gets it and counts it
            self._outcome = error, None
        if self._given_up:
            self._hand_over()

    def _hand_over(self) -> None:
        """Nobody waits any more."""
        try:
            answer = self.answer()
        except HoldfastError:
            return  # the circuit has it
        if self._tell is not None:
            self._tell(answer)

    def ended_by(self, deadline: float) -> bool:
        """Whether it has; one that has not is on its own from now on."""
        if self.running.acquire(True, max(0.0, deadline - time.monotonic())):
            return True
        self._given_up = True
        if self._outcome is not None:  # just now: it may not have seen that nobody waits
            return True
        _note(self.running)
        return False

    def answer(self) -> Any:
        """What it returned; its failure as a typed error, for which the circuit opens."""
        error, answer = self._outcome or (None, None)
        if error is None:
            return answer
        told = self._circuit.failed(error)
        raise told from (None if told is error else error)


class _Worker:
    """A thread that runs one call after the other: to start one costs more than the vector of a question."""

    def __init__(self) -> None:
        self._call: _Call | None = None
        self._given = allocate_lock()
        self._given.acquire()
        start_new_thread(self._work, ())

    def take(self, call: _Call) -> None:
        self._call = call
        self._given.release()

    def _work(self) -> None:
        going_on = True
        while going_on:
            self._given.acquire()
            call, self._call = self._call, None
            going_on = self._done(call) if call is not None else False
            del call  # nothing of a question stays with whoever waits for the next

    def _done(self, call: _Call) -> bool:
        """Run a call; whether there shall be another. Free before the call has ended: the next comes right away."""
        free = False
        try:
            call.run()
            free = len(_free) < _MOST_FREE
            if free:
                _free.append(self)
        finally:
            call.running.release()
        return free


def _free_worker() -> _Worker:
    try:
        return _free.pop()
    except IndexError:
        return _Worker()


def _kind(error: BaseException) -> str:
    return type(error).__name__


def _note(running: LockType) -> None:
    if not _going_on:
        import atexit  # hardly any process has to wait at its end

        atexit.register(_at_exit)
    _going_on[:] = [one for one in _going_on if one[1].locked()]
    _going_on.append((os.getpid(), running))


def _at_exit() -> None:
    _ending.append(True)
    settle(EXIT_S)


def ending() -> bool:
    """Whether this process is about to end: whoever is in the middle of much work may leave the rest."""
    return bool(_ending)


def settle(seconds: float) -> bool:
    """Wait so long for calls of this process that were given up; whether all have ended."""
    deadline = time.monotonic() + seconds
    return all(_ended(running, deadline) for pid, running in _going_on if pid == os.getpid())


def _ended(running: LockType, deadline: float) -> bool:
    if not running.acquire(True, max(0.0, deadline - time.monotonic())):
        return False
    running.release()
    return True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free.clear)  # no thread survives a fork
