"""Questions: what the Index port answers, as statements over one connection.

Reads only. Each function takes a connection and plain values and returns values of `model`. Lists of
ids are asked in groups, since SQLite bounds the number of bound values.
"""

from __future__ import annotations

import json

from ..model.entry import TYPES, Tombstone
from ..model.ids import is_journal
from ..model.moment import iso
from ..model.query import Label, Row
from ..model.replay import Address
from ..model.value import FrozenDict
from .catchup import card_of
from .database import ask_all, ask_one
from .schema import DELETED, SUPERSEDED, VISIBLE, VOCABULARY
from .select import Where, where_filter, where_journal, where_scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    import apsw

    from ..model.card import Card
    from ..model.query import Filter
    from ..model.scope import Scope

ROW = "e.id, e.time, e.type, e.importance, e.pinned, e.session_id, e.workspace, e.role, e.author, e.file, e.seq"
# Pieces are numbered in their order, so the last one tells how long the whole is: asking all for it would take as many
# looks as there are pieces, for each of them.
_WHOLE = "SELECT l.stop FROM chunks l WHERE l.entry=c.entry ORDER BY l.n DESC LIMIT 1"
_SAID = f"CASE c.ordinal WHEN 0 THEN c.stop ELSE ({_WHOLE}) END, c.text"
OF_CHUNKS = "json_each(?) j JOIN chunks c ON c.n=j.value JOIN entries e ON e.n=c.entry"
MANY = 2_000  # rows of which most are never looked at: their texts are left where they are
_TEXT = (str, None.__class__)
_GROUP = 400
_LARGEST = 1 << 31  # bytes: twice the largest journal that settings allow
PLURALS = {type: ("summaries" if type == "summary" else type + "s") for type in TYPES}


