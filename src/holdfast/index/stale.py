"""Stale: keeps vectors from saying what their entries no longer say.

A vector is made from an entry and the turn before it (`text.view`), so whatever shows, hides, changes or
drops a turn also ends the vector of the turn after it: no vector made from removed text may stay. What has
no vector and should get one stands in `backlog`. Works inside the transaction of `rows`; reads no float.
"""

from __future__ import annotations

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


class Stale:
    """Follows every change of what is visible, through one connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._run = connection.execute
        self._embedded: bool | None = None  # vectors come only under `index.lock`, which our caller holds

    def shown(self, n: int) -> None:
        """An entry became visible: it wants a vector, and the turn after it another one."""
        for chunk in self._chunks(n):
            self.queue(chunk)
        self.after(n)

    def hidden(self, n: int) -> None:
        """An entry is no longer visible, or about to go."""
        for chunk in self._chunks(n):
            self._end(chunk)
            self._run("DELETE FROM backlog WHERE chunk=?", (chunk,))
        self.after(n)

    def changed(self, n: int) -> None:
        """An entry says something else now."""
        self._renew(n)
        self.after(n)

    def added(self, entries: list[int], visible: list[int]) -> None:
        """These entries are new; these chunks of them are seen."""
        if visible:
            self._connection.executemany("INSERT OR IGNORE INTO backlog VALUES(?)", [(chunk,) for chunk in visible])
        for n in entries if self._any() else ():
            self.after(n)

    def queue(self, chunk: int) -> None:
        self._run("INSERT OR IGNORE INTO backlog VALUES(?)", (chunk,))

    def after(self, n: int) -> None:
        """The turn after this entry has another one before it now."""
        if self._any():
            for (follower,) in ask_all(self._connection, _AFTER, (n,)):
                self._renew(follower)

    def _renew(self, n: int) -> None:
        for chunk in self._chunks(n):
            self._end(chunk)
            self.queue(chunk)

    def _end(self, chunk: int) -> None:
        found = ask_one(self._connection, "SELECT n FROM vectors WHERE chunk=?", (chunk,)) if self._any() else None
        if found is not None:
            from .pages import vacate  # where there are no vectors nobody needs it

            vacate(self._connection, found[0])
            self._run("DELETE FROM vectors WHERE n=?", found)

    def _chunks(self, n: int) -> list[int]:
        return [chunk for (chunk,) in ask_all(self._connection, "SELECT n FROM chunks WHERE entry=?", (n,))]

    def _any(self) -> bool:
        if self._embedded is None:
            self._embedded = ask_one(self._connection, "SELECT 1 FROM vectors LIMIT 1") is not None
        return self._embedded
