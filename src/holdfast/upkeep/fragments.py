"""Fragments: what must not be found in any file once an entry is forgotten (D15).

From an entry's own words: passages of its texts, the tail of every word (from its third letter, at
least six bytes), and the tails of the stems under which a search finds it. Tails, because full-text
segments store words without the beginning they share with the word before. Pure; it never looks
into a file.
"""

from __future__ import annotations

import re

from ..text.escapes import unescaped
from ..text.humps import with_parts
from ..text.words import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

LEAST_BYTES = 6
PASSAGE = 64  # characters: as much as one page of a database surely holds in one piece
STRIDE = 512  # one passage in as many characters of a long text
_SAID = ("content", "tags", "path", "tool", "metadata", "set")
_NO_WORDS = re.compile(r"(?:mem_|sess_|u_|sha256:)[0-9A-Za-z_]+\Z|\d{4}-\d\d-\d\dT[\d:.]+Z?\Z")  # ids and times
_NUMBER = re.compile(r"[0-9a-f]{0,7}\Z")  # so short a number stands in many files by chance


class Fragments:
    """Passages and word tails of what is forgotten; each tail with the words it came from."""

    def __init__(self) -> None:
        self.passages: dict[str, None] = {}
        self.sentences: set[str] = set()  # passages that are more than a word, or a label that others share
        self.tails: dict[str, set[str]] = {}
        self.stemmed: set[str] = set()  # tails of what an index has for a word
        self._of: set[str] = set()  # ids of the entries that these words are of
        self.texts = self.words = self.short = 0

    def tells_of(self, record: Mapping[str, Any]) -> bool:
        """Whether a line is of an entry whose words were taken: its own, or an amendment of it."""
        return (record.get("amends") or record.get("id")) in self._of

    def take(self, record: Mapping[str, Any], stems: Callable[[str], list[str]]) -> None:
        """All that one line of a journal says in words."""
        self._of.add(record.get("amends") or record.get("id") or "")
        own = {*_strings(record.get("content")), *_strings((record.get("set") or {}).get("content"))}
        for text in said(record):
            self.texts += 1
            passages, found = self._passages(text), dict.fromkeys(tokens(text))
            if text in own and len(found) > 1:
                self.sentences.update(passages)
            self.words += len(found)
            for word in found:
                self._tail(word)
            indexed = dict.fromkeys(stems(with_parts(unescaped(text))))
            self.stemmed.update(tail for stem in indexed if (tail := self._tail(stem)))

    def _passages(self, text: str) -> list[str]:
        text = text.strip()
        if len(text.encode()) < LEAST_BYTES:
            self.short += 1
            return []
        found = [text[start : start + PASSAGE] for start in range(0, max(1, len(text) - PASSAGE + 1), STRIDE)]
        self.passages.update(dict.fromkeys(found))
        return found

    def _tail(self, word: str) -> str | None:
        tail = word[2:].lower()
        if len(tail.encode()) < LEAST_BYTES or _NO_WORDS.match(word) or _NUMBER.match(tail):
            return None
        self.tails.setdefault(tail, set()).add(word)
        return tail

    @property
    def all(self) -> list[str]:
        """Every fragment once: passages first."""
        return list(dict.fromkeys([*self.passages, *self.tails]))

    def __bool__(self) -> bool:
        return bool(self.passages or self.tails)


def said(record: Mapping[str, Any]) -> Iterator[str]:
    """The texts in a line: content, tags, path, tool, metadata and, of an amendment, the new values."""
    for name in _SAID:
        yield from (text for text in _strings(record.get(name)) if not _NO_WORDS.match(text))


def _strings(value: Any) -> Iterator[str]:
    """Every text inside a JSON value, names included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from _strings(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _strings(item)
