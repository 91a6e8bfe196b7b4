r"""Escapes: what programs write into a text that nobody reads as letters of its words.

A terminal's colours stand right before and behind words: to the tokeniser `\x1b[31mfailed` is `31mfailed`. Output that
is kept as JSON has `\nfailed` for a line of its own, and `M\u00fcller` for Müller; a log has `31T23` where a day ends
and its hour begins; a page has `infor-` at the end of a line and `mation` in the next. A text is indexed, seen and
marked without them. `\new` may as well be the end of a path, so it is indexed with both. Goes by code points, never by
`\w`, which differs between versions of Python: a text must leave the full text as it went in.
"""

from __future__ import annotations

import re

# Patterns are made when first needed: most processes see no escapes.
_SEQUENCE = r"(?:\x1b|\\(?:x1[bB]|u001[bB]|033|e))\[[0-?]*[ -/]*([@-~])"
_WRITTEN = (r"\x1", r"\u001", r"\033[", r"\e[")  # how each of them begins that is written out
_UNREAD = "mK"  # ends of those that only colour, or clear the rest of the line; others move to somewhere else
_CODES = r"(?:\\u[0-9a-fA-F]{4})+"
_BEGINS = r"[^\x00-/:-`{-\x7f]"  # digits, small letters, all beyond ASCII; a capital behind `n` makes an identifier
_BREAK = rf"\\[nrt](?={_BEGINS})"
_BEHIND_BREAK = rf"\\[nrt]({_BEGINS}[^\x00-/:-@\[-^`{{-\x7f]*)"
_MOMENT = r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?)(Z(?![A-Za-z]))?"
_SMALL, _ANY = r"[^\x00-`{-\x7f]", r"[^\x00-@\[-`{-\x7f]"  # letters and all beyond ASCII
_HYPHENED = rf"(?<!{_ANY})({_ANY}{{2,}})-\r?\n[ \t]*({_SMALL}{{2,}})"  # from where a word begins: linear
_BEHIND_HYPHEN = r"-(?:[0-9]{2}T[0-2]|\r?\n)"  # an hour behind a day, or a line's end; one look for both
_FIRST_LETTER = 0xC0  # of those beyond ASCII


def may_have(text: str) -> bool:
    """Whether a text is worth another look; every one that is indexed is asked this."""
    return "\\" in text or "\x1b" in text or ("-" in text and re.search(_BEHIND_HYPHEN, text) is not None)


def _has_sequences(text: str) -> bool:
    """Code is full of backslashes and has none of these; a pattern takes ten times as long to find out."""
    return "\x1b" in text or ("\\" in text and any(written in text for written in _WRITTEN))


def _has_hours(text: str) -> bool:
    return "T0" in text or "T1" in text or "T2" in text


def _has_hyphens(text: str) -> bool:
    return "-\n" in text or "-\r\n" in text


def unescaped(text: str) -> str:
    """The text as it would be read: uncoloured, letters for their codes, behind a break in JSON the word alone, and
    behind what a line's end parts the whole."""
    if not may_have(text):
        return text
    if _has_sequences(text):
        text = re.sub(_SEQUENCE, _dropped, text)
    if "\\u" in text:
        text = re.sub(_CODES, _decoded, text)
    if _has_hyphens(text):
        text = re.sub(_HYPHENED, r"\g<0> \1\2", text)
    text = parted(text)
    return re.sub(_BEHIND_BREAK, r"\g<0> \1", text) if "\\" in text else text


def parted(text: str) -> str:
    """The text with every moment as a day and a time of day."""
    return re.sub(_MOMENT, r"\1 \2", text) if _has_hours(text) else text


def uncoloured(text: str) -> str:
    """The text without the sequences that a terminal obeys."""
    return re.sub(_SEQUENCE, _dropped, text) if "\x1b" in text else text


def blanked(text: str) -> str | None:
    """The text with spaces in the place of all that, its letters where they were; None if there is nothing of it."""
    if not may_have(text):
        return None
    blank = re.sub(_BREAK, "  ", re.sub(_SEQUENCE, lambda found: " " * len(found[0]), text))
    blank = re.sub(_MOMENT, lambda found: f"{found[1]} {found[2]}{' ' * bool(found[3])}", blank)
    return blank if blank != text else None


def _dropped(found: re.Match[str]) -> str:
    return "" if found[1] in _UNREAD else " "


def _decoded(found: re.Match[str]) -> str:
    """Letters and digits; a space for every other sign, and for half of one."""
    said = bytes.fromhex(found[0].replace("\\u", "")).decode("utf-16-be", "replace")
    return "".join(letter if _is_kept(letter) else " " for letter in said)


def _is_kept(letter: str) -> bool:
    return ord(letter) >= _FIRST_LETTER or (letter.isascii() and letter.isalnum())
