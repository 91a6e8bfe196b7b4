"""Mentioning: who says an author's name, by which a search knows how far the names of authors can be believed.

Only where the author speaks as well, and only of what was said: a name before a text, or in the head of a mail, tells
who wrote it. Of a name that stands in many texts some are looked at, spread over all of them. Reads only.
"""

from __future__ import annotations

import json

from ..text.names import called, mentioned
from .database import ask_all, ask_one
from .fulltext import phrase, texts
from .select import Where, where_scope, where_workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    import apsw

    from ..model.scope import Scope

    Item = TypeVar("Item")

BESIDE = 5  # turns before and after a mention that are beside it
_MOST_MENTIONS = 5_000  # reading more would take longer than the search; a name so common is believed
_LOOKED_AT, _LOOKED_BESIDE = 100, 25  # texts that are read, and those of them around which turns are counted
_WHO = """
SELECT e.file, e.seq, e.author=?, c.text FROM
  json_each(?) f CROSS JOIN chunks c ON c.n=f.value CROSS JOIN entries e ON e.n=c.entry
WHERE {scope} AND e.author IS NOT NULL
  AND EXISTS(SELECT 1 FROM entries a WHERE a.file=e.file AND a.author=? AND a.state=0 AND {spoke})
"""
_BESIDE = f"""
SELECT coalesce(avg(a.author=?), 0) FROM json_each(?) j CROSS JOIN entries a ON a.file=j.value->>0
  AND a.seq BETWEEN (j.value->>1)-{BESIDE} AND (j.value->>1)+{BESIDE} AND a.seq<>j.value->>1
WHERE a.author IS NOT NULL AND a.state=0 AND %s
"""


def mentions(connection: apsw.Connection, scope: Scope, author: str) -> tuple[int, int, float]:
    """How often what an author is called stands in their own words and in those of the others they speak with, and
    which share of what is said beside these is the author's."""
    name = called(author)
    said = texts(connection, scope, phrase(name))
    if said is None:
        return 0, 0, 0.0
    found = ask_all(connection, f"SELECT chunk FROM ({said.sql}) LIMIT ?", (*said.values, _MOST_MENTIONS + 1))
    if len(found) > _MOST_MENTIONS:
        return 0, 0, 0.0
    where = where_scope(scope, Where()) if scope.narrow else Where()  # or else the texts are those of the scope already
    spoke = where_workspace(scope, Where(), "a")
    chunks = json.dumps([chunk for (chunk,) in _some(found, _LOOKED_AT)])
    sql = _WHO.format(scope=where, spoke=spoke)
    rows = ask_all(connection, sql, (author, chunks, *where.values, author, *spoke.values))
    told = [(file, seq, own) for file, seq, own, text in rows if mentioned(text, author)]
    places = json.dumps([(file, seq) for file, seq, _ in _some(told, _LOOKED_BESIDE)])
    own = sum(one[-1] for one in told)
    if not told:
        return 0, 0, 0.0
    (share,) = ask_one(connection, _BESIDE % spoke, (author, places, *spoke.values))
    return own, len(told) - own, share


def _some(found: Sequence[Item], most: int) -> Sequence[Item]:
    """At most so many, evenly from the first to the last."""
    return found if len(found) <= most else [found[place * len(found) // most] for place in range(most)]
