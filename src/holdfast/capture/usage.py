"""Usage: how many bytes the journals of a home take, whosever they are, for a quota on all of them.

Measured by stat, since no index knows of other agents. A home that takes long to look at is looked at for a twentieth
of the time at most; in between what this process writes is added, and nobody is refused by a number that is not fresh.
What cannot be looked at counts for nothing.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_FILES = ("memory.jsonl", "tombstones.jsonl")
_QUICK_S = 0.001  # a look that takes no longer is taken before every write
_SHARE = 20
_known: dict[str, tuple[float, int]] = {}  # home -> until when it holds, and bytes


def room_for(home: str, needed: int, most: int) -> tuple[bool, int]:
    """Whether the home can take so many bytes more, and how many it has; counts them as taken if it can."""
    until, used = _known.get(home, (0.0, 0))
    if time.monotonic() >= until or used + needed > most:
        until, used = _measured(home)
    fits = used + needed <= most
    _known[home] = until, used + needed if fits else used
    return fits, used


def _measured(home: str) -> tuple[float, int]:
    started = time.monotonic()
    used = sum(_size(os.path.join(folder, name)) for folder in _journals(home) for name in _FILES)
    took = time.monotonic() - started
    return started + (_SHARE * took if took > _QUICK_S else 0.0), used


def _journals(home: str) -> Iterator[str]:
    agents = os.path.join(home, "agents")
    for agent in _names(agents):
        yield os.path.join(agents, agent, "global")
        for kind in ("sessions", "users"):
            folder = os.path.join(agents, agent, kind)
            yield from (os.path.join(folder, name) for name in _names(folder))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
