"""Rows: puts entries, amendments and tombstones of journals into the tables, and takes them out.

Works inside a transaction that somebody else opened. Every change to what is searchable goes through
`_show` and `_hide`, so that full text, counter and state never part. FTS rows leave by the 'delete'
command with exactly the text that went in (D15). What becomes of vectors is up to `stale`, which is told of
every change of what an entry says or whether it is seen. It reads no file.
"""

from __future__ import annotations

import json
from itertools import count
from operator import itemgetter, lt

from ..model.moment import millis
from ..text.content import marked_by, searchable, searchable_text
from .columns import Shared, as_json, detail
from .cutting import chunking_of
from .database import ask_all, ask_one, put_all
from .numbers import block, owner_of, session_word
from .schema import DELETED, SUPERSEDED, VISIBLE
from .stale import Stale

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    import apsw

    from ..model.entry import Tombstone
    from ..model.replay import Line
    from .cutting import Chunking

    FullText = tuple[int, str, str, str, str]
    ChunkRow = tuple[int, int, int, int, int | None, str, str]  # as `_CHUNKS` names them

_ENTRIES = """
entries(scope, session_id, user_id, workspace, importance, pinned, sensitive, provenance, key, tool, path, tags,
  n, file, offset, length, state, id, seq, checksum, time, type, role, author, detail)
"""  # no RETURNING: its statement journal makes FTS5 flush at every row, 2.5 times slower in all
_CHUNKS = "chunks(n, entry, ordinal, start, stop, hash, text)"
_INSERT_FTS = "INSERT INTO chunks_fts(rowid, text, tags, path, scope) VALUES(?,?,?,?,?)"
_DELETE_FTS = "INSERT INTO chunks_fts(chunks_fts, rowid, text, tags, path, scope) VALUES('delete',?,?,?,?,?)"
_FTS_PARTS = """
SELECT c.n, c.text, e.tags, e.key, e.path, e.session_id
FROM chunks c JOIN entries e ON e.n = c.entry WHERE e.n = ? AND c.stop IS NOT NULL
"""
_ENDS = "SELECT coalesce((SELECT max(n) FROM entries), 0), coalesce((SELECT max(id) FROM entries), '')"
_COUNT = "INSERT INTO meta VALUES(?1, ?2) ON CONFLICT(key) DO UPDATE SET value = value + ?3"
_MOST_AT_ONCE, _MOST_PENDING = 400, 20_000  # lines in one statement, rows before they go into the full text
_MANY = 8  # texts: made searchable together from here on


