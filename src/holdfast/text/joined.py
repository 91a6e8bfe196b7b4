"""Joined: names that are written in one with dots, dashes, strokes or colons.

A version, an address, a path, a file or a time is one thing: `1.2.3` is not `3.2.1`, though both have the same
numbers. Such a name is looked for as its words in a row, and beside that by those of its words that are no numbers.
"""

from __future__ import annotations

import re

from .stopwords import STOP

PATTERN = r"(?a:(?>\w+(?:[.\-/:@]+\w+)+)(?!\*|'\w|\?\w))"  # no part of a pattern with wildcards
MOST_PARTS = 32  # of a name: one of thousands, looked for in a text of as many, would take minutes
MOST_TOGETHER = 64  # parts of all names of a question: 525 took 27 s in 3 MB of such text, these take 4
_SEPARATOR = re.compile(r"[.\-/:@]+")


def parts_of(piece: str) -> list[str]:
    """Its words; a word that is not joined has one."""
    return _SEPARATOR.split(piece)


def is_joined(term: str) -> bool:
    return _SEPARATOR.search(term) is not None


def is_name(piece: str, parts: list[str]) -> bool:
    """Whether it names one thing: `1.2.3`, `10.0.0.7`, `src/auth/login.py`, `package.json`; not `read/write`."""
    if not 1 < len(parts) <= MOST_PARTS or STOP.issuperset(parts):
        return False
    if len(parts) > 2 or "@" in piece or any(part[:1].isdigit() for part in parts):
        return True
    return "." in piece and all(len(part) > 1 for part in parts)
