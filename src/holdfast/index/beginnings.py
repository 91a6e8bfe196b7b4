"""Beginnings: what the full text is asked for words that begin with a prefix, though it holds stems only.

`configurations` stands there as `configur`, which `configurat*` does not begin. Every word with a prefix has a stem
that begins with the prefix too, or one that ends within it; the latter are few, and the stemmer itself names them when
it is given the prefix with what it takes off words. The texts found must still be looked at: `configure` has that stem.
"""

from __future__ import annotations

from ..text.content import as_stemmed
from .fulltext import COLUMNS, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Stems = Callable[[str], list[str]]

# What Porter's rules look for at the end of words, `y` for the `i` that they make of it, and what hides one rule's
# ending from an earlier rule: `ation` is one ending, before `ful` only `ion` is.
_ENDINGS = """
    s ies ed eed ing y e
    ational tional ency ancy izer logy bly ally ently ely ously ization ation ator alism iveness fulness ousness
    ality ivity bility icate ative alize icity ical ful ness
    al ance ence er ic able ible ant ement ment ent ion ou ism ate ity ous ive ize
    ionful ismful erful itiful
"""
# A prefix may hold a part of an ending already; cutting all of these words takes 10 µs.
_TAILS = sorted({ending[start:] for ending in _ENDINGS.split() for start in range(len(ending) + 1)})
_KEEPING = ("", "ness")  # with one of these most words keep what stands before: `dayness` is `day`, `day` is `dai`


def beginning(prefix: str, stems: Stems) -> str:
    """The expression that finds every text with a word that begins with a prefix, and some others.

    Of names joined by underscores the first is a whole word, and enough.
    """
    first, joined, _ = as_stemmed(prefix).lstrip("_").partition("_")
    return COLUMNS + (quoted(first) if joined else "(" + " OR ".join(_asked(first or prefix, stems)) + ")")


def _asked(prefix: str, stems: Stems) -> list[str]:
    """The longest beginning that can be asked for, and words for the stems that do not have it.

    Words, not stems: what is asked for is stemmed as well, and `univers` would become `univ`.
    """
    words = [prefix + tail for tail in _TAILS]
    cut = stems(" ".join(words))
    if len(cut) != len(words):  # no letters, or several words
        return [quoted(prefix[:1]) + " *"]
    held, word = _held(prefix, stems)
    beside = {stem: word for stem, word in zip(cut, words, strict=True) if not stem.startswith(held)}
    return [quoted(word) + " *", *map(quoted, beside.values())]


def _held(prefix: str, stems: Stems) -> tuple[str, str]:
    """As much of a prefix as is the stem of a word, with that word."""
    for size in range(len(prefix), 1, -1):
        held = prefix[:size]
        for ending in _KEEPING:
            if stems(held + ending) == [held]:
                return held, held + ending
    return prefix[:1], prefix[:1]
