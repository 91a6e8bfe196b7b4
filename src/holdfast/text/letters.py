"""Words that no vocabulary holds, by their letters: the same group of letters is the same number anywhere.

Owns how an unknown word is taken apart, so that its other forms still resemble it. Never learns anything.
The rule it keeps: numbers depend on the letters only, not on the process, the machine or the Python version.
"""

from __future__ import annotations

import unicodedata
import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_LETTERS = 100  # of one word; what follows adds nothing
_GROUP = 3  # with the whole word it found more Arabic, Japanese and Korean than letters or pairs did


def groups(word: str) -> tuple[int, ...]:
    """A number below 2^32 for the word and for every three letters in a row; for a short one, its letters."""
    letters = unicodedata.normalize("NFC", word[: 3 * MOST_LETTERS])[:MOST_LETTERS]  # hangul: whole syllables
    if len(letters) < _GROUP:
        return _numbers(letters)
    bounded = f"<{letters}>"
    return _numbers([letters, *(bounded[at : at + _GROUP] for at in range(len(letters)))])


def _numbers(parts: Iterable[str]) -> tuple[int, ...]:
    return tuple(zlib.crc32(part.encode("utf-8", "surrogatepass")) for part in parts)
