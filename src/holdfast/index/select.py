"""Select: a Scope and a Filter as an SQL condition over `entries e`.

Values are always bound; names of columns come from this page only, never from a caller (T12).
`model.query.passes` and `Scope.sees` say the same in Python, and a property test compares them.
"""

from __future__ import annotations

import json

from ..model.ids import GLOBAL, user_dir
from .schema import DELETED, SUPERSEDED, VISIBLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.query import Filter
    from ..model.scope import Scope

_MOST_MARKS = 500  # values with a mark each: SQLite takes some ten thousand in a statement
_FIRST_WORD = "substr(e.provenance, 1, instr(e.provenance || ':', ':') - 1)"
_TAGGED = "EXISTS(SELECT 1 FROM entry_tags t WHERE t.entry=e.n AND (t.tag=? OR (t.tag>=? AND t.tag<?)))"


class Where:
    """A growing condition with its bound values."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.values: list[object] = []

    def add(self, part: str, *values: object) -> None:
        self.parts.append(part)
        self.values.extend(values)

    def any_of(self, column: str, values: tuple[object, ...]) -> None:
        self.either((column,), values)

    def either(self, columns: tuple[str, ...], values: tuple[object, ...]) -> None:
        """Whether one of these columns is among the values, however many; without values everything is."""
        if not values:
            return
        few = len(values) <= _MOST_MARKS
        listed = ",".join("?" * len(values)) if few else "SELECT value FROM json_each(?)"
        bound = values if few else (json.dumps(values),)
        self.add(f"({' OR '.join(f'{column} IN ({listed})' for column in columns)})", *bound * len(columns))

    def __str__(self) -> str:
        return " AND ".join(self.parts) or "1"


def where_scope(scope: Scope, where: Where, *, leads: bool = False) -> Where:
    """Whose entries; `leads` where nothing else narrows the search, such as ids or a full-text match.

    Elsewhere a plus keeps SQLite from reading all entries of a user to find a few by id: 10 times slower.
    """
    plus = "" if leads else "+"
    if scope.user is not None and scope.shared:
        where.add(f"({plus}e.user_id=? OR {plus}e.scope='global')", scope.user)  # the likelier first
    elif scope.user is not None:
        where.add(f"e.scope<>'global' AND {plus}e.user_id=?", scope.user)
    elif not scope.shared:
        where.add("e.scope<>'global'")
    where.any_of("e.session_id", scope.sessions)
    return where_workspace(scope, where)


def where_workspace(scope: Scope, where: Where, table: str = "e") -> Where:
    """Of the workspace alone."""
    if scope.workspace is not None:
        loose = f" OR {table}.workspace IS NULL" if scope.loose else ""
        where.add(f"({table}.workspace=?{loose})", scope.workspace)
    return where


def where_journal(scope: Scope, where: Where) -> Where:
    """Whose journals `f`, where there are no entries any more to say; one without a card is nobody's."""
    if scope.user is not None:
        session = "EXISTS(SELECT 1 FROM sessions s WHERE s.id=f.journal AND s.user_id=?)"
        where.add(f"(f.journal IN (?,?) OR {session})", user_dir(scope.user), GLOBAL, scope.user)
    if not scope.shared:
        where.add("f.journal IS NOT ?", GLOBAL)
    return where


def where_filter(wanted: Filter, where: Where) -> Where:
    """Which entries."""
    if wanted.hidden:
        where.add("e.state=?", DELETED)
    elif wanted.superseded:
        where.add("e.state IN (?,?)", VISIBLE, SUPERSEDED)
    else:
        where.add("e.state=?", VISIBLE)
    return _where_fields(wanted, where)


def _where_fields(wanted: Filter, where: Where) -> Where:
    if not wanted.narrows:
        return where
    for column, values in (
        ("e.type", wanted.types), ("e.scope", wanted.scopes), ("e.role", wanted.roles),
        ("e.author", wanted.authors), ("e.key", wanted.keys), ("e.id", wanted.ids),
    ):  # fmt: skip
        where.any_of(column, values)
    for tag in wanted.tags_all:
        where.add(_TAGGED, *_range(tag))
    if wanted.tags_any:
        where.add(
            "(" + " OR ".join([_TAGGED] * len(wanted.tags_any)) + ")", *(v for t in wanted.tags_any for v in _range(t))
        )
    for tag in wanted.tags_none:
        where.add("NOT " + _TAGGED, *_range(tag))
    for part, value in (
        ("e.time>=?", wanted.since), ("e.time<?", wanted.until), ("e.importance>=?", wanted.min_importance),
        ("e.sensitive=?", wanted.sensitive),
    ):  # fmt: skip
        if value is not None:
            where.add(part, value)
    if wanted.pinned is not None:
        where.add(f"e.pinned={int(wanted.pinned)}")  # not bound: only so SQLite sees that the index of these will do
    if wanted.types == ("preference",):
        where.add("e.type='preference'")  # likewise
    where.either(("e.provenance", _FIRST_WORD), wanted.provenance)
    return where


def _range(tag: str) -> tuple[str, str, str]:
    """A tag and the range of its descendants: `.` is followed by `/` in ASCII."""
    return tag, tag + ".", tag + "/"
