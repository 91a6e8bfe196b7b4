"""Pages that are made from the code: written by `python tools/docs.py`, compared by `--check`.

A generated page is never edited by hand. To add one, write a function that returns its text and put
`@page("docs/…")` above it; the check then fails whenever code and page say different things. What the pages say
beyond the code is in `told.py`.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tools")]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import click

    from holdfast.config import Row

    Generator = Callable[[], str]

WIDTH = 110  # of code on a page
_TIE = "\xa0"  # a space at which no line ends
PAGES: dict[str, tuple[str, Generator]] = {}  # name on the command line -> page, what makes it


def page(path: str) -> Callable[[Generator], Generator]:
    """Register a generator under its function's name."""

    def register(generator: Generator) -> Generator:
        PAGES[generator.__name__] = (path, generator)
        return generator

    return register


def table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    shown = [list(headings), *map(list, rows)]
    shown.insert(1, ["---"] * len(shown[0]))
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in shown)


SETTINGS = """\
# Settings

*Made from `holdfast.config` by `tools/docs.py`; changes belong there.*

Every setting has a default that works. `holdfast config list` shows them with your values,
`holdfast config explain NAME` says more of one, `holdfast config set NAME VALUE` changes it and keeps
your comments.

## Where a value comes from

The first of these that names the setting:

1. an argument: `holdfast.open(settings={"recall.limit": 10})`
2. the environment: `HOLDFAST_RECALL_LIMIT=10`; an empty variable counts as not set
3. the agent's table in `<home>/config.toml`
4. `<home>/config.toml`
5. the default

```toml
# config.toml
[recall]
limit = 10

[agents.coder.recall]
limit = 20
```

A wrong name, a wrong type, a value out of range and two settings that exclude each other are errors that
name the setting, the file and line or variable, and what is allowed. Nothing is clamped. The home itself
is no setting: it is `HOLDFAST_HOME`, an argument, or the platform's directory for your data.

## What a workspace may change

A file `.holdfast.toml` at the root of a workspace comes with whatever was cloned, so it may only switch
things off or make limits smaller, and only where the table says so. Anything else in it is ignored with a
warning; it can never set a path, an address, a command, a user or an agent. An argument beats it.

Every `search`, `query` and `context` that names the workspace obeys the file, and so does the context of a
session that belongs to it. It is looked at on each such call, so a change holds from the next one on. From
Python the warning is a `RuntimeWarning`, once for each change of the file.

## The table

*Scope*: `home` is one value for everything; `agent` may differ by agent; `session` may also differ by
session, in its card. *Workspace*: what a `.holdfast.toml` may do. *Answers*: the points of the
specification.
"""


@page("docs/reference/settings.md")
def settings() -> str:
    """Every setting, every default of the seeds that is none, and every one that differs."""
    from holdfast.config import NOT_SETTINGS, OTHER_DEFAULTS, TABLE
    from holdfast.config.contradictions import RULES

    sections = dict.fromkeys(row.section for row in TABLE)
    parts = [SETTINGS]
    parts += [_section(name, [row for row in TABLE if row.section == name]) for name in sections]
    excluded = (("`, `".join(names).join("``"), reason) for names, _, reason in RULES)
    parts.append(
        "## What excludes each other\n\n" + table(("settings", "why they are refused together"), excluded) + "\n"
    )
    parts.append(_reasons("What cannot be set, and why", NOT_SETTINGS))
    parts.append(_reasons("Defaults that differ from the specification's", OTHER_DEFAULTS))
    return "\n".join(parts)


def _section(name: str, rows: list[Row]) -> str:
    headings = ("setting", "default", "allowed", "scope", "workspace", "answers", "what it does")
    return f"### {name or 'at the top'}\n\n{table(headings, map(_cells, rows))}\n"


def _cells(row: Row) -> tuple[str, ...]:
    from holdfast.config.values import allowed

    about = f"{row.about} *{row.since}*" if row.since else row.about
    workspace = "" if row.direction == "never" else row.direction
    default = f"`{_literal(row.default)}`"
    if row.name.endswith("_bytes") and row.default >= 1 << 20:
        default += f" ({row.default >> 20} MiB)"
    return f"`{row.name}`", default, allowed(row), row.scope, workspace, row.items, about


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_literal, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _reasons(title: str, reasons: dict[str, str]) -> str:
    together: dict[str, list[str]] = {}
    for item, reason in reasons.items():
        together.setdefault(reason, []).append(item)
    rows = ((" ".join(items), reason) for reason, items in together.items())
    return f"## {title}\n\n{table(('answers', 'reason'), rows)}\n"


