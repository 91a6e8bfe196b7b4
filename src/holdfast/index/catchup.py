"""Catching up: brings the rows of one journal level with its files, inside a transaction.

Rows and the mark of how far a journal was read commit together, so a crash leaves them equal. A
journal that only grew is read from its mark, a piece at a time; one that was rewritten, cut or damaged is read
whole and its rows compared by id. Rows that vanish without a later generation or a tombstone were lost, not
removed: they go to quarantine first, since nothing else holds them any more (D40). Readers never do any of this.
"""

from __future__ import annotations

import json

from ..model.card import card_from
from ..model.moment import millis
from ..model.replay import Mark
from ..model.salvage import Salvage, salvaged
from .columns import as_json
from .database import ask_all, ask_one
from .quoted import KNOWN, RIGHT, told
from .rows import Rows
from .schema import VISIBLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    import apsw

    from ..model.card import Card
    from ..model.replay import Line, Size
    from ..model.scope import Scope
    from ..ports import Journal

PIECE = 1 << 17  # bytes of a journal read at once: of four times as many, Python's collector walks all lines again
COMMIT_LINES = 5000  # lines in one transaction: a kill costs at most so much work
_MOST_KNOWN = 8192  # users, sessions and journals whose rows are remembered from one transaction to the next
_FILE = """
SELECT n, generation, size, line, seq, tail_offset, hash, inode, bytes, mtime, buried, card_mtime, damaged
FROM files WHERE journal=?
"""
_MARK = """
UPDATE files SET generation=?, size=?, line=?, seq=?, tail_offset=?, hash=?, inode=?, bytes=?, mtime=?,
  buried=?, card_mtime=?, damaged=? WHERE n=?
"""
# The same entry, perhaps at another place; a row that is right is not written again, nor its page.
_MOVE = """
UPDATE entries SET offset=?1, length=?2, spans=?3, seq=?4
WHERE n=?5 AND (offset, length, spans, seq) IS NOT (?1, ?2, ?3, ?4)
"""
_CARD = """
INSERT INTO sessions(id, kind, key, user_id, workspace, channel, created, ended, decay, card)
VALUES(?,?,?,?,?,?,?,?,?,?)
ON CONFLICT(id) DO UPDATE SET kind=excluded.kind, key=excluded.key, user_id=excluded.user_id,
  workspace=excluded.workspace, channel=excluded.channel, created=excluded.created, ended=excluded.ended,
  decay=excluded.decay, card=excluded.card
"""


class FileRow:
    """What the index knows of a journal's files."""

    __slots__ = ("buried", "bytes", "card_mtime", "damaged", "inode", "mark", "mtime", "n")

    def __init__(self, row: tuple[Any, ...]) -> None:
        self.n, generation, offset, line, seq, tail_offset, tail_hash = row[:7]
        self.inode, self.bytes, self.mtime, self.buried, self.card_mtime, self.damaged = row[7:]
        if not all(isinstance(number, int) for number in (*row[:6], *row[7:])) or not 0 <= tail_offset <= offset:
            raise ValueError("a mark that cannot be")
        self.mark = Mark(
            generation=generation, offset=offset, line=line, seq=seq, tail_offset=tail_offset, tail_hash=tail_hash
        ) if tail_hash else None  # fmt: skip

    def settle(self, mark: Mark, size: Size, buried: int, damaged: int) -> tuple[int | str, ...]:
        """Note how far the journal was read; returns it as `_MARK` takes it."""
        self.mark = mark if mark.tail_hash else None
        self.inode, self.bytes, self.mtime = size.inode, size.entries, size.changed
        self.buried, self.card_mtime, self.damaged = buried, size.card_changed, damaged
        return (
            mark.generation, mark.offset, mark.line, mark.seq, mark.tail_offset, mark.tail_hash, size.inode,
            size.entries, size.changed, buried, size.card_changed, damaged, self.n,
        )  # fmt: skip

    def level(self, size: Size) -> bool:
        """Whether these rows have everything that the files hold, as far as stat can tell."""
        return (self.inode, self.bytes, self.mtime, self.buried, self.card_mtime) == (
            size.inode, size.entries, size.changed, size.tombstones, size.card_changed
        )  # fmt: skip


def file_row(connection: apsw.Connection, journal: str) -> FileRow | None:
    """The row of a journal, if it was ever read."""
    found = ask_one(connection, _FILE, (journal,))
    return FileRow(found) if found else None


