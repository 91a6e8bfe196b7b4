"""Quarantine: damaged pieces of journals, kept exactly as found, one file each (D41).

A piece is keyed by journal, offset and hash, so finding the same damage again writes nothing. The
pieces may hold remembered text: `forget` searches and erases them through `release`.
"""

from __future__ import annotations

import os
import re
from hashlib import sha256

from ..disk import discard, exists, make_private_dir, read_file, temporary_name, write_new

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..disk import Disk

_NAME = re.compile(r"(?P<journal>\w+)-(?P<offset>\d+)-(?P<hash>[0-9a-f]{16})\.bad\Z")


class Quarantine:
    """The quarantine directory of one agent."""

    __slots__ = ("_directory", "_disk")

    def __init__(self, disk: Disk, directory: str) -> None:
        self._disk, self._directory = disk, directory

    def keep(self, journal: str, pieces: Sequence[tuple[int, bytes]]) -> int:
        """Keep pieces (offset, bytes), each once; returns how many were new."""
        named = {f"{journal}-{offset}-{sha256(raw).hexdigest()[:16]}.bad": raw for offset, raw in pieces}
        if not named:
            return 0
        make_private_dir(self._disk, self._directory)
        fresh = {name: raw for name, raw in named.items() if not exists(self._disk, self._path(name))}
        for name, raw in fresh.items():
            self._write(self._path(name), raw)
        if fresh:
            self._disk.sync_dir(self._directory)
        return len(fresh)

    def _write(self, path: str, raw: bytes) -> None:
        temporary = temporary_name(path)
        try:
            write_new(self._disk, temporary, raw)
            self._disk.replace(temporary, path)
        except BaseException:
            discard(self._disk, temporary)
            raise

    def kept(self, journal: str | None = None) -> list[dict[str, Any]]:
        """What lies there: journal, offset, hash, bytes and file of each piece, in order."""
        found = [match for name in self._names() if (match := _NAME.match(name))]
        pieces = [self._described(match) for match in found if journal in (None, match["journal"])]
        return sorted(pieces, key=lambda piece: (piece["journal"], piece["offset"], piece["hash"]))

    def _described(self, match: re.Match[str]) -> dict[str, Any]:
        path = self._path(match.string)
        return {
            "journal": match["journal"], "offset": int(match["offset"]), "hash": match["hash"],
            "bytes": self._disk.stat(path).st_size, "file": path,
        }  # fmt: skip

    def release(self, journal: str, matches: Callable[[bytes], bool]) -> int:
        """Erase the pieces of a journal that match, and what a killed writer left half written."""
        ours = [name for name in self._names() if name.startswith(f"{journal}-")]
        gone = [name for name in ours if matches(read_file(self._disk, self._path(name)))]
        for name in gone:
            self._disk.unlink(self._path(name))
        if gone:
            self._disk.sync_dir(self._directory)
        return len(gone)

    def _names(self) -> list[str]:
        try:
            return sorted(self._disk.listdir(self._directory))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def _path(self, name: str) -> str:
        return os.path.join(self._directory, name)
