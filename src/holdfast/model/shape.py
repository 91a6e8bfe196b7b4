"""Shape: whether a record from a file holds the kinds of values that its fields have, whoever wrote it.

A checksum says that a line or card is as somebody wrote it, not that it makes sense, and some have none. What is not
sound counts as damaged, so that it costs itself and nothing else. Every line of a journal is asked about: `is_usual`
settles most of them in a fifth of the time that a look at each field takes, and is never needed for the answer.
"""

from __future__ import annotations

import re
from operator import itemgetter

from ..errors import Invalid
from .entry import SCHEMA_VERSION, SCOPES
from .moment import millis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Kinds = dict[str, Callable[[Any], bool]]

CONTROL = r"[\x00-\x1f\x7f-\x9f\u2028\u2029]"  # compiled by those few who meet one
PATH_LENGTH = 4096
_LAST_SEQ = 2**63 - 1  # what an index can hold
_LEVELS = 64  # of JSON: four times what a guard lets in, and far from what a reader can take
STAMP = r"(?:19[7-9]|[2-9]\d\d)\d-(?:0[1-9]|1\d)-(?:0[1-9]|[1-3]\d)T\d\d:\d\d:\d\d\.\d{3}Z"  # none before 1970
_is_stamp = re.compile(STAMP, re.ASCII).fullmatch
_usual = itemgetter(
    "id", "timestamp", "type", "session_id", "user_id", "provenance", "checksum", "content", "scope", "seq",
    "importance", "tags", "references", "metadata", "sensitive", "pinned", "schema_version",
)  # fmt: skip
_FIELDS = 17  # these: what has so many has no other


def is_usual(record: Mapping[str, Any]) -> bool:
    """Whether this is an entry of today's schema beyond doubt, and says nothing but texts."""
    try:
        (
            id, stamp, type, session, user, origin, sum, content, scope, seq, worth, tags, points, more, hidden, pinned,
            version,
        ) = _usual(record)  # fmt: skip
        place = record.get("workspace", "")
        "".join((id, type, session, user, origin, sum, place, *tags, *points, *content.values()))  # refuses all else
        return (
            len(record) == (_FIELDS + 1 if "workspace" in record else _FIELDS) and scope in SCOPES and more == {}
            and tags.__class__ is points.__class__ is list and version.__class__ is seq.__class__ is int
            and version == SCHEMA_VERSION and 0 <= seq <= _LAST_SEQ
            and worth.__class__ is float and 0.0 <= worth <= 1.0 and hidden is pinned is False
            and _is_stamp(stamp) is not None
        )  # fmt: skip
    except (KeyError, TypeError, AttributeError):
        return False


def is_entry(record: Mapping[str, Any]) -> bool:
    """Whether this is an entry of today's schema; a field that is not needed may be missing."""
    return _is_made_of(record, _ENTRY, ("schema_version", "id", "scope", "timestamp", "type", "content"))


def is_amendment(record: Mapping[str, Any]) -> bool:
    """Whether this is an amendment; names in its `set` that nobody knows change nothing."""
    return _is_made_of(record, _AMENDMENT, ("schema_version", "seq", "amends", "by", "timestamp", "set"))


def is_header(record: Mapping[str, Any]) -> bool:
    """Whether this tells of a journal what a header has to tell."""
    return _is_made_of(record, _HEADER)


def is_card(record: Mapping[str, Any]) -> bool:
    """Whether this tells of a journal what a card has to tell."""
    return _is_made_of(record, _CARD, ("created_at",))


def is_path(value: str) -> bool:
    """Whether a text can be a path, as callers have to give one."""
    sized = 1 <= len(value) <= PATH_LENGTH and bool(value.strip())
    return sized and (value.isprintable() or not re.search(CONTROL, value))


def is_tombstone(record: Mapping[str, Any]) -> bool:
    """Whether this says of an entry that it was deleted."""
    return _is_made_of(record, _TOMBSTONE, ("id", "timestamp", "reason"))


