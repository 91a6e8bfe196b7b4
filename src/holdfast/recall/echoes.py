"""Echoes: what was asked before is no answer to being asked again.

A memory that keeps every turn holds a question as often as it was asked, each of them nearer to the next one than any
answer. Only short texts that ask and tell nothing: all their words are the question's own, or they ask openly ("which
port is …?") with hardly another. What stands after them, where it was answered perhaps, keeps all that they lend it.
"""

from __future__ import annotations

import re

from ..text.form import NUMBER, TIME, asks, shows
from ..text.stopwords import FRAMING, STOP
from ..text.words import tokens, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .asking import Question
    from .wording import Sought

LONGEST = 200  # characters
SAME = 0.6  # share of its words that the question has
_ASKED = frozenset(("ask", "asks", "asked", "asking", "question", "questions", "wonder", "wondered"))
_FRAME = STOP | FRAMING | frozenset("abcdefghijklmnopqrstuvwxyz")  # `What's`
# One clause, begun by a word that asks for what nobody knows yet; "how about Thai?" proposes it.
_OPEN = re.compile(
    r"\W*(?:(?:and|so|but|ok|okay|hey|hi|btw)\W+)?(?:(?:at|by|for|from|in|of|on|since|to|until|with) )?"
    r"(?:when|where|who|what|which|why|how)\b(?! (?:about|if)\b)[^.!?,:;\n]*\?",
    re.IGNORECASE,
)


def asks_anew(question: Question) -> bool:
    """Whether it asks, and not for what was asked: "What did Ana ask about the budget?"."""
    return asks(" ".join(question.text.split())) and _ASKED.isdisjoint(question.words.terms)


def echoes(texts: Sequence[str], holding: Sequence[int], question: Question, sought: Sought) -> list[bool]:
    """Which of them only ask the same; empty if none does. Each holds so many of the words sought."""
    found = [
        0 < len(text) <= LONGEST and asks(text) and _may_repeat(text, held) and _repeats(text, question, sought)
        for text, held in zip(texts, holding, strict=True)
    ]
    return found if any(found) else []


def _may_repeat(text: str, held: int) -> bool:
    """Whether it has not many other words; a quick look, since most that ask do."""
    return not text.isascii() or SAME * len({*tokens(text.lower())} - _FRAME) <= held


def _repeats(text: str, question: Question, sought: Sought) -> bool:
    said, known = words(text), question.words
    own = [word for word in (*said.terms, *said.prefixes, *said.globs) if word not in _FRAME]
    new = [word for word in own if word not in known.terms and word not in known.prefixes and not sought.has(word)]
    if len(new) > (1.0 - SAME) * len(own):
        return False
    return not new or (_OPEN.match(text) is not None and not any(_tells(word, text) for word in new))


def _tells(word: str, text: str) -> bool:
    """Whether it may be an answer: a time, a number or a name."""
    return shows(word, TIME) or shows(word, NUMBER) or f" {word.capitalize()}" in text
