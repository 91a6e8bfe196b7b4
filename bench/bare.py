"""Bare peers: the least code that does what a row measures, with nothing of Holdfast in it.

They set the scale: the same bytes, the same file system, the same SQLite, no checks, no scopes.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Sequence

import apsw


class Appender:
    """flock, append, fdatasync on one file."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)

    def append(self, data: bytes) -> str:
        """Returns what it has instead of an id."""
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        os.write(self._fd, data)
        os.fdatasync(self._fd)
        fcntl.flock(self._fd, fcntl.LOCK_UN)
        return ""

    def close(self) -> None:
        os.close(self._fd)


class FullText:
    """One FTS5 table with the tokeniser that the index uses."""

    def __init__(self, path: str, texts: Iterable[str]) -> None:
        self._connection = apsw.Connection(path)
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "cache_size=-16000"):
            self._connection.execute(f"PRAGMA {pragma}").fetchall()
        self._connection.execute("CREATE VIRTUAL TABLE f USING fts5(text, content='', tokenize='porter unicode61')")
        with self._connection:
            self._connection.executemany("INSERT INTO f(text) VALUES(?)", ((text,) for text in texts))

    def ask(self, terms: Sequence[str], limit: int = 20) -> int:
        """Any term counts, best first; how many were found."""
        query = " OR ".join(f'"{term}"' for term in terms)
        sql = "SELECT rowid, bm25(f) FROM f WHERE f MATCH ? ORDER BY bm25(f) LIMIT ?"
        return len(self._connection.execute(sql, (query, limit)).fetchall())

    def close(self) -> None:
        self._connection.close()


class Matrix:
    """As many unit vectors as there are turns, read whole for every question."""

    def __init__(self, count: int, dimensions: int = 256) -> None:
        import numpy as np  # here, so that `one_thread` comes first

        chance = np.random.default_rng(1)
        rows = chance.standard_normal((count, dimensions), dtype=np.float32)
        self._rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def ask(self, limit: int = 20) -> int:
        """One float32 scan and the best of it; the values do not matter to the time."""
        near = self._rows @ self._rows[0]
        return len(near.argpartition(-limit)[-limit:])


def parse_and_insert(journal: str, database: str) -> None:
    """Every line of a journal parsed, and its text put into full text."""
    with open(journal, "rb") as source:
        records = [json.loads(line) for line in source]
    FullText(database, (record["content"]["text"] for record in records if "content" in record)).close()
    os.unlink(database)


def check_and_parse(journals: Iterable[str]) -> None:
    """Every line hashed and parsed."""
    for journal in journals:
        with open(journal, "rb") as source:
            for line in source:
                hashlib.sha256(line).digest()
                json.loads(line)


def rewrite(path: str) -> None:
    """A file read, written anew beside itself, synced and renamed over."""
    with open(path, "rb") as source:
        data = source.read()
    beside = path + ".new"
    with open(beside, "wb") as target:
        target.write(data)
        target.flush()
        os.fsync(target.fileno())
    os.replace(beside, path)
