"""An embedder that hangs, fails or gives nonsense costs a deadline once and nobody an answer."""

import time
from _thread import allocate_lock

import numpy as np
import pytest

from holdfast.errors import MissingExtra, ProviderFailed
from holdfast.providers import guarded
from holdfast.providers.guarded import Circuit, Guarded
from holdfast.testing.embedder import HashingEmbedder

SECRET = "remembered words"


class Odd(HashingEmbedder):
    """Gives whatever `answer` makes of the right vectors."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def embed(self, texts, *, query=False):
        return self.answer(super().embed(texts, query=query))


def raises(error):
    def answer(_vectors):
        raise error

    return answer


@pytest.fixture
def clock(monkeypatch):
    """The monotonic clock of the module, moved by hand."""
    moved = [0.0]
    real = time.monotonic
    monkeypatch.setattr(guarded.time, "monotonic", lambda: real() + moved[0])
    return moved


def test_right_vectors_come_through():
    plain = HashingEmbedder()
    assert (Guarded(plain, Circuit(), 1_000).embed(["a b"]) == plain.embed(["a b"])).all()


def test_a_zero_vector_is_an_answer():
    assert not Guarded(Odd(lambda rows: rows * 0), Circuit(), 1_000).embed(["a"]).any()


@pytest.mark.parametrize(
    "answer",
    [
        lambda rows: rows[:, :-1], lambda rows: rows[:-1], lambda rows: rows[0], lambda rows: rows * np.float32("nan"),
        lambda rows: rows * np.float32("inf"), lambda rows: rows * 2, lambda rows: rows.astype(int), lambda rows: None,
        lambda rows: [], lambda rows: rows.tolist(), raises(ValueError(SECRET)), raises(KeyboardInterrupt()),
        raises(MemoryError()),
    ],
)  # fmt: skip
def test_anything_else_is_a_failure_that_says_nothing_of_the_text(answer):
    with pytest.raises(ProviderFailed) as caught:
        Guarded(Odd(answer), Circuit(), 1_000).embed([SECRET, "other"])
    assert SECRET not in caught.value.message


def test_a_typed_error_stays_what_it_is():
    with pytest.raises(MissingExtra, match="install it"):
        Circuit().call(lambda: raises(MissingExtra("install it"))(None), 1_000)


def test_a_hanging_call_is_given_up_at_its_deadline_and_not_repeated():
    gate = allocate_lock()
    gate.acquire()
    calls = []

    def hang(rows):
        calls.append(1)
        gate.acquire()
        return rows

    embedder = Guarded(Odd(hang), Circuit(), 100)
    started = time.monotonic()
    with pytest.raises(ProviderFailed, match="did not answer within 100 ms"):
        embedder.embed(["a"])
    assert time.monotonic() - started < 2.0
    started = time.monotonic()
    with pytest.raises(ProviderFailed, match="did not answer"):
        embedder.within(60_000).embed(["a"])
    assert time.monotonic() - started < 1.0
    assert calls == [1]
    gate.release()


def test_the_circuit_closes_after_a_minute(clock):
    answers = iter([raises(ValueError()), lambda rows: rows])
    embedder = Guarded(Odd(lambda rows: next(answers)(rows)), Circuit(), 1_000)
    for _ in range(3):
        with pytest.raises(ProviderFailed):
            embedder.embed(["a"])
    clock[0] = 61.0
    assert embedder.embed(["a"]).shape == (1, 64)


def test_the_circuit_stays_open_while_a_call_hangs(clock):
    gate = allocate_lock()
    gate.acquire()
    circuit = Circuit()
    with pytest.raises(ProviderFailed):
        circuit.call(gate.acquire, 20)
    clock[0] = 61.0
    assert circuit.open
    gate.release()
    deadline = time.monotonic() + 5
    while circuit.open and time.monotonic() < deadline:
        time.sleep(0.01)
    assert circuit.call(lambda: 7, 1_000) == 7
