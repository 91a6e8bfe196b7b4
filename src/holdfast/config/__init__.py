"""Settings: one table, read from argument, environment and TOML, and edited without losing comments.

The only reader of the environment and of TOML. `load` gives immutable `Settings`; `settings["recall.limit"]`
is a value. Reading imports next to nothing; what edits or documents is loaded when first used.
"""

from __future__ import annotations

from .read import FILE, WORKSPACE_FILE, Explained, Settings, default_home, load
from .table import TABLE, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .edit import alias_workspace, set_value, unset
    from .omitted import NOT_SETTINGS, OTHER_DEFAULTS

__all__ = [
    "FILE", "NOT_SETTINGS", "OTHER_DEFAULTS", "TABLE", "WORKSPACE_FILE", "Explained", "Row", "Settings",
    "alias_workspace", "default_home", "load", "set_value", "unset",
]  # fmt: skip

_LATER = {
    "set_value": "edit", "unset": "edit", "alias_workspace": "edit",
    "NOT_SETTINGS": "omitted", "OTHER_DEFAULTS": "omitted",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_LATER[name]}", __name__), name)
