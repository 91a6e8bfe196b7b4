"""Words that no vocabulary holds, by their letters: the same group of letters is the same number anywhere.

Owns how an unknown word is taken apart, so that its forms and its parts still resemble it. Never learns
anything. The rule it keeps: numbers depend on the letters only, not on the process, machine or Python.
"""

from __future__ import annotations

import unicodedata
import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LETTERS = 100  # of one word; what follows adds nothing


def groups(word: str) -> tuple[int, ...]:
    """A number below 2^32 for every letter of the word, and for every pair of neighbours."""
    return tuple(zlib.crc32(group.encode("utf-8", "surrogatepass")) for group in _groups(word))


def _groups(word: str) -> Iterator[str]:
    letters = unicodedata.normalize("NFC", word[: 3 * MOST_LETTERS])[:MOST_LETTERS]  # hangul: whole syllables
    yield from letters
    yield from map("".join, zip(letters, letters[1:]))
