"""Carried: a card as a file has it, checked like what a caller gives, or Invalid before anything is written.

A card becomes a directory, a header and the settings of a session. One that is not right would fail when its session
is made, behind entries that are stored already, or later in every search.
"""

from __future__ import annotations

from ..errors import Invalid
from ..guard import content, fields, overrides
from ..guard.redaction import identifier
from ..model.card import CARD_VERSION, Card
from ..model.ids import SESSION_ID, user_dir
from ..model.moment import iso, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..model.value import FrozenDict


def carried(data: dict[str, Any]) -> Card:
    """The card; its id must be one of ours, since it becomes a directory."""
    given = {name: value for name, value in data.items() if value is not None}
    user = identifier(fields.user(given.get("user_id"), "card.user_id"), "card.user_id")
    kind: Any = given.get("kind", "session")
    id: Any = given.get("id", given.get("session_id"))
    if kind not in ("session", "user"):
        raise Invalid("card.kind must be session or user", field="card.kind")
    if not (id == user_dir(user) if kind == "user" else isinstance(id, str) and SESSION_ID.match(id)):
        raise Invalid("is a card without the id of a session or user", field="card.id")
    checked = {name: rule(given[name], f"card.{name}") for name, rule in _RULES.items() if name in given}
    if "created_at" not in checked:
        raise Invalid("card.created_at must say when it was made", field="card.created_at")
    extra = {name: value for name, value in data.items() if name not in Card._fields and name != "session_id"}
    if kind == "session":
        checked["key"] = checked.get("key") or id
    return Card(id=id, kind=kind, user_id=user, extra=content.metadata(extra, "card"), **checked)


def _name(given: Any, field: str) -> str:
    return identifier(fields.text(given, field), field)


def _time(given: Any, field: str) -> str:
    return iso(parse(given, field))


def _count(given: Any, field: str) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given < 1 << 63:
        raise Invalid(f"{field} must be a whole number", field=field)
    return given


def _version(given: Any, field: str) -> int:
    if _count(given, field) > CARD_VERSION:
        raise Invalid(f"{field} is of a later Holdfast; upgrade this one", field=field)
    return CARD_VERSION


def _object(rule: Callable[[Any], FrozenDict]) -> Callable[[Any, str], FrozenDict]:
    return lambda given, field: rule(fields.named(given, field))


_RULES: dict[str, Callable[[Any, str], Any]] = {
    "version": _version, "key": _name, "workspace": _name,
    "title": fields.text, "channel": fields.text, "continues": fields.text,
    "created_at": _time, "last_accessed": _time, "ended_at": _time, "last_compaction": _time,
    "total_entries": _count, "total_size_bytes": _count,
    "decay_config": _object(overrides.decay), "compaction_config": _object(overrides.compaction),
    "preferences": _object(overrides.preferences), "statistics": content.metadata,
}  # fmt: skip
