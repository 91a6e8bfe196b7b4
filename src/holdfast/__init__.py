"""Holdfast: the memory of AI agents, in plain files on your own disk.

    import holdfast

    memory = holdfast.open()
    session = memory.create_session("user123")
    session.add("How do I implement OAuth2?", role="user", tags=["oauth2"])
    memory.search("oauth flow", user="user123")

Importing this module is cheap and does nothing; parts load when they are used.
"""

from __future__ import annotations

from .errors import (
    BadConfig,
    Corrupt,
    Denied,
    FormatTooNew,
    HoldfastError,
    Invalid,
    Locked,
    MissingExtra,
    NotFound,
    ProviderFailed,
    SizeLimit,
    StorageFailed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from . import config as config
    from .aio import AsyncMemory, AsyncSession, AsyncUser, aopen
    from .handles import Session, User
    from .memory import Memory
    from .model.card import Card
    from .model.entry import Entry
    from .model.hit import Context, Counted, Entries, Hit, Listed, SearchResult
    from .model.receipt import Receipt
    from .model.scope import Caller, Scope
    from .wiring import open

__version__ = "0.1.0"

__all__ = [
    "AsyncMemory", "AsyncSession", "AsyncUser", "BadConfig", "Caller", "Card", "Context", "Corrupt", "Counted",
    "Denied", "Entries", "Entry", "FormatTooNew", "Hit", "HoldfastError", "Invalid", "Listed", "Locked", "Memory",
    "MissingExtra", "NotFound", "ProviderFailed", "Receipt", "Scope", "SearchResult", "Session", "SizeLimit",
    "StorageFailed", "User", "aopen", "open",
]  # fmt: skip

_LAZY = {
    "AsyncMemory": "aio", "AsyncSession": "aio", "AsyncUser": "aio", "Caller": "model.scope", "Card": "model.card",
    "Context": "model.hit", "Counted": "model.hit", "Entries": "model.hit", "Entry": "model.entry",
    "Hit": "model.hit", "Listed": "model.hit",
    "Memory": "memory", "Receipt": "model.receipt", "Scope": "model.scope", "SearchResult": "model.hit",
    "Session": "handles", "User": "handles", "aopen": "aio", "config": "config", "open": "wiring",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    module = __import__(f"{__name__}.{_LAZY[name]}", fromlist=["open"])
    found = module if _LAZY[name] == name else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
