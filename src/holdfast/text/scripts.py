"""Scripts without spaces between words, combining marks, symbols: which code points stay together.

Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese runs are cut to pairs of letters, a mark staying
with its letter; an ideograph, which means something by itself, also stands alone. Symbols that the index's tokeniser
would take for letters become spaces. Loaded for text that is not ASCII only: compiling these classes costs 2 ms. What
is done to texts goes by the code points named here, never by `\\w`, which differs between versions of Python: a text
must leave the full text as it went in.
"""

from __future__ import annotations

import re

from .joined import PATTERN

_HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb\uffa0-\uffdc"
# Letters and marks of scripts without spaces; their digits and punctuation are left out.
_SPACELESS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    "\u0e81-\u0ece\u0edc-\u0edf"  # Lao
    "\u1000-\u103f\u1050-\u108f\u109a-\u109d"  # Burmese
    f"{_HANGUL}"
    "\u1780-\u17d3\u17d7\u17dc\u17dd"  # Khmer
    "\u3005-\u3007\u3031-\u3035\u303b\u303c\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3105-\u312f\u31a0-\u31bf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # ideographs, bopomofo
)
# Marks that stay with the letter before them: FTS5 drops them, so a pair counts letters.
_ATTACHED = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u105e-\u1060"
    "\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u1160-\u11ff\ud7b0-\ud7fb"
    "\u17b4-\u17d3\u17dd\u3099\u309a"
)
# Combining marks of scripts with spaces; `\w` knows letters and digits only.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u08e3-\u0963\u0981-\u09e3\u09fe-\u0a75\u0a81-\u0ae3\u0afa-\u0b63"
    "\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83\u0cbc-\u0d4d\u0d57-\u0d63\u0d81-\u0df3\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
)
# Symbols younger than unicode61, which takes whatever it does not know for letters, and what is for private use, which
# it takes for letters on purpose: a word with one attached would be another word. Without those of ancient scripts.
_SYMBOLS = (
    "\u058d\u058e\u0605\u061c\u061d\u07fe\u07ff\u0888\u0890\u0891\u08e2\u09fd\u0a76\u0c77\u0c84\u0d4f\u1b4e\u1b4f\u1b7d-\u1b7f"
    "\u2065-\u2069\u209d-\u20cf\u20f1-\u20ff\u218a-\u218f\u23f4-\u23ff\u2427-\u243f\u244b-\u245f\u2700\u2b4d-\u2bff\u2e3c-\u2e7f"
    "\u2ff0-\u2fff\u31c0-\u31ef\u32ff\ua8fc\uab5b\uab6a\uab6b\ue000-\uf8ff\ufbc2\ufd40-\ufd4f\ufdcf\ufdfe\ufdff"
    "\U0001f000-\U0001f0ff\U0001f10d-\U0001fbef\U0001fbfa-\U0001fbff\U000f0000-\U0010ffff"
)
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
HANGUL = re.compile(f"[{_HANGUL}]+")
SPACELESS = re.compile(f"([{_SPACELESS}]+)")  # a group, so that `split` gives the runs and what is between
LETTER = rf"[^\W_{_SPACELESS}]"  # of words that stand amid such runs: `PostgreSQL` in `使用PostgreSQL存储`
_SYMBOL = re.compile(f"[{_SYMBOLS}]")
_LETTER = re.compile(f".[{_ATTACHED}]*")  # within such a run
WORD = re.compile(rf"\w[\w{_MARKS}{_ATTACHED}]*")
PIECE = re.compile(rf"{PATTERN}|[\w{_MARKS}{_ATTACHED}*?'\u2019]+")  # a word of a question with its wildcards


def spread(text: str) -> str:
    """Every run without spaces as pairs set apart by spaces; all else stays as it is."""
    return SPACELESS.sub(_spread, text)


def _spread(run: re.Match[str]) -> str:
    """Pairs, ideographs, then the last letter alone, so that every letter begins a token: one finds by prefix."""
    found = letters(run[0])
    return f" {' '.join([*pairs(found), *ideographs(found[:-1]), found[-1]])} " if len(found) > 1 else f" {run[0]} "


def apart(text: str) -> str:
    """The same with a space for every symbol that the tokeniser does not know for one."""
    return _SYMBOL.sub(" ", text)


def letters(run: str) -> list[str]:
    """The letters of a run, each with its marks."""
    return _LETTER.findall(run)


def ideographs(found: list[str]) -> list[str]:
    """Those of these letters that are words or roots of words."""
    return [letter for letter in found if _IDEOGRAPH.match(letter)]


def pairs(found: list[str]) -> list[str]:
    """Each letter with the one after it."""
    return [left + right for left, right in zip(found, found[1:])]  # noqa: B905 - one is shorter on purpose
