"""Erasing: takes entries out of the database so that no byte of them stays in its files.

Deleting a row is not enough: words stay in full-text segments until they are merged, and everything
stays in the log until it is folded into the database and cut to nothing (D15). Whoever reads in a
transaction that they leave open, at a SQL prompt say, keeps the log as it is: they are waited for, but not for long.
"""

from __future__ import annotations

import time

from .database import WAIT_MS, ask_all, ask_one
from .rows import Rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import apsw

    from .cache import Cache

PATIENCE_S = 5.0  # for those who read: a question takes milliseconds
_TRY_MS = 50  # SQLite keeps writers out while it waits for readers
_PAUSE_S = 0.05
_OF_JOURNAL = "SELECT n FROM entries WHERE file=(SELECT n FROM files WHERE journal=?)"


def erase(connection: apsw.Connection, journals: Sequence[str], ids: Sequence[str]) -> list[str]:
    """Rows, full text and vectors; the caller holds `index.lock` and empties the log. Returns the ids that it found."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        gone = _drop_rows(connection, journals, ids)
        merge(connection)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
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


def merge_all(connection: apsw.Connection) -> None:
    """The same in a transaction of its own; the caller holds `index.lock`."""
    with connection:
        merge(connection)


def settle(connection: apsw.Connection, cache: Cache) -> bool:
    """Whether the cache holds nothing but what this generation says; the caller holds `index.lock`.

    It is looked through once: who builds a generation does not know what was erased since the one before. From then on
    whoever brings journals level sees to it.
    """
    from .filling import hashes, there

    if ask_one(connection, "SELECT 1 FROM meta WHERE key='cache'") is not None:
        return True
    if not cache.sweep(lambda ids: there(connection, ids), lambda ids: hashes(connection, ids)):
        return False
    connection.execute("INSERT OR REPLACE INTO meta VALUES('cache', 'settled')")
    return True


def unsettle(connection: apsw.Connection) -> None:
    """The cache could not be told what is taken out in this transaction."""
    connection.execute("DELETE FROM meta WHERE key='cache'")


def empty_log(connection: apsw.Connection) -> bool:
    """Fold the log into the database and cut it to nothing; False if somebody reads all the while."""
    return patiently(lambda: emptied(connection))


def patiently(attempt: Callable[[], bool], seconds: float | None = None) -> bool:
    """Whether it succeeded while readers may be waited for, so long or as long as `forget` does."""
    deadline = time.monotonic() + (PATIENCE_S if seconds is None else seconds)
    while not attempt():
        if time.monotonic() >= deadline:
            return False
        time.sleep(_PAUSE_S)
    return True


def emptied(connection: apsw.Connection) -> bool:
    """The same in one try."""
    connection.set_busy_timeout(_TRY_MS)
    try:
        busy, *_ = ask_one(connection, "PRAGMA wal_checkpoint(TRUNCATE)") or (1,)
    finally:
        connection.set_busy_timeout(WAIT_MS)
    return not busy
