"""Forking: what happens to open indexes when the process forks (D34).

Before it, the gate is shut and every connection closed; both sides then open anew. An index that is at
work for longer than we wait is abandoned in the child instead: neither used nor closed there, because
closing would drop the parent's locks on live files.
"""

from __future__ import annotations

import os

from .gate import GATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .sqlite import SqliteIndex

WAIT_S = 5.0

OPEN: set[SqliteIndex] = set()
_abandoned: list[object] = []  # kept from being collected, and so from being closed


def _before() -> None:
    if OPEN and GATE.shut(WAIT_S):
        for index in OPEN:
            index.live.before_fork()


def _in_child() -> None:
    GATE.after_fork()
    _abandoned.extend(index.after_fork() for index in OPEN)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=GATE.reopen, after_in_child=_in_child)