def _is_made_of(record: Mapping[str, Any], kinds: Kinds, needed: tuple[str, ...] = ()) -> bool:
    if any(name not in record for name in needed):
        return False
    for name, value in record.items():
        if (name in kinds and not kinds[name](value)) or (value.__class__ in _CHECKED and not _is_storable(value)):
            return False
    return True


_CHECKED = frozenset((dict, list, float))


def _is_storable(value: Any, levels: int = _LEVELS) -> bool:
    """Whether it could be written again: 1e999 is JSON and gives infinity, which is not."""
    if isinstance(value, float):
        return value - value == 0
    found = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_storable(item, levels - 1) for item in found if item.__class__ in _CHECKED)


def _of(kinds: Kinds) -> Callable[[Any], bool]:
    """An object with fields of these kinds, and any others."""
    return lambda value: isinstance(value, dict) and all(kinds[name](value[name]) for name in kinds if name in value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _may_be(is_kind: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or is_kind(value)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_number(value: Any) -> bool:
    """One that can be reckoned with: whole numbers may be too long for a float, and products of floats without end."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -_LAST_SEQ <= value <= _LAST_SEQ


def _is_share(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= 1


def _is_span(value: Any) -> bool:
    return _is_number(value) and 0 < value < _LAST_SEQ


def _is_count(value: Any) -> bool:
    return value.__class__ is int and 0 <= value <= _LAST_SEQ


def _is_flag(value: Any) -> bool:
    return value is True or value is False


def _is_scope(value: Any) -> bool:
    return _is_text(value) and value in SCOPES


def _is_time(value: Any) -> bool:
    try:
        return _is_text(value) and millis(value) >= 0
    except (ValueError, Invalid):
        return False


_is_object = _of({})
_LABELS: Kinds = {"importance": _is_number, "tags": _is_texts, "pinned": _is_flag, "sensitive": _is_flag}
_ENTRY: Kinds = {
    **_LABELS, "schema_version": _is_count, "seq": _is_count, "id": _is_text, "scope": _is_scope,
    "timestamp": _is_time, "type": _is_text, "references": _is_texts, "metadata": _is_object,
    "compacted": _is_flag, "content": _of(dict.fromkeys(("text", "role", "author"), _may_be(_is_text))),
    **dict.fromkeys(("session_id", "user_id", "workspace", "key", "tool", "path", "provenance", "checksum"), _is_text),
}  # fmt: skip
_AMENDMENT: Kinds = {
    "schema_version": _is_count, "seq": _is_count, "amends": _is_text, "by": _is_text, "timestamp": _is_time,
    "set": _of({**_LABELS, "text": _is_text}), "checksum": _is_text,
}  # fmt: skip
_TOMBSTONE: Kinds = dict.fromkeys(("id", "timestamp", "reason", "digest", "compacted_at"), _is_text)
_HEADER: Kinds = {
    **dict.fromkeys(("id", "kind", "user_id", "key", "workspace"), _is_text), "generation": _is_count,
    "next_seq": _is_count, "created_at": _is_time,
}  # fmt: skip
_DECAY: Kinds = {"enabled": _is_flag, "half_life_hours": _may_be(_is_span), "min_decay_factor": _is_share}
_CARD: Kinds = {
    **dict.fromkeys(("id", "session_id", "kind", "key", "user_id", "workspace"), _may_be(_is_text)),
    **dict.fromkeys(("channel", "title", "continues"), _may_be(_is_text)), "created_at": _is_time,
    **dict.fromkeys(("last_accessed", "ended_at", "last_compaction"), _may_be(_is_time)),
    **dict.fromkeys(("version", "total_entries", "total_size_bytes"), _is_count),
    **dict.fromkeys(("preferences", "statistics"), _may_be(_is_object)),
    "compaction_config": _may_be(_of({"auto_compact": _is_flag, "threshold": _is_share})),
    "decay_config": _may_be(_of({**_DECAY, "type_specific": lambda value: _is_object(value) and all(
        map(_of({**_DECAY, "decay_enabled": _is_flag}), value.values())
    )})),
}  # fmt: skip
