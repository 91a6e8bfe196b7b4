"""Humps: identifiers that are written in one, as `maxRetryCount` and `ImageThumbnailCache` are, and the words in them.

Who asks says "retry count"; to the tokeniser such a name is one word that nobody says. A text is indexed with those
words behind it, so the name itself, and what stands around it, are found as before. A question keeps the name;
only where nobody here has used it do its words take its place (`recall.candidates`). Names of one part are none, and
neither are codes: those change case every other letter.
"""

from __future__ import annotations

import re

from .beside import HUMP, pairs

_NAME = re.compile(r"(?<![^\W_])[^\W_]*[a-z0-9][A-Z][^\W_]*", re.ASCII)
_BETWEEN = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])")
_LONGEST = 64  # letters of a name
_LEAST = 2.5  # letters that a part has on average, at least


def is_there(text: str) -> bool:
    """Whether any word of a text is written so."""
    return HUMP in pairs(text)


def _parts(name: str) -> list[str]:
    """The words of a name in order; none where it is a code."""
    if len(name) > _LONGEST:
        return []
    found = _BETWEEN.sub(" ", name).lower().split()
    return found if len(name) >= _LEAST * len(found) else []


def names(text: str) -> dict[str, list[str]]:
    """The names in a text in lower case, each with its words."""
    if not is_there(text):
        return {}
    likely = " ".join([word for word in text.split() if not word[1:].islower()])  # as most words are
    found = {name.lower(): _parts(name) for name in dict.fromkeys(_NAME.findall(likely))}
    return {name: words for name, words in found.items() if words}


def with_parts(text: str) -> str:
    """The text, and behind it the words of the names in it."""
    found = names(text)
    return " ".join((text, *(word for words in found.values() for word in words))) if found else text
