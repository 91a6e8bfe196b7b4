"""The log: one JSON object a line, to standard error or a file, and only when asked for.

Keeps the shape of A190: timestamp, level, component, session_id, message, metadata. Lines are written
whole with one call to a descriptor opened for appending, so processes may share a file. What cannot be
written is dropped, and the observer counts it: a full disk must not turn logging into a failure of the
store. It never sees anything but events, whose facts were checked before.
"""

from __future__ import annotations

import json
import os

from ..disk import AT_ONCE, FILE_MODE, REAL, Irregular
from ..errors import BadConfig
from ..model.moment import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from .events import Event

    class Named(Protocol):
        """Settings, or anything else that has values by name."""

        def __getitem__(self, name: str, /) -> Any: ...


LEVELS = {"debug": 10, "info": 20, "warn": 30, "error": 40}
STDERR = 2


class Log:
    """Appends events of a level and above."""

    __slots__ = ("_fd", "_least")

    def __init__(self, level: str, file: str = "") -> None:
        self._least = LEVELS[level]
        self._fd = _opened(file) if file else STDERR

    def write(self, event: Event) -> bool:
        """One line, if the event's level is asked for; False if it could not be written whole."""
        if LEVELS.get(event.level, 0) < self._least:
            return True
        data = line(event).encode()
        try:
            return os.write(self._fd, data) == len(data)
        except OSError:
            return False

    def close(self) -> None:
        """Close the file, but not standard error; later lines are dropped."""
        fd, self._fd = self._fd, -1
        if fd not in (STDERR, -1):
            os.close(fd)


def log_for(settings: Named) -> Log | None:
    """The log that `log.level` and `log.file` ask for; None when it is off."""
    return None if settings["log.level"] == "off" else Log(settings["log.level"], settings["log.file"])


def line(event: Event) -> str:
    """An event as it is written."""
    shown = {
        "timestamp": iso(event.time), "level": event.level.upper(), "component": event.component,
        "session_id": event.session_id, "message": event.name, "metadata": dict(event.facts),
    }  # fmt: skip
    return json.dumps(shown, ensure_ascii=True, allow_nan=False, separators=(",", ":")) + "\n"


def _opened(file: str) -> int:
    """The log file for appending, 0600; a link in its place is not followed."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    try:
        try:
            return REAL.open(file, flags, FILE_MODE)
        except Irregular:  # a device, or a pipe that somebody reads from, is as good
            return os.open(file, flags | AT_ONCE)
    except OSError as error:
        reason = f"log.file cannot be opened for appending: {file} ({os.strerror(error.errno or 0)})"
        raise BadConfig(f"{reason}; correct it or set log.level to off", setting="log.file") from error
