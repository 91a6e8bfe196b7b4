"""Globs: words with `?` for one character and `*` for any number, matched word by word in linear time.

A word is whatever the index finds by itself: `deploy` in `make_deploy_target`, `resume` in `résumé`. In scripts
without spaces one begins anywhere: there `猫*` is a letter that the text holds.
"""

from __future__ import annotations

import re

from .escapes import unescaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = re.compile(r"\w+")
_STARS = re.compile(r"\*+")
_WILDCARD = re.compile(r"[*?]")
_LONGEST_WORD = 128
_MOST_MADE, _MOST_WORDS = 16, 20_000
_ANY = rf"\w{{0,{_LONGEST_WORD}}}"


def matches(pattern: str, text: str) -> bool:
    """Whether a word of the text matches `d?ploy` or `*fix*`; linear, since words are bounded."""
    return held(pattern, text) > 0


def held(patterns: str, text: str) -> int:
    """How many of these patterns, a line each, a word of the text matches."""
    several = _made.get(patterns)
    if several is None:
        if len(_made) >= _MOST_MADE:
            _made.clear()
        several = _made[patterns] = _Several(patterns.split("\n"))
    return several.held(text)


class _Several:
    """Patterns that are looked for together; what was found out about a word is kept, since texts repeat them."""

    __slots__ = ("_all", "_anywhere", "_known", "_last", "_letters", "_wanted")

    def __init__(self, patterns: list[str]) -> None:
        self._anywhere = [_plain(pattern[:-1]) for pattern in patterns if _begins_anywhere(pattern)]
        others = [_plain(pattern) for pattern in patterns if not _begins_anywhere(pattern)]
        self._wanted = [_compiled(pattern) for pattern in others]
        self._letters = [max(_WILDCARD.split(pattern), key=len) for pattern in others]
        self._all = (1 << len(self._wanted)) - 1
        self._known: dict[str, int] = {}  # which patterns a word matches, as bits
        self._last = ("", 0)  # SQLite asks twice: whether there is any, and how many

    def held(self, text: str) -> int:
        """How many of them the text holds."""
        said, count = self._last
        if said != text:
            count = self._count(text)
            self._last = text, count
        return count

    def _count(self, text: str) -> int:
        found, known = 0, self._known
        read = _plain(unescaped(text)) if self._wanted else ""
        # Most texts do not hold the letters of a pattern anywhere: to see that takes half as long as to cut them.
        for word in _words(read) if any(letters in read for letters in self._letters) else ():
            bits = known.get(word)
            found |= self._look(word) if bits is None else bits
            if found == self._all:
                break
        said = _plain(text) if self._anywhere else ""
        return found.bit_count() + sum(letters in said for letters in self._anywhere)

    def _look(self, word: str) -> int:
        if len(word) > _LONGEST_WORD:
            return 0
        bits = sum(1 << place for place, wanted in enumerate(self._wanted) if wanted.match(word))
        if len(self._known) >= _MOST_WORDS:
            self._known.clear()
        self._known[word] = bits
        return bits


def _plain(text: str) -> str:
    if text.isascii():
        return text.lower()
    from .accents import unaccented
    from .spelling import composed, lettered

    return unaccented(lettered(composed(text).lower()))


def _words(text: str) -> Iterator[str]:
    """Words, then what underscores join in them."""
    for word in _WORD.findall(text):
        yield word
        if "_" in word:
            yield from word.split("_")


def _begins_anywhere(pattern: str) -> bool:
    if pattern.isascii() or not pattern.endswith("*"):
        return False
    from .scripts import SPACELESS

    return SPACELESS.fullmatch(pattern, 0, len(pattern) - 1) is not None


_patterns: dict[str, re.Pattern[str]] = {}
_made: dict[str, _Several] = {}


def _compiled(pattern: str) -> re.Pattern[str]:
    made = _patterns.get(pattern)
    if made is None:
        if len(_patterns) > 200:
            _patterns.clear()
        made = _patterns[pattern] = re.compile(source(pattern) + r"\Z")
    return made


def source(pattern: str) -> str:
    """A regular expression for a word; what stands between two stars is settled where it first fits, and stays."""
    first, *rest = (re.escape(part).replace(r"\?", r"\w") for part in _STARS.split(pattern))
    between = "".join(f"(?>{_ANY}?{part})" for part in rest[:-1])
    return first + between + "".join(_ANY + part for part in rest[-1:])
