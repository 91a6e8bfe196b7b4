"""Card: what is known of a journal besides its entries (A032-A039), kept in `metadata.json`.

Sessions, users and the agent's global journal each have one. Counts in it are as of the last
close or compaction (a card rewritten for every entry would double each write); `get_session_stats`
counts live. Overrides that the session did not set are absent, never copied from the defaults (C27).
"""

from __future__ import annotations

from .shape import is_path
from .value import FrozenDict, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

CARD_VERSION = 1


class Card(Value):
    """The card of a session, user or global journal."""

    version: int = CARD_VERSION
    id: str  # the journal's id: sess_…, u_…, or "global"
    kind: str = "session"  # session, user, global
    key: str | None = None
    user_id: str | None = None
    workspace: str | None = None
    channel: str | None = None
    title: str | None = None
    created_at: str
    last_accessed: str | None = None
    ended_at: str | None = None
    continues: str | None = None  # the session that this one goes on from
    total_entries: int = 0
    total_size_bytes: int = 0
    decay_config: FrozenDict = FrozenDict()  # enabled, half_life_hours, min_decay_factor, type_specific
    compaction_config: FrozenDict = FrozenDict()  # auto_compact, threshold
    preferences: FrozenDict = FrozenDict()  # language, verbosity, custom
    statistics: FrozenDict = FrozenDict()
    last_compaction: str | None = None
    extra: FrozenDict = FrozenDict()

    def to_dict(self) -> dict[str, Any]:
        """As written to `metadata.json`; `session_id` as in the seeds' card."""
        shown = {name: value for name, value in self._items() if value is not None and name != "extra"}
        if self.kind == "session":
            shown = {"version": self.version, "session_id": self.id, **shown}
        return {**shown, **self.extra}


def card_from(data: dict[str, Any]) -> Card:
    """The card that a parsed `metadata.json` holds; unknown fields are kept."""
    known = {name: data[name] for name in Card._fields if name in data and name != "extra"}
    known["workspace"] = workspace_of(known.get("workspace"))
    for name in ("decay_config", "compaction_config", "preferences", "statistics"):
        known[name] = FrozenDict(known.get(name) or {})
    known.setdefault("id", data.get("session_id"))
    extra = {k: v for k, v in data.items() if k not in Card._fields and k != "session_id"}
    return Card(**known, extra=FrozenDict(extra))


def workspace_of(given: str | None) -> str | None:
    """What a file names as a session's workspace; none if no caller could, or nobody could ask within the session."""
    return given if given is not None and is_path(given) else None


_COUNTED = ("conversations", "decisions", "findings", "preferences")  # shown even when there are none (A036)


def statistics_of(types: Iterable[str]) -> FrozenDict:
    """How many entries there are of each type, under the plural names of the seeds' card."""
    counts = dict.fromkeys(_COUNTED, 0)
    for type in types:
        name = "summaries" if type == "summary" else type + "s"
        counts[name] = counts.get(name, 0) + 1
    return FrozenDict(counts)
