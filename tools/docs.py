"""Pages that are made from the code: written by `python tools/docs.py`, compared by `--check`.

A generated page is never edited by hand. To add one, write a function that returns its text and put
`@page("docs/…")` above it; the check then fails whenever code and page say different things.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.config import Row

    Generator = Callable[[], str]

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
