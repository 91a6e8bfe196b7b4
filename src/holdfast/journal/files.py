"""Places: where the files of a journal lie. The only maker of paths in this package.

Every journal id is checked against the patterns of `model.ids` before it becomes a path, so no
input can name a file outside the agent's folder.
"""

from __future__ import annotations

import os
from hashlib import sha256

from ..errors import Invalid
from ..model.ids import GLOBAL, SESSION_ID, USER_DIR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..disk import Disk

ENTRIES = "memory.jsonl"
CARD = "metadata.json"
TOMBSTONES = "tombstones.jsonl"
_MOST_KNOWN = 4096
SETTLING = "settling"  # a rewrite renamed but may not have synced the directory: see `rewrite`


class Place:
    """The directory of one journal and the names in it."""

    __slots__ = ("card", "directory", "entries", "journal", "lock", "settling", "tombstones")

    def __init__(self, journal: str, directory: str, lock: str) -> None:
        self.journal, self.directory, self.lock = journal, directory, lock
        self.entries = f"{directory}{os.sep}{ENTRIES}"
        self.card = f"{directory}{os.sep}{CARD}"
        self.tombstones = f"{directory}{os.sep}{TOMBSTONES}"
        self.settling = f"{directory}{os.sep}{SETTLING}"


class Places:
    """Paths below the folder of one agent."""

    __slots__ = ("_known", "folder")

    def __init__(self, folder: str) -> None:
        self.folder = os.path.abspath(folder)
        self._known: dict[str, Place] = {}

    def of(self, journal: str) -> Place:
        """The place of a journal; Invalid if that is no journal's id. A write asks seven times."""
        found = self._known.get(journal) if isinstance(journal, str) else None
        if found is None:
            found = Place(journal, os.path.join(self.folder, *_parts(journal)), self.lock(journal))
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[journal] = found
        return found

    def above(self, place: Place) -> Iterator[str]:
        """The directories whose names lead to a journal, from its own up to the one that holds the home."""
        directory = place.directory
        top = os.path.dirname(os.path.dirname(os.path.dirname(self.folder)))
        while len(directory) > len(top):
            yield directory
            directory = os.path.dirname(directory)
        yield top

    def lock(self, journal: str) -> str:
        """One of 256 lock files by hash, so that a journal's directory can be removed (D7)."""
        return os.path.join(self.folder, "locks", sha256(journal.encode()).hexdigest()[:2])

    def id_lock(self, id: str) -> str:
        """One of 16 lock files for ids that callers choose, which are few; had before any journal's."""
        return os.path.join(self.folder, "locks", f"id{sha256(id.encode()).hexdigest()[0]}")

    @property
    def quarantine(self) -> str:
        return os.path.join(self.folder, "quarantine")

    def found(self, disk: Disk) -> Iterator[Place]:
        """Every journal directory in order: sessions, users, global; also those that hold tombstones only."""
        for kind, pattern in (("sessions", SESSION_ID), ("users", USER_DIR)):
            for name in _names(disk, os.path.join(self.folder, kind)):
                if pattern.match(name):
                    yield self.of(name)
        yield self.of(GLOBAL)

    def sessions_stamp(self, disk: Disk) -> tuple[int, int] | None:
        """Another one after any session's directory was made or removed; None where there is none yet."""
        try:
            found = disk.stat(os.path.join(self.folder, "sessions"))
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns


def _parts(journal: str) -> tuple[str, ...]:
    if isinstance(journal, str):
        if SESSION_ID.match(journal):
            return "sessions", journal
        if USER_DIR.match(journal):
            return "users", journal
        if journal == GLOBAL:
            return (GLOBAL,)
    raise Invalid(f"{str(journal)[:80]!r} is not the id of a journal (sess_…, u_…, global)", field="journal")


def _names(disk: Disk, directory: str) -> list[str]:
    try:
        return sorted(disk.listdir(directory))
    except (FileNotFoundError, NotADirectoryError):
        return []
