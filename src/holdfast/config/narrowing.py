"""Narrowing: the settings of a home as each workspace's own file leaves them.

A call that names a workspace costs one stat of its `.holdfast.toml`; the file is read when it is new or
has changed, and kept. What it asks for and may not have is ignored with a warning, once for each change:
somebody else's file can switch off and lower, and can never stop a call.
"""

from __future__ import annotations

import os

from . import workspace as workspaces
from .read import WORKSPACE_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .read import Settings

    Stamp = tuple[int, ...]

_MOST_KNOWN = 256
_CALLER = 6  # frames from a warning to whoever called a verb of the facade


class Narrowing:
    """What was read of workspaces, for one home's settings."""

    __slots__ = ("_known", "_settings")

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._known: dict[str, tuple[Stamp, Settings]] = {}

    def of(self, workspace: str) -> Settings:
        """The settings in the workspace of this name."""
        file = os.path.join(workspaces.lies_at(workspace, self._settings.aliases), WORKSPACE_FILE)
        stamp = _stamp(file)
        if stamp is None:
            return self._settings
        found, narrowed = self._known.get(file, (None, self._settings))
        if found != stamp:
            narrowed = self._read(file, stamp)
        return narrowed

    def _read(self, file: str, stamp: Stamp) -> Settings:
        narrowed = self._settings.narrowed_by(file)
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[file] = (stamp, narrowed)
        for warning in narrowed.warnings[len(self._settings.warnings) :]:
            import warnings

            warnings.warn(warning, RuntimeWarning, stacklevel=_CALLER)
        return narrowed


def _stamp(file: str) -> Stamp | None:
    """What changes with the file; None if there is none."""
    try:
        found = os.stat(file)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError as error:  # there is one that may not be looked at: reading it says so
        return (error.errno or 0,)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
