"""Full text: a question's Words as an FTS5 query that any input can safely become (S01, T12).

Any term counts (an AND of all found 2.6 % of what an OR finds). Each term is quoted, so no character
has a meaning to FTS5. Ranked by `bm25()`: the hidden `rank` column measured 1.4 to 2.3 times slower.
"""

from __future__ import annotations

import json
from _thread import allocate_lock

import apsw

from ..text.content import rooted
from .database import ask_all, ask_one
from .gate import GATE
from .numbers import LAST, SHARED, block, session_word
from .questions import begun as longer
from .select import Where, where_scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..model.query import Words
    from ..model.scope import Scope
    from .numbers import Block

# text, tags, path, scope: of which session it is must not count as a match
_SCORE = (
    "SELECT rowid AS chunk, -bm25(chunks_fts, 1.0, 1.5, 0.5, 0.0) AS score FROM chunks_fts WHERE chunks_fts MATCH ?"
)
COLUMNS = "{text tags path} : "
_HELD = (
    "SELECT j.key FROM json_each(?) j "
    "WHERE EXISTS(SELECT 1 FROM chunks_fts WHERE chunks_fts MATCH j.value AND rowid BETWEEN ? AND ?)"
)
# Whether a text is of a workspace only its entry tells. One that is will do, and as a rule the last written are: so
# many of these are looked at, in 4 ms. A word that more texts hold, none of them there, counts as known: to be sure
# would take longer than a search.
_MOST_LOOKED_AT = 2_000
_CHUNKS = "SELECT rowid AS chunk FROM chunks_fts WHERE chunks_fts MATCH j.value AND rowid BETWEEN ? AND ?"
_HELD_WITHIN = f"""
SELECT j.key FROM json_each(?) j WHERE
  EXISTS(SELECT 1 FROM ({_CHUNKS} ORDER BY rowid DESC LIMIT ?) f
    CROSS JOIN chunks c ON c.n=f.chunk CROSS JOIN entries e ON e.n=c.entry WHERE %s)
  OR (SELECT count(*) FROM ({_CHUNKS} LIMIT ?)) > ?
"""
_FEW = 8  # longer words that are wanted
_STEPS = (_FEW, 32, 128, 512)  # how many are looked at in a row: the first are as a rule enough
_WORD, _MOST_WORDS = 24, 5_000  # letters of a text whose stems are remembered, and of how many
_WITHIN = " AND rowid BETWEEN ? AND ?"
_ANY = "SELECT 1 FROM chunks WHERE n BETWEEN ? AND ? LIMIT 1"
_LAST = "SELECT max(n) FROM chunks WHERE n BETWEEN ? AND ?"


def match_queries(words: Words) -> list[str]:
    """The FTS5 expressions for loose terms: what holds one of them, and what holds one with a word beside them.

    A text of the second kind is found by both, and by the second with all that it scores.
    """
    finding = _any_of((*words.terms, *words.letters))
    if not finding or not words.beside:
        return [COLUMNS + finding] if finding else []
    return [COLUMNS + finding, f"{COLUMNS}({_any_of(words.beside)} AND {finding})"]


def _any_of(terms: Sequence[str]) -> str:
    return "(" + " OR ".join(map(quoted, terms)) + ")" if terms else ""


def phrase(text: str) -> str:
    """The expression for these words in a row, in the text itself."""
    return "text : " + quoted(text)


def quoted(term: str) -> str:
    """A term without any meaning to FTS5."""
    return '"' + rooted(term).replace('"', '""').replace("\0", " ") + '"'


class Texts:
    """What queries find within a scope, as SELECTs of `chunk` and `score` with the values that they take.

    A chunk may be found by several queries; the best of its scores is the one that counts.
    """

    __slots__ = ("each", "sql", "values")

    def __init__(self, queries: Sequence[str], blocks: Sequence[Block]) -> None:
        sql = " UNION ALL ".join([_SCORE + _WITHIN] * len(blocks) or [_SCORE])
        self.each = [(sql, _values(query, blocks)) for query in queries]
        self.sql = " UNION ALL ".join([sql] * len(queries))
        self.values = tuple(value for _, values in self.each for value in values)


def _values(query: str, blocks: Sequence[Block]) -> tuple[str | int, ...]:
    return tuple(value for first, last in blocks for value in (query, first, last)) if blocks else (query,)


