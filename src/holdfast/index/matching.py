"""Matching: the rows that a question's words point to, and what ranking wants to know about them.

Keyword candidates by BM25, the entries beside them in their session, and the authors of a scope. Reads only; see
`mentioning` for how far author names can be believed, and `questions` for the rest of the port.
"""

from __future__ import annotations

import json
from operator import itemgetter

from ..text.form import END, asks
from ..text.view import is_answer
from .database import ask_all
from .fulltext import match_queries, texts
from .questions import MANY, OF_CHUNKS, ROW, columns, described, found_row, row_of, tell
from .select import Where, where_filter, where_scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    import apsw

    from ..model.query import Filter, Row, Words
    from ..model.scope import Scope
    from .fulltext import Texts

_FIRST = """
SELECT e.id, min(c.n) FROM json_each(?) j CROSS JOIN entries e ON e.id=j.value JOIN chunks c ON c.entry=e.n
WHERE c.stop IS NOT NULL GROUP BY e.id
"""
# Of the turn before a little more than the end by which one that asks is known: a part is no clause.
_BEFORE = f"""
SELECT x.id, b.id, substr(c.text, -{END + 1}), x.role, b.role FROM (
  SELECT e.id, e.role,
    (SELECT p.n FROM entries p WHERE p.file=e.file AND p.seq<e.seq AND p.state=0 ORDER BY p.seq DESC LIMIT 1) AS before
  FROM json_each(?) j CROSS JOIN entries e ON e.id=j.value) x
JOIN entries b ON b.n=x.before LEFT JOIN chunks c ON c.entry=x.before AND c.ordinal=0
"""
_AFTER = """
json_each(?) j CROSS JOIN entries e ON e.n=(
  SELECT p.n FROM entries p WHERE p.file=j.value->>0 AND p.seq>j.value->>1 AND p.state=0 ORDER BY p.seq LIMIT 1)
"""
_SAID = "concat_ws(' ', c.text, e.tags, e.key, e.path)"
_HAS_WORD = f"glob_words({_SAID}, ?)"
# asked first: `inn*` must look at every text with `in`, and SQLite passes over those without the letters in a
# fifth of the time; what is not ASCII may have them with accents
_HAS_LETTERS = f"(instr(lower({_SAID}), ?) OR octet_length({_SAID})>length({_SAID}))"
_OF = "f JOIN chunks c ON c.n=f.chunk JOIN entries e ON e.n=c.entry"
_CHUNK, _START, _ID = 0, 1, 5  # places among the columns of what was found
_EVERY = 1 << 40  # rows: where several lists are added up, the best of the sum may be the last of each
TIES = 12  # rows beyond those wanted, to see whether the last ones tie
_AUTHORS = """
WITH RECURSIVE named(name) AS (
  SELECT min(author) FROM entries WHERE user_id=?1 AND author IS NOT NULL
  UNION ALL SELECT (SELECT min(author) FROM entries WHERE user_id=?1 AND author>named.name) FROM named
  WHERE named.name IS NOT NULL)
SELECT name FROM named WHERE name IS NOT NULL AND ({seen}) LIMIT ?2
"""
_SEEN = "EXISTS(SELECT 1 FROM entries WHERE user_id=?1 AND author=named.name AND state=0{there})"
_LISTED = "SELECT DISTINCT e.author FROM entries e WHERE {where} AND e.author IS NOT NULL AND e.state=0 LIMIT ?"
_OF_SESSIONS = "e.file IN (SELECT n FROM files WHERE journal IN (SELECT value FROM json_each(?)))"


def match(
    connection: apsw.Connection, scope: Scope, wanted: Filter, words: Words, begun: Mapping[str, str], limit: int
) -> list[Row]:
    """Candidates by BM25; words with `?` or an inner `*` are looked for in every text of the scope.

    `begun` gives for each prefix what finds the texts that may have a word with it.
    """
    said = texts(connection, scope, *match_queries(words))
    if not words.globs and not begun:
        return _ranked(connection, scope, wanted, said, limit)[:limit]
    found = {row.id: row for row in _ranked(connection, scope, wanted, said, _EVERY)}
    for row in _globbed(connection, scope, wanted, words.globs) if words.globs else ():
        known = found.setdefault(row.id, row)
        known.score += row.score if known is not row else 0.0
    for prefix, query in begun.items():
        for row in _prefixed(connection, scope, wanted, prefix, query):
            known = found.setdefault(row.id, row)
            known.score += row.score if known is not row else 0.0
    best = sorted(found.values(), key=_best_first)[:limit]
    if limit <= MANY:
        describe(connection, best)
    return best