class CatchUp:
    """Brings journals into the tables of one connection; may be kept for the next transaction while it `fits`."""

    def __init__(self, connection: apsw.Connection, journal: Journal, scope: Scope) -> None:
        self._connection = connection
        self._run = connection.execute
        self._journal = journal
        self._scope = scope
        self._files: dict[str, FileRow] = {}
        self._version = -1  # of the database, as we left it
        self.rows = Rows(connection)
        self.lines = 0

    def fits(self, connection: apsw.Connection) -> bool:
        """Whether what is known here still holds: nobody, on any connection, has written since our last commit.

        To be asked inside a transaction. It saves a writer of single entries seven of its queries.
        """
        known = len(self._files) + self.rows.known
        return connection is self._connection and known < _MOST_KNOWN and connection.data_version() == self._version

    def overtaken(self, connection: apsw.Connection) -> bool:
        """Whether somebody has written since, as far as this connection can tell."""
        return connection is self._connection and self._version not in (-1, connection.data_version())

    def anew(self) -> CatchUp:
        """After a rollback: what is known here may not be so."""
        return CatchUp(self._connection, self._journal, self._scope)

    def committed(self) -> None:
        """What we know is what the database holds."""
        self._version = self._connection.data_version()
        self.lines = 0

    def bring(self, journal: str, *, suspect: bool = False) -> Size | None:
        """Make the rows of this journal equal to its files; returns the sizes with which they are level."""
        return self.follow(journal, self._journal.size(self._scope, journal), suspect=suspect)

    def follow(self, journal: str, size: Size | None, *, suspect: bool = False) -> Size | None:
        """The same for files that have just been found to have this size."""
        if size is None:
            self._remove(journal)
            return None
        row = self._files.get(journal) or file_row(self._connection, journal)
        if row is not None and row.level(size) and not suspect:
            return size
        new = row is None
        row = row or self._new_row(journal)
        # Appends make a journal longer and rewrites give it another inode: the same length in the same
        # file with another time was overwritten in place, so its old lines must be read again.
        touched = (row.bytes, row.inode) == (size.entries, size.inode) and row.mtime != size.changed
        # Where no header of ours says whose the lines are, the card does.
        touched = touched or (row.card_mtime != size.card_changed and not (row.mark and row.mark.generation))
        since = None if suspect or touched else row.mark
        known = row.buried == size.tombstones and not (new or suspect)  # what is no file has no length to go by
        buried = row.buried if known else self._stones(journal, row, size)
        mark, damaged = self._lines(journal, row, since)
        if new or row.card_mtime != size.card_changed:  # one that is lost is made again, and has no time
            self._card(self._journal.card(self._scope, journal))
        self._run(_MARK, row.settle(mark, size, buried, damaged))
        self._files[journal] = row
        return size

    def _stones(self, journal: str, row: FileRow, size: Size) -> int:
        """Apply the tombstones that came since; returns how far they were read."""
        since = row.buried if row.buried <= size.tombstones else 0
        stones, buried = self._journal.tombstones(self._scope, journal, since)
        self.rows.bury(row.n, stones)
        return buried

    def stones(self, journal: str) -> None:
        """Only the tombstones of a journal, before any entry of any journal is read."""
        stones, _ = self._journal.tombstones(self._scope, journal, 0)
        self.rows.bury(0, stones)

    def _new_row(self, journal: str) -> FileRow:
        self._run("INSERT INTO files(path, hash, mtime, size, journal) VALUES(?, '', 0, 0, ?)", (journal, journal))
        found = file_row(self._connection, journal)
        assert found is not None
        return found

    def _lines(self, journal: str, row: FileRow, since: Mark | None) -> tuple[Mark, int]:
        """Apply what is new; returns up to where, and how many damaged lines the journal has."""
        damaged = row.damaged
        changes: list[Line] = []
        while True:
            replay = self._journal.replay(self._scope, journal, since, PIECE)
            known = self._known(row.n) if replay.fresh else {}
            if known and replay.more:
                replay = self._journal.replay(self._scope, journal)  # rows are compared with all lines at once
            damaged = self._damaged(journal, replay.lines) + (0 if replay.fresh else damaged)
            changes = [] if replay.fresh else changes
            if known:
                # Only a rewrite drops lines, and it raises the generation; a file that is missing or empty has none.
                rewritten = row.mark is None or replay.mark.generation > row.mark.generation
                changes = self._reconcile(journal, row.n, known, replay.lines, salvage=not rewritten)
            else:
                changes += self._add(row.n, replay.lines)
            if not replay.more:
                break
            since = replay.mark
        for line in _by_seq(changes):  # an amendment looks for its entry in the tables
            self.rows.amend(line, line.record or {})
        return replay.mark, damaged

    def _damaged(self, journal: str, lines: tuple[Line, ...]) -> int:
        """How many of these are damaged; they go to quarantine."""
        bad = [(line.offset, line.raw) for line in lines if line.record is None]
        if bad:
            self._journal.quarantine(self._scope, journal, bad)
        return len(bad)

    def _add(self, file: int, lines: Sequence[Line]) -> list[Line]:
        """Add the entries among these; returns their amendments."""
        self.lines += len(lines)
        entries, changes = _parted(lines)
        self.rows.add(file, entries)
        return changes

    def _reconcile(
        self, journal: str, file: int, known: dict[str, tuple[Any, ...]], lines: tuple[Line, ...], *, salvage: bool
    ) -> list[Line]:
        """The journal was read whole: keep rows that are unchanged, replace the others; returns their amendments."""
        wanted = _folded(lines)
        for id in [id for id in known if id not in wanted]:
            if salvage:
                self._salvage(journal, id, lines)
            self.rows.drop(known.pop(id)[0])
        fresh: list[Line] = []
        stayed: list[tuple[int | str | None, ...]] = []
        for id, its in wanted.items():
            now = told(its)
            if id in known and known[id][1:] == now:
                stayed.append(_placed(its, known[id][0]))
            else:
                if id in known:
                    self._drop(known[id], now)
                fresh.extend(its)
        self._connection.executemany(_MOVE, stayed)
        return self._add(file, sorted(fresh, key=lambda line: line.offset))

    def _known(self, file: int) -> dict[str, tuple[Any, ...]]:
        """Rows by id: their numbers, and what `told` says of their lines."""
        return {row[0]: row[1:] for row in ask_all(self._connection, KNOWN, (file,))}

    def _drop(self, known: tuple[Any, ...], wanted: tuple[Any, ...]) -> None:
        """Take a row out. One that misquotes its lines is put right first: it says which words the full text has."""
        if known[1] == wanted[0]:
            self._run(RIGHT, (*wanted[1:-1], known[0]))
        self.rows.drop(known[0])

    def _salvage(self, journal: str, id: str, lines: tuple[Line, ...] = ()) -> None:
        """Keep what only the index still has, unless somebody deleted it; `lines` are what the journal has now."""
        found = ask_one(self._connection,
            "SELECT e.offset, e.user_id, e.type, e.time, e.tags, c.text FROM entries e JOIN chunks c ON c.entry = e.n "
            "AND c.ordinal=0 WHERE e.id=? AND e.state=?", (id, VISIBLE),
        )  # fmt: skip
        if found:
            offset, user, type, time, tags, text = found
            damaged = any(line.record is None and line.offset <= offset < line.offset + line.length for line in lines)
            said = {"type": type, "time": time, "tags": json.loads(tags), "text": text}
            piece = salvaged(Salvage(entry=id, gone=not damaged, user_id=user), said)
            self._journal.quarantine(self._scope, journal, [(offset, piece)])

    def _card(self, card: Card | None) -> None:
        if card is None:
            return
        self.rows.session(card.id)
        self._run(_CARD, (
            card.id, card.kind, card.key, card.user_id, card.workspace, card.channel, millis(card.created_at),
            millis(card.ended_at) if card.ended_at else None,
            json.dumps(card.decay_config) if card.decay_config else None,
            json.dumps(card.to_dict(), ensure_ascii=False),
        ))  # fmt: skip

    def _remove(self, journal: str) -> None:
        """The journal is gone, and not by us, who leave tombstones: so are its rows, but for what quarantine keeps."""
        row = file_row(self._connection, journal)
        if row is None:
            return
        for id, (n, *_) in self._known(row.n).items():
            self._salvage(journal, id)
            self.rows.drop(n)
        self.rows.forget_session(journal)
        self._files.pop(journal, None)
        self._run("DELETE FROM files WHERE n=?", (row.n,))