COMMANDS = """\
# Commands

*Made from `holdfast.cli` by `tools/docs.py`; changes belong there.*

Data goes to stdout, everything else to stderr. With `--json` data is JSON, and an error is an object on stdout as well:
`{"error": {"type": …, "message": …, "details": {…}}}`. `type` is the name of an [error](python.md#errors), or `Usage`.
What kept an answer from being whole stands in its `degraded`; where the answer is a bare list, it is said on stderr.

## Exit codes

| code | means |
| --- | --- |
| 0 | done |
| 1 | failed, answered with a no, or done in part: stderr says what is left |
| 2 | the command line, a value or a setting is wrong; nothing was changed |
| 3 | nothing was found: no hit, no such id, session or key |
| 130 | stopped by Ctrl-C |

"""


@page("docs/reference/commands.md")
def commands() -> str:
    """Every command with its examples, its options and what it prints as JSON."""
    import click
    from told import PRINTS

    from holdfast.cli.commands import GROUPS
    from holdfast.cli.everywhere import options
    from holdfast.cli.root import root

    parts = [COMMANDS + "## Options of every command\n\n" + _options(options())]
    for heading, group in GROUPS:
        parts.append(f"## {heading}\n")
        for row in group:
            found = root.get_command(click.Context(root), row.name)
            assert found is not None
            parts.append(_command(f"holdfast {row.name}", found, "###"))
            parts += [
                _command(f"holdfast {row.name} {name}", inner, "####")
                for name, inner in sorted(getattr(found, "commands", {}).items())
            ]
            parts.append(f"`--json`: {PRINTS[row.name]}\n")
    return "\n".join(parts)


def _command(name: str, command: click.Command, level: str) -> str:
    import inspect

    import click

    from holdfast.cli.everywhere import NAMES

    said, _, examples = inspect.cleandoc(command.help or "").partition("\b\n")
    examples, _, after = examples.partition("\n\n")
    usage = " ".join(command.collect_usage_pieces(click.Context(command)))
    parts = [f"{level} {name.removeprefix('holdfast ')}", f"`{name} {usage}`", said.strip()]
    parts += [f"```\n{examples.strip()}\n```"] if examples.strip() else []
    parts += [after.strip()] if after.strip() else []
    own = [param for param in command.params if isinstance(param, click.Option) and param.name not in NAMES]
    return "\n\n".join([*parts, *([_options(own).rstrip()] if own else [])]) + "\n"


def _options(several: Sequence[click.Option]) -> str:
    import click

    records = (option.get_help_record(click.Context(click.Command("holdfast"))) for option in several)
    return table(("option", "what it does"), ((f"`{one[0]}`", one[1]) for one in records if one)) + "\n"


PYTHON = """\
# Python

*Made from the package's own signatures and docstrings by `tools/docs.py`; changes belong there.*

The [guide](../guide.md) shows these verbs at work. Everything here is in the module `holdfast`. All of it is safe for
threads, and any number of processes may use one home. `AsyncMemory`, `AsyncSession` and `AsyncUser` have the same
verbs, awaited: `async with holdfast.aopen() as memory: await memory.search("…")`; `export` is an `async for`.

Verbs that return a `dict` give the object that the [command](commands.md) of the same name prints with `--json`;
`load` is `import` there.

"""


VALUES = {"SearchResult": "search", "Hit": "search, context", "Context": "context", "Receipt": "forget", "Entry": "get"}