def _ranked(connection: apsw.Connection, scope: Scope, wanted: Filter, said: Texts | None, limit: int) -> list[Row]:
    """The best `limit`, with every other row that ties with the last: rowids must not decide."""
    if said is None:
        return []
    found = _looked_up(connection, scope, wanted, said, limit) if _is_loose(scope, wanted) else None
    if found is not None:
        return found
    where = where_filter(wanted, where_scope(scope, Where()))
    return _entries(lambda most: _joined(connection, where, said, most), limit + TIES, limit)


def _is_loose(scope: Scope, wanted: Filter) -> bool:
    """Whether nearly all that is found in a scope passes: what a context leaves out is little."""
    open = scope.workspace is None and (scope.shared or scope.user is None)
    if not open or not wanted.narrows:
        return open
    return wanted.sensitive is not True and not wanted.replace(sensitive=None, provenance=()).narrows


def _looked_up(
    connection: apsw.Connection, scope: Scope, wanted: Filter, said: Texts, limit: int
) -> list[Row] | None:  # fmt: skip
    """Rank chunks first, then look up only the best: joining every match takes three times as long.

    None if too few of them pass to be sure, or if others tie with the last.
    """
    where = where_filter(wanted, where_scope(scope, Where()))
    most = round(limit * _pieces(connection) * (2 if wanted.narrows else 1)) + TIES
    while True:
        scores, lowest = _best_chunks(connection, said, most)
        sql = f"SELECT {columns(most)}, {where} FROM {OF_CHUNKS}"
        rows = ask_all(connection, sql, (*where.values, json.dumps(list(scores))))
        best = _best(rows, scores)
        if lowest is None or (len(best) >= limit and best[limit - 1][0] >= lowest):
            break
        most *= 4
    narrows = wanted.narrows or not all(row[-1] for row in rows)
    least = best[limit - 1][0] if len(best) >= limit and not narrows else 0.0
    if lowest is not None and lowest == least:  # others of the same score were cut off, perhaps very many
        return None
    ranked = sorted((found_row(score, row[:-1]) for score, row in best if score >= least and row[-1]), key=_best_first)
    unsure = narrows and lowest is not None and (len(ranked) < limit or ranked[limit - 1].score <= lowest)
    return None if unsure else ranked


def _best_chunks(connection: apsw.Connection, said: Texts, most: int) -> tuple[dict[int, float], float | None]:
    """The best so many chunks with their scores, and the score up to which others may have been cut off."""
    found: dict[int, float] = {}
    cut: list[float] = []
    for sql, values in said.each:
        rows = ask_all(connection, f"{sql} ORDER BY score DESC LIMIT ?", (*values, most))
        for chunk, score in rows:
            if score > found.get(chunk, 0.0):
                found[chunk] = score
        cut += [rows[-1][1]] if len(rows) == most else []
    if len(found) > most:
        found = dict(sorted(found.items(), key=itemgetter(1), reverse=True)[:most])
        cut.append(min(found.values()))
    return found, max(cut, default=None)


def _best(rows: Sequence[tuple[Any, ...]], scores: Mapping[int, float]) -> list[tuple[float, tuple[Any, ...]]]:
    """The best chunk of each entry with its score, of equals the first in its text; best first."""
    best: dict[str, tuple[float, tuple[Any, ...]]] = {}
    for row in rows:
        score, known = scores[row[_CHUNK]], best.get(row[_ID])
        if known is None or (score, -row[_START]) > (known[0], -known[1][_START]):
            best[row[_ID]] = score, row
    return sorted(best.values(), key=itemgetter(0), reverse=True)


def _best_first(row: Row) -> tuple[float, int, int, str]:
    """Of equals the newest first: a pattern is worth the same wherever it is found, and so are copies."""
    return -row.score, -row.time, -row.seq, row.id


def _pieces(connection: apsw.Connection) -> float:
    """How many chunks an entry has on average: so many more must be asked for."""
    counts = dict(ask_all(connection, "SELECT key, value FROM meta WHERE key IN ('searchable', 'searched')"))
    return max(1.0, int(counts.get("searched", 1)) / max(1, int(counts.get("searchable", 1))))


def _entries(ask: Callable[[int], list[Row]], most: int, limit: int) -> list[Row]:
    """Each entry by its best chunk, at least `limit` of them if there are.

    A long entry may take many places of the ranking; then more are asked for.
    """
    while True:
        rows = ask(most)
        best: dict[str, Row] = {}
        for row in rows:
            best.setdefault(row.id, row)
        if len(best) >= limit or len(rows) < most:
            return list(best.values())
        most *= 4


