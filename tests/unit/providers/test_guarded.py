"""An embedder that hangs, fails or gives nonsense costs a deadline once and nobody an answer."""

import os
import subprocess
import sys
import time
from _thread import allocate_lock
from threading import Thread, get_ident

import numpy as np
import pytest

from holdfast.errors import MissingExtra, ProviderFailed
from holdfast.providers import circuit as circuits
from holdfast.providers.circuit import Circuit
from holdfast.providers.guarded import Guarded, sound
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
    monkeypatch.setattr(circuits.time, "monotonic", lambda: real() + moved[0])
    return moved


def test_right_vectors_come_through():
    plain = HashingEmbedder()
    assert (Guarded(plain, Circuit(), 1_000).embed(["a b"]) == plain.embed(["a b"])).all()


def test_a_zero_vector_is_an_answer_where_there_is_nothing_to_read():
    assert not Guarded(Odd(lambda rows: rows * 0), Circuit(), 1_000).embed([" ?", "\U0001f600"]).any()


def test_an_embedder_may_not_know_a_word_if_it_knows_another():
    class Narrow(HashingEmbedder):
        def embed(self, texts, *, query=False):
            return super().embed(texts, query=query) * np.float32([["word" in text] for text in texts])

    assert not Guarded(Narrow(), Circuit(), 1_000).embed(["xyzzy"]).any()


@pytest.mark.parametrize("query", [False, True])
def test_nothing_but_zeros_for_words_is_a_failure(query):
    with pytest.raises(ProviderFailed, match="zeros"):
        Guarded(Odd(lambda rows: rows * 0), Circuit(), 1_000).embed(["?", "a word"], query=query)
    with pytest.raises(ProviderFailed, match="zeros"):
        Guarded(Odd(lambda rows: rows * 0), Circuit(), 1_000).question("a word")


@pytest.mark.parametrize("known", [None, "1", float("nan"), 1.5, -0.1])
def test_a_share_of_known_words_that_cannot_be_is_a_failure(known):
    class Boasting(HashingEmbedder):
        def known(self, text):
            return known

    with pytest.raises(ProviderFailed, match="share"):
        Guarded(Boasting(), Circuit(), 1_000).question("a word")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("identity", ""), ("identity", None), ("dimensions", 0), ("dimensions", "64"), ("dimensions", 10**9),
        ("floor", None), ("floor", "high"), ("floor", float("nan")), ("floor", 2.0), ("identity", "\ud800"),
        ("identity", "a\nb"), ("costly", None), ("costly", 1),
    ],
)  # fmt: skip
def test_an_embedder_that_says_of_itself_what_cannot_be_is_refused(name, value):
    embedder = HashingEmbedder()
    setattr(embedder, name, value)
    with pytest.raises(ProviderFailed):
        sound(embedder)


def test_a_question_comes_with_the_share_of_its_words_that_are_known():
    row, known = Guarded(HashingEmbedder(), Circuit(), 1_000).question("a word")
    assert (row == HashingEmbedder().embed(["a word"])[0]).all()
    assert known == 1.0


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


