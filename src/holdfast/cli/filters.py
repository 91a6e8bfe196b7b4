"""Filters: the options by which `search`, `query` and `list` narrow what they look at, and their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..model.entry import ROLES, SCOPES, TYPES

if TYPE_CHECKING:
    from collections.abc import Callable


def complete_type(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Our types for the shell; names of other systems are understood as well."""
    return [name for name in TYPES if name.startswith(incomplete)]


_OPTIONS = (
    click.option(
        "--type",
        "types",
        multiple=True,
        metavar="TYPE",
        shell_complete=complete_type,
        help=f"Any of these types: {', '.join(TYPES)}.",
    ),
    click.option("--tag", "all_of", multiple=True, metavar="TAG", help="With all of these tags, or tags below them."),
    click.option("--any-tag", "any_of", multiple=True, metavar="TAG", help="With at least one of these."),
    click.option("--not-tag", "none_of", multiple=True, metavar="TAG", help="With none of these."),
    click.option("--since", metavar="TIME", help="From then on: 2w, 'last day', yesterday, 2026-01-10."),
    click.option("--until", metavar="TIME", help="Before then."),
    click.option("--session", metavar="ID|KEY", help="Of one session."),
    click.option("--workspace", metavar="DIR", help="Of one workspace."),
    click.option("--scope", "scopes", type=click.Choice(SCOPES), multiple=True, help="Kept for whom."),
    click.option("--role", "roles", type=click.Choice(ROLES), multiple=True, help="Who spoke."),
    click.option("--provenance", multiple=True, metavar="WHO", help="user, agent, tool, web, file, import:WHAT."),
    click.option("--min-importance", type=float, metavar="0..1", help="At least as important."),
    click.option("--pinned", is_flag=True, help="Pinned entries only."),
    click.option("--limit", type=int, metavar="N", help="At most so many, up to 200."),
    click.option("--offset", type=int, default=0, metavar="N", help="Leave out the first so many."),
)


def filters(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options of a filter."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def narrowed(user: str | None, given: dict[str, Any]) -> dict[str, Any]:
    """The facade's arguments for what the options said; what was not given is left out."""
    tags = {
        "include": list(given.pop("all_of")),
        "any": list(given.pop("any_of")),
        "exclude": list(given.pop("none_of")),
    }
    asked = {"user": user, "tags": {name: value for name, value in tags.items() if value}, **given}
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in asked.items() if was_given(value)
    }


def was_given(value: Any) -> bool:
    """Whether an option was on the command line; zero is a value like any other."""
    return value is not None and value is not False and value != () and value != {}