def _placed(lines: list[Line], n: int) -> tuple[int | str | None, ...]:
    """Where the entry of a row lies now, as `_MOVE` takes it."""
    first, later = lines[0], [[line.offset, line.length] for line in lines[1:]]
    return first.offset, first.length, as_json(later) if later else None, (first.record or {})["seq"], n


def _folded(lines: tuple[Line, ...]) -> dict[str, list[Line]]:
    """Lines by entry id: its own line first, then its amendments."""
    found: dict[str, list[Line]] = {}
    entries, changes = _parted(lines)
    for line in entries:
        found.setdefault((line.record or {})["id"], [line])
    for line in _by_seq(changes):
        about = (line.record or {})["amends"]
        if about in found:
            found[about].append(line)
    return found


def _parted(lines: Iterable[Line]) -> tuple[list[Line], list[Line]]:
    """Entries and amendments."""
    entries: list[Line] = []
    changes: list[Line] = []
    for line in lines:
        if line.record is not None:
            (changes if "amends" in line.record else entries).append(line)
    return entries, changes


def _by_seq(changes: Iterable[Line]) -> list[Line]:
    """In the order in which amendments hold, wherever somebody has put their lines."""
    return sorted(changes, key=lambda line: int((line.record or {})["seq"]))


def card_of(text: str) -> Card:
    """The card that a sessions row holds."""
    return card_from(json.loads(text))


def commit(connection: apsw.Connection, work: CatchUp) -> None:
    """Rows, counter and marks together."""
    work.rows.flush()
    connection.execute("COMMIT")
    work.committed()
