"""Changing config.toml: one setting at a time, comments and order kept, nothing written that is wrong.

The changed text is read back as any process would read it, for every agent in it, before it takes
the old file's place atomically with mode 0600. A lock beside the file keeps two changes from losing
one another. A file that cannot be parsed is never replaced; one that holds other wrong settings can
be mended one setting at a time.
"""

from __future__ import annotations

import os

from ..disk import REAL, make_private_dir, refused, write_atomic
from ..errors import BadConfig, Invalid
from ..lock import Lock
from . import contradictions, toml, workspace
from .read import FILE, Settings
from .table import LATER
from .values import accept, accept_text, row_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping
    from typing import Any

    from tomlkit import TOMLDocument

    Change = Callable[[TOMLDocument], bool]

_LOCK_MS = 5000


def set_value(home: str, name: str, value: Any, agent: str | None = None) -> Any:
    """Write one setting, for the home or one agent; text is read as the kind of the setting. Returns the value."""
    row = row_of(name, "argument")
    read = accept_text if isinstance(value, str) else accept
    checked = read(row, value, "argument")
    if agent is not None and row.scope == "home":
        raise BadConfig(f"{name} is one for the whole home and cannot differ by agent", setting=name, origin="argument")
    if checked in LATER.get(name, ()):
        there = ", ".join(value for value in row.allowed if value not in LATER[name])
        raise BadConfig(
            f"{name} cannot be {checked} in this version; there are {there}", setting=name, origin="argument"
        )
    place = _place(name, agent)
    plain = list(checked) if isinstance(checked, tuple) else checked

    def change(document: TOMLDocument) -> bool:
        _table(document, place[:-1])[place[-1]] = plain
        return True

    _edit(home, change)
    return checked


def unset(home: str, name: str, agent: str | None = None) -> bool:
    """Remove one setting, so that the next source or the default holds; False if it was not set."""
    *tables, key = _place(name, agent)

    def change(document: TOMLDocument) -> bool:
        table: Any = document
        for step in tables:
            table = table.get(step) if isinstance(table, dict) else None
        return isinstance(table, dict) and table.pop(key, None) is not None

    removed = _edit(home, change)
    if not removed:
        row_of(name, "argument")  # a name that is no setting may be taken out of the file, not asked for
    return removed


def alias_workspace(home: str, old: str, new: str) -> tuple[str, str]:
    """Note that a workspace was moved, so that what was remembered at `old` is found at `new`."""
    before, after = _moved(old, new)

    def change(document: TOMLDocument) -> bool:
        _table(document, [toml.ALIASES])[before] = after
        return True

    _edit(home, change)
    return before, after


def _moved(old: str, new: str) -> tuple[str, str]:
    before, after = os.path.abspath(os.path.expanduser(old)), workspace.root(new)
    if not os.path.isdir(after):
        raise Invalid(f"{after} is not a directory; name the place that the workspace was moved to", field="new")
    if os.path.isdir(before) and workspace.root(before) != after:
        raise Invalid(f"{before} still exists; an alias is for a workspace that was moved, not for two", field="old")
    if before == after:
        raise Invalid(f"{before} and {after} are the same place", field="new")
    return before, after


def _place(name: str, agent: str | None) -> list[str]:
    """The tables and the key that hold a setting."""
    if agent is None:
        return name.split(".")
    accept(row_of("agent", "argument"), agent, "argument")
    return [toml.AGENTS, agent, *name.split(".")]


def _table(document: TOMLDocument, place: list[str]) -> MutableMapping[str, Any]:
    """The table at a place, made where it is missing."""
    import tomlkit

    table: Any = document
    for depth, step in enumerate(place):
        if step not in table:
            inner = depth < len(place) - 1
            table[step] = tomlkit.table(is_super_table=inner)
        table = table[step]
    if not hasattr(table, "setdefault"):
        raise BadConfig(f"{'.'.join(place)} is no table in {FILE}; make it one, [{'.'.join(place)}]")
    return table  # type: ignore[no-any-return]


def _edit(home: str, change: Change) -> bool:
    """Read, change, check, replace, under one lock; False if there was nothing to change."""
    path = os.path.join(home, FILE)
    try:
        make_private_dir(REAL, home)
        with Lock(os.path.join(home, "config.lock")).hold(_LOCK_MS, "changing settings"):
            before = _text(path)
            after = _changed(path, before, change)
            if after is None:
                return False
            _check(home, path, before, after)
            write_atomic(REAL, path, after.encode())
    except OSError as error:
        raise refused("write", path, error) from error
    return True


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig", newline="", opener=toml.opened) as source:
            return source.read()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise BadConfig(f"{path} is not UTF-8: {error}; nothing was changed", origin=path) from error


def _changed(path: str, text: str, change: Change) -> str | None:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise BadConfig(f"{path} is not valid TOML: {error}; nothing was changed", origin=path) from error
    return tomlkit.dumps(document) if change(document) else None


def _check(home: str, path: str, before: str, after: str) -> None:
    """Raise what `load` would say of the new text, unless the old one was wrong already."""
    trouble = _trouble(home, path, after)
    if trouble is not None and _trouble(home, path, before) is None:
        raise trouble


def _trouble(home: str, path: str, text: str) -> BadConfig | None:
    """What is wrong with a text by itself, or with an agent's table over it."""
    try:
        file = toml.ConfigFile(path, text)
        for agent in (None, *file.agents()):
            given = {**file.values, **(file.of_agent(agent) if agent is not None else {})}
            contradictions.check(Settings(home, given, file.aliases), given)
    except BadConfig as error:
        return error
    return None
