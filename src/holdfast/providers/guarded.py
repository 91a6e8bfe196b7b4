"""Guarded: an embedder that cannot hang, crash or deceive whoever asks it.

Each call runs on a thread of its own and is given up at a deadline; then, and after any failure, the circuit
is open for a minute: nobody waits for it again, and while a call still hangs no second one is started. What
comes back is believed only if it has the promised shape, is finite and of unit length (or zero, where there
is nothing to read). Failures come out as ProviderFailed, without a word of the text.
"""

from __future__ import annotations

import time
from _thread import allocate_lock, start_new_thread

from ..errors import HoldfastError, ProviderFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from numpy import float32
    from numpy.typing import NDArray

    from ..ports import Embedder

    Answer = TypeVar("Answer")

OPEN_S = 60.0
_TOLERANCE = 1e-3


class Circuit:
    """Calls with a deadline, one at a time; open after a failure."""

    def __init__(self) -> None:
        self._turn = allocate_lock()
        self._hanging: LockType | None = None  # held by a call that was given up, until it returns after all
        self._until = 0.0
        self.reason: str | None = None

    @property
    def open(self) -> bool:
        return time.monotonic() < self._until or (self._hanging is not None and self._hanging.locked())

    def call(self, act: Callable[[], Answer], wait_ms: int) -> Answer:
        """What `act` returns within the deadline; ProviderFailed otherwise, at once while the circuit is open."""
        deadline = time.monotonic() + wait_ms / 1000
        if self.open:
            raise ProviderFailed(self.reason or "the embedder failed a moment ago")
        if not self._turn.acquire(True, max(0.0, wait_ms / 1000)):
            raise ProviderFailed(f"the embedder was busy for {wait_ms} ms")
        try:
            answer = self._run(act, deadline, wait_ms)
        except HoldfastError as error:
            self.fail(error.message)
            raise
        finally:
            self._turn.release()
        self.reason = None
        return answer

    def _run(self, act: Callable[[], Answer], deadline: float, wait_ms: int) -> Answer:
        done = allocate_lock()
        done.acquire()
        outcome: list[Any] = []
        start_new_thread(_work, (act, outcome, done))
        if not done.acquire(True, max(0.0, deadline - time.monotonic())):
            self._hanging = done
            raise ProviderFailed(f"the embedder did not answer within {wait_ms} ms")
        error, answer = outcome
        if error is None:
            return answer  # type: ignore[no-any-return]
        if isinstance(error, HoldfastError):
            raise error
        raise ProviderFailed(f"the embedder failed ({type(error).__name__})") from error

    def fail(self, reason: str) -> None:
        """Open the circuit for a minute."""
        self.reason, self._until = reason, time.monotonic() + OPEN_S

    def close(self) -> None:
        """Try again at the next call."""
        self.reason, self._until = None, 0.0


def _work(act: Callable[[], object], outcome: list[Any], done: LockType) -> None:
    try:
        answer = act()
        outcome += (None, answer)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the caller gets it and counts it
        outcome[:] = (error, None)
    finally:
        done.release()


class Guarded:
    """An embedder behind a circuit; implements the port itself."""

    def __init__(self, embedder: Embedder, circuit: Circuit, wait_ms: int) -> None:
        self._embedder, self._circuit = embedder, circuit
        self.wait_ms = wait_ms
        self.identity, self.dimensions = embedder.identity, embedder.dimensions
        self.floor, self.costly = embedder.floor, embedder.costly

    def within(self, wait_ms: int) -> Guarded:
        """The same with another deadline."""
        return Guarded(self._embedder, self._circuit, wait_ms)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[float32]:
        return self._circuit.call(lambda: self._believed(self._embedder.embed(texts, query=query), texts), self.wait_ms)

    def known(self, text: str) -> float:
        return self._embedder.known(text)

    def _believed(self, vectors: Any, texts: Sequence[str]) -> NDArray[float32]:
        import numpy as np

        wanted = (len(texts), self.dimensions)
        if not isinstance(vectors, np.ndarray) or vectors.shape != wanted or vectors.dtype.kind != "f":
            raise ProviderFailed(f"the embedder {self.identity} gave {_shape(vectors)} where {wanted} was due")
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
        if not np.isfinite(lengths).all():
            raise ProviderFailed(f"the embedder {self.identity} gave numbers that are not finite")
        if not np.all((np.abs(lengths - 1.0) <= _TOLERANCE) | (lengths == 0.0)):
            raise ProviderFailed(f"the embedder {self.identity} gave vectors that are not of length 1")
        return vectors.astype(np.float32, copy=False)


def _shape(vectors: object) -> str:
    return str(getattr(vectors, "shape", None) or type(vectors).__name__)
