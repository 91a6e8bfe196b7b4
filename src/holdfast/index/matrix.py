"""Matrix: owners, sign bits and, while they are few, floats of all vectors of a generation, in memory.

Brought level before each answer by the stamps of `pages`: only pages that changed are read again. Up to 8
thousand vectors it has all floats, those of vacant slots left out, which may be most. Above that a question reads those
of the best, and `kept` keeps them. A Part is what one owner's memory is of it, made once and used by every question
until something changes.
"""

from __future__ import annotations

import json

from .database import ask_all
from .kept import Kept, look_at
from .numbers import SHARED, VACANT
from .pages import SLOTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import apsw
    import numpy as np
    from numpy.typing import NDArray

    from .kept import Floats, Numbers

EXACT = 8_000  # vectors compared without looking at bits first: more take longer than their bits and the best floats
_MOST_PARTS = 16
_NO_ROW = -1


class Matrix:
    """The pages of one generation in memory. Never changed, only replaced: threads may share it."""

    def __init__(self, pages: dict[int, int], owners: NDArray[np.int32], bits: NDArray[np.uint64]) -> None:
        import numpy as np

        self.pages = pages  # page -> stamp, ascending
        self.owners = owners
        self.bits = bits  # one row of 64-bit words for each 64 dimensions
        self.floats: Floats | None = None  # a row for each slot that is not vacant, in their order
        self.chunks: Numbers | None = None  # of each of these rows
        self.rows: Numbers = np.empty(0, np.int64)  # by slot, where there are floats; a vacant one has none
        self.kept: Kept | None = None  # where they are not, or not all are wanted
        self.said: dict[tuple[str | None, ...], Numbers] = {}  # by a user's authors, as far as anybody asked
        self._parts: dict[tuple[int | None, bool], Part] = {}
        starts = np.fromiter(pages, np.int64, len(pages)) * SLOTS
        self.numbers: Numbers = (starts[:, None] + np.arange(SLOTS)).reshape(-1)

    def part(self, owner: int | None, shared: bool) -> Part:
        """What belongs to one owner (None: to everybody), with what is shared or without; what `where_scope` says."""
        import numpy as np

        found = self._parts.get((owner, shared))
        if found is None:
            mine = self.owners != VACANT if owner is None else self.owners == owner
            whole = mine | (self.owners == SHARED) if shared else mine & (self.owners != SHARED)
            if len(self._parts) >= _MOST_PARTS:
                self._parts.clear()
            found = self._parts[owner, shared] = Part(self, np.flatnonzero(whole))
        return found

    def places(self, numbers: Numbers) -> Part:
        """What these vectors are."""
        import numpy as np

        return Part(self, np.flatnonzero(np.isin(self.numbers, numbers) & (self.owners != VACANT)))


class Part:
    """Some positions of a matrix; their bits are gathered once where they are the lesser part."""

    def __init__(self, matrix: Matrix, places: Numbers) -> None:
        self.places = places
        self.rows = places if matrix.floats is None else matrix.rows[places]
        self.bits = matrix.bits[:, places] if 2 * len(places) < len(matrix.owners) else None
        self._all = matrix.bits

    def bits_of(self, some: Numbers) -> NDArray[np.uint64]:
        """A copy of the bits of some of them; out of a few hundred kilobytes, where the part has its own."""
        if self.bits is not None:
            return self.bits.take(some, axis=1)
        return self._all.take(self.places[some], axis=1)


def load(connection: apsw.Connection, old: Matrix | None) -> Matrix:
    """The matrix as the file has it now; pages with an unchanged stamp are taken from the old one."""
    import numpy as np

    pages = dict(ask_all(connection, "SELECT page, stamp FROM vector_pages ORDER BY page"))
    if old is not None and old.pages == pages:
        return old
    kept = {page: place for place, page in enumerate(old.pages) if pages.get(page) == old.pages[page]} if old else {}
    fresh = [page for page in pages if page not in kept]
    found = {
        page: (np.frombuffer(owners, "<i4"), np.frombuffer(bits, np.uint64).reshape(SLOTS, -1))
        for page, owners, bits in _pages(connection, fresh, everything=not kept)
    }
    words = next((bits.shape[1] for _, bits in found.values()), len(old.bits) if old else 0)
    owners, bits = np.full(len(pages) * SLOTS, VACANT, np.int32), np.zeros((words, len(pages) * SLOTS), np.uint64)
    for place, page in enumerate(pages):
        here = slice(place * SLOTS, (place + 1) * SLOTS)
        if page in kept and old is not None:
            there = slice(kept[page] * SLOTS, (kept[page] + 1) * SLOTS)
            owners[here], bits[:, here] = old.owners[there], old.bits[:, there]
        elif page in found:
            owners[here], bits[:, here] = found[page][0], found[page][1].T
    return _with_floats(connection, Matrix(pages, owners, bits), old, kept)


def _pages(connection: apsw.Connection, pages: list[int], everything: bool) -> list[Any]:
    if everything:
        return ask_all(connection, "SELECT page, owners, bits FROM vector_pages")
    wanted = "SELECT page, owners, bits FROM json_each(?) j JOIN vector_pages p ON p.page=j.value"
    return ask_all(connection, wanted, (json.dumps(pages),))


def _with_floats(connection: apsw.Connection, matrix: Matrix, old: Matrix | None, kept: dict[int, int]) -> Matrix:
    """The same with all floats, if they are few enough to be compared exactly."""
    import numpy as np

    found = ask_all(connection, "SELECT dimensions FROM embedders")
    if not found:
        return matrix
    matrix.kept = _kept(old, kept, found[0][0])
    taken = matrix.owners != VACANT
    count = int(taken.sum())
    if count > EXACT:
        return matrix
    matrix.rows = np.where(taken, np.cumsum(taken) - 1, _NO_ROW)
    floats, chunks = np.zeros((count, found[0][0]), np.float32), np.zeros(count, np.int64)
    for place, page in enumerate(matrix.pages):
        rows = _rows(matrix, place)
        if page in kept and old is not None and old.floats is not None and old.chunks is not None:
            here, there = rows[rows != _NO_ROW], _rows(old, kept[page])
            there = there[there != _NO_ROW]
            floats[here], chunks[here] = old.floats[there], old.chunks[there]
            continue
        first, row_of = page * SLOTS, rows.tolist()
        read = ask_all(connection, "SELECT n, chunk, data FROM vectors WHERE n>=? AND n<?", (first, first + SLOTS))
        seen = [(row, chunk, data) for n, chunk, data in read if (row := row_of[n - first]) != _NO_ROW]
        for row, chunk, data in seen:
            floats[row], chunks[row] = np.frombuffer(data, "<f4"), chunk
        look_at(floats[[row for row, _, _ in seen]])
    matrix.floats, matrix.chunks = floats, chunks
    return matrix


def _rows(matrix: Matrix, place: int) -> Numbers:
    """Of the slots of one page."""
    return matrix.rows[place * SLOTS : (place + 1) * SLOTS]


def _kept(old: Matrix | None, unchanged: dict[int, int], dimensions: int) -> Kept:
    """The floats that were read for the old one, without what has changed since."""
    if old is None or old.kept is None or old.kept.dimensions != dimensions:
        return Kept(dimensions)  # where an index was removed, another may have the path of this one
    old.kept.drop(page for page in old.pages if page not in unchanged)
    return old.kept
