"""Bulk: many texts made searchable at once, for whoever indexes a journal.

Most texts are indexed as they are, and finding that out takes longer than anything that is done to the others. So what
would have to be done to a text is looked for in all of them together. The rule: what comes out is what `searchable`
says of each. Loaded by those who have many.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, count
from operator import add

from .beside import AMOUNT, HUMP, JOINT, pairs
from .content import searchable
from .escapes import may_have

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def searchables(texts: Sequence[str]) -> list[str]:
    """The texts as they are indexed."""
    found = list(texts)
    for place in _remade(texts):
        found[place] = searchable(texts[place])
    return found


def _remade(texts: Sequence[str]) -> set[int]:
    """The places of those that may be indexed otherwise."""
    plain = [text if text.isascii() else "" for text in texts]
    whole = "\n".join(plain)  # which is beside nothing
    escaped = "\\" in whole or "\x1b" in whole
    found = {place for place, text in enumerate(plain) if (escaped or "-" in text) and may_have(text)}
    found.update(_paired(plain, pairs(whole)))
    return found.union(place for place, text in enumerate(texts) if not text.isascii()) if "" in plain else found


def _paired(texts: Sequence[str], kinds: bytes) -> Iterator[int]:
    """The places of those in which any two characters stand beside each other that make a difference."""
    ends = list(map(add, accumulate(map(len, texts)), count(1))) if kinds else []
    for kind in (HUMP, JOINT, AMOUNT):
        at = kinds.find(kind)
        while at >= 0:
            place = bisect_right(ends, at)
            yield place
            at = kinds.find(kind, ends[place])