class Choosy(HashingEmbedder):
    """Cannot take some texts."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def embed(self, texts, *, query=False):
        rows = super().embed(texts, query=query)
        return self.answer(rows) if "bad" in texts else rows


@pytest.mark.parametrize(
    "answer", [raises(ValueError(SECRET)), lambda rows: rows * np.float32("nan"), lambda rows: rows[1:]]
)
def test_a_text_that_cannot_be_taken_costs_no_other_text_its_vector(answer):
    circuit = Circuit()
    guarded = Guarded(Choosy(answer), circuit, 1_000)
    texts = ["a", "b", "c", "bad", "d", "e", "bad"]
    rows, right = guarded.embed(texts), HashingEmbedder().embed(texts)
    for row, due, text in zip(rows, right, texts, strict=True):
        assert np.isnan(row).all() if text == "bad" else (row == due).all()
    assert not circuit.open
    assert SECRET not in guarded.refusal


class Thrifty(HashingEmbedder):
    """Writes every answer to the same place, and does not take every text."""

    def __init__(self):
        super().__init__()
        self.place = np.zeros((16, self.dimensions), np.float32)

    def embed(self, texts, *, query=False):
        if "poison" in texts:
            raise ValueError
        answer = self.place[: len(texts)]
        answer[:] = super().embed(texts, query=query)
        return answer


def test_what_an_embedder_writes_over_its_last_answer_changes_nothing():
    embedder, plain = Guarded(Thrifty(), Circuit(), 1_000), HashingEmbedder()
    (asked,), (first,) = embedder.embed(["alpha"], query=True), embedder.question("beta")[:1]
    rows = embedder.embed(["gamma", "delta", "poison", "epsilon"])
    assert (asked == plain.embed(["alpha"])[0]).all()
    assert (first == plain.embed(["beta"])[0]).all()
    assert (rows[[0, 1, 3]] == plain.embed(["gamma", "delta", "epsilon"])).all()


def test_a_question_that_cannot_be_taken_is_not_held_against_the_next():
    guarded = Guarded(Choosy(raises(ValueError())), Circuit(), 1_000)
    assert np.isnan(guarded.question("bad")[0]).all()
    assert guarded.question("good")[0].any()


def test_without_a_thread_to_ask_on_there_is_no_vector_and_the_next_call_tries_again(monkeypatch):
    guarded = Guarded(HashingEmbedder(), Circuit(), 1_000)
    with monkeypatch.context() as patched:
        patched.setattr(circuits, "_free", [])
        patched.setattr(circuits, "start_new_thread", lambda *_: raises(RuntimeError("can't start new thread"))(None))
        with pytest.raises(ProviderFailed, match="no thread"):
            guarded.embed(["a"])
    assert guarded.embed(["a"]).any()


def test_calls_that_follow_each_other_share_a_thread_that_is_not_the_callers():
    used = {Circuit().call(get_ident, 1_000) for _ in range(5)}
    assert len(used) == 1
    assert get_ident() not in used


class Instant(HashingEmbedder):
    """One that looks a question up and cannot hang."""

    instant = True

    def __init__(self):
        super().__init__()
        self.asked_on = []
        self.broken = False

    def embed(self, texts, *, query=False):
        self.asked_on.append(get_ident())
        if self.broken:
            raise OSError("secret words")
        return super().embed(texts, query=query)


def test_what_cannot_hang_gives_a_question_its_vector_on_the_callers_thread():
    embedder = Instant()
    row, known = Guarded(embedder, Circuit(), 2_000).question("some words")
    assert row.any()
    assert known == 1.0
    assert embedder.asked_on == [get_ident()]


def test_what_fails_there_opens_the_circuit_and_says_nothing_of_the_text():
    embedder, circuit = Instant(), Circuit()
    embedder.broken = True
    guarded = Guarded(embedder, circuit, 2_000)
    with pytest.raises(ProviderFailed, match="OSError") as failed:
        guarded.question("some words")
    assert "secret" not in str(failed.value)
    asked = len(embedder.asked_on)
    with pytest.raises(ProviderFailed, match="OSError"):
        guarded.question("other words")
    assert circuit.open
    assert len(embedder.asked_on) == asked


def test_a_thread_that_hangs_is_not_waited_for_by_the_next_circuit():
    gate = allocate_lock()
    gate.acquire()
    with pytest.raises(ProviderFailed, match="within 20 ms"):
        Circuit().call(gate.acquire, 20)
    assert Circuit().call(lambda: 7, 1_000) == 7
    gate.release()
    assert circuits.settle(5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_asks_on_a_thread_of_its_own():
    assert Circuit().call(lambda: 7, 1_000) == 7
    child = os.fork()
    if not child:
        try:
            os._exit(Circuit().call(lambda: 8, 1_000))
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 8


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
    answers = iter([raises(ValueError()), raises(ValueError()), lambda rows: rows])  # it is tried with a word of ours
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


# -- slow is not failed


class Gated(HashingEmbedder):
    """Answers when it is told to."""

    def __init__(self):
        super().__init__()
        self.gate = allocate_lock()
        self.gate.acquire()

    def embed(self, texts, *, query=False):
        with self.gate:
            return super().embed(texts, query=query)


def late(embedder, circuit, act):
    """What an act asks for comes too late, but it comes."""
    with pytest.raises(ProviderFailed, match="did not answer"):
        act()
    embedder.gate.release()
    assert circuits.settle(5)
    assert not circuit.open


def test_what_came_too_late_is_there_for_the_next_who_asks_and_made_once():
    slow, circuit = Gated(), Circuit()
    guarded = Guarded(slow, circuit, 20)
    late(slow, circuit, lambda: guarded.embed(["a", "b"]))
    again = guarded.within(5_000)
    assert (again.embed(["c", "b", "a"]) == HashingEmbedder().embed(["c", "b", "a"])).all()
    assert slow.calls == ["a", "b", "c"]
    again.embed(["a"])
    assert slow.calls == ["a", "b", "c", "a"]  # a shelf is no cache


def test_a_question_that_was_answered_too_late_is_answered_when_it_is_asked_again():
    slow, circuit = Gated(), Circuit()
    guarded = Guarded(slow, circuit, 20)
    late(slow, circuit, lambda: guarded.question("a"))
    assert guarded.question("a")[0].any()
    assert slow.calls == ["a"]


def test_a_failure_that_came_too_late_opens_the_circuit_all_the_same():
    gate = allocate_lock()
    gate.acquire()
    circuit = Circuit()

    def fail():
        with gate:
            raise ValueError

    with pytest.raises(ProviderFailed, match="did not answer"):
        circuit.call(fail, 20)
    gate.release()
    assert circuits.settle(5)
    with pytest.raises(ProviderFailed, match="ValueError"):
        circuit.call(lambda: 7, 1_000)


def test_who_waited_for_a_call_that_was_given_up_starts_no_second_one():
    gate, circuit, calls = allocate_lock(), Circuit(), []
    gate.acquire()
    second = Thread(target=lambda: calls.append(refusal(circuit, lambda: calls.append("began"), 5_000)))

    def hang():
        second.start()
        gate.acquire()

    assert "did not answer" in refusal(circuit, hang, 300)
    second.join()
    assert len(calls) == 1
    assert "did not answer" in calls[0]
    gate.release()


def refusal(circuit, act, wait_ms):
    with pytest.raises(ProviderFailed) as caught:
        circuit.call(act, wait_ms)
    return caught.value.message


def test_few_texts_are_tried_first_and_fewer_if_they_take_long():
    slow = Odd(lambda rows: time.sleep(0.02 * len(rows)) or rows)
    guarded = Guarded(slow, Circuit(), 1_000)
    assert guarded.first == 4
    guarded.embed(["a", "b"])
    assert guarded.within(100).first in (1, 2)
    assert guarded.within(60_000).first == 16


EXITING = """
import sys, time
from holdfast.providers import circuit
circuit.EXIT_S = float(sys.argv[1])

