"""Stale: keeps vectors from saying what their entries no longer say.

A vector is made from an entry and the turn before it (`text.view`), so whatever shows, hides, changes or
drops a turn also ends the vector of the turn after it: no vector made from removed text may stay. What has
no vector and should get one stands in `backlog`. Works inside the transaction of `rows`; reads no float.
"""

from __future__ import annotations

import json

from .database import ask_all, ask_one
from .schema import VISIBLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

TURN = "conversation"
_AFTER = f"""
SELECT x.n FROM entries e JOIN entries x ON x.file=e.file AND x.seq>e.seq
WHERE e.n=? AND e.type='{TURN}' AND x.state={VISIBLE} AND x.type='{TURN}' ORDER BY x.seq LIMIT 1
"""
_SEARCHED = "SELECT n FROM chunks WHERE entry=? AND stop IS NOT NULL"
_QUEUE = "INSERT OR REPLACE INTO backlog(chunk) SELECT value FROM json_each(?)"  # row by row it takes twice as long
_QUEUE_ROW = "INSERT OR REPLACE INTO backlog(chunk) SELECT n FROM chunks WHERE n BETWEEN ? AND ?"  # half of that
_VECTORS = "SELECT v.n FROM json_each(?) j JOIN vectors v ON v.chunk=j.value"


class Stale:
    """Follows every change of what is visible, through one connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._embedded: bool | None = None  # vectors come only under `index.lock`, which our caller holds

    def shown(self, n: int) -> None:
        """An entry became visible: it wants a vector, and the turn after it another one."""
        self._queue(self._chunks(n))
        self.after(n)

    def hidden(self, n: int) -> None:
        """An entry is no longer visible, or about to go."""
        chunks = self._chunks(n)
        self._end(chunks)
        self._connection.executemany("DELETE FROM backlog WHERE chunk=?", [(chunk,) for chunk in chunks])
        self.after(n)

    def added(self, entries: list[int], visible: list[int]) -> None:
        """These entries are new; these chunks of them are seen."""
        self._queue(visible)
        for n in entries if self._any() else ():
            self.after(n)

    def after(self, n: int) -> None:
        """The turn after this entry has another one before it now."""
        if self._any():
            for (follower,) in ask_all(self._connection, _AFTER, (n,)):
                chunks = self._chunks(follower, pieces=False)
                self._end(chunks)
                self._queue(chunks)

    def _queue(self, chunks: list[int]) -> None:
        if not chunks:
            return
        first = chunks[0]
        if chunks == [*range(first, first + len(chunks))]:
            self._connection.execute(_QUEUE_ROW, (first, chunks[-1]))
        else:
            self._connection.execute(_QUEUE, (json.dumps(chunks),))

    def _end(self, chunks: list[int]) -> None:
        found = ask_all(self._connection, _VECTORS, (json.dumps(chunks),)) if chunks and self._any() else []
        if found:
            from .pages import vacate  # where there are no vectors nobody needs it

            vacate(self._connection, [n for (n,) in found])
            self._connection.executemany("DELETE FROM vectors WHERE n=?", found)

    def _chunks(self, n: int, pieces: bool = True) -> list[int]:
        """By what an entry is searched; the pieces of a long one never see the turn before it."""
        found = ask_all(self._connection, _SEARCHED if pieces else f"{_SEARCHED} AND ordinal=0", (n,))
        return [chunk for (chunk,) in found]

    def _any(self) -> bool:
        if self._embedded is None:
            self._embedded = ask_one(self._connection, "SELECT 1 FROM vectors LIMIT 1") is not None
        return self._embedded
