"""Filling: gives vectors to what has none, of each owner what was written last first, in short transactions.

Texts are read, embedded and only then stored, since an embedder may be slow; `index.lock` is held for the
storing alone. By then an entry may have been changed or forgotten, so the view of each is made once more
under the lock, and a vector made from anything else is thrown away. Refused, counted and never stored:
wrong sizes, numbers that are not finite, lengths other than 1. What was refused stays in the backlog and is noted
there, so that those below it get on and it is tried again only after a while. A text that says nothing to the
embedder (its vector is zero) leaves the backlog without a vector.
"""

from __future__ import annotations

import json
import time

from ..model.ids import digest
from ..model.value import Value
from ..text.view import is_answer, view
from .database import ask_all, ask_one
from .fulltext import blocks
from .gate import GATE
from .numbers import LAST, owner_of
from .pages import bits_of, occupy
from .select import Where, where_scope
from .stale import TURN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    import apsw

    from ..model.scope import Scope
    from ..ports import Embedder, Progress

    Made = dict[int, bytes | None]  # by chunk; None: nothing to say

_VIEWS = f"""
SELECT c.n, e.id, e.scope, u.n, c.ordinal, c.text, coalesce(e.author, replace(e.key, '_', ' ')), p.id, b.text, p.author,
  e.role, p.role
FROM json_each(?) j JOIN chunks c ON c.n=j.value JOIN entries e ON e.n=c.entry AND e.state=0
LEFT JOIN users u ON u.id=e.user_id
LEFT JOIN entries p ON p.n=CASE WHEN e.type='{TURN}' AND e.scope='session' THEN (
  SELECT o.n FROM entries o WHERE o.file=e.file AND o.seq<e.seq AND o.state=0 AND o.type='{TURN}'
  ORDER BY o.seq DESC LIMIT 1) END
  AND (e.author IS NOT NULL OR p.author IS NOT NULL OR coalesce(p.role, '')<>coalesce(e.role, 'another'))
LEFT JOIN chunks b ON b.entry=p.n AND b.ordinal=0 AND c.ordinal=0
"""
# Kept to numbers of one owner: what waits for others may be very much.
_WAITING = (
    "FROM backlog w JOIN chunks c ON c.n=w.chunk JOIN entries e ON e.n=c.entry WHERE w.chunk BETWEEN ? AND ? AND "
)
_COUNTED = 2_000  # a longer backlog is counted by chunks where that is the same: counting entries takes 1 ms a thousand
_TOLERANCE = 1e-3  # by which a unit vector's length may be off
_MOST = 512  # texts embedded, or entries looked at, at once
_AT_ONCE_S = 1.0  # and how long they may take where nobody waits: a deadline of the embedder's must not cut them off


class Todo(Value):
    """A chunk that wants a vector: what to embed, and which entries it is made of."""

    chunk: int
    entry: str
    ordinal: int
    owner: int
    text: str
    hash: str
    made_of: tuple[str, ...]


def todos(connection: apsw.Connection, chunks: Sequence[int]) -> list[Todo]:
    """These chunks as they are to be seen now; what is not visible is left out."""
    return [_todo(row) for row in ask_all(connection, _VIEWS, (json.dumps(chunks),))]


def _todo(row: tuple[Any, ...]) -> Todo:
    chunk, id, scope, user, ordinal, text, author, earlier, said, by, role, other = row
    seen = view(text, author, (said, by) if said is not None else None, is_answer(role, other))
    both = said is not None and seen != view(text, author)
    return Todo(
        chunk=chunk, entry=id, ordinal=ordinal, owner=owner_of(scope, user), text=seen, hash=digest(seen.encode()),
        made_of=(id, earlier) if both else (id,),
    )  # fmt: skip


def waiting(connection: apsw.Connection, scope: Scope, below: int, most: int, due: int) -> list[Todo]:
    """What waits for a vector in a scope, with chunks below a number; of each owner what was written last first.

    What was refused at the moment `due` or later is left out.
    """
    where = where_scope(scope, Where())
    sql = f"SELECT w.chunk {_WAITING} w.refused<? AND {where} ORDER BY w.chunk DESC LIMIT ?"
    found: list[int] = []
    for first, last in blocks(connection, scope):
        values = (first, min(last, below - 1), due, *where.values, most - len(found))
        found += [chunk for (chunk,) in ask_all(connection, sql, values)]
    return todos(connection, found)


