"""Guarded: an embedder that cannot hang, crash or deceive whoever asks it.

Every call goes through a circuit. What comes back is believed only if it has the promised shape, is finite and
of unit length, or zero where there is nothing to read: an embedder that has nothing but zeros for words is
broken. Answers that came too late lie on a shelf until somebody asks for them, so a slow embedder gets on.
Failures come out as ProviderFailed, without a word of the text. A text that an embedder cannot take, while it can take
others, is not its failure: that text gets a row of NaN, which nobody stores, and the others theirs.
"""

from __future__ import annotations

import time

from ..errors import HoldfastError, ProviderFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from numpy import float32
    from numpy.typing import NDArray

    from ..ports import Embedder
    from .circuit import Circuit

    Answer = TypeVar("Answer")
    Question = tuple[NDArray[float32], float]  # its vector, and the share of its words that the embedder knows

PROBE = "a word"
_TOLERANCE = 1e-3
_MOST_SHELVED = 1_024
_MOST_DIMENSIONS = 65_536
_FIRST = 4  # texts at once while nobody knows how long one takes
_MOST_FIRST = 16


def sound(embedder: Embedder) -> Embedder:
    """The embedder, if what it says of itself can be; ProviderFailed if not."""
    identity, dimensions, floor = embedder.identity, embedder.dimensions, embedder.floor
    if not isinstance(identity, str) or not identity or not identity.isprintable():
        raise ProviderFailed("the embedder has no name that can be written down")
    if type(dimensions) is not int or not 0 < dimensions <= _MOST_DIMENSIONS:
        raise ProviderFailed(f"the embedder {identity} has no dimensions from 1 to {_MOST_DIMENSIONS}")
    if not _between(-1.0, floor, 1.0):
        raise ProviderFailed(f"the embedder {identity} has no floor from -1 to 1")
    if type(getattr(embedder, "costly", None)) is not bool:
        raise ProviderFailed(f"the embedder {identity} does not say whether it is costly")
    return embedder


class Shelf:
    """Answers that came too late, until they are asked for; and how long a text takes. Replaced, never changed: threads
    that meet here lose an answer at worst."""

    def __init__(self) -> None:
        self.rows: dict[str, NDArray[float32]] = {}  # by text
        self.question: tuple[str, Question] | None = None
        self.pace: float | None = None  # seconds a text, as last seen
        self.refusal: str | None = None  # what was wrong with the last text that was not taken

    def put(self, texts: Sequence[str], rows: NDArray[float32]) -> None:
        kept = {**self.rows, **dict(zip(texts, rows, strict=True))}
        self.rows = dict(list(kept.items())[-_MOST_SHELVED:])

    def clear(self, texts: Sequence[str]) -> None:
        gone = set(texts)
        self.rows = {text: row for text, row in self.rows.items() if text not in gone}


