"""Globs: words with `?` for one character and `*` for any number, matched word by word in linear time.

A word is whatever the index finds by itself: `deploy` in `make_deploy_target`, `resume` in `résumé`. In scripts
without spaces one begins anywhere: there `猫*` is a letter that the text holds.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = re.compile(r"\w+")
_LONGEST_WORD = 128
_ANY = rf"\w{{0,{_LONGEST_WORD}}}"


def matches(pattern: str, text: str) -> bool:
    """Whether a word of the text matches `d?ploy` or `*fix*`; linear, since words are bounded."""
    if _begins_anywhere(pattern):
        return pattern[:-1].lower() in text.lower()
    wanted = _compiled(_plain(pattern))
    return any(wanted.match(word) for word in _words(_plain(text)) if len(word) <= _LONGEST_WORD)


def _plain(text: str) -> str:
    if text.isascii():
        return text.lower()
    from .accents import unaccented

    return unaccented(text.lower())


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


def _compiled(pattern: str) -> re.Pattern[str]:
    if pattern not in _patterns:
        if len(_patterns) > 200:
            _patterns.clear()
        _patterns[pattern] = re.compile(source(_bounded(pattern)) + r"\Z")
    return _patterns[pattern]


def source(pattern: str) -> str:
    """A regular expression for a word; what stands between two stars is settled where it first fits, and stays."""
    first, *rest = (re.escape(part).replace(r"\?", r"\w") for part in pattern.split("*"))
    between = "".join(f"(?>{_ANY}?{part})" for part in rest[:-1])
    return first + between + "".join(_ANY + part for part in rest[-1:])


def _bounded(pattern: str) -> str:
    """At most four stars, runs of them as one."""
    pattern = re.sub(r"\*+", "*", pattern[:_LONGEST_WORD])
    head = pattern.split("*")
    return "*".join(head[:5])
