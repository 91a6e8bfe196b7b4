"""Carrying: takes vectors from the live generation into the one that is being built.

An entry keeps its id over a rebuild, and a vector is taken over only if the hash of what it was made from is
the same, and it has a vector's length and the signs that were noted of it. So a rebuild embeds nothing anew that did
not change, whatever the embedder, and takes over nothing that a bad sector has made of one. A generation that was
replaced because it is damaged is never carried from.
"""

from __future__ import annotations

import json

import apsw

from .database import ODD_VALUES, Damaged, ask_all, ask_one, close, connect
from .filling import insert, number_of, todos
from .gate import GATE
from .kept import whole
from .numbers import LAST
from .pages import SLOTS, bits_of, entered, entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .filling import Todo

    Kind = tuple[str, int]  # an embedder and its dimensions

_BATCH = 500
_PORTION = 20  # batches: half a second
_OLD = """
SELECT e.id, c.ordinal, v.hash, v.data, v.n FROM json_each(?) j JOIN entries e ON e.id=j.value
JOIN chunks c ON c.entry=e.n JOIN vectors v ON v.chunk=c.n AND v.embedder=(SELECT n FROM embedders)
"""


def carry(path: str, connection: apsw.Connection, kind: Kind | None = None, vfs: str | None = None) -> int:
    """Copy what still holds from the generation at this path; how many. With a kind, only vectors of that kind."""
    carried, below = 0, LAST
    while below:
        with GATE.visit():  # a fork may come between two portions, when the old one is closed
            copied, below = _portion(path, vfs, connection, kind, below)
        carried += copied
    return carried


def _portion(
    path: str, vfs: str | None, connection: apsw.Connection, kind: Kind | None, below: int
) -> tuple[int, int]:  # fmt: skip
    """How many were copied, and below which chunk to go on; 0: nowhere. What was not copied is embedded again."""
    try:
        old = connect(path, vfs=vfs)
    except (apsw.Error, Damaged, OSError):
        return 0, 0
    try:
        found = ask_one(old, "SELECT identity, dimensions FROM embedders")
        if found is None or kind not in (None, tuple(found)):
            return 0, 0
        return _carry(old, connection, found, below)
    except (apsw.Error, *ODD_VALUES):
        return 0, 0
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        close(old)


def _carry(
    old: apsw.Connection, connection: apsw.Connection, embedder: Kind, below: int
) -> tuple[int, int]:  # fmt: skip
    carried = 0
    for _ in range(_PORTION):
        chunks = _waiting(connection, below)
        if not chunks:
            return carried, 0
        below = chunks[-1]
        connection.execute("BEGIN IMMEDIATE")
        number = number_of(connection, *embedder)
        if number is None:
            return carried, 0
        same = _same(old, todos(connection, chunks), 4 * embedder[1])
        carried += insert(connection, number, same)
        connection.executemany("DELETE FROM backlog WHERE chunk=?", [(todo.chunk,) for todo, _ in same])
        connection.execute("COMMIT")
    return carried, below


def _waiting(connection: apsw.Connection, below: int) -> list[int]:
    found = ask_all(connection, f"SELECT chunk FROM backlog WHERE chunk<? ORDER BY chunk DESC LIMIT {_BATCH}", (below,))
    return [chunk for (chunk,) in found]


def _same(old: apsw.Connection, wanted: list[Todo], size: int) -> list[tuple[Todo, bytes]]:
    """Those whose old vector was made from exactly what they show now."""
    found = ask_all(old, _OLD, (json.dumps([todo.entry for todo in wanted]),))
    known = {(id, ordinal): (hash, data) for id, ordinal, hash, data, _ in _unspoilt(old, found, size)}
    pairs = ((todo, *known.get((todo.entry, todo.ordinal), ("", b""))) for todo in wanted)
    return [(todo, data) for todo, hash, data in pairs if hash == todo.hash]


def _unspoilt(old: apsw.Connection, found: list[Any], size: int) -> list[Any]:
    """Those of the right size and length, and with the signs with which they were entered."""
    import numpy as np

    sized = [row for row in found if isinstance(row[3], bytes) and len(row[3]) == size]
    sound = whole(np.frombuffer(b"".join(row[3] for row in sized), "<f4").reshape(len(sized), size // 4))
    pages = entered(old, {row[4] // SLOTS for row in sized})
    return [row for row, good in zip(sized, sound, strict=True) if good and entry(pages, row[4])[1] == bits_of(row[3])]
