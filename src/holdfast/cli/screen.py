"""The screen: the only place that prints. Data on stdout, everything else on stderr.

On a terminal rich lays text out and colours it; in a pipe the same words come as plain text and rich is
not even imported. All text is made visible here, so no command can forget it.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from .visible import in_json, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rich.console import Console

    Piece = str | tuple[str, str]  # words, or words and their style

WIDEST = 110  # longer lines are hard to read, however wide the window
NARROWEST = 20  # rich leaves out what has no room; a terminal folds it
USUAL = 80  # where nobody knows how wide it is


class Unprinted(Exception):
    """Stdout took not all that was to be said; the message says why."""


def on_terminal() -> bool:
    """Whether a person is looking at stdout."""
    return sys.stdout.isatty()


def data(value: Any) -> None:
    """JSON on stdout."""
    plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    raw(in_json(json.dumps(value, ensure_ascii=plain, indent=2, default=str)) + "\n")


def raw(text: str) -> None:
    """Text on stdout exactly as it is: made visible before, JSON (unsafe characters are escapes), or our scripts."""
    _printed(lambda: sys.stdout.write(text))


def flush() -> None:
    """Have all of it written."""
    _printed(sys.stdout.flush)


def _printed(act: Callable[[], object]) -> None:
    try:
        act()
    except BrokenPipeError:  # whoever read it has seen enough
        raise
    except OSError as error:
        raise Unprinted(error.strerror or type(error).__name__) from error


def line(*pieces: Piece, indent: int = 0) -> None:
    """One line, or one paragraph, on stdout."""
    spans = [piece if isinstance(piece, tuple) else (piece, "") for piece in pieces]
    safe = [(visible(text), style) for text, style in spans]
    if on_terminal():
        _lay_out(safe, indent)
        return
    text = "".join(text for text, _ in safe)
    raw("\n".join((" " * indent + part).rstrip() for part in text.split("\n")) + "\n")


def _lay_out(spans: Sequence[tuple[str, str]], indent: int) -> None:
    from rich.padding import Padding
    from rich.text import Text

    text = Text.assemble(*spans)
    console().print(Padding(text, (0, 0, 0, indent), expand=False) if indent else text)


def facts(named: Iterable[tuple[str, str]], *, indent: int = 0) -> None:
    """Names and values in two columns; what has no value has no line."""
    shown = [(name, visible(value)) for name, value in named if value]
    if on_terminal():
        _grid(shown, indent)
        return
    width = max((len(name) for name, _ in shown), default=0)
    for name, value in shown:
        line(f"{name:<{width}}  {value}", indent=indent)


def _grid(shown: Sequence[tuple[str, str]], indent: int) -> None:
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2, 0, 0))
    if indent:
        grid.add_column(width=indent - 2)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in shown:
        grid.add_row(*([""] if indent else []), Text(name, "dim"), Text(value))
    console().print(grid)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Columns on stdout; a heading that begins with `>` is of numbers, aligned to the right."""
    cells = [[visible(cell.replace("\n", " ")) for cell in row] for row in rows]
    if on_terminal():
        _rich_table(headings, cells)
        return
    names = [heading.lstrip(">") for heading in headings]
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    for row in (names, *cells):
        shown = (
            cell.rjust(width) if heading[0] == ">" else cell.ljust(width)
            for cell, width, heading in zip(row, widths, headings, strict=True)
        )
        raw("  ".join(shown).rstrip() + "\n")


def _rich_table(headings: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        grid.add_column(heading.lstrip(">"), justify="right" if heading[0] == ">" else "left", overflow="fold")
    for row in cells:
        grid.add_row(*map(Text, row))
    console().print(grid)


def note(text: str) -> None:
    """A word to the person, on stderr."""
    click.echo(visible(text), err=True)


def warn(text: str) -> None:
    """Something that is not as it should be, on stderr."""
    note(f"warning: {text}")


_console: Console | None = None


def console() -> Console:
    """Rich's view of stdout; its mark-up, emoji codes and guesses are off, since text here is data."""
    global _console
    if _console is None:
        from rich.console import Console

        _console = Console(highlight=False, markup=False, emoji=False)
        _console.width = min(max(_console.width or USUAL, NARROWEST), WIDEST)
    return _console
