"""Cache: vectors that cost time or money, kept by the hash of their text in a file of their own.

`index/cache.db` outlives generations and reindexing (D6); deleting it is always safe. The key is
(provider, model, provider key, hash), so embedders never meet. A checksum of key and vector ends each vector: what
does not fit it is not there, and no damage gets from here into an index. Beside each vector stand the ids of the
entries that its text was made of, so that `forget` finds what is made of forgotten text even after it was
edited or deleted, and whoever follows a compaction what is made of words that it folded away. Opened for each use and
closed again; trouble with it costs only the embedding again. Who keeps or forgets holds `index.lock`: so nothing is
kept of what was forgotten while it was being embedded.
"""

from __future__ import annotations

import json
import os
import zlib

import apsw

from ..disk import discard
from .database import ODD_VALUES, WAIT_MS, Damaged, ask_all, ask_one, close, connect, is_damage
from .gate import GATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeVar

    from ..disk import Disk
    from ..ports import Clock
    from .filling import Todo

    Answer = TypeVar("Answer")
    Key = tuple[str, str, str]

FILE = "cache.db"
TABLES = """
CREATE TABLE IF NOT EXISTS embedding_cache(
  provider TEXT NOT NULL, model TEXT NOT NULL, provider_key TEXT NOT NULL, hash TEXT NOT NULL,
  embedding BLOB NOT NULL, dims INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  PRIMARY KEY(provider, model, provider_key, hash)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS embedding_cache_by_age ON embedding_cache(updated_at);
CREATE TABLE IF NOT EXISTS origins(entry TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY(entry, hash)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS origins_by_hash ON origins(hash);
"""
_CHECKSUM_BYTES = 4
_WAIT_MS = 500  # for whoever else is at it, since others wait for `index.lock` meanwhile; to erase, longer
_SPARE_BYTES = 1 << 20  # so much may lie free in the file: the next vectors fill it
_KEY = "provider=? AND model=? AND provider_key=?"
_MADE_OF = "hash IN (SELECT o.hash FROM json_each(?) j JOIN origins o ON o.entry=j.value)"


def key_of(identity: str) -> Key:
    """Provider, model and the rest of an embedder's identity, which has them in this order."""
    provider, _, rest = identity.partition("/")
    model, _, key = rest.partition("/")
    return provider, model, key


