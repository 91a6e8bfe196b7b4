"""Months: dates with the months of German, Spanish and French, as a question names them.

`3. März 2026`, `10 de marzo de 2026`, `le 1er mars`, `im März`. Days counted from today are heard in English only.
Patterns are made when a question first has such a name: most have none.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..text.words import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    Part = int | None  # of a date

_NAMES = (
    "januar jänner enero janvier", "februar febrero février", "märz marzo mars", "abril avril", "mai mayo",
    "juni junio juin", "juli julio juillet", "agosto août", "septiembre setiembre septembre",
    "oktober octubre octobre", "noviembre novembre", "dezember diciembre décembre",
)  # fmt: skip
NUMBERS = {name: number for number, names in enumerate(_NAMES, 1) for name in names.split()}
_FORMS = (
    r"\b(?P<d>\d{{1,2}})\.?\s+(?:de\s+)?(?P<m>{names})\b(?:\s+(?:del?\s+)?(?P<y>(?:19|20)\d\d)\b)?",
    r"\b(?P<d>1)er\s+(?P<m>{names})\b(?:\s+(?P<y>(?:19|20)\d\d)\b)?",
    r"\b(?P<m>{names})\s+(?:del?\s+)?(?P<y>(?:19|20)\d\d)\b",
    r"\b(?:im|en|seit|desde|depuis)\s+(?P<m>{names})\b",
)
_FRENCH = r"\b(?:le|du|au|en|depuis)(?:\s+\d{1,2}(?:er)?)?\s+\Z"  # before `mars`, or it is "3 Mars rovers"
_BEFORE = 20  # characters in which that stands
_DOTTED = r"\b(\d{1,2})\. (April|August|September|November)\b"  # German has these names too


def elsewhere(question: str) -> tuple[list[tuple[Part, int, Part]], str]:
    """Year, month and day of each, and the question without them."""
    found: list[tuple[Part, int, Part]] = []
    if ". " in question:
        question = re.sub(_DOTTED, r"\1 \2", question)
    if NUMBERS.keys().isdisjoint(tokens(question.lower())):
        return found, question
    for form in _patterns():
        for hit in form.finditer(question):
            parts = hit.groupdict()
            year, day = (int(part) if (part := parts.get(name)) else None for name in "yd")
            if year or parts["m"].lower() != "mars" or _is_french(question, hit.start("m")):
                found.append((year, NUMBERS[parts["m"].lower()], day))
        question = form.sub(" ", question)
    return found, question


def _is_french(question: str, place: int) -> bool:
    return re.search(_FRENCH, question[max(0, place - _BEFORE) : place], re.IGNORECASE) is not None


@lru_cache(1)
def _patterns() -> list[re.Pattern[str]]:
    names = "|".join(sorted(NUMBERS, key=len, reverse=True))
    return [re.compile(form.format(names=names), re.IGNORECASE) for form in _FORMS]
