"""Visible text: what may reach a terminal. Remembered text is data and must not move a cursor.

Control characters (escape sequences begin with one), bidirectional overrides, invisible separators and
tag characters are shown as `\\x1b` or `\\u202e`; everything else, right-to-left scripts and emoji
included, passes as it is.
"""

from __future__ import annotations

import re

# C0 without tab and line feed, DEL, C1; marks, overrides and isolates of direction; separators; tags
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def _named(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str) -> str:
    """The text with every character that could deceive a terminal spelt out; line feeds stay."""
    return _UNSAFE.sub(_named, text.replace("\r\n", "\n").expandtabs(4))


def in_one_line(text: str) -> str:
    """Line breaks as ` / ` and other white space as single spaces; edges stay, so that pieces can be joined."""
    return re.sub(r"\s+", lambda found: " / " if "\n" in found[0] else " ", text)


def in_json(text: str) -> str:
    """The same for JSON that was already encoded: what could deceive becomes an escape that reads back equal."""
    return _UNSAFE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))