def _joined(connection: apsw.Connection, where: Where, said: Texts, limit: int) -> list[Row]:
    """The best `limit` chunks of what passes."""
    best = f"WHERE {where} ORDER BY f.score DESC, e.time DESC, e.seq DESC, e.id, c.ordinal LIMIT ?"
    sql = f"SELECT f.score, {columns(limit)} FROM ({said.sql}) {_OF} {best}"
    rows = ask_all(connection, sql, (*said.values, *where.values, limit))
    return [found_row(score, row) for score, *row in rows]


def _prefixed(connection: apsw.Connection, scope: Scope, wanted: Filter, prefix: str, query: str) -> list[Row]:
    """Rows with a word that begins so: the full text finds those that may, their own text decides."""
    said = texts(connection, scope, query)
    if said is None:
        return []
    where = where_filter(wanted, where_scope(scope, Where()))
    if prefix.isascii():
        where.add(_HAS_LETTERS, prefix)
    where.add(_HAS_WORD, prefix + "*")
    return _entries(lambda most: _joined(connection, where, said, most), _EVERY, _EVERY)


def _globbed(connection: apsw.Connection, scope: Scope, wanted: Filter, patterns: Sequence[str]) -> list[Row]:
    """Rows with a word for any of the patterns, each worth 1; every text is looked at once, not once for each."""
    where = where_filter(wanted, where_scope(scope, Where(), leads=True))
    whole = "entries e JOIN chunks c ON c.entry=e.n AND c.ordinal=0"
    sql = f"SELECT {_HAS_WORD} AS held, {ROW} FROM {whole} WHERE {where} AND held > 0"
    rows = []
    for held, *found in ask_all(connection, sql, ("\n".join(patterns), *where.values)):
        row = row_of(found)
        row.score = float(held)
        rows.append(row)
    return rows


def describe(connection: apsw.Connection, rows: Sequence[Row]) -> None:
    """Fill in the text of each: of a long one the piece that matches, which is short to read."""
    lacking = {row.id: row for row in rows if not row.chunk}
    for id, chunk in ask_all(connection, _FIRST, (json.dumps(list(lacking)),)) if lacking else ():
        lacking[id].chunk = chunk
    by_chunk = {row.chunk: row for row in rows}
    for chunk, size, said in described(connection, list(by_chunk)):
        tell(by_chunk[chunk], size, said)


def look_back(connection: apsw.Connection, rows: Sequence[Row]) -> None:
    """Fill in which entry stands before each in its journal, and whether it asks or is answered anyway."""
    by_id = {row.id: row for row in rows}
    for id, before, end, role, other in ask_all(connection, _BEFORE, (json.dumps(list(by_id)),)):
        by_id[id].before, by_id[id].asked = before, asks(end or "") or is_answer(role, other)


def following(connection: apsw.Connection, scope: Scope, wanted: Filter, rows: Sequence[Row]) -> list[Row]:
    """The entries right after these that pass."""
    where = where_filter(wanted, where_scope(scope, Where()))
    places = json.dumps([(row.file, row.seq) for row in rows])
    found = ask_all(connection, f"SELECT {ROW} FROM {_AFTER} WHERE {where}", (places, *where.values))
    return [row_of(row) for row in found]


def authors(connection: apsw.Connection, scope: Scope, most: int) -> list[str]:
    """Names of those who speak in a scope; asked by skipping from name to name along an index.

    The index tells as well whether anything of theirs can be seen, and in which workspace: one look, however much they
    said. Of sessions all entries are looked at, and of everybody's.
    """
    if scope.user is not None and not scope.sessions:
        sql, values = skipping(scope)
        return [name for (name,) in ask_all(connection, sql, (scope.user, most, *values))]
    where = where_scope(scope.replace(shared=scope.everyone), Where()) if scope.narrow else Where()
    if scope.sessions:
        where.add(_OF_SESSIONS, json.dumps(scope.sessions))
    found = ask_all(connection, _LISTED.format(where=where), (*where.values, most))
    return sorted(name for (name,) in found)


def skipping(scope: Scope) -> tuple[str, tuple[str, ...]]:
    """The statement that goes from author to author of a user, with what it takes after user and limit."""
    if scope.workspace is None:
        return _AUTHORS.format(seen=_SEEN.format(there="")), ()
    # one look each: an OR within the condition would go through all that an author said elsewhere
    places = (" AND workspace=?3", " AND workspace IS NULL") if scope.loose else (" AND workspace=?3",)
    return _AUTHORS.format(seen=" OR ".join(_SEEN.format(there=place) for place in places)), (scope.workspace,)
