"""Settings: read once from every source, then immutable.

Owns the order of the sources: argument, environment, the agent's table, `config.toml`, default. Nothing
else in Holdfast reads the environment or TOML. What is given is checked when it is read, so a wrong
value stops `open` and not a later call; defaults cost nothing. A workspace's `.holdfast.toml` is
somebody else's word: it may switch off and lower, and whatever else it asks is refused with a warning.
"""

from __future__ import annotations

import os
import sys

from ..errors import BadConfig
from ..model.value import Value
from .table import BY_NAME, DEFAULTS, TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from .narrowing import Narrowing

    Given = dict[str, tuple[Any, str]]  # name -> value, where it came from

FILE = "config.toml"
WORKSPACE_FILE = ".holdfast.toml"
PREFIX = "HOLDFAST_"
# Ours without being settings: the home, the sizes of our tests, the data of the recall benchmark.
_RESERVED = ("HOLDFAST_HOME", "HOLDFAST_KILLS", "HOLDFAST_TEST_", "HOLDFAST_RECALL_DATA")


class Explained(Value):
    """One setting as it stands: value, where it came from, and what the table says of it."""

    name: str
    value: Any
    origin: str
    default: Any
    allowed: str
    about: str
    since: str
    scope: str
    workspace: str  # what a workspace's own file may do: never, off, smaller
    variable: str
    items: tuple[str, ...]


