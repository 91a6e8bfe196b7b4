"""Merging: full text brought together where it lies in many pieces, since a search looks every word up in each.

FTS5 writes a new piece with each transaction and merges some of a size as they gather; among 100 thousand turns seven
are left, and a search takes a fifth longer than in one. Done a step at a time, so that nobody waits long for the lock.
What a search finds is the same before, between and after the steps. It never decides when: `sync` does.
"""

from __future__ import annotations

from .database import ask_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

STEP = 1_000  # pages: a tenth of a second
LEAST = 100  # pages with new words: to look into several pieces of fewer costs next to nothing
SHARE = 0.75  # that the largest piece has of all: so what is there is written anew a few times while a memory grows
_SIZES = "SELECT count(*) FROM chunks_fts_idx GROUP BY segid"
_MERGE = "INSERT INTO chunks_fts(chunks_fts, rank) VALUES('merge', ?)"


def scattered(connection: apsw.Connection) -> bool:
    """Whether much of the full text lies outside of its largest piece."""
    sizes: list[int] = [pages for (pages,) in ask_all(connection, _SIZES)]
    return sum(sizes) >= LEAST and max(sizes) < SHARE * sum(sizes)


def merge(connection: apsw.Connection, begin: bool) -> bool:
    """One step; whether another may follow. A number below zero tells FTS5 to begin with all pieces."""
    before = connection.total_changes()
    connection.execute(_MERGE, (-STEP if begin else STEP,))
    return connection.total_changes() - before > 1  # its way of saying that there was something to do
