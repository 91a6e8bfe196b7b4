"""Solid: names and numbers that are written with separators, and how they are written without.

Who wrote `Wi-Fi`, `B-12`, `65,000` or `250 ms` is asked for `wifi`, `B12`, `65000` and `250ms`, each one word to the
tokeniser that the text does not hold. A text is indexed with those words behind it, so what is written is found as
before. Only names, terms and amounts are: what has a digit, or two parts of which one is as short as those of
`on-call`, `co-worker` and `user_id`. What is said in passing stays as it is (`well-known`, `and/or`, `12-year-old`,
`10-15`), and so does what is another thing without its separators: dates, paths, files, addresses, decimals. Of
versions only the `v` goes.
"""

from __future__ import annotations

import re

from .beside import AMOUNT, JOINT, pairs
from .stopwords import STOP

# A letter of a script that is written with spaces, or what makes the part behind it one of a path or an address.
_AMID = r"A-Za-z0-9_\u00c0-\u052f\-/\\@"
_RUN = re.compile(rf"(?<![{_AMID}.~])(?>[A-Za-z0-9]+(?:[-/._][A-Za-z0-9]+)+)(?![{_AMID}])")
_THOUSANDS = re.compile(  # 65,000 and 12,480.55, in India 1,25,000; where there are cents also 1.250,00
    r"(?<![\w.,])(?:([0-9]{1,3}(?:,[0-9]{2,3}){0,5},[0-9]{3})(?:\.([0-9]+))?"
    r"|([0-9]{1,3}(?:\.[0-9]{3}){1,6}),([0-9]{2}))(?!\w|[.,][0-9])"
)
_COMMA = re.compile(",[0-9]")
_UNITS = (
    "ms s secs? mins? h hrs? am pm kb mb gb tb kib mib gib bit k?hz [mg]hz [mg]bps px pt dpi fps rpm qps rps"
    " mm cm m km kmh mph mg g kg lbs? oz ml l w kw kwh v mah k"
)
_AMOUNT = re.compile(
    rf"(?<![\w.,])((?:[0-9]{{1,2}}:)?[0-9]{{1,9}}(?:\.[0-9]{{1,3}})?) ({'|'.join(_UNITS.split())})(?!\w)", re.IGNORECASE
)
_VERSION = re.compile(r"[vV]([0-9]+(?:\.[0-9]+)+)(?=-|$)")
_STROKE = re.compile(
    r"[A-Z][A-Z0-9]{0,2}/[A-Z0-9]{1,3}|[A-Za-z]{1,2}/[A-Za-z]{1,2}|[A-Za-z]{1,3}/[0-9]+"
)  # TCP/IP, AS/400
_DOTTED = re.compile(r"(?:[A-Za-z]{1,2}\.){1,5}[A-Za-z]{1,2}|[A-Z][A-Za-z0-9]*\.(?:js|JS|NET)")  # p.m, Ph.D, Node.js
_FILE = re.compile(r"\.(?![0-9])|(?<![0-9])\.")  # a dot that is none of a number: of a file or a host
_DATE = re.compile(r"[0-9]{4}[-_][0-9]{1,2}[-_][0-9]{1,2}(?![0-9])|[0-9]{1,2}[-_][A-Za-z]{3,9}[-_][0-9]{2,4}$")
_BETWEEN = re.compile(r"[-_]")
_WORD = re.compile(r"[a-z0-9]+(?:\.[0-9]+)*")
_SAID = frozenset(("eg", "ie"))  # in passing
_LONGEST = 64  # characters of a name
_MOST_PARTS = 6
_SHORT = 3  # letters of a part that makes a term of two words, and of one behind a number: `10-day`, not `12-year-old`
_LEAST_DIGITS = 9  # of a number in groups, such as that of a phone or a book: a date has eight
_FEW = 16  # names that are each looked for in a text before its words are


def with_solid(text: str, indexed: str, kinds: bytes) -> str:
    """What is indexed of a text, and behind it the names in it without their separators, if they are no words of it.

    `kinds` are the text's `pairs`.
    """
    found = forms(text, kinds)
    if not found:
        return indexed
    lower = indexed.lower()
    if len(found) <= _FEW:
        return " ".join((indexed, *(form for form in found if not _stands_in(lower, form))))
    held = set(_WORD.findall(lower))
    return " ".join((indexed, *(form for form in found if form not in held)))


