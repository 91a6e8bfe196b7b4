"""Mistakes: what a word may have been meant to be, if one letter of it is wrong.

One letter too many, missing or another, or two that changed places; the first one is right, as it nearly always is.
What is written as a name is none. Never says whether anything is a word: whoever asks knows which words there are.
"""

from __future__ import annotations

import re

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
LEAST = 5  # letters: with one wrong, half of all shorter words are other words
MOST = 16  # of which there are some 900 spellings


def may_be_wrong(word: str) -> bool:
    """Whether it is made of as many plain letters as a misspelt word would be."""
    return LEAST <= len(word) <= MOST and word.isascii() and word.isalpha()


def is_named(word: str, text: str) -> bool:
    """Whether it stands there only as names do: with a capital that neither a sentence nor shouting gave it."""
    if word in text or text.isupper():
        return False
    # One space at most: where a name was taken out of the text before it, this may be the other half of that.
    begins = rf"(?:\A|\n|[.!?:;]\s)[\"'“„«(\[¿¡]*{re.escape(word.capitalize())}\b"
    return re.search(begins, text) is None


def spellings(word: str) -> list[str]:
    """All that one mistake could have made this word of."""
    found: dict[str, None] = {}
    for place in range(1, len(word) + 1):
        before, here, after = word[:place], word[place : place + 1], word[place + 1 :]
        if here:
            found[before + after] = None
            found.update((before + letter + after, None) for letter in _LETTERS)
        if after:
            found[before + after[0] + here + after[1:]] = None
        found.update((before + letter + here + after, None) for letter in _LETTERS)
    found.pop(word, None)
    return list(found)
