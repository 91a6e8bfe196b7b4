"""Snippets: the part of a text that shows best why it was found, and where in it the words stand.

Words are found by their stem, roughly, accents or not: `deploy` marks `deployed` and `deployment`. Patterns such as
`dep*` and `d?ploy` mark the words that they match. Scripts without spaces are matched letter by letter, Arabic words
by what the index holds of them. Nothing here ranks; it only shows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from . import globs
from .cut import end_before, shorten, start_after, whole_end
from .escapes import blanked
from .solid import forms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Patterns = tuple[tuple[re.Pattern[str], int], ...]

LENGTH = 700
_MOST_TERMS = 32  # more words make no better window, and each slows the search
_ENDINGS = (
    "ments", "ment", "ations", "ation", "ings", "ing", "ions", "ion", "ies", "ers", "er", "ed", "es", "ly", "s", "e",
    "y",
)  # fmt: skip
_SHORTEST_STEM = 3
_SMALL = "(?:s|es|ed|ing)?"  # what may follow two letters
_SHORT_ENDING = "(?:e|s|es|e?d|e?n|ens|e?rs?|er?y|ey|y|ies?|ied|ily|ings?|ions?|ly|ments?|ness|less|able|al|als)?"
_SEPARATORS = b" -/._,"
_LETTER = r"[^\W_]"  # the index parts words at underscores too


def snippet(text: str, terms: Sequence[str], limit: int = LENGTH, within: tuple[int, int] | None = None) -> str:
    """At most `limit` characters around the closest group of most terms; an ellipsis marks each cut.

    Of a long text only the part `within` is looked at: what was found is there.
    """
    if len(text) <= limit:
        return text
    first, last = (0, len(text)) if within is None else (min(within[0], len(text)), min(within[1], len(text)))
    found = [(first + start, first + end, term) for start, end, term in _matches(text[first:last], terms)]
    if found:
        return _window(text, *_densest(found, limit * 3 // 4), limit)
    return _window(text, first, min(last, first + limit - 2), limit) if first else shorten(text, limit)


class Marks(Sequence[tuple[int, int]]):
    """Where the terms stand in a text, found out when somebody looks: most who search never do."""

    __slots__ = ("_found", "_terms", "_text")

    def __init__(self, text: str, terms: Sequence[str]) -> None:
        self._text, self._terms = text, terms
        self._found: tuple[tuple[int, int], ...] | None = None

    @property
    def _places(self) -> tuple[tuple[int, int], ...]:
        if self._found is None:
            self._found = tuple(highlight(self._text, self._terms))
        return self._found

    def __getitem__(self, place: Any) -> Any:
        return self._places[place]

    def __len__(self) -> int:
        return len(self._places)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (tuple, Marks)) and self._places == tuple(other)

    def __hash__(self) -> int:
        return hash(self._places)

    def __repr__(self) -> str:
        return repr(self._places)


def highlight(text: str, terms: Sequence[str]) -> list[tuple[int, int]]:
    """Where the terms stand, as (start, end), in order and without overlap."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted((start, whole_end(text, end)) for start, end, _term in _matches(text, terms)):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _matches(text: str, terms: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """(start, end, which term) of every place where one stands, also right behind an escape."""
    yield from _standing(text, terms)
    blank = blanked(text)
    if blank is not None:
        yield from _standing(blank, terms)


def _standing(text: str, terms: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    plain, at = _plain(text)
    for pattern, offset in _patterns(tuple(terms), _letter_of(text)):
        for match in pattern.finditer(plain):
            which = match.lastindex or 1
            start, end = match.span(which)
            yield (start, end, which + offset) if at is None else (at[start], at[end], which + offset)
    roots = [term for term in terms[:_MOST_TERMS] if not term.isascii()]
    if roots:
        from .arabic import places

        for start, end, which in places(text, roots):
            yield start, end, which + _MOST_TERMS
    yield from _with_separators(text, terms[:_MOST_TERMS])


def _with_separators(text: str, terms: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Where a term is written so: `Wi-Fi` for `wifi`."""
    likely = _joined_there(text, terms)
    written = forms(text) if likely else {}
    for which in likely:
        if name := written.get(terms[which]):
            places = re.finditer(rf"(?<!{_LETTER}){re.escape(name)}(?!{_LETTER})", text)
            yield from ((match.start(), match.end(), which + 2 * _MOST_TERMS) for match in places)


