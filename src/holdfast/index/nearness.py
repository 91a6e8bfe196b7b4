"""Nearness: the entries whose vectors lie nearest to a question's, exactly enough and fast.

Up to 8 thousand vectors are compared as they are, in a matrix that a process keeps. Above that the sign bits
of all are compared with the question's sign bits, those of the best 8,000 with its numbers, and the floats of
only the best hundreds are read, so a cold process never reads them all. Measured on 100 thousand sentences of
256 numbers: recall@10 0.99 (with bits against bits alone, 0.96). Where bits tell little, because a few numbers outweigh
all others or all vectors share most signs, more floats are read. What is in memory is brought level before each
answer by the stamps of `pages`. The rule: the same content gives the same answer, whatever the order in which
it was indexed, so ties are never cut and cosines are rounded.
"""

from __future__ import annotations

from .database import ask_all
from .filling import holds
from .questions import own, picked
from .select import Where, where_filter, where_scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import apsw
    import numpy as np
    from numpy.typing import NDArray

    from ..model.query import Filter, Row
    from ..model.scope import Scope
    from ..model.vector import Vector
    from .kept import Floats, Numbers
    from .matrix import Matrix, Part

    Bits = NDArray[np.uint64]
    Scored = list[tuple[int, float]]  # chunk, cosine; best first

FEW = 5_000  # vectors read one by one instead of through the matrix
WIDE = 8_000  # candidates by bits against bits at most, or four times what is read; of fewer vectors
SHARE = 0.3  # this share: of 10 thousand, 3,000 lose nothing against 8,000
DEPTH = 800  # candidates whose floats are read, or four times what is wanted
DEEPEST = 6_400
LOPSIDED = 16.0  # kurtosis; of the built-in's questions at most 9, of MiniLM's 5, of a normal distribution 3
CROWDED = 0.33  # share of bits in which the last of the alike differs: of the built-in's 0.43; less with a common mean
TELLING = 64  # so many bits tell enough even then
BRIEF = 800  # entries of a span of time that are listed rather than looked for among the nearest
_PLANES = (8, 4, 2, 1)  # bits by which a question's numbers are told: with three, 0.2 % less of the nearest 60
_BLOCK = 8_192  # vectors whose bits are counted at once
_DECIMALS = 6
_MOST_SAID = 64  # names of which it is remembered what they said: 40 KB each at most
_UNKNOWN = -3  # the number of nobody
_SPANNED = "SELECT 1 FROM entries WHERE user_id=? AND time>=? AND time<? LIMIT ?"
# Only what is seen has a vector, and who said it never changes: so there is nothing else to ask for.
_SAID = """
SELECT v.n FROM entries e JOIN chunks c ON c.entry=e.n JOIN vectors v ON v.chunk=c.n
WHERE {whose} AND e.author IN ({marks}) LIMIT ?
"""
_OF_SESSIONS = "e.file IN (SELECT n FROM files WHERE journal IN ({marks}))"


