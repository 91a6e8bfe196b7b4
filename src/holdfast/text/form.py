"""Form: what a text can answer, told by its shape and not by its words.

Three signs: it tells a time, it gives a number, it names somebody or something. A question that begins
with "when" is better answered by a turn that tells a time. English words and capitals only; texts in
other languages simply give no sign. Sets of words, not patterns: this runs for every candidate.
"""

from __future__ import annotations

import re

TIME, NUMBER, NAME = 1, 2, 4

_EDGES = ".,;:!?\"'()[]"
_TIMES = frozenset((
    "yesterday", "today", "tomorrow", "tonight", "last", "next", "ago", "week", "weeks", "weekend", "month", "months",
    "year", "years", "day", "days", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    "january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december",
    "morning", "evening", "recently", "soon", "since",
))  # fmt: skip
_NUMBERS = frozenset((
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "dozen", "twice", "once", "couple",
    "several", "few",
))  # fmt: skip
_NTH = ("st", "nd", "rd", "th")
_MARKS = "?？؟"
_OPENED = {'"': '"', "”": "“", "“": "„", "»": "«", "«": "»", ")": "(", "]": "[", "」": "「"}  # by what closes it
END = 200  # characters among which a mark stands
_VERBS = "am|is|are|was|were|do|does|did|can|could|will|would|should|shall|has|have|had"
_ASKED = re.compile(
    r"\W*(?:(?:and|so|but|ok|okay|hey|hi|btw)\W+)?(?:(?:when|where|who|what|which(?! (?:is|was|are|were)\b)|why|how)"
    r"(?: (?!(?:i|you|he|she|it|we|they|that|this|a|an|the|my|your|our)\b)\w+){0,2}"
    rf" (?:{_VERBS})|(?!had|should you)(?:{_VERBS}) (?:i|you|he|she|we|they|there|anyone|anybody) \w+)\b"
    r"[^.!?,:;。！]*\Z",
    re.IGNORECASE,
)  # "when are you back", "which login flow did we take", "did she call"; but "when I was ill", "was a long day"
_WHEN = re.compile(r"when\b|\b(?:what|which) (?:date|day|month|year|time)\b", re.IGNORECASE)
_MANY = re.compile(r"\bhow (?:many|much|long|often|old)\b", re.IGNORECASE)
_WHO = re.compile(r"\s*(?:where|who|which|what (?:country|city|state|book|movie|game|place|name))\b", re.IGNORECASE)


def wanted_form(question: str) -> int:
    """The signs that an answer to this question should show, as bits."""
    found = TIME if _WHEN.search(question) else 0
    found |= NUMBER if _MANY.search(question) else 0
    return found | (NAME if _WHO.match(question) else 0)


def questions(text: str) -> bool:
    """Whether it holds a question mark, in whatever script."""
    return "?" in text or (not text.isascii() and ("？" in text or "؟" in text))


def marked(text: str) -> bool:
    """Whether it ends with a question mark, in whatever script; smileys and other marks may stand behind it, but one
    that belongs to what is quoted or put in brackets asks nothing."""
    if _ends(text):
        return False
    end = text[-END:]
    place = end.rfind("?") if end.isascii() else max(map(end.rfind, _MARKS))
    behind = end[place + 1 :]
    if place < 0 or any(map(str.isalnum, behind)):
        return False
    closed = next((_OPENED[sign] for sign in behind if sign in _OPENED), "")
    return not closed or closed not in end[:place] or text.lstrip().startswith(closed)


def asks(text: str) -> bool:
    """Whether it has its mark, or is one clause that begins as questions do: what stands after it may answer it.

    Of such clauses some only tell ("what helped was a restart"); where that would cost something, ask `marked`.
    """
    return not _ends(text) and (marked(text) or (len(text) <= END and _ASKED.match(text) is not None))


def _ends(text: str) -> bool:
    """Whether a sentence does, as most texts end: a third of the time."""
    return text[-1:] in ".!" and text[-2:-1].isalnum()


def shows(text: str, sign: int) -> bool:
    """Whether a text shows one sign."""
    if sign == NAME:
        return _names(text)
    words = {word.strip(_EDGES) for word in text.lower().split()}
    if sign == NUMBER:
        return not words.isdisjoint(_NUMBERS) or any(word.isdigit() for word in words)
    return not words.isdisjoint(_TIMES) or any(
        word[:1].isdigit() and (word[:2] == "20" or word[-2:] in _NTH) for word in words
    )


def _names(text: str) -> bool:
    """A capital inside a sentence: after a word that ends small or with a comma."""
    before = ""
    for word in text.split():
        if word[0].isupper() and len(word) > 1 and word[1].islower() and before[-1:].islower():
            return True
        before = word.rstrip(",")
    return False
