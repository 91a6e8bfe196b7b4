"""The vector side of the Index port in plain Python: what a faster index is compared with.

A vector holds as long as the view that it was made of is still the entry's; everything else counts as
missing. Nearness is a walk over all entries with a dot product each.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ..errors import ProviderFailed
from ..text.content import searchable_text
from ..text.view import is_answer, view

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..model.entry import Entry
    from ..model.query import Row
    from ..model.vector import Vector
    from ..ports import Embedder

    Made = tuple[str, list[float]]  # the view, its vector

TURN = "conversation"


class MemoryVectors:
    """Vectors by entry id, all of one embedder."""

    def __init__(self) -> None:
        self.identity: str | None = None
        self._made: dict[str, Made] = {}
        self._refused: dict[str, str] = {}  # the view that was not taken

    def near(self, entries: Iterable[Entry], views: dict[str, str], vector: Vector) -> list[tuple[Entry, float]]:
        """Entries with a vector that holds, and their cosines."""
        if vector.identity != self.identity or len(vector.values) != self.dimensions:
            return []
        found = []
        for entry in entries:
            text, numbers = self._made.get(entry.id, ("", []))
            if numbers and text == views[entry.id]:
                cosine = sum(a * float(b) for a, b in zip(numbers, vector.values, strict=True))
                found.append((entry, round(cosine, 6)))
        return found

    def fit(self, embedder: Embedder) -> bool:
        """Whether this embedder makes vectors of the same kind."""
        return self.identity == embedder.identity and self.dimensions in (None, embedder.dimensions)

    @property
    def dimensions(self) -> int | None:
        """How many numbers a vector has; None before the first that is one."""
        return next((len(numbers) for _, numbers in self._made.values() if numbers), None)

    def missing(self, entries: Iterable[Entry], views: dict[str, str]) -> list[Entry]:
        return [entry for entry in entries if self._made.get(entry.id, ("", []))[0] != views[entry.id]]

    def embed(self, entries: Sequence[Entry], views: dict[str, str], embedder: Embedder) -> None:
        """Make what is missing; what is not a vector is refused."""
        if self.identity not in (None, embedder.identity):
            raise ProviderFailed(f"the index holds vectors of {self.identity}")
        if not entries:
            return
        if self.dimensions not in (None, embedder.dimensions):
            raise ProviderFailed(f"the index holds vectors of {self.dimensions} dimensions")
        vectors = embedder.embed([views[entry.id] for entry in entries])
        if len(vectors) != len(entries):
            return
        for entry, numbers in zip(entries, vectors, strict=True):
            length = sum(float(number) ** 2 for number in numbers) ** 0.5
            if len(numbers) == embedder.dimensions and (length == 0 or abs(length - 1) < 1e-3):
                self.identity = embedder.identity
                self._made[entry.id] = (views[entry.id], [float(number) for number in numbers] if length else [])
            else:
                self._refused[entry.id] = views[entry.id]

    def refused(self, views: dict[str, str], entries: Iterable[Entry]) -> int:
        return sum(self._refused.get(entry.id) == views[entry.id] for entry in self.missing(entries, views))

    def forget(self, ids: Iterable[str]) -> None:
        for id in ids:
            self._made.pop(id, None)
            self._refused.pop(id, None)


def views_of(journals: Iterable[Sequence[Entry]]) -> dict[str, str]:
    """What each visible entry's vector is to be made of, a journal at a time in the order of seq."""
    found = {}
    for entries in journals:
        turns = [entry for entry in entries if entry.type == TURN and entry.scope == "session"]
        before = {later.id: earlier for earlier, later in pairwise(turns)}
        for entry in entries:
            earlier = before.get(entry.id)
            said, answers = None, False
            if earlier is not None and not _goes_on(earlier, entry):
                said = searchable_text(earlier.content), _author(earlier)
                answers = is_answer(entry.role, earlier.role)
            about = entry.key.replace("_", " ") if entry.key else None
            found[entry.id] = view(searchable_text(entry.content), _author(entry) or about, said, answers)
    return found


def _author(entry: Entry) -> str | None:
    return entry.content.get("author")


def _goes_on(earlier: Entry, entry: Entry) -> bool:
    """Whether somebody without a name speaks twice."""
    return _author(earlier) is _author(entry) is None and entry.role is not None and earlier.role == entry.role


def with_cosine(row: Row, cosine: float) -> Row:
    row.cosine = cosine
    return row
