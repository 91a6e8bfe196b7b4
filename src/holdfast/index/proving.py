"""Proving: looks at every vector of a generation, and takes out those that are not what was stored.

A bad sector or a flipped bit in a vector is seen by no search that does not read it, and by none at all where only the
way it is entered in its page is wrong. A vector is sound if it is of a text that is shown, made of just what that says,
by the embedder that the index names, has the right size and length one, and stands in its page as it is. Whatever has
no vector afterwards waits for one (`backlog`). It looks at a portion at a time, each as of one moment.
"""

from __future__ import annotations

import json

from .database import ask_all, ask_one
from .filling import todos
from .kept import whole
from .pages import EMPTY, NO_PAGE, OWNER, SLOTS, bits_of, entered, entry, vacate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import apsw

    from .filling import Todo
    from .pages import Page

_PORTION = 8  # pages
_ALL = f"SELECT page FROM vector_pages UNION SELECT n / {SLOTS} FROM vectors ORDER BY 1"
_VECTORS = f"""
SELECT v.n, v.chunk, v.embedder, v.hash, v.data, e.id
FROM json_each(?) j JOIN vectors v ON v.n >= j.value * {SLOTS} AND v.n < (j.value + 1) * {SLOTS}
LEFT JOIN chunks c ON c.n=v.chunk LEFT JOIN entries e ON e.n=c.entry
"""
_LACKING = """
INSERT OR IGNORE INTO backlog(chunk) SELECT c.n FROM entries e JOIN chunks c ON c.entry=e.n
WHERE e.state=0 AND c.stop IS NOT NULL AND NOT EXISTS(SELECT 1 FROM vectors v WHERE v.chunk=c.n)
"""


class Unsound:
    """A vector that is not what it should be, or a place for one that is not there."""

    __slots__ = ("entry", "n", "what")

    def __init__(self, n: int, entry: str | None, what: str) -> None:
        self.n, self.entry, self.what = n, entry, what


def portions(connection: apsw.Connection) -> list[list[int]]:
    """All pages, a few at a time."""
    found = [page for (page,) in ask_all(connection, _ALL)]
    return [found[start : start + _PORTION] for start in range(0, len(found), _PORTION)]


def unsound(connection: apsw.Connection, pages: Sequence[int]) -> list[Unsound]:
    """What is wrong in these pages."""
    if not connection.in_transaction:
        connection.execute("BEGIN")  # all of it as of one moment; whoever asked ends it
    wanted = (json.dumps(pages),)
    found, held = ask_all(connection, _VECTORS, wanted), entered(connection, pages)
    number, dimensions = ask_one(connection, "SELECT n, dimensions FROM embedders") or (None, 0)
    shown = {todo.chunk: todo for todo in todos(connection, [row[1] for row in found if isinstance(row[1], int)])}
    sound = _sound([row[4] for row in found], 4 * dimensions)
    wrong = []
    for (n, chunk, embedder, hash, data, id), good in zip(found, sound, strict=True):
        what = _misplaced(shown.get(chunk), hash, embedder == number)
        if what is None:
            owner = shown[chunk].owner
            what = _misentered(entry(held, n), owner, data) if good else _spoilt(data, 4 * dimensions)
        if what is not None:
            wrong.append(Unsound(n, id, what))
    return [*wrong, *_vacant(held, {row[0] for row in found})]


def _sound(data: Sequence[Any], size: int) -> list[bool]:
    """Which of these are vectors of this size and of length one."""
    import numpy as np

    sized = [isinstance(one, bytes) and len(one) == size > 0 for one in data]
    rows = [one for one, fits in zip(data, sized, strict=True) if fits]
    floats = np.frombuffer(b"".join(rows), "<f4").reshape(len(rows), max(size // 4, 1))
    good = iter(whole(floats).tolist())
    return [fits and next(good) for fits in sized]


def _misplaced(todo: Todo | None, hash: str, known: bool) -> str | None:
    """Why a vector is not the one of its text."""
    if todo is None:
        return "a vector is there of what is not shown"
    if not known:
        return "its vector is of another embedder than the one that the index names"
    return None if hash == todo.hash else "its vector was made of other words"


def _spoilt(data: Any, size: int) -> str:
    if not isinstance(data, bytes) or len(data) != size:
        held = f"{len(data)} bytes" if isinstance(data, bytes) else "no bytes"
        return f"its vector has {held} in place of {size}"
    return "its vector is damaged: its length is not one"


def _misentered(slot: Page, owner: int, data: bytes) -> str | None:
    """Why a vector that is sound is not found as it should be: a scan looks at owners and sign bits only."""
    fits = slot == (owner.to_bytes(OWNER, "little", signed=True), bits_of(data))
    return None if fits else "its vector is entered wrongly"


def _vacant(pages: dict[int, Page], there: set[int]) -> list[Unsound]:
    """Slots that say that there is a vector where none is, and pages that are none."""
    spoilt = [page * SLOTS for page, held in pages.items() if held == NO_PAGE]
    sized = [page for page, held in pages.items() if held != NO_PAGE]
    slots = (n for page in sized for n in range(page * SLOTS, (page + 1) * SLOTS))
    taken = [n for n in slots if n not in there and entry(pages, n)[0] != EMPTY]
    return [
        *(Unsound(n, None, "a vector is entered that is not there") for n in taken),
        *(Unsound(n, None, "a page of vectors is damaged") for n in spoilt),
    ]


def mend(connection: apsw.Connection, pages: Sequence[int]) -> None:
    """Take out what is wrong in these pages by now; the caller holds `index.lock`."""
    connection.execute("BEGIN IMMEDIATE")
    numbers = [one.n for one in unsound(connection, pages)]
    spoilt = {page for page, held in entered(connection, pages).items() if held == NO_PAGE}
    connection.executemany("DELETE FROM vector_pages WHERE page=?", [(page,) for page in spoilt])
    vacate(connection, [n for n in numbers if n // SLOTS not in spoilt])
    connection.execute("DELETE FROM vectors WHERE n IN (SELECT value FROM json_each(?))", (json.dumps(numbers),))
    connection.execute("DELETE FROM embedders WHERE n NOT IN (SELECT embedder FROM vectors)")
    connection.execute(_LACKING)
    connection.execute("COMMIT")
