"""Filters: what a caller asks for, checked and resolved to a Filter.

Accepts one value or a list, the seeds' words for types (C45) and their shapes for tags and times, and
refuses what it does not know by name, so that a misspelt filter cannot silently match everything. Nor can an empty
list: nothing is among none, and a caller whose list came out empty must not be handed, or hide, all there is.
"""

from __future__ import annotations

from ..errors import Invalid
from ..guard import fields, validate
from ..model.entry import ROLES, SCOPES, TYPES
from ..model.query import Filter
from ..model.vocabulary import RECORDS, Meaning, meaning
from ..text.nearest import did_you_mean
from .times import span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAMES = (
    "types", "tags", "since", "until", "min_importance", "scopes", "provenance", "roles", "pinned", "sensitive",
    "ids", "keys", "hidden",
)  # fmt: skip
_TAG_PARTS = ("include", "any", "exclude")
_ALL_BUT_FACTS = ("record", "records")
PROVENANCES = ("user", "agent", "file", "web", "tool", "import")


def build(given: Mapping[str, Any], *, now: int, zone: str = "") -> Filter:
    """A Filter from keyword filters; None means "not restricted"."""
    if not given:
        return Filter()
    for name in given:
        if name not in NAMES:
            raise Invalid(
                f"{name} is not a filter{did_you_mean(name, NAMES)}; there are {', '.join(NAMES)}", field=name
            )
    since, until = span(given.get("since"), given.get("until"), now, zone)
    types, roles = _types(given.get("types"))
    least = given.get("min_importance")
    tags = _tags(given.get("tags"))
    return Filter(
        types=types, tags_all=tags["include"], tags_any=tags["any"], tags_none=tags["exclude"],
        since=since, until=until,
        min_importance=None if least is None else validate.share(least, "min_importance"),
        scopes=_among(given.get("scopes"), SCOPES, "scopes"),
        roles=_among(given.get("roles"), ROLES, "roles") or roles,
        provenance=_provenance(given.get("provenance")), keys=_several(given.get("keys"), "keys"),
        ids=_several(given.get("ids"), "ids"), pinned=_flag(given, "pinned"), sensitive=_flag(given, "sensitive"),
        hidden=bool(_flag(given, "hidden")),
    )  # fmt: skip


def _several(given: Any, field: str) -> tuple[str, ...]:
    found = _listed(given, field)
    if given is not None and not found:
        raise _empty(field)
    return found


def _empty(field: str) -> Invalid:
    return Invalid(f"{field} is an empty list, which no entry passes; leave it out not to narrow by it", field=field)


def _listed(given: Any, field: str) -> tuple[str, ...]:
    if given is None:
        return ()
    items = (given,) if isinstance(given, str) else given
    if not isinstance(items, (list, tuple, set, frozenset)) or not all(isinstance(item, str) for item in items):
        raise Invalid(f"{field} must be text or a list of texts", field=field)
    return tuple(dict.fromkeys(fields.text(item, field) for item in items))


def _among(given: Any, allowed: tuple[str, ...], field: str) -> tuple[str, ...]:
    items = _several(given, field)
    for item in items:
        if item not in allowed:
            raise Invalid(f"{field} must be among {', '.join(allowed)}{did_you_mean(item, allowed)}", field=field)
    return items


def _provenance(given: Any) -> tuple[str, ...]:
    """Whole ones or their first word: `tool` covers `tool:grep`."""
    items = _several(given, "provenance")
    _among([item.partition(":")[0] for item in items] or None, PROVENANCES, "provenance")
    return items


def _types(given: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Our types, and the roles that seeds' names such as `prompt` mean; `records` is everything but facts."""
    names = [name for item in _several(given, "types") for name in (RECORDS if item in _ALL_BUT_FACTS else (item,))]
    found = [_meant(name) for name in names]
    roles = {meant.role for meant in found if meant.role is not None}
    if roles and not all(meant.role for meant in found):
        raise Invalid(f"types {', '.join(names)} do not go together; say types=conversation and roles", field="types")
    return tuple(dict.fromkeys(meant.type for meant in found)), tuple(sorted(roles))


def _meant(name: str) -> Meaning:
    """One type, understood; a kind of event is not something that a filter can tell apart."""
    meant = meaning(name)
    if meant is None:
        raise Invalid(f"types must be among {', '.join(TYPES)}{did_you_mean(name, TYPES)}", field="types")
    if meant.kind is not None:
        raise Invalid(f"types cannot be narrowed to {name}; ask for {meant.type}", field="types")
    return meant


def _tags(given: Any) -> dict[str, tuple[str, ...]]:
    """All of these, any of these, none of these: the first and the last may be empty where another part is not."""
    parts = given if isinstance(given, dict) else {"include": given}
    for name in parts:
        if name not in _TAG_PARTS:
            raise Invalid(
                f"tags takes {', '.join(_TAG_PARTS)}, not {fields.shown(name)}{fields.hint(name, _TAG_PARTS)}",
                field="tags",
            )
    listed = {name: (_several if name == "any" else _listed)(parts.get(name), "tags") for name in _TAG_PARTS}
    if given is not None and not any(listed.values()):
        raise _empty("tags")
    return {name: validate.tags(items, "tags") for name, items in listed.items()}


def _flag(given: Mapping[str, Any], field: str) -> bool | None:
    value = given.get(field)
    if value is not None and not isinstance(value, bool):
        raise Invalid(f"{field} must be true or false", field=field)
    return value
