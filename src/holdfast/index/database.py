"""Database: connections to one generation's file, and what their errors mean.

Owns every pragma and the sorting of SQLite's errors into damage (throw the generation away), trouble
(disk full, read-only, I/O: leave the rows for later) and everything else. It never opens the file
with anything but SQLite: closing another descriptor would drop SQLite's locks (docs/decisions/0005).
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from itertools import chain
from operator import add
from stat import S_ISREG

import apsw

from ..disk import make_private_dir
from ..errors import HoldfastError
from .gate import GATE
from .schema import APPLICATION_ID, TABLES, VERSION, VIEWS, VOCABULARY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from ..disk import Disk

    Answer = TypeVar("Answer")

_TOGETHER = 40  # rows
WAIT_MS = 10_000  # for another connection's transaction
TROUBLE = (
    apsw.FullError, apsw.ReadOnlyError, apsw.PermissionsError, apsw.IOError, apsw.NoMemError, apsw.CantOpenError
)  # fmt: skip
WAITING = (apsw.BusyError, apsw.LockedError)
# A flipped bit can make any row unreadable, so odd values may be damage as well; `judging` says when they cannot be.
ODD_VALUES = (UnicodeDecodeError, OverflowError, TypeError, KeyError, IndexError, ValueError)


class Damaged(Exception):
    """The index file is not what we wrote: to be replaced by a new generation."""


class Doubtful(Damaged):
    """So it seems; what gave rise to it, its cause, may as well be an error of ours."""


FAILURES = (apsw.Error, *ODD_VALUES, Damaged, OSError, HoldfastError)  # whatever may come of using an index


_SURE = (apsw.CorruptError, apsw.NotADBError)


def is_damage(error: BaseException) -> bool:
    """Whether this error of a statement may say that the file is damaged."""
    if isinstance(error, (Damaged, *ODD_VALUES)):
        return True
    return isinstance(error, apsw.Error) and not isinstance(error, TROUBLE + WAITING + (apsw.InterruptError,))


def ask_all(connection: apsw.Connection, sql: str, values: Any = ()) -> list[Any]:
    """All rows of a statement. What SQLite returns has no static type: this is where that begins."""
    return connection.execute(sql, values).fetchall()


def ask_one(connection: apsw.Connection, sql: str, values: Any = ()) -> Any:
    """The first row of a statement, or None."""
    return connection.execute(sql, values).fetchone()


def begin(connection: apsw.Connection, wait_ms: int) -> None:
    """Begin to write; for another's transaction, which may be that of a SQL prompt, it waits no longer than this."""
    connection.set_busy_timeout(wait_ms)
    try:
        connection.execute("BEGIN IMMEDIATE")
    finally:
        connection.set_busy_timeout(WAIT_MS)


def put_all(
    connection: apsw.Connection, table: str, rows: Sequence[tuple[Any, ...]], begins: Sequence[tuple[Any, ...]] = ()
) -> None:  # fmt: skip
    """Rows into a table, many by one statement, which takes a quarter less time than one each.

    `begins` has the first columns of each row, for a table in which many begin alike.
    """
    into = f"INSERT OR FAIL INTO {table} VALUES"  # whatever fails is rolled back whole: no row is to be taken out again
    for start in range(0, len(rows), _TOGETHER):
        those = slice(start, start + _TOGETHER)
        _put(connection, into, rows[those], begins[those])


def _put(
    connection: apsw.Connection, into: str, rows: Sequence[tuple[Any, ...]], begins: Sequence[tuple[Any, ...]]
) -> None:  # fmt: skip
    """What rows have in common is handed over once: half of what there is to hand over of most entries."""
    once: tuple[Any, ...] = ()
    if begins and begins.count(begins[0]) == len(begins):
        once = begins[0]
    elif begins:
        rows = list(map(add, begins, rows))
    row = ",".join([*(f"?{place}" for place in range(1, len(once) + 1)), *"?" * len(rows[0])])
    if len(rows) == _TOGETHER:
        connection.execute(into + ",".join([f"({row})"] * _TOGETHER), tuple(chain(once, *rows)))
    else:
        connection.executemany(f"{into}({row})", [once + own for own in rows])


# A new generation is read by nobody before the flip, and one that was not finished is thrown away: its rows need
# neither log nor sync, which saves a tenth of the work, nor locks, of which a forked child would inherit the memory.
# What a transaction changes must be known all the same: a journal that cannot be read to its end is taken back, and
# without that SQLite left a file of pages from before and after. Going over to the log syncs the whole file.
_UNLOCKED = "unix-none"
_UNLOGGED = ("journal_mode=MEMORY", "synchronous=OFF")
_LOGGED = ("synchronous=NORMAL", "journal_mode=WAL")


