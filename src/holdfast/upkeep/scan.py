"""Scan: a byte search of every file below a directory, run as a process of its own.

Closing a descriptor of a live SQLite file drops SQLite's locks in the process that closes it, so the
library never opens one; this script may, because nothing else lives in its process. It reads a job
(JSON: roots, fragments, path) on stdin and answers on stdout which fragments it found in which
files. Fragments are looked for in any case, in UTF-8, JSON-escaped, UTF-16 and base64. It imports
nothing of Holdfast, and memory stays bounded: files are read in blocks that overlap.
"""

from __future__ import annotations

import base64
import errno
import json
import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, BinaryIO

    Found = set[int]
    Identity = tuple[int, int]

ENCODINGS = ("utf-8", "json", "utf-16-le", "utf-16-be", "base64")
LEAST = 6  # bytes; anything shorter is found everywhere by chance
BLOCK = 4 << 20
MANY = 1 << 30  # patterns times bytes from which a table beats looking for one pattern after another
_NOTHING_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)  # it vanished, or is a link that leads nowhere
_SLOTS = 1 << 22
_MIXER = 2654435761  # Knuth's multiplier: spreads the first bytes of a pattern over the slots


class Patterns:
    """Byte patterns, each with the fragments it stands for: in lower case, and exactly as they are."""

    def __init__(self, fragments: Iterable[str]) -> None:
        self.folded: dict[bytes, list[int]] = {}
        self.exact: dict[bytes, list[int]] = {}
        for number, fragment in enumerate(fragments):
            for pattern in {form.lower() for form in folded_forms(fragment)}:
                self._add(self.folded, pattern, number)
            for pattern in set(base64_forms(fragment)):
                self._add(self.exact, pattern, number)

    def _add(self, patterns: dict[bytes, list[int]], pattern: bytes, number: int) -> None:
        """A letter of three bytes may be one of one byte in another case: then so few are left as are everywhere."""
        if len(pattern) >= LEAST:
            patterns.setdefault(pattern, []).append(number)

    @property
    def longest(self) -> int:
        return max(map(len, (*self.folded, *self.exact)), default=0)

    def __len__(self) -> int:
        return len(self.folded) + len(self.exact)


def cases(fragment: str) -> set[str]:
    """Spellings that differ beyond what lower-casing ASCII bytes makes equal."""
    return {fragment, fragment.lower(), fragment.upper(), fragment.casefold()}


def folded_forms(fragment: str) -> Iterator[bytes]:
    """The fragment in every encoding that is searched regardless of case."""
    for spelling in cases(fragment):
        yield spelling.encode()
        yield spelling.encode("utf-16-le")
        yield spelling.encode("utf-16-be")
        for ascii_only in (True, False):
            yield json.dumps(spelling, ensure_ascii=ascii_only)[1:-1].encode()


