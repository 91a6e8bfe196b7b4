"""Salvage: what an index still knew of an entry whose line is lost, as quarantine keeps it (D40).

A piece of quarantine is either the bytes of a damaged line or one of these. Written by an index, recognised by a
journal, shown to people; its first name tells the two kinds apart. `gone` says that not even a damaged line is left
in the journal, so that nothing else would tell of the loss.
"""

from __future__ import annotations

import json
import re

from .moment import millis
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "salvaged_from_index"
_START = f'{{"{NAME}":'.encode()
_LINE = b'{"schema_version":'  # a flipped line end joins lines: each begins so
_SEALED = b'"checksum":"sha256:'  # a line that lacks it was never written to its end, so nobody was told it was kept
_ID = re.compile(rb'"(id|amends)": ?"(mem_[0-9A-Za-z_-]+)"')
_HEADER = (b'"journal":', b'"generation":', b'"next_seq":')  # one of which may be what is damaged
_SAID = (b'"content":', b'"amends":', b'"set":')
_TIME = re.compile(rb'"timestamp": ?"([0-9T:.-]{23}Z)"')


class Salvage(Value):
    """One entry that no journal holds any more."""

    entry: str
    gone: bool = True
    user_id: str | None = None


def salvaged(known: Salvage, said: dict[str, Any]) -> bytes:
    """The piece; `said` is whatever the index had of the entry."""
    first = {NAME: known.entry, "gone": known.gone, "user_id": known.user_id}
    return json.dumps({**first, **said}, ensure_ascii=False).encode("utf-8", "surrogatepass")


def said_in(raw: bytes) -> dict[str, Any]:
    """The words of such a piece, under the names that they had in the entry."""
    known, tags = json.loads(raw), told(raw)["tags"]
    return {"content": {"text": str(known.get("text", ""))}, "tags": list(tags or ())}


def salvage_in(raw: bytes) -> Salvage | None:
    """What a piece tells, if it is one of ours and not a damaged line."""
    if not raw.startswith(_START):
        return None
    try:
        known = json.loads(raw)
        entry, user = known[NAME], known.get("user_id")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not isinstance(entry, str):
        return None
    return Salvage(entry=entry, gone=bool(known.get("gone", True)), user_id=user if isinstance(user, str) else None)


def told(raw: bytes) -> dict[str, Any]:
    """What a piece says of itself, as `Journal.quarantined` tells it."""
    found = salvage_in(raw)
    if found is None:
        return {
            "lost": None, "user_id": None, "entries": ids_in(raw), "sealed": _is_whole(raw), "header": _is_header(raw),
            "amends": amends(raw), **_line(raw),
        }  # fmt: skip
    known = json.loads(raw)
    time, tags = known.get("time"), known.get("tags")
    return {
        "lost": found.entry if found.gone else None, "user_id": found.user_id, "entries": (found.entry,),
        "sealed": True, "header": False, "amends": False, "time": time if isinstance(time, int) else None,
        "tags": tuple(map(str, tags)) if isinstance(tags, list) else None,
    }  # fmt: skip


def _is_whole(raw: bytes) -> bool:
    """Whether the line was written to its end; what another program wrote has no checksum to tell by."""
    if _SEALED in raw:
        return True
    try:
        return isinstance(json.loads(raw), dict)
    except (ValueError, RecursionError):
        return False


def ids_in(raw: bytes) -> tuple[str, ...]:
    """The entries that a piece is of, as far as their ids can be read; what it merely refers to is not among them."""
    found = salvage_in(raw)
    if found is not None:
        return (found.entry,)
    return tuple(dict.fromkeys(id for _, id in _firsts(raw)))


def amends(raw: bytes) -> bool:
    """Whether a piece is a change of an entry, and not the entry itself."""
    named = _firsts(raw)
    return bool(named) and salvage_in(raw) is None and all(name == "amends" for name, _ in named)


def _firsts(raw: bytes) -> list[tuple[str, str]]:
    """What each line in a damaged piece says first of all: that it is an entry, or changes one, and which."""
    found = [match for line in raw.split(_LINE) if (match := _ID.search(line))]
    return [(match[1].decode(), match[2].decode()) for match in found]


def _is_header(raw: bytes) -> bool:
    """Whether a damaged line was the first of its journal, which tells of the journal and of no entry."""
    return sum(name in raw for name in _HEADER) > 1 and not any(name in raw for name in _SAID)


def _line(raw: bytes) -> dict[str, Any]:
    """When and about what a damaged line was, where that can still be read."""
    match = _TIME.search(raw)
    try:
        time = millis(match[1].decode()) if match else None
    except ValueError:
        time = None
    try:
        tags = json.loads(raw).get("tags") or ()
    except (ValueError, AttributeError, RecursionError):
        return {"time": time, "tags": None}
    return {"time": time, "tags": tuple(map(str, tags)) if isinstance(tags, (list, tuple)) else None}
