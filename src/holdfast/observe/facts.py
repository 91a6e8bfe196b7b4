"""The allow-list: which facts may leave the store in an event, and in what form.

Owns the rule that no log line and no hook ever carries remembered text, a user's id or a secret. A
fact must have a name from this list and a value of the form that the name promises: a number, one of
our ids, a plain lower-case word, the name of an error, or a file below the home. Whatever fails is
left out and counted under `withheld`.
"""

from __future__ import annotations

import errno
import math
import os
import re

from ..model.ids import ENTRY_ID, GLOBAL, SESSION_ID, USER_DIR, user_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

SESSION = "session_id"
WITHHELD = "withheld"
_WORD = re.compile(r"[a-z][a-z_-]{0,31}\Z")
_MESSAGE = re.compile(r"[A-Za-z][A-Za-z_. -]{0,63}\Z")
_INSIDE = re.compile(r"(config\.toml|agents(/[A-Za-z0-9_.-]{1,80}){1,8})\Z")

NUMBERS = frozenset((
    "behind", "bytes", "bytes_after", "bytes_before", "count", "damaged", "deadline_ms", "deleted", "duration_ms",
    "entries", "entries_after", "entries_before", "generation", "hits", "journals", "limit", "line", "lines",
    "misses", "offset", "pid", "quarantined", "redactions", "removed", "retries", "seq", "sessions", "share",
    "size_bytes", "size_reduction_mb", "skipped", "status", "took_ms", "total", "value", "version", "waited_ms",
))  # fmt: skip
WORDS = frozenset((
    "act", "degraded_by", "durability", "kind", "mode", "operation", "reason", "scope", "source", "type",
))  # fmt: skip


def safe(facts: Mapping[str, Any], home: str | None = None) -> dict[str, Any]:
    """The facts that may be told, and how many were withheld."""
    kept: dict[str, Any] = {}
    withheld = 0
    for name, value in facts.items():
        told = None if value is None else _told(name, value, home)
        if told is not None:
            kept[name] = told
        elif value is not None:
            withheld += 1
    return {**kept, WITHHELD: withheld} if withheld else kept


def safe_message(text: str) -> str:
    """An event's name: letters only, so that nothing formatted into it can get through."""
    return text if isinstance(text, str) and _MESSAGE.match(text) else "event with an unsafe name"


def _told(name: str, value: Any, home: str | None) -> Any:
    """The value in the form that its name promises, or None."""
    if name in NUMBERS:
        return _number(value)
    if name in WORDS:
        return value if isinstance(value, str) and _WORD.match(value) else None
    if name in ("file", "path"):
        return _file(value, home)
    form = _FORMS.get(name)
    return form(value) if form else None


def _number(value: Any) -> float | int | bool | None:
    return value if isinstance(value, (bool, int, float)) and math.isfinite(value) else None


def _journal(value: Any) -> str | None:
    known = isinstance(value, str) and (value == GLOBAL or SESSION_ID.match(value) or USER_DIR.match(value))
    return value if known else None


def _entry(value: Any) -> str | None:
    return value if isinstance(value, str) and ENTRY_ID.match(value) else None


def _user(value: Any) -> str | None:
    """A user's id may be a phone number: it is told as the name of its directory."""
    return user_dir(value) if isinstance(value, str) else None


def _error(value: Any) -> str | None:
    """An error is told by its class; its message may quote what was asked for."""
    return type(value).__name__ if isinstance(value, BaseException) else None


def _errno(value: Any) -> str | int | None:
    """A number or a name such as ENOSPC."""
    if isinstance(value, int):
        return value
    return value if isinstance(value, str) and value in errno.errorcode.values() else None


def _file(value: Any, home: str | None) -> str | None:
    """A file below the home, as seen from there; our own names only."""
    if not isinstance(value, str) or not home:
        return None
    inside = os.path.relpath(value, home).replace(os.sep, "/") if os.path.isabs(value) else value
    return inside if _INSIDE.match(inside) else None


_FORMS: dict[str, Callable[[Any], str | int | None]] = {
    SESSION: _journal, "journal": _journal, "entry_id": _entry, "user": _user, "error": _error, "errno": _errno,
}  # fmt: skip
