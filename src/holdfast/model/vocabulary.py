"""Other systems' names for kinds of memory, and the type that each of them is here (docs/glossary.md, C43, C45).

Writing and filtering read the same table: `prompt` is a conversation entry with role `user`, `tool_result`
an event of that kind, plurals are their singular. Only our own names are ever stored or shown.
"""

from __future__ import annotations

from .entry import TYPES
from .value import Value

_ROLE_OF = {"prompt": "user", "user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_EVENTS = ("tool_use", "tool_result", "approval", "permission", "error")
_OTHER = {
    "message": "conversation", "user_memory": "preference", "session_summary": "summary", "file": "artifact",
    "memory": "note",
}  # fmt: skip
RECORDS = tuple(name for name in TYPES if name != "fact")  # what the seeds' `records` are, beside `facts`


class Meaning(Value):
    """A name understood: our type and, where the name says more, role and kind."""

    type: str
    role: str | None = None
    kind: str | None = None


def meaning(name: str) -> Meaning | None:
    """What a type's name means, in our words; None for a name that nobody uses."""
    for form in _forms(name.strip().lower().replace("-", "_")):
        if form in TYPES:
            return Meaning(type=form)
        if form in _ROLE_OF:
            return Meaning(type="conversation", role=_ROLE_OF[form])
        if form in _EVENTS:
            return Meaning(type="event", kind=form)
        if form in _OTHER:
            return Meaning(type=_OTHER[form])
        if form == "assistant_tool_call":
            return Meaning(type="conversation", role="assistant", kind="tool_calls")
    return None


def _forms(name: str) -> tuple[str, ...]:
    """The name, and what it may be the plural of."""
    if name.endswith("ies"):
        return name, name[:-3] + "y"
    return (name, name[:-1]) if name.endswith("s") else (name,)
