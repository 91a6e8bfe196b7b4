"""Behind marks: which journals may have lines that the index has not seen (D12).

A writer leaves an empty file `behind/<journal>` before it appends, under the journal's lock. A mark
says "look at me", never "something is missing". It is taken away only under the same lock, after
the index was seen to have everything: without the lock, a writer that found the mark in place could
append just before it vanished. Losing all marks is safe: every journal is compared after a restart.
"""

from __future__ import annotations

import os
import time

from ..disk import discard, make_private_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..disk import Disk

QUIET_S = 60.0  # a mark younger than this belongs to a writer that will want it again


class Marks:
    """The files in `index/behind/`."""

    def __init__(self, folder: str, disk: Disk) -> None:
        self.folder = os.path.join(folder, "behind")
        self._disk = disk

    def put(self, journal: str) -> None:
        """Leave a mark; one that is there already is enough."""
        path = os.path.join(self.folder, journal)
        try:
            fd = self._disk.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except FileExistsError:
            return
        except (FileNotFoundError, NotADirectoryError):
            make_private_dir(self._disk, self.folder)
            self.put(journal)
            return
        self._disk.close(fd)

    def names(self) -> list[str]:
        """Journals to look at; what is not a mark of ours is not named."""
        try:
            return [name for name in os.listdir(self.folder) if name[:2] in ("se", "u_", "gl")]
        except OSError:
            return []

    def quiet(self, journal: str) -> bool:
        """Whether a mark is old enough to be taken away."""
        try:
            return time.time() - os.stat(os.path.join(self.folder, journal)).st_mtime > QUIET_S
        except OSError:
            return False

    def take_away(self, journal: str) -> None:
        discard(self._disk, os.path.join(self.folder, journal))
