"""Prompts: what somebody says around a question, and which of its sentences is one.

An agent's prompt is rarely a bare question: it greets, explains, quotes a traceback, and asks in one sentence of many.
All of its words find candidates; what only frames the question is left out, and an entry need hold no more than the
sentence that asks. Whatever is too long is taken from both ends: the question stands at one of them.
"""

from __future__ import annotations

import re

from ..model.value import Value
from ..text.stopwords import FRAMING, STOP
from ..text.words import both_ends, tokens, words

LONGEST = 20_000  # characters of a prompt that are looked up, or looked through for what frames the question
_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|\s*\n\s*")
_LEAST_WORDS = 3  # of a sentence that frames: fewer may be a title or a key
LONG = 30  # words of a prompt, stop words not counted: the longest question of our sets has 29
LEAST_ASKED = 2
_MOST_SENTENCES = 40  # that are looked at by themselves
# Among words that frame a question these are also things to ask about; said to "you", they are not.
_NOUNS = "answer context item items key list memories memory note notes order question session sessions total"
_THINGS = frozenset(_NOUNS.split())
_YOU = frozenset(("you", "your"))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Sentence(Value):
    """One of several in a prompt, with its words."""

    text: str
    terms: tuple[str, ...]
    asks: bool


def asked(found: Sequence[Sentence]) -> tuple[str, tuple[str, ...]]:
    """What a long prompt asks in few of its words, as text and as words; nothing where that is not so."""
    asking = [sentence for sentence in found if sentence.asks]
    terms = tuple(dict.fromkeys(term for sentence in asking for term in sentence.terms))
    every = sum(len(sentence.terms) for sentence in found)
    if every < LONG or not LEAST_ASKED <= len(terms) <= every / 2:
        return "", ()
    return " ".join(sentence.text for sentence in asking), terms


def shortened(prompt: str) -> str:
    """Its beginning and its end, where it is very long."""
    half = LONGEST // 2 - 1
    return prompt if len(prompt) <= LONGEST else f"{prompt[:half]}\n{prompt[-half:]}"


def unframed(text: str) -> str:
    """A prompt without its sentences that only speak to whoever answers: "Please check what we know about this first."

    What is left after a wrapped question: the question. Where nothing would be left, all of it.
    """
    sentences = _SENTENCE_END.split(text) if len(text) <= LONGEST else ()
    if len(sentences) < 2:
        return text
    kept = [sentence for sentence in sentences if not _frames(sentence)]
    meant = " ".join(kept)
    return text if len(kept) == len(sentences) or FRAMING.issuperset(tokens(meant.lower())) else meant


def _frames(sentence: str) -> bool:
    """Whether it has a few words, one of them a small one, and none that is about anything."""
    found = tokens(sentence.lower())
    if len(found) < _LEAST_WORDS or not FRAMING.issuperset(found) or STOP.isdisjoint(found):
        return False
    return not _asks(sentence) or _THINGS.isdisjoint(found) or not _YOU.isdisjoint(found)


def _asks(sentence: str) -> bool:
    return sentence.rstrip().endswith("?")


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a prompt, where it has several."""
    found = _SENTENCE_END.split(shortened(text).strip())
    if len(found) < 2:
        return ()
    return tuple(
        Sentence(text=one, terms=words(one).terms, asks=_asks(one)) for one in both_ends(found, _MOST_SENTENCES)
    )
