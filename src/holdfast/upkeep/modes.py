"""Modes: whether anybody but its owner could reach a file or directory of the home; looks, and changes nothing."""

from __future__ import annotations

import os
import sys

from . import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def private_mode_wrong(path: str) -> str | None:
    """What others could do to this file or directory, or None if only its owner can reach it."""
    if sys.platform == "win32":
        return None
    found = os.stat(path)  # of what a link leads to: its own mode says nothing
    if found.st_uid != os.geteuid() and os.geteuid() != 0:
        return f"{path} belongs to another user (uid {found.st_uid})"
    if found.st_mode & 0o077:
        return f"{path} has mode {found.st_mode & 0o777:04o}; others must have no access (chmod go= {path})"
    return None


def wrong_modes(home: str) -> Iterator[str]:
    """What is wrong with any file or directory of the home, the home itself included."""
    for path, _ in scan.reached(home):
        try:
            wrong = private_mode_wrong(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            wrong = f"{path} cannot be looked at ({error.strerror})"
        if wrong is not None:
            yield wrong