def connect(path: str, *, vfs: str | None = None, wait_ms: int = WAIT_MS) -> apsw.Connection:
    """A connection with our pragmas; the file must exist or be creatable by us alone."""
    try:
        return _prepared(_plain(path, vfs), wait_ms=wait_ms)
    except (apsw.CantOpenError, apsw.ReadOnlyError) as error:
        if os.access(os.path.dirname(path), os.W_OK):
            if isinstance(error, apsw.CantOpenError) and _obstructed(path):
                raise Damaged("something else lies in its place") from error
            raise  # there may be no descriptor left to open it with
    return _prepared(_untouchable(path), ("synchronous=NORMAL",))  # no place for a log: read what there is (D45)


def _obstructed(path: str) -> bool:
    """Whether what lies here, or where SQLite keeps the log, could be opened by nobody."""
    beside = (path + end for end in ("-wal", "-shm") if os.path.lexists(path + end))
    return not all(os.path.isfile(one) and os.access(one, os.R_OK | os.W_OK) for one in (path, *beside))


def _plain(path: str, vfs: str | None) -> apsw.Connection:
    return apsw.Connection(path, vfs=vfs) if vfs else apsw.Connection(path)


def _untouchable(path: str) -> apsw.Connection:
    """The file of a home that cannot be written, so that nobody changes it while it is read."""
    name = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return apsw.Connection(f"file:{name}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def _prepared(
    connection: apsw.Connection, logging: tuple[str, ...] = _LOGGED, wait_ms: int = WAIT_MS
) -> apsw.Connection:
    try:
        connection.set_busy_timeout(wait_ms)
        connection.create_scalar_function("fold", _fold, 1, deterministic=True)
        connection.create_scalar_function("glob_words", _glob_words, 2, deterministic=True)
        _set(connection, (
            *logging, "secure_delete=ON", "temp_store=MEMORY", "cache_size=-16000", "mmap_size=0",
            "trusted_schema=OFF", "wal_autocheckpoint=4000",
        ))  # fmt: skip
    except BaseException:
        close(connection)
        raise
    return connection


def _set(connection: apsw.Connection, pragmas: tuple[str, ...]) -> None:
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}").fetchall()


def close(connection: apsw.Connection) -> None:
    """Close; the last one out folds the log into the file, and a disk that refuses leaves that to the next."""
    try:
        connection.close()
    except apsw.Error:
        return


def create(disk: Disk, path: str, vfs: str | None = None) -> apsw.Connection:
    """A new, empty index file with mode 0600 from its first byte (SQLite would follow the umask), not yet logged, and
    for this connection alone."""
    make_private_dir(disk, os.path.dirname(path))
    disk.close(disk.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    alone = _UNLOCKED if vfs is None and _UNLOCKED in apsw.vfs_names() else vfs
    return _furnished(_prepared(_plain(path, alone), _UNLOGGED))


def empty() -> apsw.Connection:
    """An index in memory that holds nothing."""
    connection = _furnished(_prepared(apsw.Connection(":memory:"), _UNLOGGED))
    connection.execute(VOCABULARY)
    return connection


def _furnished(connection: apsw.Connection) -> apsw.Connection:
    try:
        with connection:
            for statements in (TABLES, VIEWS):
                connection.execute(statements).fetchall()
            connection.execute(f"PRAGMA user_version={VERSION}").fetchall()
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}").fetchall()
    except BaseException:
        close(connection)
        raise
    return connection