class Cache:
    """One agent's cache file."""

    def __init__(self, folder: str, disk: Disk, clock: Clock) -> None:
        self.path = os.path.join(folder, FILE)
        self._disk, self._clock = disk, clock

    def take(self, identity: str, todo: Sequence[Todo]) -> dict[int, bytes]:
        """Vectors by chunk for what is known; what is used counts as fresh again."""
        hashes = _json(one.hash for one in todo)

        def act(connection: apsw.Connection) -> dict[int, bytes]:
            wanted = f"{_KEY} AND hash IN (SELECT value FROM json_each(?))"
            values = (*key_of(identity), hashes)
            rows = ask_all(connection, f"SELECT hash, embedding FROM embedding_cache WHERE {wanted}", values)
            known = {hash: data for hash, sealed in rows if (data := _opened(identity, hash, sealed)) is not None}
            if known:
                now = self._clock.now()
                connection.execute(f"UPDATE embedding_cache SET updated_at=? WHERE {wanted}", (now, *values))
            return {one.chunk: known[one.hash] for one in todo if one.hash in known}

        found = self._use(act)
        return found if found is not None else {}

    def keep(self, identity: str, made: Iterable[tuple[Todo, bytes]]) -> None:
        """Remember vectors that were just made."""
        now, key, pairs = self._clock.now(), key_of(identity), list(made)

        def act(connection: apsw.Connection) -> bool:
            connection.executemany(
                "INSERT OR REPLACE INTO embedding_cache VALUES(?,?,?,?,?,?,?)",
                [(*key, one.hash, _sealed(identity, one.hash, data), len(data) // 4, now) for one, data in pairs],
            )
            connection.executemany(
                "INSERT OR IGNORE INTO origins VALUES(?,?)", [(id, one.hash) for one, _ in pairs for id in one.made_of]
            )
            return True

        if pairs:
            self._use(act)

    def prune(self, entries: int, size: int) -> int:
        """Take out the longest unused until count and bytes are within their limits; how many went."""

        def act(connection: apsw.Connection) -> int:
            gone = 0
            while (excess := _excess(connection, entries, size)) > 0:  # rows that share pages free less than expected
                dropped = _drop_oldest(connection, excess)
                gone += dropped
                if not dropped:  # a file that says so and does not do so is damaged
                    break
            return gone

        gone = self._use(act, then=_shrunk)
        return gone if gone is not None else 0

    def forget(self, ids: Sequence[str]) -> bool:
        """Erase every vector made from one of these entries, and the log; a file that refuses goes as a whole.

        False, here and below, where that is refused as well.
        """
        return not ids or self._erase(lambda connection: _drop(connection, ids))

    def forget_former(self, ids: Sequence[str], said: Callable[[Sequence[str]], set[str]]) -> bool:
        """Erase likewise what was made of words that these entries no longer have.

        `said` knows the hashes of all that vectors of some entries are made of now.
        """

        def act(connection: apsw.Connection) -> bool:
            found = ask_all(connection, f"SELECT hash FROM origins WHERE {_MADE_OF}", (_json(ids),))
            made = {hash for (hash,) in found}
            of = "SELECT DISTINCT entry FROM origins WHERE hash IN (SELECT value FROM json_each(?))"
            both = [entry for (entry,) in ask_all(connection, of, (_json(made),))]  # the turn after them saw them too
            return _drop_made(connection, made - said(both))

        return not ids or self._erase(act)

    def sweep(
        self, there: Callable[[Sequence[str]], set[str]], said: Callable[[Sequence[str]], set[str]] | None = None
    ) -> bool:
        """Erase likewise what was made of entries that are no longer there, or of nobody knows what; and what was made
        of words that no entry has now, if anybody knows what they say."""

        def act(connection: apsw.Connection) -> bool:
            known = [id for (id,) in ask_all(connection, "SELECT DISTINCT entry FROM origins")]
            standing = there(known)
            _drop(connection, [id for id in known if id not in standing])
            connection.execute("DELETE FROM embedding_cache WHERE hash NOT IN (SELECT hash FROM origins)")
            if said is None:
                return True
            made = {hash for (hash,) in ask_all(connection, "SELECT DISTINCT hash FROM origins")}
            return _drop_made(connection, made - said(sorted(standing)))

        return self._erase(act)

    def _erase(self, act: Callable[[apsw.Connection], bool]) -> bool:
        """Whether it is gone, if need be with everything else."""
        from .erasing import empty_log

        if self.exists() and self._use(act, WAIT_MS, empty_log) is None:
            self.remove()
            return not self.exists()
        return True

    def exists(self) -> bool:
        return os.path.exists(self.path)

    def remove(self) -> None:
        for end in ("-wal", "-shm", ""):
            discard(self._disk, self.path + end)

    def _use(
        self, act: Callable[[apsw.Connection], Answer], wait_ms: int = _WAIT_MS,
        then: Callable[[apsw.Connection], bool] | None = None,
    ) -> Answer | None:  # fmt: skip
        """What an act in one transaction returns; None if the file cannot be used, or what comes then fails."""
        try:
            with GATE.visit():
                connection = self._connect(wait_ms)
                try:
                    with connection:
                        answer = act(connection)
                    return answer if then is None or then(connection) else None
                finally:
                    close(connection)
        except (apsw.Error, *ODD_VALUES, Damaged, OSError) as error:
            if is_damage(error):
                self.remove()
            return None

    def _connect(self, wait_ms: int) -> apsw.Connection:
        if not os.path.exists(self.path):
            self._disk.close(self._disk.open(self.path, os.O_CREAT | os.O_WRONLY, 0o600))
        connection = connect(self.path, wait_ms=wait_ms)
        try:
            connection.execute(TABLES).fetchall()
        except BaseException:
            close(connection)
            raise
        return connection


def _sealed(identity: str, hash: str, data: bytes) -> bytes:
    return data + _checksum(identity, hash, data)


def _opened(identity: str, hash: str, sealed: bytes) -> bytes | None:
    """The vector, if it is the one that was kept under this key."""
    data = sealed[:-_CHECKSUM_BYTES]
    return data if sealed[-_CHECKSUM_BYTES:] == _checksum(identity, hash, data) else None


def _checksum(identity: str, hash: str, data: bytes) -> bytes:
    return zlib.crc32(data, zlib.crc32(f"{identity}\n{hash}".encode())).to_bytes(_CHECKSUM_BYTES, "little")


def _json(values: Iterable[str]) -> str:
    return json.dumps(list(values))


def _drop(connection: apsw.Connection, ids: Sequence[str]) -> bool:
    gone = _json(ids)
    connection.execute(f"DELETE FROM embedding_cache WHERE {_MADE_OF}", (gone,))
    connection.execute(f"DELETE FROM origins WHERE {_MADE_OF}", (gone,))
    return True


def _drop_made(connection: apsw.Connection, hashes: set[str]) -> bool:
    for table in ("embedding_cache", "origins"):
        connection.execute(f"DELETE FROM {table} WHERE hash IN (SELECT value FROM json_each(?))", (_json(hashes),))
    return True


def _excess(connection: apsw.Connection, entries: int, size: int) -> int:
    """How many rows are too many, by count or by the bytes of the pages in use: adding up rows would read them all."""
    (count,) = ask_one(connection, "SELECT count(*) FROM embedding_cache")
    page, pages, free = _pages(connection)
    used = page * (pages - free)
    too_large = -((size - used) * count // used) if used > size else 0
    return max(int(count) - entries, too_large)


def _drop_oldest(connection: apsw.Connection, excess: int) -> int:
    sql = (
        "DELETE FROM embedding_cache WHERE (provider, model, provider_key, hash) IN "
        "(SELECT provider, model, provider_key, hash FROM embedding_cache ORDER BY updated_at, hash LIMIT ?) "
        "RETURNING hash"
    )
    gone = [hash for (hash,) in ask_all(connection, sql, (excess,))]
    connection.execute(
        "DELETE FROM origins WHERE hash IN (SELECT value FROM json_each(?1)) AND hash NOT IN "
        "(SELECT hash FROM embedding_cache WHERE hash IN (SELECT value FROM json_each(?1)))",
        (_json(gone),),
    )
    return len(gone)


def _shrunk(connection: apsw.Connection) -> bool:
    """Give free pages back where they are most of the file, so that what is copied is less than what is gained."""
    page, pages, free = _pages(connection)
    if 2 * free > pages and page * free > _SPARE_BYTES:
        connection.execute("VACUUM").fetchall()
    return True


def _pages(connection: apsw.Connection) -> tuple[int, int, int]:
    """The size of a page, how many the file has, and how many of them are free."""
    size, pages, free = (
        int(ask_one(connection, f"PRAGMA {name}")[0]) for name in ("page_size", "page_count", "freelist_count")
    )
    return size, pages, free
