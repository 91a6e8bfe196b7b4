"""The embedder in the wheel: a vector for each piece of a word, summed and brought to unit length.

Owns vectors without a model run: NumPy, one file, thousands of texts a second. Words in Latin script
use rows that `tools/distil.py` learned from a sentence encoder; what the vocabulary does not hold (other
scripts, emoji) gets fixed pseudo-random rows of its letters, so that equal letters look alike and nothing more.
The rule it keeps: sums are of whole numbers, hence equal on every machine and in any batch; a text without a
letter or mark is the zero vector.
"""

from __future__ import annotations

import os

from ..text.letters import groups
from ..text.stopwords import STOP
from ..text.wordpiece import WordPiece, words
from .table import LARGEST_SCALE, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

PATH = os.path.join(os.path.dirname(__file__), "data", "english.table")
_BLOCK = 8192  # pieces looked up at once: 2 MB of rows at 256 dimensions
_RUN = 2**24 // (127 * LARGEST_SCALE)  # pieces whose sum is a whole number that float32 holds, in any order
_LETTER = 64  # what a pseudo-random row has in each dimension, with either sign
# Cosines of two words. "movie" and "film" have 0.83, "occupation" and "job" 0.62; "dog" and "cat" 0.31, "hotel" and
# "restaurant" 0.44; of words taken by chance one pair in 3,000 has more than 0.5.
_OTHER, _SAME = 0.5, 0.75


class BuiltinEmbedder:
    """Implements `ports.Embedder` and `ports.Lexicon`. Threads may share one: only a cache of words changes, an entry
    at once."""

    costly = False  # making a vector again is cheaper than keeping it
    instant = True  # a few rows of a table in memory: whoever asks need not wait on another thread

    def __init__(self, path: str = PATH) -> None:
        table = read(path)
        self._rows, self._scales = table.rows, table.scales
        self._vocabulary = dict(zip(table.pieces, range(len(table.pieces)), strict=True))
        self._pieces = WordPiece(self._vocabulary, _letters_after(len(self._vocabulary)))
        self._letter_scale: int = table.header["letter_scale"]
        self.dimensions: int = table.header["dimensions"]
        self.floor: float = table.header["floor"]
        self.identity = f"builtin/{table.header['model']}/{self.dimensions}"

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """One row of length 1 for each text, or of zeros where there is nothing to read."""
        import numpy as np

        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for first, numbers, ends in self._blocks(texts):
            vectors[first : first + len(ends)] = _unit(self._sums(numbers, ends))
        return vectors

    def known(self, text: str) -> float:
        """The share of words that are one piece of the table: near 1 for English, small for other languages."""
        found = [word for word in words(text) if word[0].isalpha() or not word.isascii()]
        return sum(word in self._vocabulary for word in found) / len(found) if found else 1.0

    def is_word(self, term: str) -> bool:
        """Whether it is one of the table; rare words are not, nor are misspelt ones."""
        return term in self._vocabulary

    def alike(self, terms: Sequence[str], texts: Sequence[str]) -> NDArray[np.float32]:
        """A row a text: how far its likest word means the same as each term; 0 is another thing, 1 the same.

        Only words that are one piece are compared: what a long one shares with another may be any part of it.
        """
        import numpy as np

        found = np.zeros((len(texts), len(terms)), np.float32)
        asked = {
            place: number for place, term in enumerate(terms) if (number := self._vocabulary.get(term)) is not None
        }
        told = {place: numbers for place, text in enumerate(texts) if (numbers := self._whole_words(text))}
        if asked and told:
            words_of_all = self._units([number for numbers in told.values() for number in numbers])
            cosines = np.vecdot(words_of_all[:, None, :], self._units(list(asked.values()))[None, :, :])
            starts = np.cumsum([0, *map(len, told.values())])[:-1]
            found[np.ix_(list(told), list(asked))] = np.maximum.reduceat(cosines, starts, axis=0)
        shares: NDArray[np.float32] = np.clip((found - _OTHER) / (_SAME - _OTHER), 0.0, 1.0)
        return shares

    def _whole_words(self, text: str) -> list[int]:
        """The numbers of those words of a text that are one piece and say something."""
        return [number for number in map(self._vocabulary.get, {*words(text)} - STOP) if number is not None]

    def _units(self, numbers: list[int]) -> NDArray[np.float32]:
        """The rows of these pieces, each of length 1. No BLAS here or above: its threads may wait for a core."""
        import numpy as np

        rows: NDArray[np.float32] = self._rows[numbers].astype(np.float32)
        rows /= np.maximum(np.sqrt(np.vecdot(rows, rows)), 1.0)[:, None]
        return rows

    def _blocks(self, texts: Sequence[str]) -> Iterator[tuple[int, list[int], list[int]]]:
        """Texts in groups of bounded work: the first one's place, all their pieces, where each text ends."""
        first = 0
        numbers: list[int] = []
        ends: list[int] = []
        for place, text in enumerate(texts):
            numbers += self._pieces.encode(text)
            ends.append(len(numbers))
            if len(numbers) >= _BLOCK:
                yield first, numbers, ends
                first, numbers, ends = place + 1, [], []
        if ends:
            yield first, numbers, ends

    def _sums(self, numbers: list[int], ends: list[int]) -> NDArray[np.float64]:
        """The sum of the scaled rows of each text."""
        import numpy as np

        rows, scales = self._look_up(np.array(numbers, np.int64))
        sums = np.zeros((len(ends), self.dimensions))
        begin = 0
        for place, end in enumerate(ends):
            for run in range(begin, end, _RUN):
                last = min(end, run + _RUN)
                sums[place] += scales[run:last] @ rows[run:last].astype(np.float32)
            begin = end
        return sums

    def _look_up(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
        """Row and scale of each piece; numbers beyond the table are letters, made up on the spot."""
        import numpy as np

        letters = np.flatnonzero(numbers >= len(self._rows))
        known = numbers.copy()
        known[letters] = 0
        rows, scales = self._rows[known], self._scales[known].astype(np.float32)
        if len(letters):
            rows[letters] = _signs(numbers[letters] - len(self._rows), self.dimensions) * np.int8(_LETTER)
            scales[letters] = self._letter_scale
        return rows, scales


def _letters_after(known: int) -> Callable[[str], tuple[int, ...]]:
    """Groups of letters, with numbers behind those of the pieces; a method would keep its embedder from being freed."""
    return lambda word: tuple(known + number for number in groups(word))


def _signs(numbers: NDArray[np.int64], dimensions: int) -> NDArray[np.int8]:
    """A row of +1 and -1 for each number: the bits of splitmix64 at places that belong to this number."""
    import numpy as np

    blocks = -(-dimensions // 64)
    places = numbers[:, None] * blocks + np.arange(1, blocks + 1)
    state = places.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    bits = np.unpackbits(state.astype("<u8").view(np.uint8), axis=1, bitorder="little")[:, :dimensions]
    return bits.astype(np.int8) * np.int8(2) - np.int8(1)


def _unit(sums: NDArray[np.float64]) -> NDArray[np.float32]:
    import numpy as np

    lengths = np.sqrt((sums * sums).sum(axis=1, keepdims=True))
    return (sums / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