class Rows:
    """Writes rows through one connection; keeps the small numbers of users and sessions at hand."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._run = connection.execute
        self._connection = connection
        self._users: dict[str, int] = {}
        self._sessions: dict[str, int] = {}
        self._free: dict[int, Iterator[int]] = {}  # the numbers of chunks to come, by owner
        self._last_entry, self._last_id = -1, ""  # behind which there is no entry; unknown at first
        self._pending: list[FullText] = []  # not yet in the full text
        self._stale = Stale(connection)
        self._buried: bool | None = None  # whether there are tombstones; unknown at first
        self._rule: Chunking | None = None
        self._added = self._searched = 0  # entries, and the chunks by which they are searched
        self.duplicates = 0
        self.dropped: list[str] = []  # ids of entries that were taken out

    @property
    def known(self) -> int:
        """How many numbers are kept at hand."""
        return len(self._users) + len(self._sessions)

    def flush(self) -> None:
        """Write down what became searchable, how many entries and by how many chunks; before every commit."""
        self._put()
        for key, added in (("searchable", self._added), ("searched", self._searched)):
            if added:
                self._run(_COUNT, (key, str(added), added))
        self._added = self._searched = 0

    # -- entries

    def add(self, file: int, lines: Sequence[Line]) -> None:
        """Lines of entries. A second line with a known id adds nothing: the first one stands."""
        start = 0
        for place, line in enumerate(lines):
            record = line.record or {}
            if record.get("key") is not None:  # whether a value is seen, and what it hides, depends on those before
                self._insert(file, lines[start:place])
                self._insert(file, lines[place : place + 1])
                self._supersede(file, record["key"], record["seq"])
                start = place + 1
            elif place - start == _MOST_AT_ONCE:
                self._insert(file, lines[start:place])
                start = place
        self._insert(file, lines[start:])

    def _insert(self, file: int, lines: Sequence[Line]) -> None:
        """A table at a time: a statement for each row would cost a quarter more."""
        if not lines:
            return
        entries: list[tuple[Any, ...]] = []
        begins: list[tuple[Any, ...]] = []
        chunks: list[ChunkRow] = []
        texts: list[str] = []
        seen: list[tuple[int, Shared]] = []  # by chunk, what goes with each of these texts
        alike, stones, rule, stamp, time = None, self._stones(), self._chunking, "", 0
        new = self._unknown(lines)
        for n, line in enumerate(new, self._last_entry + 1):  # we are the only writer
            record = line.record or {}
            if line.alike is None or line.alike is not alike:  # most are as the one before
                alike, shared = line.alike, self._shared(record)
            if record["timestamp"] != stamp:  # those of a batch fall into one millisecond
                stamp = record["timestamp"]
                time = millis(stamp)
            id, seq, content = record["id"], record["seq"], record["content"]
            state = self._state_of_new(id, file, shared.key, seq) if stones or shared.key is not None else VISIBLE
            self._added += state == VISIBLE
            begins.append(shared.columns)
            entries.append((
                n, file, line.offset, line.length, state, id, seq, record.get("checksum") or "", time, record["type"],
                content.get("role"), content.get("author"), detail(content, shared.metadata),
            ))  # fmt: skip
            if shared.labels:
                self._label(n, *shared.labels)
            for ordinal, start, stop, hash, text in rule.pieces(searchable_text(content)):
                chunk = next(shared.numbers)
                chunks.append((chunk, n, ordinal, start, stop, hash, text))
                if state == VISIBLE and stop is not None:
                    texts.append(text)
                    seen.append((chunk, shared))
        self._last_entry += len(new)
        put_all(self._connection, _ENTRIES, entries, begins)
        put_all(self._connection, _CHUNKS, chunks)
        self._stale.added([row[0] for row in entries], [chunk for chunk, _ in seen])
        self._queue(texts, seen)

    def _queue(self, texts: list[str], seen: list[tuple[int, Shared]]) -> None:
        """These are for the full text."""
        self._searched += len(texts)
        for (chunk, its), text in zip(seen, _as_indexed(texts), strict=True):
            self._pending.append((chunk, text, its.marked, its.path, its.token))
        if len(self._pending) >= _MOST_PENDING:
            self._put()

    def _shared(self, record: Mapping[str, Any]) -> Shared:
        numbers = self._numbers(record.get("scope") or "session", record.get("user_id"))
        return Shared(record, numbers, self._token(record.get("session_id")))

    @property
    def _chunking(self) -> Chunking:
        if self._rule is None:
            self._rule = chunking_of(self._connection)
        return self._rule

    def _unknown(self, lines: Sequence[Line]) -> Sequence[Line]:
        """The lines whose ids are not in the tables, each id once."""
        ids = [line.record["id"] for line in lines if line.record]
        if self._last_entry < 0:
            self._last_entry, self._last_id = ask_one(self._connection, _ENDS)
        if self._last_id < ids[0] and all(map(lt, ids, ids[1:])):  # later ids of ours sort behind earlier ones
            self._last_id = ids[-1]
            return lines
        self._last_id = max(self._last_id, *ids)
        marks = ",".join("?" * len(ids))
        known = {id for (id,) in ask_all(self._connection, f"SELECT id FROM entries WHERE id IN ({marks})", ids)}
        if not known and len(set(ids)) == len(ids):
            return lines
        new: dict[str, Line] = {}
        for id, line in zip(ids, lines, strict=True):
            if id not in known:
                new.setdefault(id, line)
        self.duplicates += len(lines) - len(new)
        return list(new.values())

    def _numbers(self, scope: str, user: str | None) -> Iterator[int]:
        """The next rows of `chunks` among those of an owner."""
        owner = owner_of(scope, None if user is None else self.user(user))
        if owner not in self._free:
            first, last = block(owner)
            found = ask_one(self._connection, "SELECT max(n) FROM chunks WHERE n BETWEEN ? AND ?", (first, last))
            self._free[owner] = count(first if found[0] is None else found[0] + 1)
        return self._free[owner]

    def _label(self, n: int, tags: Iterable[str], references: Iterable[str]) -> None:
        for tag in tags:
            self._run("INSERT OR IGNORE INTO entry_tags VALUES(?,?)", (tag, n))
        for target in references:
            self._run("INSERT OR IGNORE INTO entry_references VALUES(?,?)", (n, target))

    def _state_of_new(self, id: str, file: int, key: str | None, seq: int) -> int:
        if self._stones() and ask_one(self._connection, "SELECT 1 FROM tombstones WHERE id=?", (id,)):
            return DELETED
        if key is not None and self._later(file, key, seq):
            return SUPERSEDED
        return VISIBLE

    def _stones(self) -> bool:
        """Whether there is any tombstone: most stores have none, and need not look for each entry's."""
        if self._buried is None:
            self._buried = ask_one(self._connection, "SELECT 1 FROM tombstones LIMIT 1") is not None
        return self._buried

    def _later(self, file: int, key: str, seq: int) -> bool:
        return bool(
            ask_one(self._connection, "SELECT 1 FROM entries WHERE file=? AND key=? AND seq>?", (file, key, seq))
        )

    def _supersede(self, file: int, key: str, seq: int) -> None:
        """A new value for a key hides the older ones."""
        older = ask_all(
            self._connection,
            "SELECT n FROM entries WHERE file=? AND key=? AND seq<? AND state=?",
            (file, key, seq, VISIBLE),
        )
        for (n,) in older:
            self._hide(n)
            self._stale.hidden(n)
            self._run("UPDATE entries SET state=? WHERE n=?", (SUPERSEDED, n))

    def amend(self, line: Line, record: dict[str, Any]) -> None:
        """Fold one amendment line into the row of its entry."""
        found = ask_one(self._connection, "SELECT n, state, spans FROM entries WHERE id=?", (record["amends"],))
        if found is None:
            return
        n, state, spans = found
        changes = record["set"]
        worded = state == VISIBLE and ("text" in changes or "tags" in changes)  # of 1 MiB this takes seconds
        if worded:
            self._hide(n)
        for column in ("importance", "pinned", "sensitive"):
            if column in changes:
                self._run(f"UPDATE entries SET {column}=? WHERE n=?", (changes[column], n))
        if "tags" in changes:
            self._retag(n, changes["tags"])
        if "text" in changes:
            if state == VISIBLE:
                self._stale.hidden(n)
            self._retext(n, changes["text"])
            if state == VISIBLE:
                self._stale.shown(n)
        kept = [*json.loads(spans or "[]"), [line.offset, line.length]]
        self._run("UPDATE entries SET spans=?, checksum=? WHERE n=?", (as_json(kept), record.get("checksum", ""), n))
        if worded:
            self._show(n)

    def _retag(self, n: int, tags: list[str]) -> None:
        self._run("UPDATE entries SET tags=? WHERE n=?", (as_json(tags), n))
        self._run("DELETE FROM entry_tags WHERE entry=?", (n,))
        self._label(n, tags, ())

    def _retext(self, n: int, text: str) -> None:
        find = "SELECT type, detail, scope, user_id FROM entries WHERE n=?"
        type, detail, scope, user = ask_one(self._connection, find, (n,))
        parts = json.loads(detail)
        if type == "decision" and "decision" in parts["content"]:
            parts["content"]["decision"] = text
            self._run("UPDATE entries SET detail=? WHERE n=?", (as_json(parts), n))
        whole = searchable_text({**parts["content"], "text": text})
        self._run("DELETE FROM chunks WHERE entry=?", (n,))
        numbers = self._numbers(scope, user)
        rows = [(next(numbers), n, *piece) for piece in self._chunking.pieces(whole)]
        put_all(self._connection, _CHUNKS, rows)

    def drop(self, n: int) -> None:
        """Take an entry out of every table; dropping a later value may just have brought it back to light."""
        find = "SELECT id, state, file, key FROM entries WHERE n=?"
        id, state, file, key = ask_one(self._connection, find, (n,))
        if state == VISIBLE:
            self._hide(n)
            self._stale.hidden(n)
        self.dropped.append(id)
        for statement in (
            "DELETE FROM entry_tags WHERE entry=?", "DELETE FROM entry_references WHERE entry=?",
            "DELETE FROM chunks WHERE entry=?", "DELETE FROM recalled WHERE id=(SELECT id FROM entries WHERE n=?)",
            "DELETE FROM entries WHERE n=?",
        ):  # fmt: skip
            self._run(statement, (n,))
        if key is not None:
            self._resurface(file, key)

    def _resurface(self, file: int, key: str) -> None:
        """The latest value of a key was erased: the one before it stands again."""
        found = ask_one(
            self._connection, "SELECT id FROM entries WHERE file=? AND key=? ORDER BY seq DESC LIMIT 1", (file, key)
        )
        if found is not None:
            self._restate(found[0], bool(ask_one(self._connection, "SELECT 1 FROM tombstones WHERE id=?", found)))

    # -- tombstones

    def bury(self, file: int, tombstones: Iterable[Tombstone]) -> None:
        """Apply tombstones and liftings in their order."""
        for stone in tombstones:
            if stone.hides:
                self._buried = True
                self._run(
                    "INSERT OR REPLACE INTO tombstones VALUES(?,?,?,?,?,?)",
                    (stone.id, file, stone.timestamp, stone.reason, stone.digest, stone.compacted_at),
                )
            else:
                self._run("DELETE FROM tombstones WHERE id=?", (stone.id,))
            self._restate(stone.id, stone.hides)

    def _restate(self, id: str, hidden: bool) -> None:
        found = ask_one(self._connection, "SELECT n, state, file, key, seq FROM entries WHERE id=?", (id,))
        if found is None:
            return
        n, state, file, key, seq = found
        wanted = DELETED if hidden else SUPERSEDED if key is not None and self._later(file, key, seq) else VISIBLE
        if state == wanted:
            return
        if state == VISIBLE:
            self._hide(n)
            self._stale.hidden(n)
        self._run("UPDATE entries SET state=? WHERE n=?", (wanted, n))
        if wanted == VISIBLE:
            self._show(n)
            self._stale.shown(n)

    # -- full text

    def _put(self) -> None:
        """In the order of numbers: FTS5 writes a segment whenever a lower one follows."""
        if self._pending:
            self._pending.sort(key=itemgetter(0))
            self._connection.executemany(_INSERT_FTS, self._pending)
            self._pending = []

    def _show(self, n: int) -> None:
        parts = self._parts(n)
        self._pending += parts
        self._added += 1
        self._searched += len(parts)

    def _hide(self, n: int) -> None:
        self._put()  # taking out what is not in yet would damage the full text
        parts = self._parts(n)
        self._connection.executemany(_DELETE_FTS, parts)
        self._added -= 1
        self._searched -= len(parts)

    def _parts(self, n: int) -> list[FullText]:
        """What the full-text rows of an entry hold, computed alike for insert and delete."""
        return [
            (chunk, searchable(text), marked_by(json.loads(tags), key), searchable(path or ""), self._token(session))
            for chunk, text, tags, key, path, session in ask_all(self._connection, _FTS_PARTS, (n,))
        ]

    def _token(self, session: str | None) -> str:
        return "" if session is None else session_word(self.session(session))

    def user(self, id: str) -> int:
        if id not in self._users:
            found = ask_one(self._connection, "SELECT n FROM users WHERE id=?", (id,))
            if found is None:
                self._run("INSERT INTO users(id) VALUES(?)", (id,))
            self._users[id] = found[0] if found else self._connection.last_insert_rowid()
        return self._users[id]

    def session(self, id: str) -> int:
        """The number of a session; one whose card was not read yet gets a row to be filled later."""
        if id not in self._sessions:
            found = ask_one(self._connection, "SELECT n FROM sessions WHERE id=?", (id,))
            if found is None:
                self._run("INSERT INTO sessions(id, kind, created, card) VALUES(?, 'unknown', 0, '{}')", (id,))
            self._sessions[id] = found[0] if found else self._connection.last_insert_rowid()
        return self._sessions[id]

    def forget_session(self, id: str) -> None:
        """A journal is gone; its rows were dropped before."""
        self._run("DELETE FROM sessions WHERE id=?", (id,))
        self._sessions.pop(id, None)


def _as_indexed(texts: list[str]) -> list[str]:
    if len(texts) < _MANY:
        return list(map(searchable, texts))
    from ..text.bulk import searchables  # a journal's; single writes do without

    return searchables(texts)
