"""Relevance: importance, decay and recency of an entry, and what they may do to its rank.

Decay is `max(floor, 2^(-age/half-life))`, computed when asked and never stored; age is never negative,
so a clock that is ahead gives no boost. Preferences, facts and pinned entries do not decay. A session's
card may override (C27). `relevance` is the seeds' product (A080), clamped to 0..1; `influence` bounds
what the same factors may do to a match, since a floor of 0.1 would bury any answer of last month.
"""

from __future__ import annotations

from ..model.moment import HOUR_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..config import Settings
    from ..model.query import Row

    Sessions = Mapping[str, tuple[str | None, Mapping[str, Any]]]  # key and decay overrides, by id

LASTING = ("preference", "fact")
_HOURS = {
    "conversation": "decay.conversation_hours",
    "finding": "decay.finding_hours",
    "decision": "decay.decision_hours",
}


class Ranking:
    """The factors of rows at one moment, for one asker."""

    def __init__(
        self, settings: Settings, now: int, workspace: str | None = None, sessions: Sessions | None = None
    ) -> None:
        self._now, self._workspace, self._sessions = now, workspace, sessions or {}
        self._overrides = {id: decay for id, (_key, decay) in self._sessions.items() if decay}
        self._enabled: bool = settings["decay.enabled"]
        self._floor: float = settings["decay.floor"]
        self._hours: dict[str, float] = {type: settings[name] for type, name in _HOURS.items()}
        self._default_hours: float = settings["decay.half_life_hours"]
        self._boost: float = settings["decay.recency_boost"]
        self._recent_ms: float = settings["decay.recency_hours"] * HOUR_MS
        self._pin: float = settings["recall.pin_boost"]
        self._near: float = settings["recall.workspace_boost"]
        self.influence: float = settings["recall.influence"]

    def factors(self, row: Row, match: float = 1.0, recalls: bool = True) -> dict[str, float]:
        """Every factor of a row's relevance, by name; `recalls` lets being recalled count as recent."""
        return {
            "match": match, "importance": row.importance, "decay": self.decay(row),
            "recency": self.recency(row, recalls), "pin": self._pin if row.pinned else 1.0,
            "workspace": self._near if self._workspace is not None and row.workspace == self._workspace else 1.0,
        }  # fmt: skip

    def weights(self, rows: Sequence[Row], recalls: bool = True) -> list[float]:
        """The product of all factors of each row but the match; boosts may take it above 1."""
        recent = self._now - self._recent_ms
        found = []
        for row in rows:
            product = row.importance * self.decay(row)
            if row.time > recent or (recalls and row.recalled > recent):
                product *= self.recency(row, recalls)
            if row.pinned:
                product *= self._pin
            if self._workspace is not None and row.workspace == self._workspace:
                product *= self._near
            found.append(product)
        return found

    def decay(self, row: Row, floored: bool = True) -> float:
        """How much of an entry's importance its age has left."""
        if row.pinned or row.type in LASTING:
            return 1.0
        floor = self._floor
        half_life: float | None = self._hours.get(row.type, self._default_hours)
        if self._overrides and (own := self._overrides.get(row.session_id or "")):
            floor, half_life = own.get("min_decay_factor", floor), self._half_life(row.type, own)
        elif not self._enabled:
            return 1.0
        age = (self._now - row.time) / HOUR_MS
        if age <= 0 or half_life is None:
            return 1.0
        left: float = 2.0 ** (-age / half_life)
        return floor if floored and left < floor else left

    def key(self, session: str | None) -> str | None:
        """The key of a session, where it has one."""
        return self._sessions[session][0] if session is not None and session in self._sessions else None

    def _half_life(self, type: str, own: Mapping[str, Any]) -> float | None:
        """The session's for the type, the session's for all, the setting for the type, the setting for all (C27)."""
        if not own.get("enabled", self._enabled):
            return None
        named = own.get("type_specific", {}).get(type, {})
        if named.get("decay_enabled") is False:
            return None
        for found in (named.get("half_life_hours"), own.get("half_life_hours")):
            if isinstance(found, (int, float)) and found > 0:  # a card may have been edited by hand
                return float(found)
        return float(self._hours.get(type, self._default_hours))

    def recency(self, row: Row, recalls: bool = True) -> float:
        """A boost that falls to 1 over a day since the entry was made or recalled."""
        last = max(row.time, row.recalled) if recalls else row.time
        since = self._now - last if last < self._now else 0
        if since >= self._recent_ms:
            return 1.0
        return 1.0 + (self._boost - 1.0) * (1.0 - since / self._recent_ms)


def relevance(factors: Mapping[str, float]) -> float:
    """importance × decay × recency × match × pin × workspace, within 0..1."""
    product = 1.0
    for name in ("importance", "decay", "recency", "match", "pin", "workspace"):
        product *= factors[name]
    return min(1.0, max(0.0, product))


def influence(weight: float, most: float) -> float:
    """A factor between 1 - most and 1: what everything but the match may do to a score."""
    return 1.0 - most * (1.0 - weight) if weight < 1.0 else 1.0
