"""Ballast: space kept back in the home, so that forgetting still works when the disk is full (D42).

`upkeep.forget` removes the file when it needs the space; the next `open` takes it again.
"""

from __future__ import annotations

import os

from ..disk import discard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..disk import Disk

BALLAST = "ballast"
BALLAST_BYTES = 4 << 20


def reserve(disk: Disk, home: str) -> bool:
    """Take up the space if it is not taken yet; False if the disk has none to give."""
    path = os.path.join(home, BALLAST)
    try:
        fd = disk.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        return True
    except OSError:
        return False
    try:
        disk.fallocate(fd, BALLAST_BYTES)
    except OSError:
        discard(disk, path)
        return False
    finally:
        disk.close(fd)
    return True
