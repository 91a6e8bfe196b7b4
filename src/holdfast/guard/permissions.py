"""Permissions: who may see and change whose memory (P049-P052, D1).

The only maker of Scopes for callers. The owner, code that opened the home, may name any user; a
principal is its own user, holds `read` and `write` for its sessions and its user, and needs a grant
for everything global. What is not granted is Denied, with the name of the grant.
"""

from __future__ import annotations

from ..errors import Denied
from ..model.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.scope import Caller

EVERYONE = "*"


def scope_for(
    caller: Caller, agent: str, *, user: str | None, default_user: str, act: str = "read", level: str = "session",
    sessions: tuple[str, ...] = (), workspace: str | None = None, loose: bool = False,
) -> Scope:  # fmt: skip
    """The scope of a call, or Denied."""
    whose = default_user if user is None else user
    if whose == EVERYONE:
        _need(caller, f"{act}:global")
    elif not caller.owner and whose != caller.user:
        _need(caller, f"{act}:global", whose=whose)
    _need(caller, f"{act}:{level}")
    return Scope(
        agent=agent, user=None if whose == EVERYONE else whose, sessions=sessions, workspace=workspace, loose=loose,
        shared=f"{act}:global" in caller.grants,  # who may only read what all share cannot reach it to change it
    )  # fmt: skip


def may_see(caller: Caller, scope: str, user_id: str | None) -> bool:
    """Whether an entry of this scope and user is one that the caller could be shown."""
    return caller.owner or "read:global" in caller.grants or (scope != "global" and user_id == caller.user)


def _need(caller: Caller, grant: str, whose: str | None = None) -> None:
    if grant not in caller.grants:
        of = "another user's memory" if whose is not None else "this"
        raise Denied(f"{of} needs the grant {grant}; the owner of the home can give it", grant=grant)
