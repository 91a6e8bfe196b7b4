"""Kept: floats of vectors that were read once, so that the next question need not read them again.

A question reads the floats of some hundred vectors, most of them the same for questions to the same memory;
reading them from the file takes longer than everything else that nearness does. Held in one block of at most
64 MiB; when it is full it begins anew. A vector's floats never change under its number, so only what was taken
out of the index must go from here, page by page.
"""

from __future__ import annotations

import json
from _thread import allocate_lock

from .database import ask_all
from .pages import SLOTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    import apsw
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]

MOST_BYTES = 64 << 20
_FIRST = 4_096  # rows of the block at first; doubled as needed
_ABSENT = -1
_TOLERANCE = 5e-3  # by which the square of a vector's length may be off: twice what was let in


class Kept:
    """The floats of one generation; safe for threads."""

    def __init__(self, dimensions: int) -> None:
        import numpy as np

        self.dimensions = dimensions
        self._mutex = allocate_lock()
        self._most = max(1, MOST_BYTES // (4 * dimensions))
        self._places = np.full(SLOTS, _ABSENT, np.int32)  # by number
        self._rows = np.empty((min(_FIRST, self._most), dimensions), np.float32)
        self._chunks = np.empty(len(self._rows), np.int64)
        self._used = 0

    def take(self, connection: apsw.Connection, numbers: Numbers) -> tuple[Numbers, Floats]:
        """The chunks of these vectors, those that still exist, with their floats."""
        if len(numbers) > self._most:
            return read(connection, numbers, self.dimensions)[1:]
        with self._mutex:
            self._reach(numbers)
            missing = numbers[self._places[numbers] == _ABSENT]
            if self._used + len(missing) > self._most:
                self._places[:], self._used, missing = _ABSENT, 0, numbers
            if len(missing):
                self._add(*read(connection, missing, self.dimensions))
            places = self._places[numbers]
            places = places[places != _ABSENT]
            return self._chunks[places], self._rows.take(places, axis=0)  # in half the time of an index

    def _reach(self, numbers: Numbers) -> None:
        """Have a place for the largest of them."""
        import numpy as np

        lacking = int(numbers.max(initial=0)) + 1 - len(self._places)
        if lacking > 0:
            more = np.full(max(lacking, len(self._places)), _ABSENT, np.int32)
            self._places = np.concatenate([self._places, more])

    def _add(self, numbers: Numbers, chunks: Numbers, floats: Floats) -> None:
        import numpy as np

        end = self._used + len(numbers)
        if end > len(self._rows):
            size = min(self._most, max(end, 2 * len(self._rows)))
            self._rows, self._chunks = _grown(self._rows, size), _grown(self._chunks, size)
        self._rows[self._used : end], self._chunks[self._used : end] = floats, chunks
        self._places[numbers] = np.arange(self._used, end)
        self._used = end

    def drop(self, pages: Iterable[int]) -> None:
        """Nothing of these pages is true any more."""
        with self._mutex:
            for page in pages:
                here = self._places[page * SLOTS : (page + 1) * SLOTS]
                self._rows[here[here != _ABSENT]] = 0.0
                here[:] = _ABSENT


def read(connection: apsw.Connection, numbers: Numbers, dimensions: int) -> tuple[Numbers, Numbers, Floats]:
    """These vectors from the file, those that still exist: number, chunk, floats."""
    import numpy as np

    found = ask_all(
        connection, "SELECT v.n, v.chunk, v.data FROM json_each(?) j JOIN vectors v ON v.n=j.value",
        (json.dumps(numbers.tolist()),),
    )  # fmt: skip
    known = np.array([row[:2] for row in found], np.int64).reshape(len(found), 2)
    floats = np.frombuffer(b"".join(row[2] for row in found), "<f4").reshape(len(found), dimensions)
    look_at(floats)
    return known[:, 0], known[:, 1], floats


def look_at(floats: Floats) -> None:
    """Refuse what is no vector of ours: a flipped bit may bring any text to the front, or keep it from being found."""
    if not whole(floats).all():
        raise ValueError("a vector of another length than one")


def whole(floats: Floats) -> NDArray[np.bool_]:
    """Which of them have the length that every vector has."""
    import numpy as np

    with np.errstate(over="ignore", invalid="ignore"):
        found: NDArray[np.bool_] = np.abs(np.vecdot(floats, floats) - 1.0) <= _TOLERANCE
    return found


def _grown(block: NDArray[Any], size: int) -> NDArray[Any]:
    import numpy as np

    larger = np.empty((size, *block.shape[1:]), block.dtype)
    larger[: len(block)] = block
    return larger
