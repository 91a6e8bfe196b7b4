"""Scope and Caller: whose memory is meant, and who asks.

A Scope is what the guard hands out after it checked the caller; every port method takes one and
answers nothing outside it. `user=None` means every user of the agent, and exists only for callers
with the global grant and for upkeep of the whole agent.
"""

from __future__ import annotations

from .value import Value

GRANTS = tuple(f"{act}:{scope}" for scope in ("session", "user", "global") for act in ("read", "write"))
OWN = frozenset(grant for grant in GRANTS if not grant.endswith(":global"))
ALL = frozenset(GRANTS)


class Caller(Value):
    """Who asks. The owner (code that opened the home) may name any user; a principal only itself."""

    name: str = "owner"
    owner: bool = True
    user: str | None = None  # a principal's own user id
    grants: frozenset[str] = ALL


class Scope(Value):
    """Whose memory: one agent, one user or all, optionally narrowed to sessions and a workspace."""

    agent: str
    user: str | None
    sessions: tuple[str, ...] = ()  # session ids; empty: all of the user's
    workspace: str | None = None  # only entries of this workspace (and, with `loose`, those without one)
    loose: bool = False
    shared: bool = True  # entries of scope "global" are in sight (read:global)

    @property
    def everyone(self) -> bool:
        return self.user is None

    @property
    def narrow(self) -> bool:
        """Whether it is only a part of somebody's memory, or of everybody's."""
        return bool(self.sessions) or self.workspace is not None

    def sees(self, scope: str, user_id: str | None, session_id: str | None, workspace: str | None) -> bool:
        """Whether an entry with these fields lies within this scope."""
        if scope == "global":
            whose = self.shared
        else:
            whose = self.user is None or user_id == self.user
        if self.sessions and session_id not in self.sessions:
            return False
        if self.workspace is not None and workspace != self.workspace:
            return whose and self.loose and workspace is None
        return whose


def whole(agent: str) -> Scope:
    """Everything of an agent: for upkeep (catch-up, rebuild, verify), never for a caller's answer."""
    found = _wholes.get(agent)
    if found is None:
        found = _wholes[agent] = Scope(agent=agent, user=None)
    return found


_wholes: dict[str, Scope] = {}  # a write asks four times
