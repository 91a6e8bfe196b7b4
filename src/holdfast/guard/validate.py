"""Validation, once, at the edge: what a caller gives becomes a Draft or an Invalid that names the field.

The type of an entry that names none: `decision` if it gives a decision, `preference` with a key, `event`
with a kind, `conversation` with a role or an author, otherwise `note`. None means "not given" for every field. Nothing
here reads a store or changes words: redaction follows (`guard.redaction`).
"""

from __future__ import annotations

from ..model.entry import AMENDABLE, SCOPES, TYPES, Draft
from ..model.ids import entry_id as new_id
from ..model.moment import iso, parse
from ..model.shape import PATH_LENGTH
from . import content as contents
from . import fields as rules
from .content import metadata
from .fields import (
    agent,
    broken,
    depth,
    entry_id,
    limit,
    memory_key,
    memory_text,
    offset,
    references,
    session_key,
    share,
    short,
    tags,
    user,
    workspace,
)  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

__all__ = [
    "FIELDS", "WHERE", "agent", "changes", "depth", "draft", "entry_id", "limit", "memory_key", "memory_text",
    "metadata", "offset", "references", "session_key", "share", "short", "tags", "user", "workspace",
]  # fmt: skip

FIELDS = (
    *contents.CONTENT_FIELDS, "content", "type", "importance", "tags", "references", "key", "tool", "path", "metadata",
    "provenance", "sensitive", "pinned", "timestamp", "id",
)  # fmt: skip
WHERE = ("session", "user", "scope", "workspace")  # beside those of the entry: which journal it goes to
_TOOL_LENGTH = 128
_SIMPLE: dict[str, Callable[[Any, str], Any]] = {
    "importance": rules.share, "tags": rules.tags, "references": rules.references,
    "sensitive": rules.flag, "pinned": rules.flag,
}  # fmt: skip


def draft(
    given: Mapping[str, Any], *, scope: str, session_id: str | None, user_id: str | None, workspace: str | None,
    now: int,
) -> Draft:  # fmt: skip
    """A validated entry for this place, with an id and a time of its own if the caller named none."""
    _scope(scope)
    place: dict[str, Any] = {
        "scope": scope, "session_id": session_id, "user_id": None if scope == "global" else user_id,
        "workspace": workspace,
    }  # fmt: skip
    if "content" not in given and len(parts := contents.joined(given)) == len(given):
        return _spoken(parts, now, place)
    _known(given, FIELDS, WHERE)
    named, parts = _named(given, contents.joined(given))
    said = contents.content_of(parts, named["type"])
    time = now if named.get("timestamp") is None else parse(named["timestamp"])
    chosen = named.get("id") is not None
    values = {name: rule(named[name], name) for name, rule in _SIMPLE.items() if named.get(name) is not None}
    return Draft(
        id=rules.new_id(named["id"]) if chosen else new_id(time), chosen_id=chosen, timestamp=iso(time),
        type=named["type"], content=said, key=_key(named, scope, said["text"]),
        **place, **_captured(named, said), **values,
    )  # fmt: skip


def _spoken(parts: dict[str, Any], now: int, place: dict[str, Any]) -> Draft:
    """An entry of which only the content was given, as of most turns."""
    type_ = _usual_type({}, parts)
    said = contents.content_of(parts, type_)
    provenance = _usual_provenance(said, None)
    return Draft(id=new_id(now), timestamp=iso(now), type=type_, content=said, provenance=provenance, **place)


def _known(given: Mapping[str, Any], names: tuple[str, ...], beside: tuple[str, ...] = ()) -> None:
    """Invalid for any other name; those `beside` were taken out before, and are told of."""
    for name in given:
        if name not in names:
            allowed = (*names, *beside)
            rule = f"is not a field{rules.hint(name, allowed)}; allowed are {', '.join(allowed)}"
            raise broken(rules.shown(name), rule, allowed=allowed)


def _named(given: Mapping[str, Any], said: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields and what is said in them, the type in our words; a seed's name brings its role or kind along."""
    name = given.get("type")
    if name is None:
        return {**given, "type": _usual_type(given, said)}, said
    if isinstance(name, str) and name in TYPES:
        return dict(given), said
    from ..model.vocabulary import meaning  # other words than ours: those of the seeds, or a mistake

    found = meaning(name) if isinstance(name, str) else None
    if found is None:
        rule = f"must be one of {', '.join(TYPES)}, not {rules.shown(name)!r}{rules.hint(name, TYPES)}"
        raise broken("type", rule, allowed=TYPES)
    brought = {"role": found.role, "kind": found.kind}
    named = {**given, "type": found.type, **{k: v for k, v in brought.items() if v is not None and k not in said}}
    return named, contents.joined(named)


def _usual_type(given: Mapping[str, Any], said: Mapping[str, Any]) -> str:
    if said.get("decision") is not None:
        return "decision"
    if given.get("key") is not None:
        return "preference"
    if said.get("kind") is not None:
        return "event"
    spoken = said.get("role") is not None or said.get("author") is not None
    return "conversation" if spoken else "note"


def _scope(given: str) -> str:
    if given not in SCOPES:
        rule = f"must be one of {', '.join(SCOPES)}{rules.hint(given, SCOPES)}"
        raise broken("scope", rule, allowed=SCOPES)
    return given


def _key(named: Mapping[str, Any], scope: str, text: str) -> str | None:
    """The key of a user memory, whose value is short."""
    if named.get("key") is None:
        return None
    if named["type"] != "preference" or scope != "user":
        raise broken("key", 'belongs to user memories: type "preference" and scope "user"')
    memory_text(text)
    return memory_key(named["key"])


def _captured(named: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """Tool, path, metadata and provenance as captured; what was not given is left out."""
    found: dict[str, Any] = {}
    if named.get("tool") is not None:
        found["tool"] = rules.line(named["tool"], "tool", _TOOL_LENGTH)
    if named.get("path") is not None:
        found["path"] = rules.line(named["path"], "path", PATH_LENGTH)
    if named.get("metadata") is not None:
        found["metadata"] = contents.metadata(named["metadata"])
    given = named.get("provenance")
    found["provenance"] = rules.provenance(given) if given is not None else _usual_provenance(said, found.get("tool"))
    return found


def _usual_provenance(said: Mapping[str, Any], tool: str | None) -> str:
    """The least trusted that fits: a tool's output is never taken for the agent's or the user's words."""
    if tool is not None or said.get("role") == "tool" or said.get("kind") == "tool_result":
        named = (letter if letter.isalnum() or letter in "_.:/@+-" else "_" for letter in tool or "unknown")
        return "tool:" + "".join(named)
    return "agent" if said.get("role") == "assistant" else "user"


def changes(given: Mapping[str, Any], *, type: str = "note", keyed: bool = False) -> dict[str, Any]:
    """The validated new values of an amendment of an entry of this type; `keyed` says that it is a user memory."""
    _known(given, AMENDABLE)
    found: dict[str, Any] = {
        name: rule(given[name], name) for name, rule in _SIMPLE.items() if given.get(name) is not None
    }
    if given.get("text") is not None:
        found["text"] = memory_text(given["text"]) if keyed else contents.spoken(given["text"], type)
    if not found:
        raise broken("changes", f"must name at least one of {', '.join(AMENDABLE)}")
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}
