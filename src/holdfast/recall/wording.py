"""Wording: which of a question's words a candidate holds, and which of them stand together as in the question.

Looks at the text that a row carries, never at a journal, and only to rank: the score that is shown counts words
by the index's own stems (`coverage`). A word is sought by its stem at the beginning of a word, without cutting the
text into words: a hundred candidates take about half a millisecond.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Held = tuple[int, float]  # words as bits; what those that stand together are worth, in rarest words

MOST = 24  # words of a question that are sought, the rarest: a long prompt must not take long
GAP = 24  # characters between two words that stand together: two or three words


class Sought:
    """The words of one question in order, each with what it is worth."""

    def __init__(self, words: Sequence[tuple[str, float]] = ()) -> None:
        least = sorted((worth for _, worth in words), reverse=True)[MOST - 1 : MOST]
        kept = [(_root(stem), worth) for stem, worth in words if stem and (not least or worth >= least[0])][:MOST]
        self._words = kept
        self._rarest = max((worth for _, worth in kept), default=0.0) or 1.0
        self._whole = sum(worth for _, worth in kept) or 1.0

    def held(self, text: str) -> Held:
        """What a text holds of them."""
        said = text.lower()
        bits, together = 0, 0.0
        for place, (root, worth) in enumerate(self._words):
            if root in said and _begins(said, root) >= 0:  # most are not: a call less
                if place and bits >> place - 1 & 1 and _follows(said, self._words[place - 1][0], root):
                    together += min(self._words[place - 1][1], worth)
                bits |= 1 << place
        return bits, together / self._rarest

    def share(self, bits: int) -> float:
        """How much of the question these words are, rare ones counting more."""
        return sum(worth for place, (_, worth) in enumerate(self._words) if bits >> place & 1) / self._whole


def _root(stem: str) -> str:
    """What every form of a word begins with: the stem of `happy` is `happi`, that of `staging` is `stage`."""
    return stem[:-1] if len(stem) > 3 and stem.endswith(("i", "e")) else stem


def _begins(text: str, root: str, start: int = 0) -> int:
    """Where a word first begins so, or -1; scripts without spaces begin one anywhere."""
    at = text.find(root, start)
    while at > 0 and text[at - 1].isalnum() and text[at - 1].isascii():
        at = text.find(root, at + 1)
    return at


def _follows(text: str, first: str, second: str) -> bool:
    """Whether a word that begins with the second comes soon after one that begins with the first."""
    at = _begins(text, first)
    while at >= 0:
        end = at + len(first)
        if _begins(text[: end + GAP], second, end) >= 0:
            return True
        at = _begins(text, first, end)
    return False
