"""Quarantine: damaged pieces of journals, kept exactly as found, one file each (D41).

A piece is keyed by journal, offset and hash, so finding the same damage again writes nothing. Beside damaged lines
lies what an index still knew of lines that are gone (`model.salvage`). The pieces may hold remembered text: `forget`
searches and erases them through `release`. What lies here is read again only when the directory has changed, since
every search asks whether anything does.
"""

from __future__ import annotations

import os
import re
import time
from hashlib import sha256

from ..disk import discard, exists, make_private_dir, read_file, temporary_name, write_new
from ..model.ids import is_journal
from ..model.salvage import told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..disk import Disk

_SETTLED_NS = 2_000_000_000  # two changes closer than a file system's clock ticks look like one
_NAME = re.compile(r"(?P<journal>\w+)-(?P<offset>\d+)-(?P<hash>[0-9a-f]{16})\.bad\Z")


class Quarantine:
    """The quarantine directory of one agent."""

    __slots__ = ("_directory", "_disk", "_known")

    def __init__(self, disk: Disk, directory: str) -> None:
        self._disk, self._directory = disk, directory
        self._known: tuple[int, list[dict[str, Any]]] | None = None  # when the directory changed, what lay there

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
        """What lies there, in order; see the port."""
        try:
            changed = self._disk.stat(self._directory).st_mtime_ns
        except (FileNotFoundError, NotADirectoryError):
            return []
        if self._known is None or self._known[0] != changed:
            self._known = changed if time.time_ns() - changed > _SETTLED_NS else -1, self._read()
        return [dict(piece) for piece in self._known[1] if journal in (None, piece["journal"])]

    def _read(self) -> list[dict[str, Any]]:
        found = [match for name in self._names() if (match := _NAME.match(name)) and is_journal(match["journal"])]
        pieces = [piece for match in found if (piece := self._described(match)) is not None]
        return sorted(pieces, key=lambda piece: (piece["journal"], piece["offset"], piece["hash"]))

    def _described(self, match: re.Match[str]) -> dict[str, Any] | None:
        path = self._path(match.string)
        raw, trouble = b"", None
        try:
            raw = read_file(self._disk, path)
        except FileNotFoundError:  # released meanwhile
            return None
        except OSError as error:  # no search fails for it: `verify` and `status` say what is wrong
            trouble = error.strerror or type(error).__name__
        return {
            "journal": match["journal"], "offset": int(match["offset"]), "hash": match["hash"],
            "bytes": len(raw), "file": path, "trouble": trouble, **told(raw),
        }  # fmt: skip

    def release(self, journal: str, matches: Callable[[bytes], bool]) -> int:
        """Erase the pieces of a journal that match, and what a killed writer left half written."""
        ours = [name for name in self._names() if name.startswith(f"{journal}-")]
        gone = [name for name in ours if (raw := self._readable(name)) is not None and matches(raw)]
        for name in gone:
            self._disk.unlink(self._path(name))
        if gone:
            self._disk.sync_dir(self._directory)
        return len(gone)

    def _readable(self, name: str) -> bytes | None:
        """None for what cannot be read, nor then erased: whoever searches the files afterwards says so."""
        try:
            return read_file(self._disk, self._path(name))
        except OSError:
            return None

    def _names(self) -> list[str]:
        try:
            return sorted(self._disk.listdir(self._directory))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def _path(self, name: str) -> str:
        return os.path.join(self._directory, name)
