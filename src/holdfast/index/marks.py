"""Behind marks: which journals may have lines that the index has not seen (D12).

A writer leaves an empty file `behind/<journal>` before it appends, under the journal's lock. A mark
says "look at me", never "something is missing". It is taken away only under the same lock, after
the index was seen to have everything: without the lock, a writer that found the mark in place could
append just before it vanished. Losing all marks is safe: every journal is compared after a restart, and when
the sign that lies among them is gone (`signs`).
`Levels` remembers with which sizes a marked journal was seen level, so that a stat tells when it changed;
`Burst` says when a writer may leave its line to the next one.
"""

from __future__ import annotations

import os
import time

from .mending import SWEPT, clear, make_folder, persist

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..disk import Disk
    from ..model.replay import Size
    from .database import Database

QUIET_S = 60.0  # a mark younger than this belongs to a writer that will want it again
MOST_KEPT = 64  # every answer looks at each: an import of thousands of sessions would grow slower with each of them


_MOST_LEVELS = 4096
_MOST_LEFT = 32  # lines: so many more an answer reads first, in two milliseconds or so
_MOMENT_NS = 50_000_000


class Marks:
    """The files in `index/behind/`."""

    def __init__(self, folder: str, disk: Disk) -> None:
        self.folder = os.path.join(folder, "behind")
        self._disk = disk

    def put(self, journal: str) -> None:
        """Leave a mark; one that is there already is enough."""
        try:
            self._put(journal)
        except SWEPT:
            persist(lambda: self._put(journal), self.mend)

    def _put(self, journal: str) -> None:
        path = f"{self.folder}{os.sep}{journal}"
        try:
            fd = self._disk.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except FileExistsError:
            return
        self._disk.close(fd)

    def mend(self) -> None:
        """Make the folder again; like the marks, it need not survive a loss of power."""
        make_folder(self._disk, os.path.dirname(self.folder))
        make_folder(self._disk, self.folder, durable=False)

    def all(self) -> list[str]:
        """Every name in the folder."""
        try:
            return os.listdir(self.folder)
        except OSError:
            return []

    def names(self) -> list[str]:
        """Journals to look at; what is not a mark of ours is not named."""
        return [name for name in self.all() if name[:2] in ("se", "u_", "gl")]

    def has(self, name: str) -> bool:
        return os.path.lexists(f"{self.folder}{os.sep}{name}")

    def rename(self, name: str, new: str) -> None:
        self._disk.replace(os.path.join(self.folder, name), os.path.join(self.folder, new))

    def spare(self, level: Iterable[str], names: list[str]) -> list[str]:
        """Marks to take away after these journals became level: old ones, or all where there are many to look at."""
        return names if len(names) > MOST_KEPT else [name for name in level if self.is_quiet(name)]

    def is_quiet(self, journal: str) -> bool:
        """Whether this mark was left more than a moment ago."""
        try:
            return time.time() - os.stat(f"{self.folder}{os.sep}{journal}").st_mtime > QUIET_S
        except OSError:
            return False

    def take_away(self, journal: str) -> None:
        try:
            clear(self._disk, os.path.join(self.folder, journal))
        except OSError:  # a mark too many costs a look
            return


class Burst:
    """Writes that come one upon the other, of one process or of many: they are indexed together.

    A writer leaves its line while anybody has indexed within the last moment, and up to so many lines: a
    transaction costs as much as the rows of ten. Nothing depends on it: the journal is marked, and an answer
    catches up first. A line that comes alone is indexed at once, and so are many that come as one batch.
    """

    def __init__(self) -> None:
        self._left = 0  # lines left since we last brought everything level

    def goes_on(self, base: Database | None, lines: int) -> bool:
        """Whether to leave these to the next one."""
        if base is None or self._left + lines > _MOST_LEFT or time.time_ns() - base.logged() > _MOMENT_NS:
            return False
        self._left += lines
        return True

    def note(self) -> None:
        """We have brought everything level."""
        self._left = 0

    def end(self) -> bool:
        """Whether something was left; from now on nothing is."""
        left, self._left = self._left > 0, _MOST_LEFT
        return left


class Levels:
    """Journals that were seen level in one database, with the sizes that their files had then. Threads may share it."""

    def __init__(self) -> None:
        self._seen: tuple[Database | None, dict[str, Size | None]] = (None, {})  # replaced at once, or they would mix

    def note(self, base: Database, sizes: dict[str, Size | None]) -> None:
        """The rows of these journals have all that files of these sizes hold."""
        held, known = self._seen
        if base is not held or len(known) > _MOST_LEVELS:
            known = {}
            self._seen = base, known
        known.update(sizes)

    def knows(self, base: Database, journal: str) -> bool:
        held, known = self._seen
        return base is held and journal in known

    def has(self, base: Database, journal: str, size: Size | None) -> bool:
        """Whether the journal was level when its files had just this size."""
        held, known = self._seen
        return base is held and journal in known and known[journal] == size


def boot_id() -> str:
    """Differs after a restart of the machine; elsewhere than on Linux a boot time to ten minutes."""
    try:
        with open("/proc/sys/kernel/random/boot_id", "rb") as source:
            return source.read().decode().strip()
    except OSError:
        awake = time.clock_gettime(time.CLOCK_MONOTONIC) if hasattr(time, "clock_gettime") else time.monotonic()
        return f"boot-{round((time.time() - awake) / 600)}"
