"""Intake: the records of an exported file, JSON Lines or one JSON document, one after the other.

Owns what a file may look like; it never stores anything. A record that cannot be read comes out as
its number and a reason, so that nothing is skipped in silence. Lines are split at line feeds only.
`Account` tells a whole file from one that was cut.
"""

from __future__ import annotations

import json
import os
from codecs import BOM_UTF8

from ..disk import Attempt
from ..errors import FormatTooNew, Invalid, NotFound
from .export import END, HEADER, VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Source = str | os.PathLike[str] | Iterable[str | bytes]
    Numbered = tuple[int, dict[str, Any] | str]  # a record, or why there is none


def lasting(source: Source) -> Source:
    """The source as it can be read twice, once to look and once to store: a pipe gives what it has only once."""
    if isinstance(source, (list, tuple)):
        return source
    if isinstance(source, (str, os.PathLike)):
        once = os.path.exists(source) and not os.path.isfile(source)
        return list(_file_lines(os.fspath(source))) if once else source
    given: object = source
    if isinstance(given, (bytes, bytearray)) or not hasattr(given, "__iter__"):
        raise Invalid(f"path must be a file's path or lines of text, not {type(given).__name__}", field="path")
    return list(source)


def records(source: Source) -> Iterator[Numbered]:
    """Every record with its number: the line, or the place in a document. Headers and ends are among them."""
    lines = _lines(source)
    first = next(lines, b"").removeprefix(BOM_UTF8)  # some editors put one before what they save
    if _is_document(first):
        yield from _from_document(b"\n".join([first, *lines]))
        return
    yield from _from_line(1, first)
    for number, line in enumerate(lines, 2):
        yield from _from_line(number, line)


class Account:
    """Whether a file holds all that it should: every header has its end, which counts right and tells of no loss.

    Lines without a header claim nothing; they count as cut if the first or the last of them cannot be read. A file
    without any record is what a command that failed leaves in a pipe.
    """

    __slots__ = ("_cards", "_entries", "_headed", "_known", "_unread", "_wrong")

    def __init__(self) -> None:
        self._cards = self._entries = 0  # since the last header
        self._headed = self._known = self._unread = self._wrong = False

    def take(self, record: dict[str, Any] | str) -> None:
        """One record of the file, in its order."""
        first, self._known = not self._known, True
        self._unread = isinstance(record, str)
        if isinstance(record, str):
            self._wrong = self._wrong or first
        elif HEADER in record:
            self._wrong = self._wrong or self._headed
            self._headed, self._cards, self._entries = True, 0, 0
        elif END in record:
            counted = (record.get("cards"), record.get("entries"))
            self._wrong = self._wrong or counted != (self._cards, self._entries) or bool(record.get("lost"))
            self._headed = False
        else:
            card = isinstance(record.get("card"), dict)
            self._cards, self._entries = self._cards + card, self._entries + (not card)

    @property
    def complete(self) -> bool:
        return self._known and not (self._wrong or self._headed or self._unread)


def _lines(source: Source) -> Iterator[bytes]:
    """Lines without their ends, as bytes: what is not UTF-8 is named, never replaced."""
    for piece in _file_lines(os.fspath(source)) if isinstance(source, (str, os.PathLike)) else source:
        if not isinstance(piece, (str, bytes)):
            raise Invalid(f"path must be a file's path or lines of text, not {type(piece).__name__}", field="path")
        data = piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else piece
        yield from data.removesuffix(b"\n").split(b"\n")


def _file_lines(path: str) -> Iterator[bytes]:
    if _missing(path):
        raise NotFound(f"there is no file {path}", path=path)
    if os.path.isdir(path):
        raise Invalid(f"path must be a file, and {path} is a directory", field="path")
    with Attempt("read", path), open(path, "rb") as file:
        yield from file


def _missing(path: str) -> bool:
    """Whether there is none; what may not be looked at may be there, and opening it says why it cannot be read."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # the last: a name that no file can have
        return True
    except OSError:
        return False
    return False


def _is_document(first: bytes) -> bool:
    """A line that is whole JSON by itself is a record, unless it holds the list of all of them."""
    parsed = _parsed(first)
    if isinstance(parsed, dict):
        return isinstance(parsed.get("entries"), list)
    return first.lstrip()[:1] in (b"{", b"[")


def _from_line(number: int, line: bytes) -> Iterator[Numbered]:
    if not line.strip():
        return
    parsed = _parsed(line)
    yield number, _known(parsed) if isinstance(parsed, dict) else "is not a JSON object"


def _from_document(text: bytes) -> Iterator[Numbered]:
    document = _parsed(text)
    if document is None:  # not a document after all: lines, the first of them damaged
        for number, line in enumerate(text.split(b"\n"), 1):
            yield from _from_line(number, line)
        return
    parts: dict[str, Any] = {"entries": document} if isinstance(document, list) else document
    if HEADER in parts:
        yield 0, _known({HEADER: parts[HEADER]})
    items = [*({"card": card} for card in _listed(parts, "cards")), *_listed(parts, "entries")]
    for number, item in enumerate(items, 1):
        yield number, _known(item) if isinstance(item, dict) else "is not a JSON object"
    end = parts.get(END)
    if isinstance(end, dict):
        yield len(items) + 1, {END: VERSION, **end}


def _listed(document: dict[str, Any], name: str) -> list[Any]:
    """What stands under this name; in place of a list something that is no record, so that it is counted and named."""
    found = document.get(name)
    return [] if found is None else found if isinstance(found, list) else [found]


def _known(record: dict[str, Any]) -> dict[str, Any]:
    """The record; a file of a later version is refused before anything of it is taken."""
    version = record.get(HEADER)
    if isinstance(version, int) and version > VERSION:
        raise FormatTooNew(f"this export has format {version}; this Holdfast reads up to {VERSION}: upgrade it")
    return record


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
