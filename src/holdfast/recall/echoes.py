"""Echoes: what was asked before is no answer to being asked again.

A memory that keeps every turn holds a question as often as it was asked, each of them nearer to the next one than any
answer. Only short texts that ask, and have hardly a word that the question has not; what stands after them, where it
was answered perhaps, keeps all that they lend it.
"""

from __future__ import annotations

from ..text.form import asks
from ..text.stopwords import FRAMING
from ..text.words import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .wording import Sought

LONGEST = 200  # characters
SAME = 0.6  # share of its words that the question has
_ASKED = frozenset(("ask", "asks", "asked", "asking", "question", "questions", "wonder", "wondered"))


def of_asking(terms: Sequence[str]) -> bool:
    """Whether a question is about what was asked: "What did Ana ask about the budget?"."""
    return not _ASKED.isdisjoint(terms)


def echoes(texts: Sequence[str], sought: Sought) -> list[bool]:
    """Which of them only ask the same; empty if none does."""
    found = [len(text) <= LONGEST and asks(text) and _repeats(text, sought) for text in texts]
    return found if any(found) else []


def _repeats(text: str, sought: Sought) -> bool:
    words = {word for word in tokens(text.lower()) if word not in FRAMING}
    return sum(map(sought.has, words)) >= SAME * len(words)