def work():
    time.sleep(float(sys.argv[2]))
    print("ended", flush=True)

try:
    circuit.Circuit().call(work, 1)
except Exception:
    print("given up", flush=True)
"""


@pytest.mark.parametrize(("waits", "works", "said"), [(5, 0.2, "given up\nended\n"), (0.05, 60, "given up\n")])
def test_a_process_waits_at_its_end_for_what_it_gave_up_but_not_for_ever(waits, works, said):
    done = subprocess.run(
        [sys.executable, "-c", EXITING, str(waits), str(works)], capture_output=True, text=True, timeout=30
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, said, "")


class Knowing(HashingEmbedder):
    """Says of words whatever it was told to."""

    def __init__(self, answer):
        super().__init__()
        self.alike = lambda _terms, _texts: answer


def test_who_cannot_compare_words_is_not_asked_to():
    assert Guarded(HashingEmbedder(), Circuit(), 1_000).alike(["movie"], ["a film"]) is None
    assert Guarded(HashingEmbedder(), Circuit(), 1_000).no_words(["movie"]) == []


def test_how_far_words_mean_the_same_comes_through():
    guarded = Guarded(Knowing(np.float32([[0.0, 1.0]])), Circuit(), 1_000)
    assert guarded.alike(["movie", "film"], ["a film"]) == [[0.0, 1.0]]


@pytest.mark.parametrize("answer", [None, [0.5], [[0.5, 0.5]], [[float("nan")]], [[1.5]], [[-0.1]]])
def test_shares_of_words_that_cannot_be_are_a_failure(answer):
    with pytest.raises(ProviderFailed, match="words mean the same"):
        Guarded(Knowing(answer), Circuit(), 1_000).alike(["movie"], ["a film"])