def groups(items: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Placeholders and values, some hundreds at a time."""
    for start in range(0, len(items), _GROUP):
        group = items[start : start + _GROUP]
        yield ",".join("?" * len(group)), group


def row_of(found: Sequence[Any]) -> Row:
    """A row from the columns `ROW`. What it says is asked for by other questions, so it is looked at here."""
    id, time, type, importance, pinned, session, workspace, role, author, file, seq = found
    if not (
        time.__class__ is seq.__class__ is pinned.__class__ is file.__class__ is int and importance.__class__ is float
    ):
        raise ValueError("a row with a number that is none")
    if not (
        id.__class__ is type.__class__ is str
        and session.__class__ in _TEXT and workspace.__class__ in _TEXT
        and role.__class__ in _TEXT and author.__class__ in _TEXT
    ):  # fmt: skip
        raise ValueError("a row with a text that is none")
    return Row(*found)


def columns(limit: int) -> str:
    """Columns of a row that was found by a chunk; one of not too many with its text, which costs next to nothing."""
    return f"c.n, c.start, c.stop, {_SAID if limit <= MANY else 'NULL, NULL'}, {ROW}"


def found_row(score: Any, found: Sequence[Any]) -> Row:
    """A row from its score and these columns."""
    chunk, start, stop, size, said = found[:5]
    if not (score.__class__ is float and chunk.__class__ is start.__class__ is stop.__class__ is int):
        raise ValueError("a score or a span with a number that is none")
    row = row_of(found[5:])
    row.score, row.chunk, row.span = score, chunk, (start, stop)
    if said is not None:
        tell(row, size, said)
    return row


def tell(row: Row, size: Any, said: Any) -> None:
    """Fill in the text of a row."""
    if not (size.__class__ is int and said.__class__ is str):
        raise ValueError("a text without size, or none")
    row.size, row.said = size, said


def described(connection: apsw.Connection, chunks: Sequence[int]) -> list[tuple[Any, ...]]:
    """Chunk, size and text of each."""
    sql = f"SELECT c.n, {_SAID} FROM json_each(?) j JOIN chunks c ON c.n=j.value"
    return ask_all(connection, sql, (json.dumps(chunks),))


def picked(connection: apsw.Connection, scope: Scope, wanted: Filter, chunks: Sequence[int]) -> list[Row]:
    """The entries of these chunks that pass."""
    where = where_filter(wanted, where_scope(scope, Where()))
    sql = f"SELECT {columns(len(chunks))} FROM {OF_CHUNKS} WHERE {where}"
    return [found_row(0.0, row) for row in ask_all(connection, sql, (json.dumps(chunks), *where.values))]


def when_recalled(connection: apsw.Connection, rows: Sequence[Row]) -> None:
    """Fill in when each was last recalled; the table holds what was recalled within two days."""
    times = dict(ask_all(connection, "SELECT id, time FROM recalled"))
    if any(time.__class__ is not int for time in times.values()):
        raise ValueError("a time that is none")
    for row in rows:
        row.recalled = times.get(row.id, 0)


def own(connection: apsw.Connection, scope: Scope) -> Scope:
    """Without what is shared, where nothing is: one index gives a user's entries in order, an OR reads them all."""
    if not scope.shared or scope.user is None:
        return scope
    shared = ask_one(connection, "SELECT 1 FROM entries WHERE scope='global' LIMIT 1")
    return scope if shared else scope.replace(shared=False)


_BEGUN = "SELECT term FROM temp.vocabulary WHERE term > ? AND term < ? LIMIT ?"
# One statement for all: opening a vocabulary costs more than looking a word up in it.
_SEEN = "SELECT v.term, v.doc FROM json_each(?) j CROSS JOIN temp.vocabulary v ON v.term=j.value"


def rarity(connection: apsw.Connection, stems: list[str | None]) -> dict[str | None, int]:
    """In how many chunks each stem occurs, and under None how many there are (an entry that is not long is one)."""
    connection.execute(VOCABULARY)
    total = ask_one(connection, "SELECT value FROM meta WHERE key='searched'")
    wanted = [stem for stem in stems if stem is not None]  # a null would be compared with every word there is
    return {None: int(total[0]) if total else 0, **dict(ask_all(connection, _SEEN, (json.dumps(wanted),)))}


def begun(connection: apsw.Connection, stem: str, after: str, most: int) -> list[str]:
    """The next longer stems of any text that begin with this one, in alphabetical order."""
    connection.execute(VOCABULARY)
    return [term for (term,) in ask_all(connection, _BEGUN, (after, stem + "\U0010ffff", most))]


# Here and below a join: `id IN (SELECT …)` would sort all ids first, and take three times as long.
_LOCATE = """
SELECT e.id, f.journal, e.offset, e.length, e.spans
FROM json_each(?) j CROSS JOIN entries e ON e.id=j.value JOIN files f ON f.n=e.file
"""
_SESSIONS = "SELECT s.id, s.user_id, s.key, s.decay FROM json_each(?) j CROSS JOIN sessions s ON s.id=j.value"


# Whether an entry is seen is one number of its row, and a flipped bit can make it any other: so it is asked twice.
_STANDING = """
NOT EXISTS(SELECT 1 FROM tombstones t WHERE t.id=e.id) AND (e.key IS NULL OR
  NOT EXISTS(SELECT 1 FROM entries o WHERE o.file=e.file AND o.key=e.key AND o.seq>e.seq))
"""


def locate(connection: apsw.Connection, scope: Scope, ids: Sequence[str], every: bool) -> dict[str, Address]:
    where = where_scope(scope, Where())
    if not every:
        where.add(f"e.state=? AND {_STANDING}", VISIBLE)
    found = ask_all(connection, f"{_LOCATE} WHERE {where}", (json.dumps(list(ids)), *where.values))
    return {id: _address(id, journal, offset, length, spans) for id, journal, offset, length, spans in found}


def _address(id: str, journal: str, offset: int, length: int, spans: str | None) -> Address:
    """Where an entry lies. A flipped bit can make any number of it absurd, and files are read by these."""
    places = ((offset, length), *((start, size) for start, size in json.loads(spans))) if spans else ((offset, length),)
    for start, size in places:
        if not (start.__class__ is size.__class__ is int and 0 <= start <= _LARGEST and 0 <= size <= _LARGEST):
            raise ValueError("an address that leads nowhere")
    if not is_journal(journal):
        raise ValueError("an address in no journal")
    return Address(id=id, journal=journal, spans=places)


_LABELS = f"""
SELECT e.id, {", ".join(f"e.{name}" for name in Label._fields if name != "tagged")},
  (SELECT json_group_array(t.tag) FROM entry_tags t WHERE t.entry=e.n)
FROM json_each(?) j CROSS JOIN entries e ON e.id=j.value
"""


def labels(connection: apsw.Connection, scope: Scope, ids: Sequence[str]) -> dict[str, Label]:
    where = where_scope(scope, Where())
    found = ask_all(connection, f"{_LABELS} WHERE {where}", (json.dumps(list(ids)), *where.values))
    return {id: _label(row) for id, *row in found}


def _label(row: Sequence[Any]) -> Label:
    said = dict(zip(Label._fields, row, strict=True))
    return Label(**{**said, "tags": tuple(_texts(said["tags"])), "tagged": frozenset(_texts(said["tagged"]))})


def _texts(listed: str) -> Sequence[str]:
    """The texts of a JSON list, which most entries have none in."""
    return json.loads(listed) if listed != "[]" else ()


def buried(connection: apsw.Connection, scope: Scope, ids: Sequence[str]) -> dict[str, Tombstone]:
    stones: dict[str, Tombstone] = {}
    for marks, group in groups(ids):
        where = where_journal(scope, Where())
        where.add(f"t.id IN ({marks})", *group)
        found = ask_all(
            connection,
            "SELECT t.id, t.timestamp, t.reason, t.digest, t.compacted_at FROM tombstones t "
            f"LEFT JOIN files f ON f.n=t.file WHERE {where}",
            where.values,
        )
        for id, timestamp, reason, digest, compacted_at in found:
            stones[id] = Tombstone(id=id, timestamp=timestamp, reason=reason, digest=digest, compacted_at=compacted_at)
    return stones


def references(connection: apsw.Connection, scope: Scope, ids: Sequence[str], inbound: bool) -> list[tuple[str, str]]:
    edges: list[tuple[str, str]] = []
    for marks, group in groups(ids):
        where = where_scope(scope, Where())
        where.add("e.state=?", VISIBLE)
        where.add(f"{'t.target' if inbound else 'e.id'} IN ({marks})", *group)
        edges += ask_all(
            connection,
            "SELECT e.id, t.target FROM entry_references t JOIN entries e ON e.n=t.entry "
            f"WHERE {where} ORDER BY e.id, t.target",
            where.values,
        )
    return edges


def same_text(connection: apsw.Connection, scope: Scope, ids: Sequence[str]) -> list[str]:
    twins: set[str] = set()
    for marks, group in groups(ids):
        where = where_scope(scope, Where())
        where.add("e.state=?", VISIBLE)
        found = ask_all(
            connection,
            f"SELECT e.id FROM chunks c JOIN entries e ON e.n=c.entry WHERE {where} AND c.ordinal=0 AND c.hash IN "
            f"(SELECT x.hash FROM chunks x JOIN entries o ON o.n=x.entry WHERE x.ordinal=0 AND o.id IN ({marks}))",
            (*where.values, *group),
        )
        twins.update(id for (id,) in found)
    return sorted(twins.difference(ids))


def contains(connection: apsw.Connection, fragment: str) -> bool:
    """Any entry that remains, whosever and whether hidden or not; one that is being forgotten does not remain."""
    found = ask_one(
        connection,
        "SELECT 1 FROM entries e JOIN chunks c ON c.entry=e.n AND c.ordinal=0 WHERE (instr(fold(c.text), ?1) OR "
        "instr(fold(concat_ws(' ', e.detail, e.tags, e.path, e.tool, e.key)), ?1)) "
        "AND NOT EXISTS(SELECT 1 FROM tombstones t WHERE t.id=e.id AND t.reason='forget') LIMIT 1",
        (fragment.lower(),),
    )
    return found is not None


_CARDS = "sessions s JOIN files f ON f.journal=s.id"
_LAST_USED = "max(s.created, coalesce((SELECT max(e.time) FROM entries e WHERE e.file=f.n), 0)) AS last"
_LAST_FIRST = "ORDER BY last DESC, s.id DESC"


def _where_card(scope: Scope) -> Where:
    """The cards of what is in a scope."""
    where = Where()
    if scope.user is not None:
        where.add("s.user_id=?", scope.user)
    where.any_of("s.id", scope.sessions)
    if scope.workspace is not None:
        where.add("(s.workspace=?" + (" OR s.workspace IS NULL)" if scope.loose else ")"), scope.workspace)
    return where


def cards(
    connection: apsw.Connection, scope: Scope, journal: str | None, key: str | None, limit: int | None, offset: int
) -> list[Card]:
    where = _where_card(scope)
    if journal is not None:
        where.add("s.id=?", journal)
    else:
        where.add("s.kind='session'")
    if key is not None:
        where.add("s.key=?", key)
    found = ask_all(
        connection,
        f"SELECT s.card, f.n, f.bytes+f.buried, {_LAST_USED} FROM {_CARDS} "
        f"WHERE {where} {_LAST_FIRST} LIMIT ? OFFSET ?",
        (*where.values, -1 if limit is None else limit, offset),
    )
    return [_live(connection, *row) for row in found]


def _live(connection: apsw.Connection, card: str, file: int, size: int, last: int) -> Card:
    """The stored card with counts as of now."""
    counted = ask_all(
        connection, "SELECT type, count(*) FROM entries WHERE file=? AND state=? GROUP BY type", (file, VISIBLE)
    )
    statistics = dict.fromkeys(("conversations", "decisions", "findings", "preferences"), 0)
    statistics.update({PLURALS.get(type, type): count for type, count in counted})
    return card_of(card).replace(
        total_entries=sum(count for _, count in counted), total_size_bytes=size, last_accessed=iso(last),
        statistics=FrozenDict(statistics),
    )  # fmt: skip


def sessions(connection: apsw.Connection, ids: list[str]) -> dict[str, tuple[str | None, str | None, dict[str, Any]]]:
    """User, key and decay overrides of these sessions."""
    found = ask_all(connection, _SESSIONS, (json.dumps(ids),))
    return {id: (user, key, json.loads(decay) if decay else {}) for id, user, key, decay in found}


def under_key(connection: apsw.Connection, scope: Scope, key: str) -> list[str]:
    """Ids alone: whoever names a session by its key asks for them, and counting what each holds takes its time."""
    where = _where_card(scope)
    where.add("s.kind='session' AND s.key=?", key)
    found = ask_all(connection, f"SELECT s.id, {_LAST_USED} FROM {_CARDS} WHERE {where} {_LAST_FIRST}", where.values)
    return [id for id, _ in found]


def tags(connection: apsw.Connection, scope: Scope) -> dict[str, int]:
    where = where_scope(scope, Where())
    where.add("e.state=?", VISIBLE)
    found = ask_all(
        connection, f"SELECT t.tag, count(*) FROM entry_tags t JOIN entries e ON e.n=t.entry WHERE {where} "
        "GROUP BY t.tag ORDER BY count(*) DESC, t.tag", where.values,
    )  # fmt: skip
    return dict(found)


def counts(connection: apsw.Connection, scope: Scope) -> dict[str, Any]:
    where = where_scope(own(connection, scope), Where(), leads=True)
    by_type = ask_all(
        connection,
        f"SELECT e.type, count(*) FROM entries e WHERE {where} AND e.state={VISIBLE} GROUP BY e.type ORDER BY e.type",
        where.values,
    )
    size, first, last, hidden, superseded, pinned, sessions = ask_one(connection,
        f"SELECT coalesce(sum(e.length), 0), min(e.time), max(e.time), coalesce(sum(e.state={DELETED}), 0), "
        f"coalesce(sum(e.state={SUPERSEDED}), 0), coalesce(sum(e.pinned), 0), count(DISTINCT e.session_id) "
        f"FROM entries e WHERE {where}", where.values,
    )  # fmt: skip
    ours = _where_card(scope)
    ours.add("s.kind='session' AND s.ended IS NULL")
    (active,) = ask_one(connection, f"SELECT count(*) FROM sessions s WHERE {ours}", ours.values)
    return {
        "entries": sum(count for _, count in by_type), "types": dict(by_type), "bytes": size,
        "sessions": sessions, "active": active, "deleted": hidden, "superseded": superseded, "pinned": pinned,
        "oldest": iso(first) if first is not None else None, "newest": iso(last) if last is not None else None,
        "damaged": _damaged_within(connection, scope),
    }  # fmt: skip


def _damaged_within(connection: apsw.Connection, scope: Scope) -> int:
    """Damaged lines of the scope's own journals: whose a line was that cannot be read, only its journal tells."""
    where = where_journal(scope, Where())
    where.any_of("f.journal", scope.sessions)
    sql = f"SELECT coalesce(sum(f.damaged), 0) FROM files f WHERE {where}"
    return int(ask_one(connection, sql, where.values)[0])


def damaged(connection: apsw.Connection, journals: Sequence[str]) -> int:
    found = [
        ask_one(connection, f"SELECT coalesce(sum(damaged), 0) FROM files WHERE journal IN ({marks})", group)[0]
        for marks, group in groups(journals)
    ]
    return sum(found)


def facts(connection: apsw.Connection) -> dict[str, Any]:
    """What `status` shows of the index itself."""
    return {
        "entries": ask_one(connection, "SELECT count(*) FROM entries")[0],
        "journals": ask_one(connection, "SELECT count(*) FROM files")[0],
        "damaged": ask_one(connection, "SELECT coalesce(sum(damaged), 0) FROM files")[0],
        "built_at": (ask_one(connection, "SELECT value FROM meta WHERE key='built_at'") or (None,))[0],
    }  # fmt: skip


def names(connection: apsw.Connection) -> str:
    """What SQLite wrote into the file about its own tables."""
    found = ask_all(
        connection,
        "SELECT name, sql FROM sqlite_schema UNION SELECT key, '' FROM meta UNION SELECT identity, '' FROM embedders",
    )
    return "\n".join(f"{name} {sql or ''}" for name, sql in found)


def journals(connection: apsw.Connection) -> set[str]:
    """Every journal that was read."""
    return {row[0] for row in ask_all(connection, "SELECT journal FROM files WHERE journal IS NOT NULL")}
