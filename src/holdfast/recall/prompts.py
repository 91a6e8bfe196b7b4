"""Prompts: what somebody says around a question, and which of its sentences is one.

An agent's prompt is rarely a bare question: it greets, explains, quotes a traceback, and asks in one sentence of many.
All of its words find candidates; what only frames the question is left out, and an entry need hold no more than the
sentence that asks. Whatever is too long is taken from both ends: the question stands at one of them.
"""

from __future__ import annotations

import re

from ..model.value import Value
from ..text.form import marked
from ..text.greetings import greets
from ..text.stopwords import FRAMING, STOP, named
from ..text.words import both_ends, tokens, words

LONGEST = 20_000  # characters of a prompt that are looked up, or looked through for what frames the question
_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|(?<!\s)\s*\n\s*")
_WILDCARD = re.compile(r"\*+|(?<=\?)(?=\w)")
_LEAST_WORDS = 3  # of a sentence that frames: fewer may be a title or a key
_BEGINNING = 500  # characters by which a clause is taken for a question
LONG = 30  # words of a prompt, stop words not counted: the longest question of our sets has 29
LEAST_ASKED = 2
_MOST_SENTENCES = 40  # that are looked at by themselves
# Among words that frame a question these are also things to ask about; said to "you", they are not.
_NOUNS = "answer context item items key list memories memory note notes order question session sessions total"
_THINGS = frozenset(_NOUNS.split())
_YOU = frozenset(("you", "your"))
_OWN_WORDS = "i me my mine myself ich mich mir mein meine yo mi mis je moi mon ma mes"
_ONESELF = frozenset(_OWN_WORDS.split())


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


def without_patterns(prompt: str) -> str:
    """A prompt with nothing in it that would be a pattern: stars stress a word or belong to code (`int *next`), and who
    leaves out the space after a question mark means no letter. Each pattern is a look at all texts, 30 us each."""
    return _WILDCARD.sub(" ", prompt)


def asks_for_nothing(prompt: str) -> bool:
    """Whether it is nothing but greetings, thanks, short answers, and small words that are not about who asks: `Why?`
    stands everywhere and is answered nowhere, `Who am I?` may be."""
    if len(prompt) > LONGEST:
        return False
    said = [found for one in _SENTENCE_END.split(prompt) if (found := tokens(one.lower()))]
    return bool(said) and all(greets(one) or _is_small(one) for one in said) and not named(prompt)


def _is_small(words: Sequence[str]) -> bool:
    return STOP.issuperset(words) and _ONESELF.isdisjoint(words)


def unframed(text: str) -> str:
    """A prompt without its sentences that only speak to whoever answers: "Please check what we know about this first.",
    "Thanks!", "Quick question:".

    What is left after a wrapped question: the question. Where nothing would be left, all of it.
    """
    if len(text) > LONGEST:
        return text
    sentences = _SENTENCE_END.split(text)
    if len(sentences) > 1:
        before = ("", *sentences)
        kept = [one for one, last in zip(sentences, before, strict=False) if not (_frames(one) or _greets(one, last))]
        meant = " ".join(kept)
        if len(kept) < len(sentences) and not FRAMING.issuperset(tokens(meant.lower())):
            text = meant
    return _ungreeted(text) if "," in text else text


def _frames(sentence: str) -> bool:
    """Whether it has a few words, one of them a small one, and none that is about anything."""
    found = tokens(sentence.lower())
    if not FRAMING.issuperset(found) or STOP.isdisjoint(found):
        return False
    if len(found) < _LEAST_WORDS:
        return len(found) == _LEAST_WORDS - 1 and sentence.endswith(":") and _THINGS.isdisjoint(found)  # "Remind me:"
    return not marked(sentence) or _THINGS.isdisjoint(found) or not _YOU.isdisjoint(found)


def _greets(sentence: str, before: str) -> bool:
    """Whether it only greets or thanks; not where it is what somebody said ("user: hi") or its state ("status: ok")."""
    if marked(sentence) or before.endswith((":", ";")):
        return False
    return greets(tokens(sentence.lower()), answers=not sentence.endswith((":", ";")))


def _ungreeted(text: str) -> str:
    """The same without a greeting before its first comma or after its last, if a question is what is left.

    It begins with a word of asking, and says more than such: "Hello, world" is a title, "hey, what is it" all there is.
    """
    first, _, rest = text.partition(",")
    if _is_question(rest) and greets(tokens(first.lower())):
        text = rest.lstrip()
    rest, _, last = text.rpartition(",")
    if _is_question(rest) and greets(tokens(last.lower())):
        text = f"{rest}?" if marked(last) else rest
    return text


def _is_question(clause: str) -> bool:
    found = tokens(clause[:_BEGINNING].lower())
    return bool(found) and found[0] in FRAMING and not FRAMING.issuperset(found) and not greets(found)


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a prompt, where it has several."""
    found = _SENTENCE_END.split(shortened(text).strip())
    if len(found) < 2:
        return ()
    return tuple(
        Sentence(text=one, terms=words(one).terms, asks=marked(one)) for one in both_ends(found, _MOST_SENTENCES)
    )