class Guarded:
    """An embedder behind a circuit; implements the port itself."""

    def __init__(self, embedder: Embedder, circuit: Circuit, wait_ms: int, shelf: Shelf | None = None) -> None:
        self._embedder, self._circuit, self._shelf = embedder, circuit, shelf or Shelf()
        self.wait_ms = wait_ms
        self.identity, self.dimensions = embedder.identity, embedder.dimensions
        self.floor, self.costly = embedder.floor, embedder.costly
        self._instant = getattr(embedder, "instant", False)  # then nobody need wait for another thread

    def within(self, wait_ms: int) -> Guarded:
        """The same with another deadline."""
        return Guarded(self._embedder, self._circuit, wait_ms, self._shelf)

    @property
    def first(self) -> int:
        """How many texts to begin with, so that half the deadline is enough at the speed last seen."""
        pace = self._shelf.pace
        return _FIRST if pace is None else max(1, min(_MOST_FIRST, int(self.wait_ms / 2_000 / max(pace, 1e-6))))

    @property
    def refusal(self) -> str | None:
        """Why a text got no vector though others did."""
        return self._shelf.refusal

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[float32]:
        shelved = self._shelf.rows
        if query or not any(text in shelved for text in texts):
            return self._made(texts, query)
        lacking = [text for text in texts if text not in shelved]
        known = {**shelved, **dict(zip(lacking, self._made(lacking, query), strict=True))} if lacking else shelved
        self._shelf.clear(texts)
        return _stacked([known[text] for text in texts])

    def _made(self, texts: Sequence[str], query: bool) -> NDArray[float32]:
        return self._circuit.call(
            lambda: self._timed(texts, query),
            self.wait_ms,
            None if query else lambda rows: self._shelf.put(texts, rows),
        )

    def question(self, text: str) -> Question:
        """A question's vector, and how much of the question the embedder knows."""
        shelved, self._shelf.question = self._shelf.question, None
        if shelved is not None and shelved[0] == text:
            return shelved[1]
        if self._instant:
            return self._circuit.here(lambda: self._understood(text))
        return self._circuit.call(lambda: self._understood(text), self.wait_ms, lambda made: self._keep(text, made))

    def _keep(self, text: str, made: Question) -> None:
        self._shelf.question = text, made

    def _understood(self, text: str) -> Question:
        (row,) = self._taken([text], True)
        return row, self._share(text) if sense(row) else 0.0

    def known(self, text: str) -> float:
        return self._circuit.call(lambda: self._share(text), self.wait_ms)

    def alike(self, terms: Sequence[str], texts: Sequence[str]) -> list[list[float]] | None:
        """How far texts say each term in other words (`ports.Lexicon`); None from an embedder that cannot tell."""
        compare = getattr(self._embedder, "alike", None)
        if compare is None:
            return None
        return self._within(lambda: self._shares(compare(terms, texts), (len(texts), len(terms))))

    def no_words(self, terms: Sequence[str]) -> list[str]:
        """Those of these that are no words (`ports.Lexicon`); none by an embedder that cannot tell."""
        is_word = getattr(self._embedder, "is_word", None)
        return [] if is_word is None else self._within(lambda: [term for term in terms if not is_word(term)])

    def _within(self, act: Callable[[], Answer]) -> Answer:
        """Within the deadline; what answers at once is asked on this thread."""
        return self._circuit.here(act) if self._instant else self._circuit.call(act, self.wait_ms)

    def _shares(self, found: Any, wanted: tuple[int, int]) -> list[list[float]]:
        import numpy as np

        shares = np.asarray(found, np.float32)
        if shares.shape != wanted or not ((shares >= 0.0) & (shares <= 1.0)).all():
            raise ProviderFailed(f"the embedder {self.identity} did not say how far words mean the same")
        rows: list[list[float]] = shares.tolist()
        return rows

    def _share(self, text: str) -> float:
        known = self._embedder.known(text)
        if not _between(0.0, known, 1.0):
            raise ProviderFailed(f"the embedder {self.identity} did not say what share of a text it knows")
        return float(known)

    def _timed(self, texts: Sequence[str], query: bool) -> NDArray[float32]:
        started = time.monotonic()
        rows = self._taken(texts, query)
        self._shelf.pace = (time.monotonic() - started) / max(1, len(texts))
        return rows

    def _taken(self, texts: Sequence[str], query: bool) -> NDArray[float32]:
        """A row for each text; NaN for those that the embedder cannot take, found by halving."""
        try:
            return self._believed(self._embedder.embed(texts, query=query), texts, query)
        except Exception as error:  # whatever it is, it counts: against the embedder or against a text
            if not self._knows_a_word(query):
                raise
            self._shelf.refusal = f"the embedder {self.identity} does not take every text ({_told(error)})"
        if len(texts) == 1:
            return _nothing(self.dimensions)
        half = len(texts) // 2
        return _stacked([*self._taken(texts[:half], query), *self._taken(texts[half:], query)])

    def _believed(self, vectors: Any, texts: Sequence[str], query: bool) -> NDArray[float32]:
        found = self._checked(vectors, len(texts))
        if not found.any() and any(map(says_something, texts)) and not self._knows_a_word(query):
            raise ProviderFailed(f"the embedder {self.identity} gave nothing but zeros")
        return found

    def _knows_a_word(self, query: bool) -> bool:
        """Whether zeros may be right: there are words that an embedder does not know, but then it knows others."""
        return bool(self._checked(self._embedder.embed([PROBE], query=query), 1).any())

    def _checked(self, vectors: Any, count: int) -> NDArray[float32]:
        import numpy as np

        wanted = (count, self.dimensions)
        if not isinstance(vectors, np.ndarray) or vectors.shape != wanted or vectors.dtype.kind != "f":
            raise ProviderFailed(
                f"the embedder {self.identity} gave {_shape(vectors)} where {wanted} of floats was due"
            )
        found = np.array(vectors)  # the embedder may write its next answer where this one lies
        lengths = np.linalg.norm(found.astype(np.float64), axis=1)
        if not np.isfinite(lengths).all():
            raise ProviderFailed(f"the embedder {self.identity} gave numbers that are not finite")
        if not np.all((np.abs(lengths - 1.0) <= _TOLERANCE) | (lengths == 0.0)):
            raise ProviderFailed(f"the embedder {self.identity} gave vectors that are not of length 1")
        return found.astype(np.float32, copy=False)


def _between(least: float, value: Any, most: float) -> bool:
    """Whether it is a number of this range, which NaN is not."""
    return hasattr(value, "__float__") and bool(least <= float(value) <= most)


def says_something(text: str) -> bool:
    """Whether a text has a letter or digit: then its vector is hardly ever zero."""
    return any(map(str.isalnum, text))


def sense(row: NDArray[float32]) -> bool:
    """Whether this is a vector, and not the NaN of a text that was not taken."""
    return bool(row[0] == row[0])


def _told(error: Exception) -> str:
    return error.message if isinstance(error, HoldfastError) else type(error).__name__


def _nothing(dimensions: int) -> NDArray[float32]:
    import numpy as np

    return np.full((1, dimensions), np.nan, np.float32)


def _stacked(rows: list[NDArray[float32]]) -> NDArray[float32]:
    import numpy as np

    return np.stack(rows)


def _shape(vectors: object) -> str:
    """What came instead of floats in rows: numbers of another kind may be as many."""
    shape, kind = getattr(vectors, "shape", None), getattr(vectors, "dtype", None)
    return f"{shape} of {kind}" if shape else type(vectors).__name__
