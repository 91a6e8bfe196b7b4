"""Salvage: what an index still knew of an entry whose line is lost, as quarantine keeps it (D40).

A piece of quarantine is either the bytes of a damaged line or one of these. Written by an index, recognised by a
journal, shown to people; its first name tells the two kinds apart. `gone` says that not even a damaged line is left
in the journal, so that nothing else would tell of the loss.
"""

from __future__ import annotations

import json

from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "salvaged_from_index"
_START = f'{{"{NAME}":'.encode()


class Salvage(Value):
    """One entry that no journal holds any more."""

    entry: str
    gone: bool = True
    user_id: str | None = None


def salvaged(known: Salvage, said: dict[str, Any]) -> bytes:
    """The piece; `said` is whatever the index had of the entry."""
    told = {NAME: known.entry, "gone": known.gone, "user_id": known.user_id}
    return json.dumps({**told, **said}, ensure_ascii=False).encode("utf-8", "surrogatepass")


def said_in(raw: bytes) -> dict[str, Any]:
    """The words of such a piece, under the names that they had in the entry."""
    told = json.loads(raw)
    return {"content": {"text": str(told.get("text", ""))}, "tags": list(told.get("tags") or ())}


def salvage_in(raw: bytes) -> Salvage | None:
    """What a piece tells, if it is one of ours and not a damaged line."""
    if not raw.startswith(_START):
        return None
    try:
        told = json.loads(raw)
        return Salvage(entry=str(told[NAME]), gone=bool(told.get("gone", True)), user_id=told.get("user_id"))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