def texts(connection: apsw.Connection, scope: Scope, *queries: str) -> Texts | None:
    """The queries kept to a scope, by the numbers of chunks or words for sessions; None if nothing can be in it."""
    if not queries:
        return None
    if scope.sessions:
        within = _of_sessions(connection, scope)
        return Texts([f"{within} AND ({query})" for query in queries], ()) if within else None
    if scope.user is None:
        return Texts(queries, ())
    found = blocks(connection, scope)
    return Texts(queries, found) if found else None


def _of_sessions(connection: apsw.Connection, scope: Scope) -> str:
    """The expression for texts of these sessions; empty where there is none of them."""
    marks = ",".join("?" * len(scope.sessions))
    found = ask_all(connection, f"SELECT n FROM sessions WHERE id IN ({marks})", scope.sessions)
    words = " OR ".join(f'"{session_word(n)}"' for (n,) in found)
    return f"(scope : ({words}))" if found else ""


def blocks(connection: apsw.Connection, scope: Scope) -> list[Block]:
    """The numbers of a user's chunks and, where they are in sight, of those that are shared; highest first."""
    if scope.user is None:
        return [(0, LAST)]
    users = ask_all(connection, "SELECT n FROM users WHERE id=?", (scope.user,))
    found = [block(n) for (n,) in users]
    if scope.shared and ask_one(connection, _ANY, block(SHARED)):
        found.append(block(SHARED))
    return found


def extent(connection: apsw.Connection, scope: Scope) -> int:
    """How many numbers the chunks of a user, and those that are shared, take up: one look at each end."""
    lasts = [(first, ask_one(connection, _LAST, (first, last))[0]) for first, last in blocks(connection, scope)]
    return sum(last - first + 1 for first, last in lasts if last is not None)


def held(connection: apsw.Connection, scope: Scope, terms: Sequence[str]) -> set[str]:
    """Those of these words that stand in any text of the scope."""
    return _there(connection, scope, {term: COLUMNS + quoted(term) for term in terms})


def _there(connection: apsw.Connection, scope: Scope, queries: Mapping[str, str]) -> set[str]:
    """The names of those queries that find anything; the first row tells."""
    if scope.narrow:
        return _there_within(connection, scope, queries)
    asked = json.dumps(queries)
    found = (row for block in blocks(connection, scope) for row in ask_all(connection, _HELD, (asked, *block)))
    return {name for (name,) in found}


def _there_within(connection: apsw.Connection, scope: Scope, queries: Mapping[str, str]) -> set[str]:
    """The same where only a part of somebody's memory is asked."""
    if scope.sessions:
        within = _of_sessions(connection, scope)
        queries = {name: f"{within} AND ({query})" for name, query in queries.items()} if within else {}
    where, most = where_scope(scope, Where()), _MOST_LOOKED_AT
    sql, asked = _HELD_WITHIN % where, json.dumps(queries)
    found: set[str] = set()
    for span in blocks(connection, scope) if queries else ():
        rows = ask_all(connection, sql, (asked, *span, most, *where.values, *span, most + 1, most))
        found.update(name for (name,) in rows)
    return found


def begun(connection: apsw.Connection, scope: Scope, stems: Sequence[str]) -> list[str]:
    """A few that begin with the last of these stems and stand behind the others, in a text of the scope.

    Nobody's words may take the place of another's: that would tell that they are there.
    """
    *before, last = stems
    found: list[str] = []
    if not _there(connection, scope, {last: f"{COLUMNS}({quoted(' '.join(stems))} *)"}):
        return found  # as a rule; looking through the words of others would take longer
    after = last
    for step in _STEPS:
        ends = longer(connection, last, after, step)
        words = [" ".join((*before, end)) for end in ends]
        there = held(connection, scope, words)
        found += [word for word in words if word in there]
        if len(found) >= _FEW or len(ends) < step:
            break
        after = ends[-1]
    return found[:_FEW]


class Stemmer:
    """The tokeniser of the index, for one text at a time: what a word is found under."""

    def __init__(self) -> None:
        self._mutex = allocate_lock()
        with GATE.visit():
            self._connection = apsw.Connection(":memory:")
            self._tokenise = self._connection.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])
        self._words: dict[str, list[str]] = {}  # words of questions, which every part of a search asks for

    def stems(self, text: str) -> list[str]:
        """Stems in order, repeats included."""
        if len(text) > _WORD:
            return self._cut(text)
        found = self._words.get(text)
        if found is None:
            if len(self._words) >= _MOST_WORDS:
                self._words.clear()
            found = self._words[text] = self._cut(text)
        return found

    def _cut(self, text: str) -> list[str]:
        data = rooted(text).encode("utf-8", "replace")
        with GATE.visit(), self._mutex:
            found: Any = self._tokenise(
                data, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
            )
        return list(found)