def missing(connection: apsw.Connection, scope: Scope) -> tuple[int, int]:
    """How many entries of a scope wait for a vector, of how many; (0, 0) if none does."""
    waiting = _count(connection, scope, "SELECT count(*) FROM backlog WHERE chunk BETWEEN ? AND ?")
    if not waiting:
        return 0, 0
    if waiting > _COUNTED and _is_everything(connection, scope):
        (total,) = ask_one(connection, "SELECT value FROM meta WHERE key='searchable'") or (waiting,)
        return min(waiting, int(total)), int(total)
    where = where_scope(scope, Where())
    lacking = _count(connection, scope, f"SELECT count(DISTINCT e.n) {_WAITING} {where}", where.values)
    if not lacking:
        return 0, 0
    (total,) = ask_one(connection, f"SELECT count(*) FROM entries e WHERE {where} AND e.state=0", where.values)
    return lacking, total


def refused(connection: apsw.Connection, scope: Scope) -> int:
    """How many entries of a scope have a text that the embedder did not take."""
    where = where_scope(scope, Where())
    return _count(connection, scope, f"SELECT count(DISTINCT e.n) {_WAITING} w.refused>0 AND {where}", where.values)


def _count(connection: apsw.Connection, scope: Scope, sql: str, values: Sequence[object] = ()) -> int:
    """The same count of each owner in sight, together."""
    return sum(ask_one(connection, sql, (*block, *values))[0] for block in blocks(connection, scope))


def _is_everything(connection: apsw.Connection, scope: Scope) -> bool:
    """Whether a scope leaves nothing out: that of upkeep, or of the only user there is."""
    if scope.sessions or scope.workspace is not None or not scope.shared:
        return False
    return scope.user is None or ask_all(connection, "SELECT id FROM users LIMIT 2") == [(scope.user,)]


def checked(vectors: Any, texts: int, dimensions: int) -> tuple[list[bytes | None], list[int]]:
    """Each vector as bytes, None where it is zero, and the places of those that are refused."""
    import numpy as np

    found = np.asarray(vectors)
    if found.shape != (texts, dimensions) or found.dtype.kind != "f":
        return [None] * texts, list(range(texts))
    lengths = np.linalg.norm(found.astype(np.float64), axis=1)
    refused = ~np.isfinite(lengths) | ((np.abs(lengths - 1.0) > _TOLERANCE) & (lengths != 0.0))
    rows = np.ascontiguousarray(found, "<f4")
    data = [None if length == 0.0 else row.tobytes() for row, length in zip(rows, lengths, strict=True)]
    return data, np.flatnonzero(refused).tolist()


def identity_of(connection: apsw.Connection) -> str | None:
    """Which embedder made the vectors of this generation."""
    found = ask_one(connection, "SELECT identity FROM embedders")
    return found[0] if found else None


def dimensions_of(connection: apsw.Connection) -> int | None:
    """How many numbers each of them has."""
    found = ask_one(connection, "SELECT dimensions FROM embedders")
    return int(found[0]) if found else None


def state(connection: apsw.Connection) -> tuple[str | None, int | None]:
    """The same, and when what waits for a vector was first refused: 0 if some never was, None if nothing waits."""
    sql = "SELECT coalesce((SELECT refused FROM backlog WHERE refused=0 LIMIT 1), (SELECT min(refused) FROM backlog))"
    return identity_of(connection), ask_one(connection, sql)[0]


def holds(connection: apsw.Connection, identity: str, dimensions: int) -> bool:
    """Whether the vectors of this generation are of this kind."""
    found = ask_one(connection, "SELECT 1 FROM embedders WHERE identity=? AND dimensions=?", (identity, dimensions))
    return found is not None


def number_of(connection: apsw.Connection, identity: str, dimensions: int) -> int | None:
    """The number of this embedder, entered if the generation has none; None if it belongs to another."""
    connection.execute(
        "INSERT INTO embedders(identity, dimensions) SELECT ?, ? WHERE NOT EXISTS(SELECT 1 FROM embedders)",
        (identity, dimensions),
    )
    found = ask_one(connection, "SELECT n FROM embedders WHERE identity=? AND dimensions=?", (identity, dimensions))
    return int(found[0]) if found else None


def store(connection: apsw.Connection, embedder: Embedder, done: Sequence[Todo], made: Made, at: int) -> int:
    """Store what is still true; the caller holds `index.lock`. Returns how many vectors were new.

    What has none among those that were made was refused, at this moment.
    """
    connection.execute("BEGIN IMMEDIATE")
    number = number_of(connection, embedder.identity, embedder.dimensions)
    now = {todo.chunk: todo for todo in todos(connection, [todo.chunk for todo in done])} if number else {}
    still = [todo for todo in done if now.get(todo.chunk) == todo]
    same = [todo for todo in still if todo.chunk in made]
    stored = insert(connection, number or 0, [(todo, data) for todo in same if (data := made[todo.chunk])])
    connection.executemany("DELETE FROM backlog WHERE chunk=?", [(todo.chunk,) for todo in same])
    connection.executemany(
        "UPDATE backlog SET refused=? WHERE chunk=?", [(at, todo.chunk) for todo in still if todo.chunk not in made]
    )
    connection.execute("COMMIT")
    return stored


