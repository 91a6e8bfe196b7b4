"""Form: what a text can answer, told by its shape and not by its words.

Four signs, read once when an entry is indexed: it asks, it tells a time, it gives a number, it names
somebody or something. A question that begins with "when" is better answered by a turn that tells a
time. English words and capitals only; other languages simply give no sign.
"""

from __future__ import annotations

import re

ASKS, TIME, NUMBER, NAME = 1, 2, 4, 8

_READ = 2_000  # characters of a text that are looked at
_TIME = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|last|next|ago|weeks?|weekend|months?|years?|days?|(?:mon|tues|wednes|thurs|fri"
    r"|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|morning"
    r"|evening|recently|soon|since|20\d\d|\d{1,2}(?:st|nd|rd|th))\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|dozen|twice|once|couple|several|few)\b", re.IGNORECASE
)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
_WHEN = re.compile(r"\s*when\b|\b(?:what|which) (?:date|day|month|year|time)\b", re.IGNORECASE)
_MANY = re.compile(r"\bhow (?:many|much|long|often|old)\b", re.IGNORECASE)
_WHO = re.compile(r"\s*(?:where|who|which|what (?:country|city|state|book|movie|game|place|name))\b", re.IGNORECASE)


def form(text: str) -> int:
    """The signs of a text, as bits."""
    head = text[:_READ]
    found = ASKS if text.rstrip().endswith(("?", "？")) else 0
    for sign, shape in ((TIME, _TIME), (NUMBER, _NUMBER), (NAME, _NAME)):
        if shape.search(head):
            found |= sign
    return found


def wanted_form(question: str) -> int:
    """The signs that an answer to this question should show."""
    found = TIME if _WHEN.search(question) else 0
    found |= NUMBER if _MANY.search(question) else 0
    return found | (NAME if _WHO.match(question) else 0)
