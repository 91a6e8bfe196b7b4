"""Forking: what happens to open indexes, and to imports under way, when the process forks (D34).

Before it, the gate is shut and every connection closed; both sides then open anew. An index that is at
work for longer than we wait is abandoned in the child instead: neither used nor closed there, because
closing would drop the parent's locks on live files.
A module that is being loaded is locked by the thread that loads it. A child has that lock but not that
thread: it would wait for ever at its own import. Our verbs load what they need when they are first used, so
a fork also waits, for a bounded time, until such imports are done.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import get_ident

from .gate import GATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .sqlite import SqliteIndex

WAIT_S = 5.0

OPEN: set[SqliteIndex] = set()
_abandoned: list[object] = []  # kept from being collected, and so from being closed

_PAUSE_S = 0.001
_PACKAGE = __name__.partition(".")[0]
_LOADED_LATE = (_PACKAGE, "numpy", "onnxruntime", "tokenizers")  # and the standard library, but nobody's own program
# CPython's locks of modules by name, weakly held: there is one only while somebody loads that module.
_loading: dict[str, Callable[[], Any]] = getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})


def _before() -> None:
    if OPEN and GATE.shut(WAIT_S):
        for index in list(OPEN):  # another thread may be opening one
            index.live.before_fork()
    _await_imports(WAIT_S)  # not before the gate is shut: who is inside may have to load something


def _await_imports(seconds: float) -> None:
    """Until nobody else loads what a child may need. The import lock is not taken meanwhile: another library's hook
    may wait for a thread that needs it."""
    deadline = time.monotonic() + seconds
    while any(map(_matters, _loaded_by_others())) and time.monotonic() < deadline:
        time.sleep(_PAUSE_S)


def _loaded_by_others() -> list[str]:
    me = get_ident()
    found = [(name, lock) for name, look in list(_loading.items()) if (lock := look()) is not None]
    return [name for name, lock in found if getattr(lock, "owner", me) != me]


def _matters(module: str) -> bool:
    root = module.partition(".")[0]
    return root in _LOADED_LATE or root in sys.stdlib_module_names


def _in_child() -> None:
    _drop_half_loaded()
    GATE.after_fork()
    _abandoned.extend(index.after_fork() for index in OPEN)


def _drop_half_loaded() -> None:
    """Modules of ours that began to load after we had looked are loaded anew when they are needed."""
    for name in _loaded_by_others():
        if name.partition(".")[0] == _PACKAGE:
            _loading.pop(name, None)
            if getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False):
                del sys.modules[name]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=GATE.reopen, after_in_child=_in_child)