def insert(connection: apsw.Connection, embedder: int, made: Iterable[tuple[Todo, bytes]]) -> int:
    """Vectors and their pages; a chunk that somebody else gave one meanwhile keeps it."""
    slots = []
    for todo, data in made:
        connection.execute(
            "INSERT INTO vectors(chunk, embedder, hash, data) SELECT ?1, ?2, ?3, ?4 "
            "WHERE NOT EXISTS(SELECT 1 FROM vectors WHERE chunk=?1)",
            (todo.chunk, embedder, todo.hash, data),
        )
        if connection.changes():
            slots.append((connection.last_insert_rowid(), todo.owner, bits_of(data)))
    occupy(connection, slots)
    return len(slots)


def standing(connection: apsw.Connection, made: Sequence[tuple[Todo, bytes]]) -> list[tuple[Todo, bytes]]:
    """Those whose entries are here and still say what their vectors were made of, however they are cut here."""
    ids = json.dumps(sorted({todo.entry for todo, _ in made}))
    now = {(todo.entry, todo.hash, todo.made_of) for todo in todos(connection, _chunks_of(connection, ids))}
    return [(todo, data) for todo, data in made if (todo.entry, todo.hash, todo.made_of) in now]


def hashes(connection: apsw.Connection, ids: Sequence[str]) -> set[str]:
    """Of all that vectors of these entries are made of now."""
    found: set[str] = set()
    for start in range(0, len(ids), _MOST):  # all texts at once may be a large part of memory
        chunks = _chunks_of(connection, json.dumps(ids[start : start + _MOST]))
        found.update(todo.hash for todo in todos(connection, chunks))
    return found


def _chunks_of(connection: apsw.Connection, ids: str) -> list[int]:
    sql = "SELECT c.n FROM json_each(?) j JOIN entries e ON e.id=j.value JOIN chunks c ON c.entry=e.n"
    return [n for (n,) in ask_all(connection, sql, (ids,))]


def there(connection: apsw.Connection, ids: Sequence[str]) -> set[str]:
    """Which of these entries have a row, seen or hidden."""
    sql = "SELECT e.id FROM json_each(?) j JOIN entries e ON e.id=j.value"
    return {id for (id,) in ask_all(connection, sql, (json.dumps(ids),))}


def embed_all(
    connection: apsw.Connection, embedder: Embedder, make: Callable[[Sequence[Todo]], Made], progress: Progress | None,
    at: int,
) -> None:  # fmt: skip
    """Empty the whole backlog of a generation that nobody else sees yet."""
    with GATE.visit():
        (total,) = ask_one(connection, "SELECT count(*) FROM backlog")
    below, done, size = LAST, 0, 4
    while chunks := _next(connection, below, size):
        started = time.monotonic()
        below = chunks[-1]
        with GATE.visit():
            batch = todos(connection, chunks)
        made = make(batch)
        with GATE.visit():
            store(connection, embedder, batch, made, at)
        done += len(chunks)
        size = next_size(len(chunks), started)
        if progress is not None:
            progress(done, total)


def mostly_refused(connection: apsw.Connection) -> bool:
    """Whether a whole backlog was embedded, and more is left in it than got a vector."""
    with GATE.visit():
        (left,), (made,) = (ask_one(connection, f"SELECT count(*) FROM {table}") for table in ("backlog", "vectors"))
    return bool(left > made)


def _next(connection: apsw.Connection, below: int, most: int) -> list[int]:
    with GATE.visit():
        found = ask_all(
            connection, "SELECT chunk FROM backlog WHERE chunk<? ORDER BY chunk DESC LIMIT ?", (below, most)
        )
    return [chunk for (chunk,) in found]


def next_size(done: int, started: float, deadline: float | None = None) -> int:
    """How many texts to embed next: as many as there is time for at the speed just seen, and at most four times as
    many, since a speed is not to be trusted that far: answers of a slow embedder may have lain on its shelf."""
    now = time.monotonic()
    left = _AT_ONCE_S if deadline is None else (deadline - now) * 0.8
    size = min(_MOST, 4 * done, int(done / max(now - started, 1e-6) * left))
    return max(size, 0 if deadline is not None else 1)


def facts(connection: apsw.Connection) -> dict[str, Any]:
    """Numbers for `status`."""
    return {
        "embedder": identity_of(connection),
        "vectors": ask_one(connection, "SELECT count(*) FROM vectors")[0],
        "without_vector": ask_one(connection, "SELECT count(*) FROM backlog")[0],
    }  # fmt: skip
