"""Moving: `export` to JSON lines or JSON, and `import` of what was exported."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from ..errors import Invalid
from . import figures, reading, screen
from .everywhere import FAILED, OK, Call, Verb, pass_call
from .progress import Bar
from .visible import in_json

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN = 10  # records of an import that are named one by one


@click.command(cls=Verb)
@click.option("--format", type=click.Choice(["jsonl", "json"]), help="One entry a line, or one document.")
@click.option("--output", "-o", metavar="FILE", help="Write there, readable only by you, instead of to stdout.")
@click.option("--session", metavar="ID|KEY", help="One session.")
@click.option("--workspace", metavar="DIR", help="One workspace.")
@pass_call
def export(call: Call, format: str | None, output: str | None, session: str | None, workspace: str | None) -> int:
    """Write entries as JSON lines, to a file or to stdout.

    Of the user, or with --user '*' of everyone; `holdfast import` reads it back.

    \b
    holdfast export -o memory.jsonl
    holdfast export --session login --format json | jq .
    holdfast export --user '*' > everything.jsonl
    """
    kind = format or ("json" if call.as_json and output is None else "jsonl")
    with call.memory() as memory, Bar("exporting") as bar:
        pieces = memory.export(kind, user=call.user, session=session, workspace=workspace)
        if output is None:
            for piece in pieces if screen.on_terminal() else _counted(pieces, bar):
                screen.raw(in_json(piece))
            return OK
        lines, size = _write(output, _counted(pieces, bar))
    if call.as_json:
        screen.data({"path": os.path.abspath(output), "lines": lines, "bytes": size})
    else:
        screen.line(f"{figures.count(lines, 'line')}, {figures.size(size)}, written to {output}")
    return OK


def _counted(pieces: Iterator[str], bar: Bar) -> Iterator[str]:
    for done, piece in enumerate(pieces, 1):
        bar(done, 0)
        yield piece


def _write(path: str, pieces: Iterator[str]) -> tuple[int, int]:
    """Write a private file that appears only when it is whole; returns lines and bytes."""
    if os.path.isdir(path):
        raise Invalid(f"{path} is a directory; name a file", field="output")
    part = f"{path}.{os.getpid()}.part"
    lines = size = 0
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        error.filename = path  # the file that was asked for
        raise
    try:
        with os.fdopen(descriptor, "wb") as file:
            for piece in pieces:
                data = piece.encode("utf-8")
                lines += data.count(b"\n")
                size += file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
    return lines, size


@click.command("import", cls=Verb)
@click.argument("file", metavar="FILE|-")
@pass_call
def import_entries(call: Call, file: str) -> int:
    """Read an export back; what is there already is skipped.

    Entries keep their ids, times and sessions. What was forgotten here stays forgotten.

    \b
    holdfast import memory.jsonl
    ssh other holdfast export | holdfast import -
    """
    source: Any = reading.lines(file) if file == reading.STDIN else file
    with call.memory() as memory, Bar("importing") as bar:
        report = memory.load(source, progress=bar)
    if call.as_json:
        screen.data(report)
    else:
        _print_report(report)
    return OK if report["complete"] and not (report["damaged"] or report["conflicts"]) else FAILED


def _print_report(report: dict[str, Any]) -> None:
    """What became of every record; the first few that were refused are named."""
    screen.line(f"added      {figures.count(report['added'], 'entry')}")
    screen.line(
        f"skipped    {report['skipped_existing']:,} already here, {report['skipped_forgotten']:,} forgotten here"
    )
    for id in report["conflicts"][:SHOWN]:
        screen.warn(f"{id} differs from the entry stored here, which stays as it is")
    for record in report["damaged"][:SHOWN]:
        screen.warn(f"line {record['line']} was left out: {record['problem']}")
    left = sum(max(0, len(report[name]) - SHOWN) for name in ("conflicts", "damaged"))
    if left:
        screen.warn(f"and {left:,} more; --json names them all")
    if not report["complete"]:
        screen.warn(
            "the file was cut short, is empty, or was made where entries were lost already: it does not hold everything"
        )
