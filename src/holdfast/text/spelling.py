"""Spelling: letters that people and machines write in several ways, brought to one, for texts and questions alike.

macOS names files in parts of letters; Japanese has wide Latin letters and narrow kana; what was copied from a PDF has
hyphens that nobody sees and `ﬁ` for `fi`; the 2 of CO₂ and m² stands on the line or beside it; Hebrew points are mostly
left out; `ё`, `ß` and Greek accents come and go. Vowel signs of India are no letters to FTS5's tokeniser, which would
part words at them and keep consonants only: they become the vowels that they stand for.
"""

from __future__ import annotations

import re

_JAMO, _HANGUL = "\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb", "\uac00-\ud7a3"
_WIDE = "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"  # digits and Latin letters as wide as ideographs
_NARROW, _VOICED = "\uff66-\uff9d", "\uff9e\uff9f"  # kana half as wide, and what is put behind them
_INDIC = "\u0900-\u0dff"
UNSEEN = "\u00ad\u2060\ufeff"  # within words: where to part them at the end of a line, or not to
_JOINED = "\ufb00-\ufb06"  # ff, fi, fl and the like as one letter
_SET_OFF = "\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089"  # digits above and below the line
_OTHERWISE = re.compile(f"[{_JAMO}\u3099\u309a\u0306\u0308{_WIDE}{_NARROW}{_INDIC}{UNSEEN}{_JOINED}{_SET_OFF}]")
_PARTS = re.compile(f"[{_JAMO}{_HANGUL}]+|[\u3041-\u30ff][\u3099\u309a]|[\u0400-\u04ff][\u0306\u0308]")
_RUN = re.compile(f"[{_INDIC}][{_INDIC}\u200c\u200d]*")
# Punctuation, symbols, kana, ideographs, Hangul: nothing that a stem would have in another way.
_UNUSUAL = re.compile(
    "[^\x00-\xac\xae-\xb1\xb4-\xb8\xba-\xbf\u2000-\u205f\u2061-\u206f\u207a-\u207f\u208a-\u2bff"
    "\u3000-\u3098\u309b-\u9fff\uac00-\ud7a3\U0001f000-\U0001faff]"
)
_DROPPED = re.compile(f"[{UNSEEN}]")
_WIDTHS = re.compile(f"(?:[{_WIDE}{_JOINED}{_SET_OFF}]|[{_NARROW}][{_VOICED}]?)+")
_POINTS = re.compile("[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]")  # of Hebrew
_MIXED = re.compile("[ёЁßẞΆΈ-ΏΪΫάέήίΰϊϋόύώΐ]")
ALIKE = dict(zip("ёЁßẞΆΈΉΊΌΎΏΪΫάέήίΰϊϋόύώΐ", [*"еЕ", "ss", "SS", *"ΑΕΗΙΟΥΩΙΥαεηιυιυουωι"], strict=True))


def composed(text: str) -> str:
    """Letters whole and by themselves, Latin and kana of the usual width, and nothing unseen between the letters."""
    if _OTHERWISE.search(text) is None:
        return text
    from unicodedata import normalize

    text = _WIDTHS.sub(lambda run: normalize("NFKC", run[0]), _DROPPED.sub("", text))
    text = _RUN.sub(lambda run: normalize("NFC", run[0].replace("\u200c", "").replace("\u200d", "")), text)
    return _PARTS.sub(lambda run: normalize("NFC", run[0]), text)


def is_usual(text: str) -> bool:
    """Whether its letters stand in the index as they stand here, but for their case."""
    return _UNUSUAL.search(text) is None


def lettered(text: str) -> str:
    """Signs that are no letters to the tokeniser and make another word, as letters; others left out."""
    text = _MIXED.sub(lambda letter: ALIKE.get(letter[0], letter[0]), _POINTS.sub("", text))
    return _RUN.sub(lambda run: run[0].translate(_VOWELS), text)


def _vowels() -> dict[int, int | None]:
    """Each vowel sign as a vowel; None for what only joins or colours letters, which people write now more, now less.

    The blocks from Devanagari to Malayalam are laid out alike; Sinhala is not.
    """
    found: dict[int, int | None] = {}
    for block in range(0x0900, 0x0D80, 0x80):
        found.update(dict.fromkeys((block, block + 1, block + 2, block + 3, block + 0x3C, block + 0x4D)))
        found.update({block + sign: block + sign - 0x38 for sign in range(0x3E, 0x4D)})
        found.update({block + sign: block + 0x0B for sign in (0x55, 0x56, 0x57, 0x62, 0x63)})
    found.update({0x093A: 0x0905, 0x093B: 0x0905, 0x094E: 0x090F, 0x094F: 0x0914, 0x0BD7: 0x0B94})
    found.update({sign: sign - 0x0DCF + 0x0D86 for sign in range(0x0DCF, 0x0DE0)} | {0x0DF2: 0x0D8E, 0x0DF3: 0x0D90})
    found.update(dict.fromkeys((*range(0x0951, 0x0955), 0x09FE, 0x0A51, 0x0A70, 0x0A71, 0x0A75)))
    found.update(dict.fromkeys((*range(0x0AFA, 0x0B00), 0x0C04, 0x0D3B, 0x0D81, 0x0D82, 0x0D83, 0x0DCA)))
    letters = (0x0980, 0x0B83, 0x0C80, 0x0D55, 0x0D56)  # where other blocks have signs
    return {sign: vowel for sign, vowel in found.items() if sign not in letters}


_VOWELS = _vowels()