class Asked:
    """One question to one matrix, on one connection."""

    def __init__(self, connection: apsw.Connection, matrix: Matrix, scope: Scope, wanted: Filter) -> None:
        self._connection, self._matrix, self._scope, self._wanted = connection, matrix, scope, wanted
        self._query: Floats

    def near(self, vector: Vector, limit: int) -> list[Row]:
        """The nearest entries that pass, nearest first, with `cosine` set."""
        import numpy as np

        self._query = np.ascontiguousarray(vector.values, np.float32)
        if not holds(self._connection, vector.identity, self._query.size):
            return []  # of another kind: its numbers mean nothing here
        if self._scope.sessions or self._wanted.ids or self._wanted.keys:
            return self._listed(limit)
        if self._within_few():
            return self._listed(limit)
        if self._wanted.authors and self._scope.user is not None:
            said = self._said(self._scope.user, self._wanted.authors, self._scope.shared)
            if len(said) <= FEW:
                rows = self._rows(self._read(said, 2 * limit), limit)
                return rows if len(rows) == limit else self._rows(self._read(said, len(said)), limit)
        owned = self._owned()
        if not self._wanted.narrows and self._scope.workspace is None:
            return self._among(owned, limit)
        return self._probed(owned, limit)

    def _within_few(self) -> bool:
        """Whether a span of time leaves few: one user's entries are kept in its order, so to list them is quick."""
        wanted = self._wanted
        if self._scope.user is None or wanted.since is None or wanted.until is None:
            return False
        values = (self._scope.user, wanted.since, wanted.until, BRIEF)
        return len(ask_all(self._connection, _SPANNED, values)) < BRIEF

    def _said(self, user: str, authors: tuple[str, ...], shared: bool) -> Numbers:
        """What these authors said to a user, or a part if that is much; listed once, by an index of its own."""
        import numpy as np

        key = (user, *authors, "" if shared else None)
        found = self._matrix.said.get(key)
        if found is None:
            marks, most = ",".join("?" * len(authors)), FEW + 1
            sql = _SAID.format(whose="e.user_id=?", marks=marks)
            rows = ask_all(self._connection, sql, (user, *authors, most))
            if shared:
                sql = _SAID.format(whose="e.scope='global'", marks=marks)
                rows += ask_all(self._connection, sql, (*authors, most))
            found = np.fromiter((n for (n,) in rows), np.int64, len(rows))
            if len(self._matrix.said) >= _MOST_SAID:
                self._matrix.said.clear()
            self._matrix.said[key] = found
        return found

    def _owned(self) -> Part:
        """The part of whose memory is meant."""
        if self._scope.user is None:
            return self._matrix.part(None, self._scope.shared)
        found = ask_all(self._connection, "SELECT n FROM users WHERE id=?", (self._scope.user,))
        return self._matrix.part(found[0][0] if found else _UNKNOWN, self._scope.shared)

    def _probed(self, owned: Part, limit: int) -> list[Row]:
        """Look at the best of the scope; only if few of them pass, list what passes and compare that."""
        depth = _depth(limit)
        looked = self._best(owned, depth, depth)
        rows = self._rows(looked[: _past_ties(looked, 2 * limit)], limit)
        if len(rows) >= limit:
            return rows
        rows = self._rows(looked, len(looked))
        if len(looked) == len(owned.places):
            return rows[:limit]
        share = len(rows) / len(looked) if looked else 0.0  # none: erased since the matrix was brought level
        deeper = round(depth / share) if share else DEEPEST + 1
        if deeper > DEEPEST:
            return self._listed(limit)
        rows = self._rows(self._best(owned, deeper, deeper), limit)
        return rows if len(rows) >= limit else self._listed(limit)

    def _listed(self, limit: int) -> list[Row]:
        """List what passes in SQL, then compare just that."""
        import numpy as np

        leads = not self._scope.sessions and not self._wanted.ids
        where = where_filter(self._wanted, where_scope(own(self._connection, self._scope), Where(), leads=leads))
        if self._scope.sessions:
            where.add(_OF_SESSIONS.format(marks=",".join("?" * len(self._scope.sessions))), *self._scope.sessions)
        found = ask_all(
            self._connection,
            f"SELECT v.n FROM entries e JOIN chunks c ON c.entry=e.n JOIN vectors v ON v.chunk=c.n WHERE {where}",
            where.values,
        )
        numbers = np.fromiter((n for (n,) in found), np.int64, len(found))
        if len(numbers) <= FEW:
            return self._rows(self._read(numbers, len(numbers)), limit)
        return self._among(self._matrix.places(numbers), limit)

    def _among(self, part: Part, limit: int) -> list[Row]:
        """The nearest entries at these positions; where long ones take many of the best, more are looked at."""
        depth, wanted = _depth(limit), 2 * limit
        while True:
            rows = self._rows(self._best(part, wanted, depth), limit)
            if len(rows) >= limit or wanted >= len(part.places):
                return rows
            wanted *= 4
            depth = max(depth, wanted)

    def _best(self, part: Part, limit: int, depth: int) -> Scored:
        """At least the best `limit` of a part, ties included."""
        import numpy as np

        matrix = self._matrix
        if matrix.floats is None or matrix.chunks is None:
            signs = self._packed(np.signbit(self._query)[None])[0]
            alike, depth = self._alike(part, signs, max(depth, DEEPEST) if self._lopsided() else depth)
            likely = self._likely(part, alike, signs, depth)
            return self._read(matrix.numbers[part.places[likely]], limit)
        cosines = self._cosines(matrix.floats)[part.rows]
        return _top(matrix.chunks[part.rows], cosines, min(limit, len(cosines)))

    def _alike(self, part: Part, signs: Bits, depth: int) -> tuple[Numbers, int]:
        """Those of a part with the most equal sign bits, ties included, as many as this depth takes; and the depth
        itself, which is greater where hardly any bit differs: then bits tell little."""
        import numpy as np

        count = len(part.places)
        if _wide(count, depth) >= count:
            return np.arange(count), depth
        bits = self._matrix.bits
        apart = _differing(part.bits, signs) if part.bits is not None else _differing(bits, signs)[part.places]
        last = _smallest(apart, _wide(count, depth))
        if depth < DEEPEST and last < min(TELLING, CROWDED * self._query.size):
            depth = DEEPEST
            last = _smallest(apart, min(_wide(count, depth), count))
        return np.flatnonzero(apart <= last), depth

    def _lopsided(self) -> bool:
        """Whether a few of the question's numbers are worth more than all others: a bit of theirs tells little."""
        import numpy as np

        squares = self._query * self._query
        whole = float(np.vecdot(self._query, self._query))
        return squares.size * float(np.vecdot(squares, squares)) > LOPSIDED * whole * whole

    def _likely(self, part: Part, alike: Numbers, signs: Bits, depth: int) -> Numbers:
        """The best of these by their signs and the question's numbers, at least `depth`, ties included.

        Bits that differ count as much as the question's number at their place, which is told in four bits.
        """
        import numpy as np

        if len(alike) <= depth:
            return alike
        differing = part.bits_of(alike)
        differing ^= signs[:, None]
        apart = np.zeros(len(alike), np.min_scalar_type(sum(_PLANES) * 64 * len(signs)))  # half as wide, half the time
        for plane in self._planes():
            apart += apart
            apart += np.bitwise_count(differing & plane[:, None]).sum(axis=0, dtype=apart.dtype)
        enough: NDArray[np.bool_] = apart <= _smallest(apart, depth)
        return alike.compress(enough)

    def _planes(self) -> Bits:
        """How large the question's numbers are, beside the largest: their bits in words, those worth most first."""
        import numpy as np

        sizes = np.abs(self._query)
        levels = np.rint(sizes * (sum(_PLANES) / (float(sizes.max(initial=0.0)) or 1.0))).astype(np.uint8)
        return self._packed(np.stack([levels & plane for plane in _PLANES]) != 0)

    def _packed(self, bits: NDArray[np.bool_]) -> Bits:
        """Rows of bits as rows of as many words as a vector of the matrix has."""
        import numpy as np

        octets = np.zeros((len(bits), 8 * len(self._matrix.bits)), np.uint8)
        packed = np.packbits(bits, axis=1)
        octets[:, : packed.shape[1]] = packed
        return octets.view(np.uint64)

    def _read(self, numbers: Numbers, limit: int) -> Scored:
        """Cosines of these vectors, by floats that were kept or are read from the file."""
        kept = self._matrix.kept
        if kept is None or not len(numbers):
            return []
        there, floats = kept.take(self._connection, numbers)
        return _top(there, self._cosines(floats), min(limit, len(there)))

    def _cosines(self, floats: Floats) -> Floats:
        """Row by row. A product with the whole would be shared out among threads, and where these must wait for a busy
        core it costs a hundred times as much: 8 ms instead of 0.07 for 2,000 rows."""
        import numpy as np

        found: Floats = np.vecdot(floats, self._query)
        return found

    def _rows(self, scored: Scored, limit: int) -> list[Row]:
        """The entries of these chunks that pass; of several chunks of an entry the nearest counts."""
        best: dict[str, Row] = {}
        first = 0
        while first < len(scored) and len(best) < limit:
            end = _past_ties(scored, first + limit)
            cosines = dict(scored[first:end])
            for row in picked(self._connection, self._scope, self._wanted, list(cosines)):
                row.cosine = cosines[row.chunk]
                if (known := best.get(row.id)) is None or _nearer(row, known):
                    best[row.id] = row
            first = end
        return sorted(best.values(), key=lambda row: (-_cosine(row), row.id))[:limit]


