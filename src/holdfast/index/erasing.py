"""Erasing: takes entries out of the database so that no byte of them stays in its files.

Deleting a row is not enough: words stay in full-text segments until they are merged, and everything
stays in the log until it is folded into the database and cut to nothing (reliability.md, D15).
"""

from __future__ import annotations

import time

from .database import ask_all, ask_one
from .rows import Rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

_CHECKPOINT_TRIES = 100
_OF_JOURNAL = "SELECT n FROM entries WHERE file=(SELECT n FROM files WHERE journal=?)"


def erase(connection: apsw.Connection, journals: Sequence[str], ids: Sequence[str]) -> list[str]:
    """Rows, full text, vectors, then the log; the caller holds `index.lock`. Returns the ids that were there."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        gone = _drop_rows(connection, journals, ids)
        merge(connection)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    empty_log(connection)
    return gone


def _drop_rows(connection: apsw.Connection, journals: Sequence[str], ids: Sequence[str]) -> list[str]:
    rows = Rows(connection)
    found = set()
    for id in ids:
        found.update(ask_all(connection, "SELECT n FROM entries WHERE id=?", (id,)))
    for journal in journals:
        found.update(ask_all(connection, _OF_JOURNAL, (journal,)))
    for (n,) in sorted(found):
        rows.drop(n)  # before the numbers of sessions go: they are part of the full text
    for journal in journals:
        connection.execute("DELETE FROM sessions WHERE id=?", (journal,))
        connection.execute("UPDATE files SET card_mtime=0 WHERE journal=?", (journal,))  # or nobody reads it again
    connection.execute("DELETE FROM users WHERE id NOT IN (SELECT user_id FROM entries WHERE user_id IS NOT NULL)")
    rows.flush()
    return rows.dropped


def merge(connection: apsw.Connection) -> None:
    """One full-text segment without what was deleted."""
    connection.execute("INSERT INTO chunks_fts(chunks_fts) VALUES('optimize')")


def empty_log(connection: apsw.Connection) -> bool:
    """Fold the log into the database and cut it to nothing; readers may make us wait."""
    for _ in range(_CHECKPOINT_TRIES):
        busy, *_ = ask_one(connection, "PRAGMA wal_checkpoint(TRUNCATE)") or (1,)
        if not busy:
            return True
        time.sleep(0.05)
    return False
