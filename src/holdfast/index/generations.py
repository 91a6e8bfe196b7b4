"""Generations: which index directory is live, and how a new one takes its place.

`CURRENT` has one line for each schema version in use on this home, so that two installed versions
do not rebuild each other's index (D14). A flip is write, fsync, rename, fsync of the directory; a
database is never renamed. What is not named in CURRENT is half-built or old.
"""

from __future__ import annotations

import os
import re

from ..disk import EXHAUSTED, read_file, write_atomic
from .mending import SWEPT, clear, make_way
from .schema import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..disk import Disk

_NAME = re.compile(r"v(\d+)-(\d{6,})\Z")
_KEEP_FOREIGN_S = 7 * 24 * 3600


class Generations:
    """The directories below `index/`."""

    def __init__(self, folder: str, disk: Disk) -> None:
        self.folder = folder
        self._disk = disk
        self._pointer = os.path.join(folder, "CURRENT")
        self._seen: tuple[int, int, int] | None = None
        self._lines: list[str] = []
        self._current: str | None = None

    def _names(self) -> list[str]:
        """Lines of CURRENT; read again only when the file changed."""
        try:
            found = os.stat(self._pointer)
            seen = (found.st_ino, found.st_mtime_ns, found.st_size)
            if seen != self._seen:
                text = read_file(self._disk, self._pointer).decode("utf-8", "replace")
                self._lines = [line for line in text.split("\n") if _NAME.match(line)]
                self._current = next((line for line in self._lines if line.startswith(f"v{VERSION}-")), None)
                self._seen = seen
        except OSError as error:
            self._seen, self._lines, self._current = None, [], None
            if error.errno in EXHAUSTED:
                raise
        return self._lines

    def current(self) -> str | None:
        """The live generation of our schema version."""
        self._names()
        return self._current

    def there(self) -> bool:
        """Whether the live generation has a file."""
        name = self.current()
        return name is not None and os.path.exists(self.path(name))

    def others(self) -> str:
        """The files of other versions that keep an index here, by stat: what was written since, one of them may have
        indexed, and taken away the mark that it had."""
        files = [self.path(line) + end for line in self._names() if self._is_foreign(line) for end in ("", "-wal")]
        return " ".join(stamp for file in files if (stamp := _stamp(file)))

    def _is_kept(self, name: str) -> bool:
        return os.path.exists(os.path.join(self.folder, name))

    def _is_foreign(self, name: str) -> bool:
        return not name.startswith(f"v{VERSION}-")

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name, "index.db")

    def fresh(self) -> str:
        """A name that no generation has had."""
        numbers = [int(found[2]) for name in self.all() if (found := _NAME.match(name)) and int(found[1]) == VERSION]
        return f"v{VERSION}-{max(numbers, default=0) + 1:06d}"

    def all(self) -> list[str]:
        """Every generation there is, live, old, half-built or of another version."""
        try:
            found = os.listdir(self.folder)
        except OSError:
            found = []
        return sorted({name for name in [*found, *self._names()] if _NAME.match(name)})

    def flip(self, name: str) -> None:
        """Make a built generation the live one."""
        others = [line for line in self._names() if self._is_foreign(line) and self._is_kept(line)]
        data = ("\n".join([*others, name]) + "\n").encode()
        try:
            write_atomic(self._disk, self._pointer, data)
        except SWEPT:
            make_way(self._disk, self._pointer)
            write_atomic(self._disk, self._pointer, data)
        self._seen = None

    def unbuilt(self) -> list[str]:
        """Generations of our version that are not live: half-built or old."""
        live = self.current()
        return [name for name in self.all() if name.startswith(f"v{VERSION}-") and name != live]

    def foreign(self) -> list[str]:
        """Generations of other versions of Holdfast."""
        return [name for name in self.all() if self._is_foreign(name)]

    def beside(self) -> list[str]:
        """Generations that are there beside the live one: half-built, old or of another version."""
        live = self.current()
        return [name for name in self.all() if name != live and self._is_kept(name)]

    def sweep(self, now_s: float) -> None:
        """Remove what is not live, for whoever holds `build.lock`; that of other versions after a week without use."""
        half_built = [name for name in self.foreign() if name not in self._names()]
        for name in (*self.unbuilt(), *half_built):
            self.discard(name)
        self.sweep_foreign(now_s)

    def sweep_foreign(self, now_s: float) -> None:
        """Remove what an earlier version has left behind; what was touched lately another one may be building."""
        for name in self.foreign():
            if now_s - self._used(name) > _KEEP_FOREIGN_S:
                self.discard(name)

    def discard(self, name: str) -> None:
        """Somebody may still be at work in it; then it is left to the next sweep."""
        try:
            self.drop(name)
        except OSError:
            return

    def _used(self, name: str) -> float:
        folder = os.path.join(self.folder, name)
        try:
            return max(
                os.stat(path).st_mtime for path in (folder, *(os.path.join(folder, f) for f in os.listdir(folder)))
            )
        except OSError:
            return 0.0

    def bytes_used(self) -> int:
        """All generations, logs, marks and the cache."""
        total = 0
        for folder, _, files in os.walk(self.folder):
            for name in files:
                try:
                    total += os.lstat(os.path.join(folder, name)).st_size
                except OSError:
                    continue
        return total

    def drop(self, name: str) -> None:
        """Remove a generation's directory, whatever lies there."""
        clear(self._disk, os.path.join(self.folder, name))


def _stamp(path: str) -> str | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return f"{found.st_ino}:{found.st_size}:{found.st_mtime_ns}"