def _nearer(row: Row, known: Row) -> bool:
    """Which of two chunks of an entry speaks for it; of equals the first."""
    return (-_cosine(row), row.span or (0, 0)) < (-_cosine(known), known.span or (0, 0))


def _depth(limit: int) -> int:
    return max(DEPTH, 4 * limit)


def _wide(count: int, depth: int) -> int:
    return max(4 * depth, min(WIDE, round(SHARE * count)))


def _smallest(values: NDArray[Any], count: int) -> Any:
    """The last of the `count` smallest."""
    import numpy as np

    return np.partition(values, count - 1)[count - 1]


def _differing(bits: Bits, words: Bits) -> NDArray[np.uint16]:
    """How many bits of each column differ; block by block, since fresh memory costs more than counting."""
    import numpy as np

    apart = np.zeros(bits.shape[1], np.uint16)
    for start in range(0, bits.shape[1], _BLOCK):
        here = slice(start, start + _BLOCK)
        for row, word in zip(bits, words, strict=True):
            apart[here] += np.bitwise_count(row[here] ^ word)
    return apart


def _top(numbers: Numbers, cosines: Any, limit: int) -> Scored:
    """The best `limit` and every other that ties with the last of them, best first."""
    import numpy as np

    rounded = cosines.astype(np.float64).round(_DECIMALS)
    if not np.isfinite(rounded).all():
        rounded = np.nan_to_num(rounded, nan=-2.0)
    if limit < len(rounded):
        least = np.partition(rounded, len(rounded) - limit)[len(rounded) - limit] if limit else np.inf
        kept = np.flatnonzero((rounded >= least) & (rounded > -2.0))
        numbers, rounded = numbers[kept], rounded[kept]
    order = np.lexsort((numbers, -rounded))
    return list(zip(numbers[order].tolist(), rounded[order].tolist(), strict=True))


def _cosine(row: Row | None) -> float:
    return -2.0 if row is None or row.cosine is None else row.cosine


def _past_ties(scored: Scored, end: int) -> int:
    """The next place at which the cosine falls."""
    while 0 < end < len(scored) and scored[end][1] == scored[end - 1][1]:
        end += 1
    return min(end, len(scored))
