"""Accents: Latin letters without them, as the index's tokeniser sees them: `resume` is a word of `résumé`.

Only what shows or checks a match needs to know; the index itself is given texts as they are. Loaded for text
that is not ASCII only.
"""

from __future__ import annotations

import re
from itertools import chain
from unicodedata import normalize

_COMBINING = re.compile("[\u0300-\u036f]")
_PLAIN = {
    code: parts[0]
    for code in chain(range(0xC0, 0x250), range(0x1E00, 0x1F00))
    if len(parts := normalize("NFD", chr(code))) > 1 and parts[0].isascii()
}


def unaccented(text: str) -> str:
    """The text without accents, those that are characters of their own included."""
    return _COMBINING.sub("", text.translate(_PLAIN))