def base64_forms(fragment: str) -> Iterator[bytes]:
    """What base64 of any text with this fragment in it must contain, for each of three alignments."""
    for spelling in {fragment, fragment.lower()}:
        data = spelling.encode()
        for before in range(3):
            coded = base64.b64encode(b"\0" * before + data)
            first = -(-before * 8 // 6)  # characters that also hold bits of what stands before
            last = (before + len(data)) * 8 // 6  # the one after these holds bits of what follows
            form = coded[first:last]
            yield form
            yield form.replace(b"+", b"-").replace(b"/", b"_")


class Finder:
    """Looks for one set of patterns in blocks of bytes."""

    def __init__(self, patterns: dict[bytes, list[int]], many: bool) -> None:
        self._patterns = patterns
        self._table: Any = None
        if many and patterns:
            self._build_table()

    def find(self, data: bytes, found: Found) -> None:
        """Add the fragments that occur in this block."""
        if self._table is not None:
            self._by_table(data, found)
            return
        for pattern, numbers in self._patterns.items():
            if not found.issuperset(numbers) and pattern in data:
                found.update(numbers)

    def _build_table(self) -> None:
        import numpy

        self._numpy = numpy
        self._by_start: dict[bytes, list[bytes]] = {}
        for pattern in self._patterns:
            self._by_start.setdefault(pattern[:LEAST], []).append(pattern)
        starts = b"".join(start[:4] for start in self._by_start)
        self._table = numpy.zeros(_SLOTS, dtype=bool)
        self._table[self._slots(numpy.frombuffer(starts, dtype="<u4"))] = True

    def _slots(self, words: Any) -> Any:
        return (words * self._numpy.uint32(_MIXER)) >> self._numpy.uint32(10)

    def _by_table(self, data: bytes, found: Found) -> None:
        """Every place whose first four bytes may begin a pattern, then the pattern itself."""
        numpy = self._numpy
        if len(data) < LEAST:
            return
        shifted = [numpy.frombuffer(data, dtype=numpy.uint8, offset=i, count=len(data) - 3) for i in range(4)]
        words = shifted[0].astype(numpy.uint32)
        for place in (1, 2, 3):
            words |= shifted[place].astype(numpy.uint32) << numpy.uint32(8 * place)
        for at in numpy.flatnonzero(self._table[self._slots(words)]).tolist():
            for pattern in self._by_start.get(data[at : at + LEAST], ()):
                if data.startswith(pattern, at):
                    found.update(self._patterns[pattern])


class Search:
    """A search of a tree for one set of fragments."""

    def __init__(self, fragments: list[str], size: int) -> None:
        patterns = Patterns(fragments)
        many = len(patterns) * size > MANY
        self._folded, self._exact = Finder(patterns.folded, many), Finder(patterns.exact, many)
        self._overlap = max(0, patterns.longest - 1)
        self.files = self.bytes = 0
        self.found: dict[str, list[int]] = {}
        self.unreadable: list[str] = []

    def file(self, path: str, name: str) -> None:
        """Look into one file; one that vanished meanwhile holds nothing."""
        found: Found = set()
        try:
            with open(path, "rb", buffering=0) as source:
                self._blocks(source, found)
        except FileNotFoundError:
            return
        except OSError:
            self.unreadable.append(name)
            return
        self.files += 1
        if found:
            self.found[name] = sorted(found)

    def _blocks(self, source: BinaryIO, found: Found) -> None:
        kept = b""
        while block := source.read(BLOCK):
            self.bytes += len(block)
            data = kept + block
            self._folded.find(data.lower(), found)
            self._exact.find(data, found)
            kept = data[-self._overlap :] if self._overlap else b""


def files_below(root: str, skip: Iterable[str] = ()) -> Iterator[tuple[str, str, int]]:
    """Path, name relative to the root and size of every regular file, and of what cannot be looked at, to be named."""
    for path, found in reached(root, skip):
        if found is None or stat.S_ISREG(found.st_mode):  # a pipe or a device holds nothing, and reading it may not end
            yield path, os.path.relpath(path, root), found.st_size if found else 0


def reached(root: str, skip: Iterable[str] = ()) -> Iterator[tuple[str, os.stat_result | None]]:
    """Everything below the root, itself included, with what it is; `skip` names files and directories in it.

    Links are followed, since what they lead to is as good as below the root; last, so that things have their own names.
    """
    left_out = {os.path.normpath(os.path.join(root, name)) for name in skip}
    visited = {_identity(found) for path in left_out if (found := _look(path))}
    starts = [os.path.normpath(root)]
    for start in starts:  # grows as links are met
        found = _look(start)
        if found is None or _identity(found) not in visited:
            yield from _below(start, left_out, visited, starts)


def _below(
    start: str, left_out: set[str], visited: set[Identity], links: list[str]
) -> Iterator[tuple[str, os.stat_result | None]]:
    waiting = [start]
    while waiting:
        path = waiting.pop()
        try:
            found = os.stat(path)
            directory = stat.S_ISDIR(found.st_mode)
            if path in left_out or (directory and _identity(found) in visited):
                continue
            inner = [os.path.join(path, name) for name in os.listdir(path)] if directory else []
        except OSError as error:
            if error.errno not in _NOTHING_THERE:
                yield path, None
            continue
        visited.add(_identity(found))
        yield path, found
        waiting += sorted((name for name in inner if not os.path.islink(name)), reverse=True)
        links += sorted(name for name in inner if os.path.islink(name))


def _look(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def _identity(found: os.stat_result) -> Identity:
    return found.st_dev, found.st_ino


def scan(roots: list[dict[str, Any]], fragments: list[str]) -> dict[str, Any]:
    """Which fragments stand in which files below these roots; names begin with the root's prefix."""
    wanted = [(path, where["prefix"] + name, size) for where in roots
              for path, name, size in files_below(where["root"], where["skip"])]  # fmt: skip
    search = Search(fragments, sum(size for _, _, size in wanted))
    for path, name, _ in wanted:
        search.file(path, name)
    return {
        "files": search.files, "bytes": search.bytes, "found": search.found, "unreadable": search.unreadable,
    }  # fmt: skip


def main() -> None:
    """One job from stdin to stdout."""
    job = json.load(sys.stdin)
    sys.path[:] = job["path"]  # NumPy is where the library's own process found it
    json.dump(scan(job["roots"], job["fragments"]), sys.stdout)


if __name__ == "__main__":
    main()
