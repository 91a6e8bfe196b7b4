"""Older schema versions: a chain of steps, each from one version to the next.

Version 0 is the line of seed 004: no `schema_version`, no `scope`, `content.message` for the words
(A022-A031). A rewrite stores what comes out; reading changes nothing. A line that no step can make
sense of is damaged, never guessed at; so is one of which something comes out that is no entry (`model.shape`).
"""

from __future__ import annotations

from ..errors import Invalid
from ..model.entry import SCHEMA_VERSION, TYPES
from ..model.moment import iso, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.card import Card

WORDS = ("text", "message", "decision", "finding", "preference", "summary")


def upgraded(record: dict[str, Any]) -> dict[str, Any] | None:
    """An entry record in today's schema, or None if it is no entry of any version."""
    try:
        while (version := record.get("schema_version", 0)) < SCHEMA_VERSION:
            record = UPGRADES[version](record)
    except (KeyError, TypeError, ValueError, Invalid):
        return None
    return record


def adopted(record: dict[str, Any] | None, card: Card | None) -> None:
    """Give an entry what another program left to its folder and its card to say: its session, and whose it is."""
    if record is None or card is None or record.get("scope") != "session":
        return
    record["session_id"] = card.id
    if card.user_id is not None:
        record.setdefault("user_id", card.user_id)


def _from_version_0(old: Mapping[str, Any]) -> dict[str, Any]:
    content = {"text": old["content"]} if isinstance(old["content"], str) else dict(old["content"])
    content["text"] = _words(content)
    old = {name: value for name, value in old.items() if value is not None}
    fixed = {
        **old,
        "schema_version": 1,
        "id": _string(old["id"]),
        "scope": old.get("scope", "session"),
        "timestamp": iso(parse(old["timestamp"])),
        "type": old.get("type") if old.get("type") in TYPES else "note",
        "content": content,
        "importance": _importance(old.get("importance", 0.5)),
        "tags": [_string(tag) for tag in old.get("tags") or ()],
        "references": [_string(reference) for reference in old.get("references") or ()],
    }
    fixed.pop("decay_factor", None)  # computed when asked, never stored
    if not isinstance(old.get("seq", 0), int):
        del fixed["seq"]  # counted by the reader
    return fixed


def _words(content: Mapping[str, Any]) -> str:
    for name in WORDS:
        if name in content:
            return _string(content[name])
    raise KeyError("text")


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a string was expected")
    return value


def _importance(value: Any) -> float:
    return min(1.0, max(0.0, float(value)))


UPGRADES = {0: _from_version_0}
