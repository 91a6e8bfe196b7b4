"""Judging: whether what failed may be the fault of the file, or can only be ours.

Damage shows in what a row says or in what SQLite finds while it runs a statement. It never shows in a value that
cannot be bound, nor in our own code before it has read a row; and a statement that an empty index refuses in the same
way is wrong whatever the file holds. Asked only after something failed: the question runs once more on a connection of
its own, watched. The rule: whoever is in doubt takes it for damage, and `Live` finds out by building anew, once: what
fails on the new generation too is noted there for every process, for a day: a file may still become damaged.
"""

from __future__ import annotations

import os
import time

import apsw

from .database import FAILURES, ODD_VALUES, ask_one, close, empty
from .gate import GATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .database import Database

    Spot = tuple[type[BaseException], str, int]

_HOLDS_S = 24 * 3600


class Watched:
    """A connection that notes whether a row was read, and which statement failed."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._read = False
        self._failed: tuple[BaseException, str, list[Any]] | None = None  # with the statement's values
        connection.row_trace = self._reads

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def _reads(self, _cursor: apsw.Cursor, row: tuple[Any, ...]) -> tuple[Any, ...]:
        self._read = True
        return row

    def execute(self, sql: str, values: Any = ()) -> apsw.Cursor:
        try:
            return self._connection.execute(sql, values)
        except Exception as error:
            self._failed = (error, sql, [values])
            raise

    def executemany(self, sql: str, values: Iterable[Any]) -> apsw.Cursor:
        listed = list(values)
        try:
            return self._connection.executemany(sql, listed)
        except Exception as error:
            self._failed = (error, sql, listed)
            raise

    def doubts(self, error: BaseException) -> bool:
        """Whether this error may be the fault of the file."""
        if self._failed is not None and self._failed[0] is error:
            return not _refused(*self._failed)
        return self._read or isinstance(error, (apsw.Error, UnicodeDecodeError))


def _refused(error: BaseException, sql: str, values: list[Any]) -> bool:
    """Whether an empty index refuses this statement in the same way."""
    with GATE.visit():
        connection = empty()
        try:
            connection.execute("BEGIN")
            connection.executemany(sql, values).fetchall()
        except (apsw.Error, *ODD_VALUES) as again:
            return type(again) is type(error)
        finally:
            close(connection)
    return False


def spot_of(error: BaseException) -> Spot:
    """By what a failure is known again: its kind, and where it came up."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return (type(error), trace.tb_frame.f_code.co_filename, trace.tb_lineno) if trace else (type(error), "", 0)


def note(base: Database, spot: Spot) -> None:
    """What comes up here is an error of ours, with this generation as with the one before."""
    try:
        told = _key(spot), str(int(time.time()))
        base.ask(lambda c: c.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", told).fetchall())
    except FAILURES:
        return  # the next process finds out by itself


def noted(base: Database, spot: Spot) -> bool:
    """Whether somebody has found out so within a day."""
    try:
        found = base.ask(lambda c: ask_one(c, "SELECT value FROM meta WHERE key=?", (_key(spot),)))
        return found is not None and abs(time.time() - int(found[0])) < _HOLDS_S
    except FAILURES:
        return False


def _key(spot: Spot) -> str:
    """By the place in our own code: it may be installed anywhere."""
    kind, file, line = spot
    return f"ours {kind.__name__} {os.path.basename(file)}:{line}"
