"""The searchable words of an entry's content: its text and every other sentence kept beside it, as indexed.

A decision is found by its rationale and alternatives too (D38), a flexible content by all its strings
(A071). Names that only classify (role, kind, author, ids) are not words of the entry.
"""

from __future__ import annotations

from .beside import AMOUNT, HUMP, JOINT, pairs
from .escapes import unescaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

CLASSIFYING = frozenset(("text", "role", "author", "kind", "tool_call_id", "covers"))


def searchable_text(content: Mapping[str, Any]) -> str:
    """The text, then what is not already said in it, a line each."""
    text = str(content.get("text") or "")
    if len(content) == 1 or CLASSIFYING.issuperset(content):
        return text
    beside = (said for name, value in content.items() if name not in CLASSIFYING for said in _strings(value))
    return "\n".join(dict.fromkeys(line for line in (text, *(said for said in beside if said not in text)) if line))


def searchable(text: str) -> str:
    """The text as it is indexed: without escapes, identifiers with their words, names that have separators also
    without, runs without spaces as pairs, and all else `rooted`."""
    text = unescaped(text)
    if found := pairs(text):
        text = _with_names(text, found)
    if text.isascii() or _is_latin(text):
        return text
    from .scripts import spread
    from .spelling import composed

    return rooted(spread(composed(text)))


def _with_names(text: str, kinds: bytes) -> str:
    named = text
    if HUMP in kinds:
        from .humps import with_parts

        named = with_parts(text)
    if JOINT in kinds or AMOUNT in kinds:
        from .solid import with_solid  # its patterns take 2 ms to compile, and a cold write often needs none

        return with_solid(text, named, kinds)
    return named


def marked_by(tags: Iterable[str] | None, key: str | None) -> str:
    """What is searched beside the text: `coffee` is all that says what `flat white` is about."""
    return " ".join((*(tags or ()), searchable(key or ""))).strip() if tags or key else ""


def rooted(word: str) -> str:
    """Words as a text holds them: without symbols, Arabic without what is written on to it.

    Pairs are another matter: those of a question are cut by `words` already.
    """
    if word.isascii() or _is_latin(word):
        return word
    from .arabic import light
    from .scripts import apart
    from .spelling import lettered

    return light(lettered(apart(word)))


def _is_latin(text: str) -> bool:
    from .latin import is_latin  # many processes see nothing but ASCII

    return is_latin(text)


def as_stemmed(text: str) -> str:
    """In lower case and with the letters that the index's stems have, uncut."""
    from .spelling import composed, is_usual

    if is_usual(text):
        return text.lower()
    from .accents import unaccented

    return unaccented(rooted(composed(text)).lower()).replace("ς", "σ")


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _strings(item)
