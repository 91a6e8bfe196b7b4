"""The index: an SQLite database derived from the journals; it can be thrown away at any time."""

from .sqlite import SqliteIndex

__all__ = ["SqliteIndex"]
