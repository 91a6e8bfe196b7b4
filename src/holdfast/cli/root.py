"""The root command: finds a command by its row, imports it then and not before, and greets who gave none."""

from __future__ import annotations

from importlib import import_module

import click

from . import everywhere
from .commands import ALIASES, GROUPS, ROWS

PROGRAM = "holdfast"
WELCOME = "Holdfast keeps what AI agents should remember: in plain files, on this machine, found in milliseconds."
_FIRST_STEPS = (
    ("holdfast demo", "one screen that shows what it does"),
    ('holdfast add "We ship on Fridays" --tag ops', "remember something"),
    ('holdfast search "when do we ship?"', "find it again"),
    ("holdfast forget --topic ops", "erase it for good: plan, question, receipt"),
)


class Root(click.Group):
    """A group whose commands are rows of a table until one of them is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(ROWS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        row = ROWS.get(ALIASES.get(cmd_name, cmd_name))
        if row is None:
            return None
        if row.name not in self.commands:
            module, _, name = row.place.partition(":")
            found: click.Command = getattr(import_module(f".{module}", __package__), name)
            self.commands[row.name] = everywhere.accept(found)
        return self.commands[row.name]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"there is no command {args[0]!r}{_nearest(args[0])}")
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(f"{WELCOME}\n")
        for heading, rows in GROUPS:
            with formatter.section(heading):
                formatter.write_dl([(f"{row.name:<10}", row.summary) for row in rows])
        records = [param.get_help_record(ctx) for param in self.get_params(ctx)]
        with formatter.section("Before or after every command"):
            formatter.write_dl([record for record in records if record is not None])
        formatter.write(
            "\nExit codes: 0 done, 1 failed or done in part, 2 wrong input, 3 nothing found, 130 stopped.\n"
        )
        formatter.write("`holdfast COMMAND --help` teaches a command by example.\n")


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, [*ROWS, *ALIASES], n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


def _version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from holdfast import __version__

        click.echo(f"{PROGRAM} {__version__}")
        ctx.exit()


def overview() -> str:
    """What `holdfast` alone shows: first steps, and the commands by what people want to do."""
    steps = [f"  {example:<48} {what}" for example, what in _FIRST_STEPS]
    groups = [f"  {heading:<14} {' '.join(row.name for row in rows)}" for heading, rows in GROUPS]
    closing = "`holdfast --help` says what each does, `holdfast COMMAND --help` teaches it by example."
    return "\n".join((WELCOME, "", *steps, "", *groups, "", closing))


def _greet(ctx: click.Context, /, **_options: object) -> int:
    if ctx.invoked_subcommand is None:
        click.echo(overview())
    return everywhere.OK


root = Root(
    name=PROGRAM,
    callback=click.pass_context(_greet),
    invoke_without_command=True,
    params=[
        *everywhere.options(),
        click.Option(
            ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
        ),
    ],
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
)
