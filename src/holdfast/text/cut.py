"""Cutting text to a length: at a word's end where one is near, never inside a character and its marks."""

from __future__ import annotations

_REACH = 40  # how far a cut moves to find white space
_JOINER = "\u200d"


def shorten(text: str, limit: int) -> str:
    """The beginning of a text in at most `limit` characters, with an ellipsis where it was cut."""
    if len(text) <= limit:
        return text
    end = end_before(text, max(0, limit - 1))
    return text[:end].rstrip() + "…" if end and limit > 0 else ""


def end_before(text: str, place: int) -> int:
    """The last good place to end at or before this one."""
    place = min(place, len(text))
    if place < len(text) and not text[place].isspace():
        for near in range(place, max(0, place - _REACH), -1):
            if text[near - 1].isspace() and not _inside(text, near):
                return near
    while 0 < place < len(text) and _inside(text, place):
        place -= 1
    return place


def start_after(text: str, place: int) -> int:
    """The first good place to start at or after this one."""
    place = max(0, place)
    if 0 < place < len(text) and not text[place - 1].isspace():
        for near in range(place, min(len(text), place + _REACH)):
            if text[near].isspace() and not (near + 1 < len(text) and _inside(text, near + 1)):
                return near + 1
    return whole_end(text, place)


def whole_end(text: str, place: int) -> int:
    """This place, or where the character ends that it lies within."""
    while 0 < place < len(text) and _inside(text, place):
        place += 1
    return place


def _inside(text: str, place: int) -> bool:
    """Whether a cut here would part a character from its marks, an emoji from its parts, a syllable or a flag."""
    after, before = text[place], text[place - 1]
    if after.isascii():
        return before == "\r" and after == "\n"
    from unicodedata import category

    if category(after)[0] == "M" or _JOINER in (after, before) or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    return _goes_on(after) or (_flag(after) and _flag(before))


def _flag(letter: str) -> bool:
    return "\U0001f1e6" <= letter <= "\U0001f1ff"


def _goes_on(letter: str) -> bool:
    """Whether it is a vowel or an end of a Korean syllable that is written in parts."""
    return "\u1160" <= letter <= "\u11ff" or "\ud7b0" <= letter <= "\ud7ff"
