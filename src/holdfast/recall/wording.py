"""Wording: which of a question's words a candidate holds, and which of them stand together as in the question.

Looks at the text that a row carries, never at a journal, and only to rank: the score that is shown counts words
by the index's own stems (`coverage`). A word is sought by its stem at the beginning of a word, without cutting the
text into words: a hundred candidates take about a sixth of a millisecond.
"""

from __future__ import annotations

from itertools import accumulate

from ..text.content import as_stemmed
from ..text.escapes import may_have, unescaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Held = tuple[int, float]  # words as bits; what those that stand together are worth, in rarest words

MOST = 24  # words of a question that are sought, the rarest: a long prompt must not take long
_BETWEEN = "\n"  # texts: no word has it
_ENDINGS = frozenset((
    "", "e", "s", "es", "d", "ed", "er", "ers", "y", "ies", "ied", "ing", "ings", "ion", "ions", "ment", "ments", "ly",
))  # fmt: skip
GAP = 24  # characters between two words that stand together: two or three words


class Sought:
    """The words of one question in order, each with what it is worth."""

    def __init__(self, words: Sequence[tuple[str, float]] = ()) -> None:
        least = sorted((worth for _, worth in words), reverse=True)[MOST - 1 : MOST]
        kept = [(_root(stem), worth) for stem, worth in words if stem and (not least or worth >= least[0])][:MOST]
        self._words, self._roots = kept, tuple(root for root, _ in kept)
        self._rarest = max((worth for _, worth in kept), default=0.0) or 1.0
        self._whole = sum(worth for _, worth in kept) or 1.0

    def held(self, texts: Sequence[str]) -> list[Held]:
        """What each text holds of them; looked for in all texts at once, which takes half the time."""
        whole, ends = _in_one(texts)
        bits, find = [0] * len(ends), whole.find
        for place, (root, _) in enumerate(self._words):
            at, text, bit, longer = find(root), 0, 1 << place, len(root) if root[-1].isdigit() else 0
            while at >= 0:
                if _amid(whole, at) or (longer and _longer(whole, at + longer)):
                    at = find(root, at + 1)
                    continue
                while ends[text] <= at:
                    text += 1
                bits[text] |= bit
                at = find(root, ends[text])
        return [
            (held, self._together(whole[start:end], held) if held & held >> 1 else 0.0)
            for held, start, end in zip(bits, (0, *ends), ends, strict=False)
        ]

    def has(self, word: str) -> bool:
        """Whether a word is a form of one of them: `deployed` of `deploy`, but not `portugal` of `port`."""
        return word.startswith(self._roots) and any(
            word.startswith(root) and word[len(root) :].removeprefix(root[-1]) in _ENDINGS for root in self._roots
        )

    def _together(self, said: str, bits: int) -> float:
        """What words that follow each other are worth, in rarest words."""
        pairs = bits & bits >> 1  # each by its first
        worth = 0.0
        while pairs:
            first = (pairs & -pairs).bit_length() - 1
            pairs &= pairs - 1
            (one, its), (next, other) = self._words[first : first + 2]
            if _follows(said, one, next):
                worth += min(its, other)
        return worth / self._rarest

    def share(self, bits: int) -> float:
        """How much of the question these words are, rare ones counting more."""
        worth, place = 0.0, 0
        while bits:
            if bits & 1:
                worth += self._words[place][1]
            bits >>= 1
            place += 1
        return worth / self._whole


def _in_one(texts: Sequence[str]) -> tuple[str, list[int]]:
    """All of them as stems are written, one after the other, and where the one after each begins."""
    whole = _BETWEEN.join(texts)
    if may_have(whole):
        texts = [unescaped(text) for text in texts]
        whole = _BETWEEN.join(texts)
    if whole.isascii():
        whole = whole.lower()
    else:
        texts = [text.lower() if text.isascii() else as_stemmed(text) for text in texts]
        whole = _BETWEEN.join(texts)
    return whole, list(accumulate(len(text) + len(_BETWEEN) for text in texts))


def _root(stem: str) -> str:
    """What every form of a word begins with: the stem of `happy` is `happi`, that of `staging` is `stage`."""
    return stem[:-1] if len(stem) > 3 and stem.endswith(("i", "e")) else stem


def _begins(text: str, root: str, start: int = 0) -> int:
    """Where a word first begins so, or -1; scripts without spaces begin one anywhere."""
    at = text.find(root, start)
    while at > 0 and _amid(text, at):
        at = text.find(root, at + 1)
    return at


def _amid(text: str, at: int) -> bool:
    """Whether this place is within a word."""
    before = text[at - 1 : at]
    return before.isalnum() and before.isascii()


def _longer(text: str, end: int) -> bool:
    """Whether a number that ends here goes on: 12 is not held by 128."""
    return text[end : end + 1].isdigit()


def _follows(text: str, first: str, second: str) -> bool:
    """Whether a word that begins with the second comes soon after one that begins with the first."""
    at = _begins(text, first)
    while at >= 0:
        end = at + len(first)
        if _begins(text[: end + GAP], second, end) >= 0:
            return True
        at = _begins(text, first, end)
    return False
