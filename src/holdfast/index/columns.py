"""Columns: what a row of `entries` holds of a record, and what the rows of lines that are alike have in common.

Whose an entry is, its labels and flags are the same in nearly all lines of a journal, which says which those are
(`Line.alike`): for them all of it is worked out once. Knows no connection; `rows` does the writing.
"""

from __future__ import annotations

import json

from ..model.entry import ROLES
from ..text.content import marked_by, searchable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

_SHARED = (
    "scope", "session_id", "user_id", "workspace", "importance", "pinned", "sensitive", "provenance", "key", "tool",
    "path", "tags", "references", "metadata",
)  # fmt: skip


class Shared:
    """What the record of a line gives to its rows, but for what it has of its own."""

    __slots__ = ("columns", "key", "labels", "marked", "metadata", "numbers", "path", "token")

    def __init__(self, record: Mapping[str, Any], numbers: Iterator[int], token: str) -> None:
        (
            scope, session, user, workspace, importance, pinned, sensitive, provenance, self.key, tool, path, tags,
            references, self.metadata,
        ) = map(record.get, _SHARED)  # fmt: skip
        self.numbers, self.token = numbers, token  # of chunks to come, and the word for their session
        self.labels = (tags or (), references or ()) if tags or references else None
        self.marked, self.path = marked_by(tags, self.key), searchable(path) if path else ""
        self.columns = (
            scope or "session", session, user, workspace, 0.5 if importance is None else importance, bool(pinned),
            bool(sensitive), provenance or "user", self.key, tool, path, as_json(tags) if tags else "[]",
        )  # fmt: skip


def detail(content: dict[str, Any], metadata: dict[str, Any] | None) -> str:
    """What an entry holds besides its text; for most turns that is a role."""
    if not metadata and len(content) == 2 and content.get("role") in _ROLE_ONLY:
        return _ROLE_ONLY[content["role"]]
    beside = {name: value for name, value in content.items() if name != "text"}
    return as_json({"content": beside, "metadata": metadata or {}})


_ROLE_ONLY = {role: f'{{"content":{{"role":"{role}"}},"metadata":{{}}}}' for role in ROLES}
as_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
