"""Values of settings: what a kind of setting accepts, and the error when it does not.

Owns the meaning of each kind. A value comes typed (from TOML or an argument) or as text (from the
environment or the command line) and leaves checked, or `BadConfig` says which setting, where the
value came from and what is allowed. Nothing is clamped or guessed.
"""

from __future__ import annotations

import os
import re

from ..errors import BadConfig
from ..model.ids import AGENT
from .table import BY_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from .table import Row

TEXT_CHARS = 1000
USER_CHARS = 256  # as `guard.fields` has it for every user id
_TRUTH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_ZONE = r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*\Z"  # strings: compiling at import would cost more than it saves
_URL = r"https?://[^\s/@]+(/\S*)?\Z"


def allowed(row: Row) -> str:
    """What a setting accepts, as it reads in errors and documentation."""
    if row.kind in ("int", "float"):
        least, most = row.allowed
        return f"{'a whole number' if row.kind == 'int' else 'a number'} from {least} to {most}"
    if row.kind == "choice":
        return "one of " + ", ".join(row.allowed)
    if row.kind == "choices":
        return "any of " + ", ".join(row.allowed)
    return _WORDS[row.kind]


_WORDS = {
    "bool": "true or false",
    "text": f"text of at most {TEXT_CHARS} characters on one line",
    "user": f"a user's id of 1 to {USER_CHARS} characters on one line, not `*`",
    "agent": "1 to 64 of a-z, 0-9, _ and -",
    "zone": "an IANA zone that this system knows, such as Europe/Lisbon, or empty",
    "path": "an absolute path, or empty",
    "template": "an absolute path with {agent} in it, or empty",
    "url": "an http or https address without a password in it, or empty",
}


def accept(row: Row, value: Any, origin: str) -> Any:
    """The value as kept, if the row allows it; `origin` says where it came from."""
    checked = _KINDS[row.kind](row, value)
    if checked is None:
        raise refused(row, value, origin)
    return checked


def accept_text(row: Row, text: str, origin: str) -> Any:
    """The same for a value that was written as text."""
    value: Any = text.strip()
    if row.kind == "bool":
        value = _TRUTH.get(value.lower(), value)
    elif row.kind == "choices":
        value = [part.strip() for part in value.split(",") if part.strip()]
    elif row.kind in ("int", "float"):
        value = _number(value)
    return accept(row, value, origin)


def _number(text: str) -> Any:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def refused(row: Row, value: Any, origin: str) -> BadConfig:
    """The error for a value that the row does not allow."""
    return BadConfig(
        f"{row.name} ({origin}) is {_shown(row, value)}; it must be {allowed(row)}. "
        f"`holdfast config explain {row.name}` says what it does",
        setting=row.name, origin=origin, allowed=allowed(row),
    )  # fmt: skip


def _shown(row: Row, value: Any) -> str:
    if row.kind == "url":
        return "not shown"  # it may hold a password
    if isinstance(value, int) and value.bit_length() > 200:
        return "a huge number"  # Python refuses to print the hugest
    return repr(value)[:60]


def unknown(name: str, origin: str) -> BadConfig:
    """The error for a name that is no setting, with the one that was probably meant."""
    meant = nearest(name.lower(), BY_NAME)
    advice = f"did you mean {meant}?" if meant else "`holdfast config list` shows all"
    return BadConfig(f"{name} ({origin}) is no setting; {advice}", setting=name, origin=origin, meant=meant)


def nearest(name: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The name most like this one, if any is like it at all."""
    from difflib import get_close_matches

    found = get_close_matches(name, list(names), n=1, cutoff=cutoff)
    return found[0] if found else None


def row_of(name: str, origin: str) -> Row:
    """The row of this name, or BadConfig."""
    row = BY_NAME.get(name)
    if row is None:
        raise unknown(name, origin)
    return row


def _bool(_row: Row, value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _int(row: Row, value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if row.allowed[0] <= value <= row.allowed[1] else None


def _float(row: Row, value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if row.allowed[0] <= value <= row.allowed[1] else None  # NaN fails both comparisons


def _choice(row: Row, value: Any) -> str | None:
    return value if isinstance(value, str) and value in row.allowed else None


def _choices(row: Row, value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) and one in row.allowed for one in value):
        return None
    return tuple(dict.fromkeys(value))


def _text(_row: Row, value: Any) -> str | None:
    return value if isinstance(value, str) and len(value) <= TEXT_CHARS and _one_line(value) else None


def _one_line(value: str) -> bool:
    return value.isprintable()  # false for control characters, line ends and lone surrogates


def _user(row: Row, value: Any) -> str | None:
    text = _text(row, value)
    return text if text and len(text) <= USER_CHARS and text.strip() == text and text != "*" else None


def _agent(_row: Row, value: Any) -> str | None:
    return value if isinstance(value, str) and AGENT.match(value) else None


def _zone(_row: Row, value: Any) -> str | None:
    return value if isinstance(value, str) and (not value or (re.match(_ZONE, value) and _is_known(value))) else None


def _is_known(zone: str) -> bool:
    """Whether times can be told in this zone; a search would find out too late."""
    from zoneinfo import ZoneInfo  # takes 8 ms, and only who sets a zone pays it

    try:
        return ZoneInfo(zone) is not None
    except (KeyError, ValueError, OSError):  # no such zone, no zone at all, a directory of zones
        return False


def _path(row: Row, value: Any) -> str | None:
    text = _text(row, value)
    if not text:
        return text
    text = os.path.expanduser(text)
    return text if os.path.isabs(text) else None


def _template(row: Row, value: Any) -> str | None:
    path = _path(row, value)
    return path if not path or "{agent}" in path else None


def _url(row: Row, value: Any) -> str | None:
    text = _text(row, value)
    return text if not text or re.match(_URL, text) else None


_KINDS: dict[str, Callable[[Row, Any], Any]] = {
    "bool": _bool, "int": _int, "float": _float, "choice": _choice, "choices": _choices, "text": _text,
    "user": _user, "agent": _agent, "zone": _zone, "path": _path, "template": _template, "url": _url,
}  # fmt: skip
