"""Workspaces: which directory a path belongs to, found without running git (D2).

A workspace is the real path of the main worktree of the enclosing git repository, else of the
directory itself. Worktrees of one repository share it; a submodule is a repository of its own. A
`.git` file is believed only if the repository that it names points back at it, so that an unpacked
archive cannot claim the memory of another workspace. Nothing here is ever written.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_POINTER_BYTES = 4096


def root(path: str) -> str:
    """The workspace of this path, aliases not yet applied."""
    start = os.path.realpath(os.path.expanduser(path))
    directory = os.path.dirname(start) if os.path.isfile(start) else start
    return _repository(directory) or directory


def renamed(workspace: str, aliases: Mapping[str, str]) -> str:
    """The name under which this workspace is remembered: where it, or a directory above it, once was.

    `aliases` maps the old place to the new one, as `workspace-alias OLD NEW` wrote it; entries keep the
    place where they were made, so the way goes from new to old, however often it was moved.
    """
    for _ in aliases:  # each alias is followed at most once, so a circle ends
        moved = [(new, old) for old, new in aliases.items() if _within(workspace, new)]
        if not moved:
            break
        new, old = max(moved)  # of nested directories the inner one is the longer, and sorts last
        workspace = old + workspace[len(new) :]
    return workspace


def lies_at(workspace: str, aliases: Mapping[str, str]) -> str:
    """Where a workspace that is remembered under this name lies now: the way back of `renamed`."""
    for _ in aliases:
        moved = [(old, new) for old, new in aliases.items() if _within(workspace, old)]
        if not moved:
            break
        old, new = max(moved)
        workspace = new + workspace[len(old) :]
    return workspace


def _within(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def _repository(directory: str) -> str | None:
    """The main worktree of the nearest repository at or above this directory."""
    while True:
        marker = os.path.join(directory, ".git")
        if os.path.isdir(marker) and os.path.lexists(os.path.join(marker, "HEAD")):
            return directory
        if os.path.isfile(marker):
            return _main_worktree(marker) or directory
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent


def _main_worktree(marker: str) -> str | None:
    """Where a linked worktree's repository lives, if that repository knows of this worktree."""
    pointer = _read(marker)
    if not pointer.startswith("gitdir:"):
        return None
    own = os.path.realpath(os.path.join(os.path.dirname(marker), pointer[len("gitdir:") :].strip()))
    common, back = _read(os.path.join(own, "commondir")), _read(os.path.join(own, "gitdir"))
    repository = os.path.realpath(os.path.join(own, common))
    known = os.path.dirname(own) == os.path.join(repository, "worktrees")
    if not common or not known or os.path.realpath(os.path.join(own, back)) != os.path.realpath(marker):
        return None  # a submodule, a separate git directory, or a claim that nobody confirms
    return os.path.dirname(repository) if os.path.basename(repository) == ".git" else repository


def _read(path: str) -> str:
    """The first line of one of git's small pointer files; empty if it is not there or not one."""
    try:
        if not os.path.isfile(path):
            return ""
        with open(path, encoding="utf-8", errors="surrogateescape") as source:
            return source.read(_POINTER_BYTES).partition("\n")[0].strip()
    except OSError:
        return ""
