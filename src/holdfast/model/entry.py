"""Entry, Amendment and Tombstone: what a journal remembers, as frozen values.

Owns the names, order and kinds of the fields that docs/format.md describes. It never validates (the
guard does, once, at the edge) and never encodes (`journal.line` does). An entry's `content`
always has `text`, the searchable words.
"""

from __future__ import annotations

from ..errors import Invalid, NotFound
from .value import FrozenDict, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

SCHEMA_VERSION = 1
TYPES = (
    "conversation", "decision", "finding", "preference", "fact", "event", "artifact", "summary", "note",
)  # fmt: skip
SCOPES = ("session", "user", "global")
ROLES = ("user", "assistant", "system", "tool")
AMENDABLE = ("importance", "tags", "pinned", "sensitive", "text")
REASONS = ("user", "topic", "time_range", "session", "forget", "retention", "superseded", "undelete")


class Draft(Value):
    """A validated and redacted entry that no journal has taken yet: no seq, no checksum."""

    id: str
    scope: str
    session_id: str | None
    user_id: str | None
    workspace: str | None = None
    timestamp: str
    type: str
    content: FrozenDict
    importance: float = 0.5
    tags: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    key: str | None = None
    tool: str | None = None
    path: str | None = None
    metadata: FrozenDict = FrozenDict()
    provenance: str = "user"
    sensitive: bool = False
    pinned: bool = False
    withheld: tuple[str, ...] = ()  # fields the guard would not store; told to the caller, never written
    chosen_id: bool = False  # the caller named the id, so a repeat must be recognised (D33); never written


class Entry(Value):
    """One remembered thing: a line of a journal with its amendments folded in."""

    schema_version: int = SCHEMA_VERSION
    seq: int
    id: str
    scope: str
    session_id: str | None = None
    user_id: str | None = None
    workspace: str | None = None
    timestamp: str
    type: str
    content: FrozenDict
    importance: float = 0.5
    tags: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    key: str | None = None
    tool: str | None = None
    path: str | None = None
    metadata: FrozenDict = FrozenDict()
    provenance: str = "user"
    sensitive: bool = False
    pinned: bool = False
    compacted: bool = False
    checksum: str | None = None
    extra: FrozenDict = FrozenDict()  # fields of later versions, kept as found
    durable: bool = True  # what the writer was told; not stored
    withheld: tuple[str, ...] = ()  # likewise

    @property
    def text(self) -> str:
        """The searchable words."""
        return str(self.content.get("text", ""))

    @property
    def role(self) -> str | None:
        """Who spoke, for conversation entries."""
        return self.content.get("role")

    @property
    def author(self) -> str | None:
        """The speaker's name, where one was given."""
        return self.content.get("author")

    def __getitem__(self, field: str) -> Any:
        """Fields by name, as in the seeds' JSON (`entry["content"]["message"]`)."""
        try:
            return getattr(self, field)
        except AttributeError:
            raise KeyError(field) from None

    def to_dict(self) -> dict[str, Any]:
        """The entry as JSON shows it: stored fields in order; nothing that is None."""
        shown = {name: getattr(self, name) for name in STORED if getattr(self, name) is not None}
        if not self.compacted:
            del shown["compacted"]
        shown.update(self.extra)
        if self.checksum is not None:
            shown["checksum"] = self.checksum
        return {name: list(value) if isinstance(value, tuple) else value for name, value in shown.items()}


# In the order in which a line holds them; `checksum` follows as the last.
STORED = tuple(name for name in Entry._fields if name not in ("checksum", "extra", "durable", "withheld"))


class Amendment(Value):
    """A change after the fact: `set` holds new values for AMENDABLE fields (D9)."""

    schema_version: int = SCHEMA_VERSION
    seq: int
    amends: str
    timestamp: str
    by: str
    set: FrozenDict
    checksum: str | None = None


class Tombstone(Value):
    """The lasting mark that an entry was deleted; holds no text (D10)."""

    id: str
    timestamp: str
    reason: str  # one of REASONS; "undelete" lifts the mark
    digest: str | None = None
    compacted_at: str | None = None

    @property
    def hides(self) -> bool:
        return self.reason != "undelete"

    @property
    def final(self) -> bool:
        """Whether the entry was erased, or is about to be: nothing brings it back."""
        return self.hides and (self.reason == "forget" or self.compacted_at is not None)


def require_unerased(id: str, last: Mapping[str, Tombstone]) -> None:
    """NotFound for what was erased meanwhile; `last` is what a journal says of it under its lock."""
    if id in last and last[id].final:
        raise NotFound(f"entry {id} was erased meanwhile and cannot be changed any more", id=id)


def require_standing(journal: str, last: Mapping[str, Tombstone]) -> None:
    """NotFound for a session that was forgotten, or is about to be: its id, and its numbers, are never used again.

    The id of any other journal is made from a name, which may come again.
    """
    if journal.startswith("sess_") and journal in last and last[journal].final:
        raise NotFound(f"session {journal} was forgotten; begin another one", session=journal, journal=journal)


def require_unused(drafts: Iterable[Draft], last: Mapping[str, Tombstone]) -> None:
    """No chosen id of what was erased: a forget came first, and its words would come back."""
    for draft in drafts:
        if draft.chosen_id and draft.id in last and last[draft.id].final:
            raise Invalid(
                f"entry {draft.id} cannot be used: it is taken or was deleted; leave the id out to be given one",
                field="id", id=draft.id,
            )  # fmt: skip


def still_due(stones: Iterable[Tombstone], last: Mapping[str, Tombstone]) -> list[Tombstone]:
    """Those of these that say more than what stands: an erasure is neither lifted, which is NotFound, nor made less."""
    due = []
    for stone in stones:
        if not stone.hides:
            require_unerased(stone.id, last)
        if stone.reason == "forget" or stone.id not in last or not last[stone.id].final:
            due.append(stone)
    return due


def standing(stones: Iterable[Tombstone]) -> dict[str, Tombstone]:
    """The tombstones that hide something: the last one of each id, unless it lifts the mark."""
    latest = {stone.id: stone for stone in stones}
    return {id: stone for id, stone in latest.items() if stone.hides}


def amended(entry: Entry, change: Amendment) -> Entry:
    """The entry with one amendment folded in."""
    values: dict[str, Any] = {name: change.set[name] for name in AMENDABLE if name in change.set}
    if "tags" in values:
        values["tags"] = tuple(values["tags"])
    if "text" in values:
        content = {**entry.content, "text": values.pop("text")}
        if entry.type == "decision" and "decision" in content:  # elsewhere it is a word of the caller's own
            content["decision"] = content["text"]
        values["content"] = FrozenDict(content)
    return entry.replace(**values)
