"""Quoted: what a row says of its entry, and what the entry's lines say: by what a row is known to be theirs.

Owns the columns that filters, ranking and the full text go by. A journal that is read again compares these; a row that
misquotes its lines is put right before it goes, since it says which words the full text has of it.
"""

from __future__ import annotations

from ..model.moment import millis
from .columns import as_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..model.replay import Line

_COLUMNS = (
    "scope", "session_id", "user_id", "workspace", "time", "type", "importance", "pinned", "sensitive", "provenance",
    "role", "author", "key", "tool", "path", "tags",
)  # fmt: skip
_AMENDED = ("importance", "pinned", "sensitive", "tags")  # the words are told by the checksum of the last change
KNOWN = f"""
SELECT id, n, checksum, {", ".join(_COLUMNS)},
  (SELECT json_group_array(tag) FROM (SELECT tag FROM entry_tags WHERE entry=n ORDER BY tag))
FROM entries WHERE file=?
"""
RIGHT = f"UPDATE entries SET {', '.join(f'{name}=?' for name in _COLUMNS)} WHERE n=?"


def told(lines: Sequence[Line]) -> tuple[Any, ...]:
    """The checksum of the last line (without one, who knows), the columns, and the tags by which filters find it."""
    own = dict(lines[0].record or {})
    for line in lines[1:]:
        changes = (line.record or {})["set"]
        own.update({name: changes[name] for name in _AMENDED if changes.get(name) is not None})
    importance, content, tags = own.get("importance"), own.get("content") or {}, own.get("tags") or []
    listed = (as_json(tags), as_json(sorted(set(tags)))) if tags else ("[]", "[]")
    return (
        (lines[-1].record or {}).get("checksum"),
        own.get("scope") or "session", *map(own.get, ("session_id", "user_id", "workspace")),
        millis(own["timestamp"]), own["type"], 0.5 if importance is None else importance,
        bool(own.get("pinned")), bool(own.get("sensitive")), own.get("provenance") or "user",
        content.get("role"), content.get("author"), *map(own.get, ("key", "tool", "path")),
        *listed,
    )  # fmt: skip