class Database:
    """A pool of connections to one index file; safe for threads."""

    _opened = 0

    def __init__(self, path: str, vfs: str | None = None) -> None:
        self.path = path
        self._vfs = vfs
        self._idle: list[apsw.Connection] = []
        self._all: list[apsw.Connection] = []
        self._mutex = allocate_lock()
        self.retired = False
        if any(_is_no_file(path + end) for end in ("-wal", "-shm")):
            raise Damaged("SQLite could not use what lies beside it, or would take it for read-only")
        found = os.stat(path)
        if not S_ISREG(found.st_mode):
            raise Damaged("it is no file")
        self._identity = (found.st_dev, found.st_ino)
        self._watch: apsw.Connection | None = None
        Database._opened += 1
        self.serial = Database._opened  # a new connection may give the same data_version for another content
        try:
            self.ask(self._check)
        except BaseException:
            self.retire()
            raise

    def _connect(self) -> apsw.Connection:
        try:
            connection = connect(self.path, vfs=self._vfs)
        except apsw.Error as error:
            if is_damage(error):
                raise Damaged("it cannot be opened") from error
            raise
        self._all.append(connection)
        return connection

    def _check(self, connection: apsw.Connection) -> None:
        """Cheap signs of a file that was emptied, cut or replaced."""
        signs = [ask_one(connection, f"PRAGMA {name}")[0] for name in ("application_id", "user_version")]
        if signs != [APPLICATION_ID, VERSION]:
            raise Damaged("not an index of this version")
        pages, size = (ask_one(connection, f"PRAGMA {name}")[0] for name in ("page_count", "page_size"))
        if not _has_log(self.path) and os.stat(self.path).st_size < pages * size:
            raise Damaged("the file is shorter than its header says")
        if ask_one(connection, "SELECT count(*) FROM sqlite_schema WHERE name='chunks_fts'") != (1,):
            raise Damaged("tables are missing")

    def take(self) -> apsw.Connection:
        """Borrow a connection; give it back with `give`."""
        with self._mutex:
            if self._idle:
                return self._idle.pop()
        return self._connect()  # which may have to wait, and nobody else for that

    def ask(self, question: Callable[[apsw.Connection], Answer]) -> Answer:
        """What a question finds out on a borrowed connection; a transaction that it left open is taken back.

        Damage comes out as `Damaged`, whatever it looked like; an error of ours as what it is.
        """
        with GATE.visit():
            connection = self.take()
            try:
                return question(connection)
            except FAILURES as error:
                if not is_damage(error) or isinstance(error, Damaged) or self.retired or self.replaced():
                    raise
                if isinstance(error, _SURE):
                    raise Damaged(str(error)) from error
            finally:
                _take_back(connection)
                self.give(connection)
            return self._ask_again(question)

    def _ask_again(self, question: Callable[[apsw.Connection], Answer]) -> Answer:
        """The same on a new connection, to see what is to blame."""
        from .judging import Watched  # nearly nobody comes here

        connection = self._connect()
        watched: Any = Watched(connection)
        try:
            return question(watched)
        except FAILURES as error:
            if isinstance(error, _SURE):
                raise Damaged(str(error)) from error
            if not isinstance(error, Damaged) and is_damage(error) and watched.doubts(error):
                raise Doubtful(type(error).__name__) from error
            raise
        finally:
            _take_back(connection)
            close(connection)

    def give(self, connection: apsw.Connection) -> None:
        with self._mutex:
            if self.retired:
                close(connection)
            else:
                self._idle.append(connection)

    def version(self) -> int:
        """Moves whenever anybody commits to the file."""
        with GATE.visit(), self._mutex:
            if self.retired:
                raise Damaged("let go meanwhile")
            if self._watch is None:
                self._watch = self._connect()  # never writes, so its data_version moves with every commit
            try:
                return int(ask_one(self._watch, "PRAGMA data_version")[0])
            except apsw.Error as error:
                if is_damage(error):
                    raise Damaged("it cannot be read") from error
                raise

    def logged(self) -> int:
        """When anybody last wrote to the log, in nanoseconds of the file system's clock; 0 where there is none."""
        try:
            return os.stat(self.path + "-wal").st_mtime_ns
        except OSError:
            return 0

    def replaced(self) -> bool:
        """Whether the file at our path is no longer the one that we hold."""
        try:
            found = os.stat(self.path)
        except OSError:
            return True
        return (found.st_dev, found.st_ino) != self._identity

    def retire(self) -> None:
        """Close what is idle now and what is lent out as it comes back."""
        with GATE.visit(), self._mutex:
            self.retired = True
            for connection in [*self._idle, self._watch]:
                if connection is not None:
                    close(connection)
            self._idle.clear()

    def abandon(self) -> list[apsw.Connection]:
        """After a fork: the child must neither use nor close these; keep them from being collected."""
        return self._all


def _take_back(connection: apsw.Connection) -> None:
    """End a transaction that failed; SQLite then drops it even if it cannot tell the file so."""
    if connection.in_transaction:
        try:
            connection.execute("ROLLBACK")
        except apsw.Error:
            return


def _fold(*values: Any) -> str:
    return str(values[0] or "").lower()


def _glob_words(*values: Any) -> int:
    from ..text.globs import held  # most connections never see a pattern

    return held(str(values[1]), str(values[0]))


def _is_no_file(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path)


def _has_log(path: str) -> bool:
    try:
        return os.stat(path + "-wal").st_size > 0
    except OSError:
        return False