def _joined_there(text: str, terms: Sequence[str]) -> list[int]:
    """Which terms a text may have with separators: it holds them more often without its own. To find all such names
    takes several times as long."""
    small = text.lower().encode("utf-8", "replace")
    bare, found = small.translate(None, _SEPARATORS), []
    for which, term in enumerate(terms):
        written = term.encode("utf-8", "replace")
        plain = written.translate(None, _SEPARATORS)
        if len(plain) < len(written) or bare.count(plain) > small.count(written):
            found.append(which)
    return found


def _plain(text: str) -> tuple[str, list[int] | None]:
    """A text without accents, and where each of its characters stood if not in the same place."""
    if text.isascii():
        return text, None
    from .accents import with_places

    return with_places(text)


def _letter_of(text: str) -> str:
    """What counts as a letter of a word: in a text with runs without spaces, which the index sets apart, not theirs."""
    if text.isascii():
        return _LETTER
    from .scripts import LETTER, SPACELESS

    return LETTER if SPACELESS.search(text) else _LETTER


_made: dict[tuple[tuple[str, ...], str], Patterns] = {}  # every hit of a search is looked through for the same terms
_MOST_MADE = 16


def _patterns(terms: tuple[str, ...], letter: str = _LETTER) -> Patterns:
    """Patterns for these terms, each with the number of terms before its own."""
    found = _made.get((terms, letter))
    if found is None:
        known = [term for term in dict.fromkeys(_plain(term)[0] for term in terms) if term][:_MOST_TERMS]
        spaced = [term for term in known if term[0].isascii() or not _spaceless(term)]
        joined = [term for term in known if term not in spaced]
        sources = (_by_words(spaced, letter), 0), (_by_letters(joined), len(spaced))
        found = tuple((re.compile(source, re.IGNORECASE), offset) for source, offset in sources if source)
        if len(_made) >= _MOST_MADE:
            _made.clear()
        _made[terms, letter] = found
    return found


def _spaceless(term: str) -> bool:
    from .scripts import SPACELESS

    return SPACELESS.match(term) is not None


def _by_words(terms: list[str], letter: str) -> str:
    """Words that begin with a term's stem; most letters of a text are passed over for not beginning any."""
    first = "".join(sorted({term[0] for term in terms}))
    begins = letter if _is_pattern(first) else f"[{re.escape(first)}]"
    return rf"(?={begins})(?<!{letter})(?:{'|'.join(f'({_stem(term, letter)})' for term in terms)})" if terms else ""


def _by_letters(terms: list[str]) -> str:
    """Looked for ahead, so that pairs may overlap."""
    each = (globs.source(term.strip("*")) for term in terms)  # a word that begins anywhere ends nowhere
    return f"(?={'|'.join(f'({term})' for term in each)})" if terms else ""


def _is_pattern(term: str) -> bool:
    return "*" in term or "?" in term


def _stem(term: str, letter: str) -> str:
    """A pattern for a term and its inflections; short words must match whole but for a small ending."""
    if _is_pattern(term):
        return rf"{globs.source(term)}(?!{letter})"
    if len(term) < _SHORTEST_STEM or term.isdigit():
        return rf"{re.escape(term)}{_SMALL if len(term) == 2 and term.isalpha() else ''}(?!{letter})"
    ending = next((end for end in _ENDINGS if term.endswith(end) and len(term) - len(end) >= _SHORTEST_STEM), "")
    stem = re.escape(term[: len(term) - len(ending)])
    if len(term) - len(ending) > _SHORTEST_STEM:
        return f"{stem}{letter}*"
    return rf"{stem}{re.escape(stem[-1])}?{_SHORT_ENDING}(?!{letter})"  # `run` marks `running`, `car` no `cargo`


def _densest(found: list[tuple[int, int, int]], width: int) -> tuple[int, int]:
    """Start and end of the group within `width` characters that has most different terms, the first of equals."""
    found.sort()
    best, best_score, left = (found[0][0], found[0][1]), 0, 0
    inside: dict[int, int] = {}
    for start, end, term in found:
        inside[term] = inside.get(term, 0) + 1
        while end - found[left][0] > width and found[left][0] < start:
            gone = found[left][2]
            inside[gone] -= 1
            if not inside[gone]:
                del inside[gone]
            left += 1
        if len(inside) > best_score:
            best, best_score = (found[left][0], end), len(inside)
    return best


def _window(text: str, first: int, last: int, limit: int) -> str:
    """`limit` characters with the group in the middle, cut at words."""
    room = limit - 2  # for the marks of both cuts
    start = max(0, min(first - (room - (last - first)) // 2, len(text) - room))
    start = min(start_after(text, start), max(first, start)) if start else 0
    end = min(len(text), start + room)
    end = max(end_before(text, end), min(last, end)) if end < len(text) else end
    return ("…" if start else "") + text[start:end].strip() + ("…" if end < len(text) else "")
