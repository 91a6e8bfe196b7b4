"""Accents: letters without them, of the usual width and each by itself, as the index has them: `resume` is a word of
`résumé`, `strasse` of `Straße`.

Only what shows or checks a match needs to know; the index itself is given texts as they are. Loaded for text
that is not ASCII only.
"""

from __future__ import annotations

import re
from itertools import chain
from unicodedata import normalize

from .spelling import ALIKE, UNSEEN

_COMBINING = re.compile(f"[\u0300-\u036f{UNSEEN}]")
_PLAIN = {
    code: parts[0]
    for code in chain(range(0xC0, 0x250), range(0x1E00, 0x1F00))
    if len(parts := normalize("NFD", chr(code))) > 1 and parts[0].isascii()
}
_PLAIN.update(
    {code: chr(code - 0xFEE0) for code in range(0xFF10, 0xFF5B) if chr(code).isalnum()}
)  # as wide as ideographs
_PLAIN.update({ord(digit): str(number % 10) for number, digit in enumerate("₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹")})
_PLAIN.update({ord(letter): other for letter, other in ALIKE.items() if len(other) == 1})
_SEVERAL = {letter: other for letter, other in ALIKE.items() if len(other) > 1}
_SEVERAL.update(
    {letter: normalize("NFKC", letter) for letter in map(chr, range(0xFB00, 0xFB07))}
)  # ff, fi and the like
_MOVING = re.compile(f"[\u0300-\u036f{UNSEEN}{''.join(_SEVERAL)}]")  # what moves the letters behind it


def unaccented(text: str) -> str:
    """The text without accents, those that are characters of their own included."""
    return _COMBINING.sub("", text.translate(_PLAIN))


def with_places(text: str) -> tuple[str, list[int] | None]:
    """The same, and where each of its characters, and its end, stands in the text; None: where it stands here."""
    plain = text.translate(_PLAIN)
    if not _MOVING.search(plain):
        return plain, None
    kept = [
        (each, place)
        for place, letter in enumerate(plain)
        if not _COMBINING.match(letter)
        for each in _SEVERAL.get(letter, letter)
    ]
    return "".join(letter for letter, _ in kept), [*(place for _, place in kept), len(plain)]