@page("docs/reference/python.md")
def python() -> str:
    """The facade: what each verb takes, gives and raises."""
    from told import FILTERS, MEANINGS

    import holdfast
    from holdfast.errors import RESPONSES
    from holdfast.guard.validate import FIELDS, WHERE
    from holdfast.recall.filters import NAMES
    from holdfast.seeds import SeedMethods

    parts = [PYTHON + "## Opening\n", _verb("holdfast.open", holdfast.open)]
    for name, shown in (("Memory", "memory"), ("Session", "session"), ("User", "user")):
        parts += [f"## {name}\n", _first(getattr(holdfast, name)) + "\n", *_verbs(getattr(holdfast, name), shown)]
    parts += ["## Method names of seed 004\n", _first(SeedMethods) + "\n", *_verbs(SeedMethods, "memory")]
    named = ((f"`{name}`", MEANINGS[name]) for name in (*FIELDS, *WHERE))
    parts.append("## Fields of an entry\n\n" + table(("field", "meaning"), named) + "\n")
    narrowed = ((f"`{name}`", FILTERS[name]) for name in NAMES)
    parts.append("## Filters\n\n" + table(("filter", "what passes"), narrowed) + "\n")
    parts += ["## Values\n\nFrozen; `to_dict()` gives what the command line prints.\n"]
    parts += [_value(getattr(holdfast, name), verbs) for name, verbs in VALUES.items()]
    leaves = ((f"`{leaf.__name__}`", str(told[0]), _first(leaf)) for leaf, told in RESPONSES.items())
    parts.append(
        "## Errors\n\nAll are `HoldfastError`s with a `message` for people and `details` for programs; neither ever "
        "holds remembered text.\n\n" + table(("error", "exit code", "when"), leaves) + "\n"
    )
    return "\n".join(parts)


def _verbs(handle: type, shown: str) -> list[str]:
    """The verbs of a class in the order of its code."""
    found = ((name, verb) for name, verb in vars(handle).items() if not name.startswith("_") and callable(verb))
    return [_verb(f"{shown}.{name}", verb) for name, verb in found]


def _verb(name: str, verb: Callable[..., Any]) -> str:
    import inspect

    found = inspect.signature(verb)
    kept = [one.replace(annotation=_Bare(one.annotation)) for one in found.parameters.values() if one.name != "self"]
    whole = str(found.replace(parameters=kept, return_annotation=_Bare(found.return_annotation)))
    shown = name + whole
    if len(shown) > WIDTH:
        inside, _, returned = whole[1:].rpartition(") -> ")
        for one in kept:
            inside = inside.replace(str(one), str(one).replace(" ", _TIE))
        wrapped = textwrap.fill(inside, WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False)
        shown = f"{name}(\n{wrapped.replace(_TIE, ' ')}\n) -> {returned}"
    return f"```python\n{shown}\n```\n\n{inspect.getdoc(verb)}\n"


class _Bare(str):
    """An annotation as it stands in the code, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _value(value: type, verbs: str) -> str:
    fields = ", ".join(f"`{name}`" for name in value._fields)  # type: ignore[attr-defined]
    more = [name for name, found in vars(value).items() if isinstance(found, property) and not name.startswith("_")]
    beside = f"; and, worked out from these, {', '.join(f'`{name}`' for name in more)}" if more else ""
    return f"### {value.__name__}\n\n{_first(value)} Given by {verbs}. {fields}{beside}.\n"


def _first(documented: type) -> str:
    import inspect

    return (inspect.getdoc(documented) or "").partition("\n\n")[0].replace("\n", " ")


def stale(names: Iterable[str]) -> list[str]:
    """The pages whose file is missing or says something else than the code."""
    found = []
    for name in names:
        path, generator = PAGES[name]
        file = ROOT / path
        if not file.exists() or file.read_text(encoding="utf-8") != generator():
            found.append(path)
    return found


def write(names: Iterable[str]) -> None:
    """Write the pages anew."""
    for name in names:
        path, generator = PAGES[name]
        file = ROOT / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(generator(), encoding="utf-8")
        print(path)


def main(arguments: list[str] | None = None) -> int:
    """Write pages, or with --check say which are stale."""
    parser = argparse.ArgumentParser(description="Write the pages that are made from the code.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a page is stale")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help=f"default: all ({', '.join(PAGES)})")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.pages if name not in PAGES]
    if unknown:
        parser.error(f"no page {unknown[0]}; there are {', '.join(PAGES)}")
    names = chosen.pages or list(PAGES)
    if not chosen.check:
        write(names)
        return 0
    for path in (outdated := stale(names)):
        print(f"{path} is stale: run `python tools/docs.py`", file=sys.stderr)
    return 1 if outdated else 0


if __name__ == "__main__":
    sys.exit(main())
