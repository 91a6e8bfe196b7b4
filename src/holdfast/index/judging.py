"""Judging: whether what failed may be the fault of the file, or can only be ours.

Damage shows in what a row says or in what SQLite finds while it runs a statement. It never shows in a value that
cannot be bound, nor in our own code before it has read a row; and a statement that an empty index refuses in the same
way is wrong whatever the file holds. Asked only after something failed: the question runs once more on a connection of
its own, watched. The rule: whoever is in doubt takes it for damage, and `Live` finds out by building anew, once.
"""

from __future__ import annotations

import apsw

from .database import ODD_VALUES, close, empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Spot = tuple[type[BaseException], str, int]


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
