"""Said: what an entry says, for an index that keeps whole entries."""

from __future__ import annotations

import json

from ..text.content import searchable_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.entry import Entry


def searched(entry: Entry) -> str:
    """What a keyword can find: the words of the content, the tags, the key, the path."""
    return "\n".join([searchable_text(entry.content), " ".join(entry.tags), entry.key or "", entry.path or ""])


def held(entry: Entry) -> str:
    """Everything that an entry says, in lower case."""
    parts = [entry.content, entry.metadata, list(entry.tags), entry.path, entry.tool, entry.key]
    return "\n".join([entry.text, *(json.dumps(part, ensure_ascii=False) for part in parts)]).lower()