def _stands_in(text: str, form: str) -> bool:
    """Whether it is a word of a text; to look for a few takes a tenth of the time that all words take."""
    at, size = text.find(form), len(form)
    while at >= 0:
        if not text[at - 1 : at].isalnum() and not text[at + size : at + size + 1].isalnum():
            return True
        at = text.find(form, at + 1)
    return False


def forms(text: str, kinds: bytes | None = None) -> dict[str, str]:
    """How names in a text are written without separators, in lower case, each with how it is written there."""
    kinds = pairs(text) if kinds is None else kinds
    amounts = _AMOUNT.finditer(text) if AMOUNT in kinds else ()
    found = {(match[1] + match[2]).lower(): match[0] for match in amounts}
    return found | _joined(likely) if (likely := _likely(text, kinds)) else found


def _joined(likely: str) -> dict[str, str]:
    found = {form: run for run in dict.fromkeys(_RUN.findall(likely)) if (form := _solid(run))}
    if _COMMA.search(likely):
        found.update((_plain(match), match[0]) for match in _THOUSANDS.finditer(likely))
    return found


def _likely(text: str, kinds: bytes) -> str:
    """Those pieces of a text between spaces that have a separator within."""
    at = kinds.find(JOINT)
    data, found, done = text.encode("utf-8", "replace") if at >= 0 else b"", [], 0
    while at >= 0:
        start, end = data.rfind(b" ", done, at), data.find(b" ", at)
        end = len(data) if end < 0 else end
        found.append(data[done if start < 0 else start + 1 : end])
        at, done = kinds.find(JOINT, end), end
    return b" ".join(found).decode("utf-8", "replace")


def _plain(match: re.Match[str]) -> str:
    """A number without separators of thousands, with a point before its fraction."""
    whole, fraction, other, cents = match.groups()
    number = (whole or other).replace(",", "").replace(".", "")
    return f"{number}.{fraction or cents}" if fraction or cents else number


def _solid(run: str) -> str:
    """What is joined by single separators as one word; empty where it is no name."""
    if len(run) > _LONGEST:
        return ""
    if version := _VERSION.match(run):
        return version[1]
    if "/" in run:
        return _if_no_stop(run, "/") if _STROKE.fullmatch(run) else ""
    parts = _BETWEEN.split(run)
    if len(parts) == 1:
        return _if_no_stop(run, ".") if _DOTTED.fullmatch(run) else ""
    if len(parts) > _MOST_PARTS or _FILE.search(run) or _DATE.match(run):
        return ""
    is_name = _is_code if not all(map(str.isalpha, parts)) else _is_term
    return "".join(parts).lower() if is_name(parts) else ""


def _if_no_stop(run: str, separator: str) -> str:
    """`and/or` and `U.S` are looked for by nobody: what is left is a stop word, or all of its parts are."""
    form = run.replace(separator, "").lower()
    return "" if form in STOP or form in _SAID or STOP.issuperset(run.lower().split(separator)) else form


def _is_term(parts: list[str]) -> bool:
    """`on-call`, `Wi-Fi`, `e-mail`, `user_id`; not `self-care`, `so-so` or `up-to-date`."""
    first, last = (part.lower() for part in (parts[0], parts[-1]))
    return (
        len(parts) == 2
        and min(len(first), len(last)) <= _SHORT
        and first != last
        and not STOP.issuperset((first, last))
    )


def _is_code(parts: list[str]) -> bool:
    """`WH-1000XM5`, `covid-19`, `gpt-4.1`, an ISBN; not `12-year-old`, `10-15` or the last part of an address."""
    words = [part for part in parts if part.isalpha()]
    numbers = [part for part in parts if part.replace(".", "").isdigit()]
    if len(numbers) == len(parts):
        return len(parts) > 2 and sum(map(len, parts)) >= _LEAST_DIGITS and "." not in "".join(parts)
    if numbers == parts[:1] and len(words) == len(parts) - 1:
        return len(parts) == 2 and len(words[0]) <= _SHORT
    return sum(len(word) > _SHORT for word in words) <= 1
