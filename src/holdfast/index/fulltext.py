"""Full text: a question's Words as an FTS5 query that any input can safely become (S01, T12).

Any term counts (an AND of all found 2.6 % of what an OR finds). Each term is quoted, so no character
has a meaning to FTS5. Ranked by `bm25()`: the hidden `rank` column measured 1.4 to 2.3 times slower.
"""

from __future__ import annotations

from _thread import allocate_lock

import apsw

from .gate import GATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.query import Words
    from ..model.scope import Scope

# text, tags, path, scope: whose memory it is must not count as a match
WEIGHTS = "1.0, 1.5, 0.5, 0.0"


def match_query(words: Words) -> str | None:
    """The FTS5 expression for loose terms, or None where there are none."""
    parts = [_quoted(term) for term in words.terms]
    return "{text tags path} : (" + " OR ".join(parts) + ")" if parts else None


def beginning(prefix: str, stem: str) -> str:
    """The expression for words that may begin with a prefix: what its own stem leaves of it.

    The index holds stems: `deploy` stands there as `deploi`, `deploying` as `deploy`, so only `deplo`
    finds both. The texts found must then be looked at.
    """
    kept = 0
    while kept < min(len(prefix), len(stem)) and prefix[kept] == stem[kept]:
        kept += 1
    return "{text tags path} : (" + _quoted(prefix[: max(kept, 1)]) + " *)"


def scoped(query: str, tokens: list[str]) -> str:
    """The same, only within rows that carry one of these scope tokens."""
    if not tokens:
        return query
    return "(scope : (" + " OR ".join(_quoted(token) for token in tokens) + ")) AND (" + query + ")"


def phrase(text: str) -> str:
    """The expression for these words in a row, in the text itself."""
    return "text : " + _quoted(text)


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'


def scope_tokens(connection: apsw.Connection, scope: Scope) -> list[str] | None:
    """Tokens that narrow a match to a scope; [] if it needs none, None if nothing can be in it.

    A user who is the only one in the index needs no token: it would only be one more list to merge.
    """
    if scope.sessions:
        marks = ",".join("?" * len(scope.sessions))
        found = connection.execute(f"SELECT n FROM sessions WHERE id IN ({marks})", scope.sessions).fetchall()
        return [f"s{n}" for (n,) in found] or None
    if scope.user is None:
        return []
    users = connection.execute("SELECT n, id FROM users LIMIT 2").fetchall()
    if len(users) == 1 and users[0][1] == scope.user:
        return []
    found = connection.execute("SELECT n FROM users WHERE id=?", (scope.user,)).fetchall()
    return [f"u{n}" for (n,) in found] + (["g0"] if scope.shared else []) or None


class Stemmer:
    """The tokeniser of the index, for one text at a time: what a word is found under."""

    def __init__(self) -> None:
        self._mutex = allocate_lock()
        self._connection = apsw.Connection(":memory:")
        self._tokenise = self._connection.fts5_tokenizer("porter", ["unicode61"])

    def stems(self, text: str) -> list[str]:
        """Stems in order, repeats included."""
        data = text.encode("utf-8", "replace")
        with GATE, self._mutex:
            found: Any = self._tokenise(
                data, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
            )
        return list(found)