class Settings:
    """What was set, over the defaults: `settings["recall.limit"]`."""

    __slots__ = ("_aliases", "_fingerprint", "_given", "_narrowing", "home", "warnings")

    home: str
    warnings: tuple[str, ...]
    _given: Given
    _aliases: dict[str, str]
    _fingerprint: str | None
    _narrowing: Narrowing | None

    def __init__(self, home: str, given: Given, aliases: dict[str, str], warnings: tuple[str, ...] = ()) -> None:
        assign = object.__setattr__
        assign(self, "home", home)
        assign(self, "warnings", warnings)
        assign(self, "_given", given)
        assign(self, "_aliases", aliases)
        assign(self, "_fingerprint", None)
        assign(self, "_narrowing", None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("settings are immutable; load them anew")

    def __getitem__(self, name: str) -> Any:
        found = self._given.get(name)
        if found is not None:
            return found[0]
        try:
            return DEFAULTS[name]
        except KeyError:
            from .values import row_of  # says which name was probably meant

            row_of(name, "asked for")
            raise

    def origin(self, name: str) -> str:
        """Where a value came from: `default`, `config.toml`, a variable's name, `argument`."""
        found = self._given.get(name)
        return found[1] if found else "default"

    def explain(self, name: str) -> Explained:
        """A setting with all that is known of it."""
        from .values import allowed, row_of

        row = row_of(name, "asked for")
        return Explained(
            name=name, value=self[name], origin=self.origin(name), default=row.default, allowed=allowed(row),
            about=row.about, since=row.since, scope=row.scope, workspace=row.direction, variable=row.variable,
            items=tuple(row.items.split()),
        )  # fmt: skip

    def fingerprint(self) -> str:
        """The same for the same home, values and aliases, whatever their source; safe to show."""
        if self._fingerprint is None:
            from hashlib import sha256

            changed = sorted((name, value) for name, (value, _) in self._given.items() if value != DEFAULTS[name])
            whole = repr((self.home, changed, sorted(self._aliases.items())))
            object.__setattr__(self, "_fingerprint", sha256(whole.encode(errors="surrogateescape")).hexdigest())
        assert self._fingerprint is not None
        return self._fingerprint

    def workspace(self, path: str) -> str:
        """The name under which the workspace of this path is remembered (D2)."""
        from . import workspace

        return workspace.renamed(workspace.root(path), self._aliases)

    @property
    def aliases(self) -> dict[str, str]:
        """Workspaces that were moved: old place -> new place."""
        return dict(self._aliases)

    def narrowed(self, path: str) -> Settings:
        """These settings as the workspace of `path` restricts them by its own file."""
        from . import workspace

        file = os.path.join(workspace.root(path), WORKSPACE_FILE)
        return self.narrowed_by(file) if os.path.lexists(file) else self

    def within(self, workspace: str) -> Settings:
        """The same for a workspace by the name it is remembered under; its file is read again when it changed."""
        if self._narrowing is None:
            from .narrowing import Narrowing

            object.__setattr__(self, "_narrowing", Narrowing(self))
        assert self._narrowing is not None
        return self._narrowing.of(workspace)

    def narrowed_by(self, file: str) -> Settings:
        """These settings as this file restricts them; what it may not ask for is in `warnings`."""
        from .toml import read_untrusted

        wishes, warnings = read_untrusted(file)
        given = dict(self._given)
        for name, value in wishes.items():
            refusal = self._narrow(given, name, value, file)
            if refusal:
                warnings.append(f"{file}: {refusal}; ignored")
        narrowed = Settings(self.home, given, self._aliases, (*self.warnings, *warnings))
        return self._unless_broken(narrowed, file)

    def _narrow(self, given: Given, name: str, value: Any, file: str) -> str | None:
        """Apply one wish of a workspace, or say why not."""
        row = BY_NAME.get(name)
        if row is None:
            return f"{name} is no setting"
        if row.direction == "never":
            return f"{name} cannot be set by a workspace"
        from .values import accept

        try:
            value = accept(row, value, file)
        except BadConfig as error:
            return error.message
        if value > self[name] or (row.direction == "off" and value):
            what = "switch it off" if row.direction == "off" else f"make it smaller than {self[name]}"
            return f"{name}: a workspace may only {what}"
        if value != self[name] and self.origin(name) != "argument":
            given[name] = (value, file)
        return None

    def _unless_broken(self, narrowed: Settings, file: str) -> Settings:
        from .contradictions import check

        try:
            check(narrowed, narrowed._given)
        except BadConfig as error:
            warning = f"{file}: {error.message}; ignored"
            return Settings(self.home, self._given, self._aliases, (*narrowed.warnings, warning))
        return narrowed


def default_home(environ: Mapping[str, str] | None = None) -> str:
    """`HOLDFAST_HOME`, else the platform's directory for a user's data."""
    environ = os.environ if environ is None else environ
    named = environ.get("HOLDFAST_HOME")
    if named:
        return os.path.abspath(os.path.expanduser(named))
    return _linux_home(environ) or _platform_home()


def _linux_home(environ: Mapping[str, str]) -> str | None:
    """What platformdirs would say on Linux, without the 25 ms that importing it takes."""
    if sys.platform != "linux" or "ANDROID_ROOT" in environ:
        return None
    data = environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(data):
        user = environ.get("HOME", "")
        data = os.path.join(user, ".local", "share") if os.path.isabs(user) else ""
    return os.path.join(data, "holdfast") if data else None


def _platform_home() -> str:
    from platformdirs import user_data_dir

    return user_data_dir("holdfast")


def load(
    home: str | None = None, *, agent: str | None = None, arguments: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:  # fmt: skip
    """The settings of a home for one agent; BadConfig if any source holds a wrong one."""
    environ = os.environ if environ is None else environ
    home = os.path.abspath(os.path.expanduser(home)) if home else default_home(environ)
    from_arguments = _arguments({**(arguments or {}), **({"agent": agent} if agent is not None else {})})
    from_environment, warnings = _environment(environ)
    given, aliases = _file(os.path.join(home, FILE), {**from_environment, **from_arguments})
    settings = Settings(home, given, aliases, tuple(warnings))
    if given:  # what only reads the table's defaults loads neither rules nor kinds of values
        from .contradictions import check

        check(settings, given)
    return settings


def _file(path: str, above: Given) -> tuple[Given, dict[str, str]]:
    """What config.toml adds below the sources that beat it, and its workspace aliases."""
    if not os.path.lexists(path):
        return above, {}
    from .toml import read

    file = read(path)
    agent = {**file.values, **above}.get("agent", (DEFAULTS["agent"], ""))[0]
    return {**file.values, **file.of_agent(agent), **above}, file.aliases


def _arguments(arguments: Mapping[str, Any]) -> Given:
    if not arguments:
        return {}
    from .values import accept, row_of

    return {
        name: (accept(row_of(name, "argument"), value, "argument"), "argument") for name, value in arguments.items()
    }


def _environment(environ: Mapping[str, str]) -> tuple[Given, list[str]]:
    """Settings given as variables; an empty one counts as not set."""
    given: Given = {}
    warnings: list[str] = []
    ours = [name for name in environ if name.startswith(PREFIX) and not name.startswith(_RESERVED) and environ[name]]
    if not ours:
        return given, warnings
    from .values import accept_text

    rows = {row.variable: row for row in TABLE}
    for variable in ours:
        row = rows.get(variable)
        if row is None:
            warnings.append(_stray(variable, rows))
        else:
            given[row.name] = (accept_text(row, environ[variable], variable), variable)
    return given, warnings


def _stray(variable: str, known: Iterable[str]) -> str:
    """A variable with our prefix that is no setting: a slip of the pen is refused, others are not ours."""
    from .values import nearest

    meant = nearest(variable.upper(), known, cutoff=0.9)
    if meant:
        raise BadConfig(
            f"{variable} is no setting; did you mean {meant}?", setting=variable, origin="environment", meant=meant
        )
    return f"{variable} is in the environment and is no setting; ignored"
