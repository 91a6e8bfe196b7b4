"""`holdfast config`: see, explain and change settings.

Shows the table of settings as this home has it: value, where it came from, what it does. On a terminal
`list` is a table; in a pipe it is TOML that can go straight into config.toml. It decides nothing:
reading, checking and writing are done by the settings of the facade.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import click

import holdfast

from ..errors import BadConfig
from . import screen
from .everywhere import NOTHING, Call, Verb, pass_call

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_SCOPES = {
    "home": "one value for the whole home",
    "agent": "may differ by agent: --agent NAME",
    "session": "may differ by agent, and by session in its card",
}
_DIRECTIONS = {
    "never": "a workspace's .holdfast.toml cannot change it",
    "off": "a workspace's .holdfast.toml may switch it off",
    "smaller": "a workspace's .holdfast.toml may make it smaller",
}


def _config() -> Any:
    """`holdfast.config`: a part of the facade that is loaded together with `open`."""
    facade: Any = holdfast
    return facade.open and facade.config


def _complete(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(row.name, help=row.about) for row in _config().TABLE if row.name.startswith(incomplete)]


_name = click.argument("name", shell_complete=_complete)
_workspace = click.option("--workspace", metavar="DIR", help="As the .holdfast.toml of this workspace restricts them.")


@click.group()
def config() -> None:
    """See, explain and change settings.

    \b
    holdfast config list recall                 what there is, and where each value came from
    holdfast config explain context.budget      what one setting does and allows
    holdfast config set context.budget 1200     change it; comments in config.toml stay
    holdfast config set decay.enabled off --agent coder
    holdfast config unset context.budget        back to the default

    A value comes from the first of: an argument, HOLDFAST_<SECTION>_<KEY>, the agent's table in
    config.toml, config.toml, the default.
    """


@config.command("list", cls=Verb)
@click.argument("section", required=False)
@click.option("--changed", is_flag=True, help="Only what is not at its default.")
@_workspace
@pass_call
def list_settings(call: Call, section: str | None, changed: bool, workspace: str | None) -> int:
    """List settings, all or those of one SECTION.

    \b
    holdfast config list
    holdfast config list recall
    holdfast config list --changed --json
    """
    settings = _settings(call, workspace)
    shown = [settings.explain(name) for name in _names(section)]
    if changed:
        shown = [item for item in shown if item.origin != "default"]
    if call.as_json:
        screen.data([item.to_dict() for item in shown])
    elif screen.on_terminal():
        _print_table(shown, settings.home)
    else:
        _print_toml(shown, settings.home)
    return 0 if shown else NOTHING


@config.command(cls=Verb)
@_name
@_workspace
@pass_call
def get(call: Call, name: str, workspace: str | None) -> None:
    """Print the value of one setting.

    \b
    holdfast config get recall.limit
    holdfast config get recall.limit --agent coder --json
    """
    found = _settings(call, workspace).explain(name)
    if call.as_json:
        screen.data({"name": name, "value": found.value, "origin": found.origin})
    else:
        screen.line(found.value if isinstance(found.value, str) else _literal(found.value))


@config.command(cls=Verb)
@_name
@_workspace
@pass_call
def explain(call: Call, name: str, workspace: str | None) -> None:
    """Say what one setting does, allows and is set to, and by whom.

    \b
    holdfast config explain recall.min_score
    """
    settings = _settings(call, workspace)
    found = settings.explain(name)
    if call.as_json:
        screen.data(found.to_dict())
        return
    screen.line((f"{name} = {_literal(found.value)}", "bold"))
    screen.line(found.about, indent=2)
    if found.since:
        screen.line(found.since, indent=2)
    for fact, value in _facts(found, settings.home).items():
        screen.line(f"{fact:<10}", value, indent=2)


@config.command("set", cls=Verb)
@_name
@click.argument("value")
@pass_call
def set_setting(call: Call, name: str, value: str) -> None:
    """Set NAME to VALUE in config.toml; a wrong value changes nothing.

    With --agent NAME it is set in the table of that agent.

    \b
    holdfast config set recall.limit 10
    holdfast config set journal.durability relaxed --agent notes
    holdfast config set sync.sources memory,sessions
    """
    home = _home(call)
    written = _config().set_value(home, name, value, agent=call.agent)
    now = _standing(call, name)
    if now is not None and now.value != written:  # whoever sets the file should not wonder
        screen.warn(f"{now.origin} wins, with {_literal(now.value)}")
    if call.as_json:
        screen.data({"name": name, "value": written, "agent": call.agent, "path": _file(home)})
    else:
        screen.line(f"{name} = {_literal(written)}" + (f" for agent {call.agent}" if call.agent else ""))


@config.command("unset", cls=Verb)
@_name
@pass_call
def unset_setting(call: Call, name: str) -> int:
    """Remove NAME from config.toml, so that its default holds again.

    With --agent NAME it is removed from the table of that agent.

    \b
    holdfast config unset recall.limit
    """
    home = _home(call)
    removed = _config().unset(home, name, agent=call.agent)
    now = _standing(call, name)
    if call.as_json:
        screen.data({"name": name, "removed": removed, "value": now and now.value, "origin": now and now.origin})
    else:
        left = f"; it is {_literal(now.value)} ({_short(now.origin, home)})" if now else ""
        screen.line(f"{name} is no longer set{left}" if removed else f"{name} was not set in config.toml{left}")
    return 0 if removed else NOTHING


@config.command(cls=Verb)
@pass_call
def path(call: Call) -> None:
    """Print where config.toml is, or would be.

    \b
    $EDITOR "$(holdfast config path)"
    """
    file = _file(_home(call))
    if call.as_json:
        screen.data({"path": file, "exists": os.path.exists(file)})
    else:
        screen.line(file)


@config.command("workspace-alias", cls=Verb)
@click.argument("old", type=click.Path())
@click.argument("new", type=click.Path())
@pass_call
def workspace_alias(call: Call, old: str, new: str) -> None:
    """Keep what was remembered of a workspace that was moved from OLD to NEW.

    Entries keep the place where they were made. With the alias, work at NEW finds and continues them; it
    covers everything below the two directories as well. Set it right after the move.

    \b
    holdfast config workspace-alias ~/src/shop ~/work/shop
    """
    before, after = _config().alias_workspace(_home(call), old, new)
    if call.as_json:
        screen.data({"old": before, "new": after})
    else:
        screen.line(f"{after} is remembered as {before}")


def _home(call: Call) -> str:
    home: str = call.home or _config().default_home()
    return os.path.abspath(os.path.expanduser(home))


def _file(home: str) -> str:
    return os.path.join(home, "config.toml")


def _settings(call: Call, workspace: str | None) -> Any:
    settings = _config().load(_home(call), agent=call.agent)
    if workspace is not None:
        settings = settings.narrowed(workspace)
    for warning in settings.warnings:
        screen.warn(warning)
    return settings


def _standing(call: Call, name: str) -> Any:
    """A setting after a change; None, with a warning, where the file still holds something wrong."""
    try:
        return _settings(call, None).explain(name)
    except BadConfig as error:
        screen.warn(error.message)
        return None


def _names(section: str | None) -> list[str]:
    rows = _config().TABLE
    names = [row.name for row in rows if section in (None, row.section, row.name)]
    if not names:
        sections = ", ".join(dict.fromkeys(row.section for row in rows if row.section))
        raise click.BadParameter(f"there is no section {section}; there are {sections}", param_hint="SECTION")
    return names


def _print_toml(shown: list[Any], home: str) -> None:
    section = ""
    for number, item in enumerate(shown):
        table, _, key = item.name.rpartition(".")
        if table != section:
            section = table
            screen.line(*(["\n"] if number else []), f"[{section}]")
        screen.line(f"{key} = {_literal(item.value)}  # {_short(item.origin, home)}: {item.about}")


def _print_table(shown: list[Any], home: str) -> None:
    rows: list[tuple[str, ...]] = []
    for before, item in zip([None, *shown], shown, strict=False):
        if before is not None and before.name.partition(".")[0] != item.name.partition(".")[0]:
            rows.append(("", "", "", ""))  # sections are groups on the screen
        rows.append((item.name, _literal(item.value), _short(item.origin, home), f"{item.about} {item.since}".strip()))
    screen.table(("setting", "value", "from", "what it does"), rows)


def _facts(found: Any, home: str) -> dict[str, str]:
    return {
        "from": _short(found.origin, home),
        "default": _literal(found.default),
        "allowed": found.allowed,
        "scope": _SCOPES[found.scope],
        "workspace": _DIRECTIONS[found.workspace],
        "variable": found.variable,
    }


def _short(origin: str, home: str) -> str:
    """An origin below the home as seen from there."""
    return origin.removeprefix(home + os.sep)


def _literal(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_literal, value)) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
