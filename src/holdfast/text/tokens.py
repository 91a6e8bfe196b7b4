"""How many tokens a text costs, without any model's tokeniser: the one estimate for every budget (C38).

A quarter of a token for an ASCII character, a half for other alphabets, one for CJK, Indic and Thai
characters, two for emoji. Whole texts never cost more than the sum of their parts, so that a budget kept
piece by piece is kept by the whole.
"""

from __future__ import annotations

# UTF-8 tells how far a character is from ASCII by its first byte; `translate` counts those in C.
_ALL = bytes(range(256))
_NOT_ONE = bytes(range(0x80, 0x100))
_NOT_TWO = _ALL.translate(None, bytes(range(0xC0, 0xE0)))
_NOT_THREE = _ALL.translate(None, bytes(range(0xE0, 0xF0)))
_NOT_FOUR = _ALL.translate(None, bytes(range(0xF0, 0x100)))


def estimate(text: str) -> int:
    """Tokens in a text; 0 only for an empty one."""
    return (quarters(text) + 3) // 4


def quarters(text: str) -> int:
    """The same in quarters of a token, which add up exactly."""
    if text.isascii():
        return len(text)
    data = text.encode("utf-8", "replace")
    one, two = len(data.translate(None, _NOT_ONE)), len(data.translate(None, _NOT_TWO))
    three, four = len(data.translate(None, _NOT_THREE)), len(data.translate(None, _NOT_FOUR))
    return one + 2 * two + 4 * three + 8 * four
