"""Options that every command takes, before or after its name, and the Call that collects them.

`holdfast --json search x` and `holdfast search x --json` mean the same: whichever place an option was
given, it is kept at the root, where Call looks for it.
"""

from __future__ import annotations

from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import click

from . import screen

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast import Memory

P = ParamSpec("P")

OK, FAILED, USAGE, NOTHING = 0, 1, 2, 3
NAMES = ("home", "agent", "user", "as_json", "debug")


def options() -> list[click.Option]:
    """Fresh options; click wants one object a command."""
    return [
        click.Option(["--home"], metavar="DIR", callback=_keep, help="Where everything is kept (or HOLDFAST_HOME)."),
        click.Option(["--agent"], metavar="NAME", callback=_keep, help="Whose journals; `main` unless set."),
        click.Option(["--user"], metavar="ID", callback=_keep, help="Which user's memory; '*' reads everyone's."),
        click.Option(["--json", "as_json"], is_flag=True, callback=_keep, help="Print JSON on stdout."),
        click.Option(["--debug"], is_flag=True, callback=_keep, help="Show where an error came from."),
    ]


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Note the option at the root; not given here leaves what was given there. An empty name was given, and is wrong:
    a script whose variable is not set must not mean everyone's default."""
    kept = ctx.find_root().params
    assert param.name is not None
    if value not in (None, False) or param.name not in kept:
        kept[param.name] = value
    return kept[param.name]


def accept(command: click.Command) -> click.Command:
    """Let a command, or each command of a group, take these options; its own of the same name stay."""
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            accept(inner)
        return command
    own = {param.name: param for param in command.params}
    for option in options():
        mine = own.get(option.name)
        if mine is None:
            option.expose_value = False
            command.params.append(option)
        elif option.name == "as_json" and mine.callback is None:
            mine.callback = _keep
    return command


class Call:
    """What the command line was told besides the command itself."""

    def __init__(self, kept: dict[str, Any]) -> None:
        self.home: str | None = kept.get("home")
        self.agent: str | None = kept.get("agent")
        self.user: str | None = kept.get("user")
        self.as_json: bool = bool(kept.get("as_json"))

    @property
    def named_user(self) -> dict[str, str]:
        """The user as an argument for a verb, if one was named; a verb that cannot mean everyone refuses `*`."""
        return {} if self.user is None else {"user": self.user}

    def memory(self) -> Memory:
        """The memory that is meant, with the named user as its default; `*` is nobody's name."""
        import holdfast

        memory = holdfast.open(self.home, agent=self.agent, user=None if self.user == "*" else self.user)
        for warning in memory.store.settings.warnings:
            screen.warn(warning)
        return memory


def pass_call(command: Callable[Concatenate[Call, P], int | None]) -> Callable[P, int]:
    """Hand a Call to a command; a command that returns nothing did well."""

    def run(*args: P.args, **named: P.kwargs) -> int:
        call = Call(click.get_current_context().find_root().params)
        return command(call, *args, **named) or OK

    return update_wrapper(run, command)


class Verb(click.Command):
    """A command whose help shows its own options first."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        shown = [param for param in self.get_params(ctx) if isinstance(param, click.Option) and not param.hidden]
        everywhere = [param for param in shown if param.name in NAMES or "--help" in param.opts]
        own = [param for param in shown if param not in everywhere]
        for heading, several in (("Options", own), ("Options of every command", everywhere)):
            records = [record for param in several if (record := param.get_help_record(ctx)) is not None]
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)
