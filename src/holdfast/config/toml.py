"""TOML files as flat names: `[recall] limit = 5` is `recall.limit`.

Reads `config.toml` strictly: any wrong name or value is BadConfig with file and line. Reads a
workspace's file with suspicion: it must be small and regular, and nothing in it can raise. `tomllib`
takes 15 ms to import and is loaded only when there is a file to parse.
"""

from __future__ import annotations

import os
import re
import stat

from ..disk import AT_ONCE, REAL, Irregular
from ..errors import BadConfig
from .values import accept, row_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .read import Given

AGENTS = "agents"
ALIASES = "workspace_aliases"
_UNTRUSTED_BYTES = 8 * 1024  # tomllib takes 18 s for one key of 64 KiB with a dot after every letter
_HEADER = r"\s*\[([^\[\]]+)\]\s*(?:#.*)?\Z"
_KEY = r"\s*([A-Za-z0-9_.\"' -]+?)\s*="


class ConfigFile:
    """A parsed config.toml: its own settings checked, the agents' tables kept until one is asked for."""

    __slots__ = ("_document", "_lines", "aliases", "path", "values")

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self._document = _parsed(path, text)
        self._lines = _lines(text)
        plain = {name: value for name, value in self._document.items() if name not in (AGENTS, ALIASES)}
        self.values = self._checked(plain, "")
        self.aliases = self._read_aliases()

    def agents(self) -> list[str]:
        """The agents that have a table of their own."""
        return list(self._table(self._document, AGENTS, AGENTS))

    def of_agent(self, agent: str) -> Given:
        """The checked settings of `[agents.<agent>]` and the tables below it."""
        place = f"{AGENTS}.{agent}"
        return self._checked(self._table(self._table(self._document, AGENTS, AGENTS), agent, place), place)

    def _checked(self, table: dict[str, Any], place: str) -> Given:
        given: Given = {}
        for name, value in _flat(table):
            origin = self._origin(f"{place}.{name}" if place else name)
            row = row_of(name, origin)
            if place and row.scope == "home":
                reason = f"is one for the whole home; move it out of [{place}]"
                raise BadConfig(f"{name} ({origin}) {reason}", setting=name, origin=origin)
            given[name] = (accept(row, value, origin), origin)
        return given

    def _read_aliases(self) -> dict[str, str]:
        aliases = self._table(self._document, ALIASES, ALIASES)
        for old, new in aliases.items():
            if not isinstance(new, str) or not os.path.isabs(old) or not os.path.isabs(new):
                example = '"/old/place" = "/new/place"'
                raise BadConfig(f"{self.path}: [{ALIASES}] maps absolute paths, {example}", setting=ALIASES)
        return aliases

    def _table(self, parent: dict[str, Any], name: str, place: str) -> dict[str, Any]:
        found = parent.get(name, {})
        if not isinstance(found, dict):
            raise BadConfig(f"{place} ({self._origin(place)}) must be a table, [{place}]", setting=place)
        return found

    def _origin(self, place: str) -> str:
        line = self._lines.get(place)
        return f"{self.path}:{line}" if line else self.path


def read(path: str) -> ConfigFile:
    """The file at this path; a missing one is empty, an unreadable one is BadConfig."""
    try:
        with open(path, encoding="utf-8-sig", opener=opened) as source:  # some editors begin it with a byte order mark
            return ConfigFile(path, source.read())
    except FileNotFoundError:
        return ConfigFile(path, "")
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfig(f"{path} cannot be read: {error}; correct or remove it", origin=path) from error


def opened(path: str, flags: int) -> int:
    """A file, or the null device, by which people say that there is none."""
    try:
        return REAL.open(path, flags)
    except Irregular:
        if not os.path.samefile(path, os.devnull):
            raise
        return os.open(path, flags)


def read_untrusted(path: str) -> tuple[dict[str, Any], list[str]]:
    """What a file of a workspace asks for, and what was wrong with it; never an error."""
    try:
        with open(path, "rb", opener=_without_waiting) as source:
            found = os.fstat(source.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_size > _UNTRUSTED_BYTES:
                return {}, [f"{path} is not a small regular file; ignored"]
            return dict(_flat(_parsed(path, source.read(_UNTRUSTED_BYTES).decode("utf-8-sig")))), []
    except (FileNotFoundError, NotADirectoryError):
        return {}, []
    except (OSError, UnicodeDecodeError, BadConfig):
        return {}, [f"{path} cannot be read as TOML; ignored"]


def _without_waiting(path: str, flags: int) -> int:
    """A named pipe in somebody's repository must not hold us up."""
    return os.open(path, flags | AT_ONCE)


def _parsed(path: str, text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # tomllib's own error is a ValueError; so is a number of 5,000 digits
        raise BadConfig(f"{path} is not valid TOML: {error}", origin=path) from error


def _flat(table: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Names as in the table of settings: one level of tables, then values."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from ((f"{_part(name)}.{_part(key)}", item) for key, item in value.items())
        else:
            yield _part(name), value


def _part(key: str) -> str:
    """One part of a name; `"recall.limit"` in quotes is one key and must not pass for two."""
    return f'"{key}"' if "." in key else key


def _lines(text: str) -> dict[str, int]:
    """Where each dotted name is written; good enough for a message, wrong only inside multi-line strings."""
    found: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        header, key = re.match(_HEADER, line), re.match(_KEY, line)
        if header:
            table = _dotted(header[1])
            found.setdefault(table, number)
        elif key:
            found.setdefault(f"{table}.{_dotted(key[1])}" if table else _dotted(key[1]), number)
    return found


def _dotted(written: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in written.split("."))
