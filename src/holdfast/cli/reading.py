"""Reading what a command is given: text from arguments or stdin, JSON from options, lines from files.

Wrong input is `Invalid` with the place that is wrong, before anything is stored.
"""

from __future__ import annotations

import json
import sys
from codecs import BOM_UTF8
from typing import TYPE_CHECKING, Any, BinaryIO

from ..errors import Invalid, NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

STDIN = "-"


def words(given: Sequence[str]) -> str | None:
    """The text that was meant: the arguments, or stdin for `-` and for a pipe; None when nobody said anything."""
    if list(given) == [STDIN] or (not given and not sys.stdin.isatty()):
        return _stdin()
    return " ".join(given) if given else None


def asked(given: Sequence[str]) -> str:
    """The question that was meant: the arguments, or stdin for `-`; whoever asks nothing need not have a pipe."""
    return _stdin() if list(given) == [STDIN] else " ".join(given)


def _stdin() -> str:
    text = _decoded(_unmarked(sys.stdin.buffer.read()), "stdin")
    return text[:-2] if text.endswith("\r\n") else text.removesuffix("\n")


def _decoded(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Invalid(f"{where} is not UTF-8 at byte {error.start}; only text can be read", field="text") from None


def _unmarked(data: bytes) -> bytes:
    """Without the mark that some editors and shells put before what they write."""
    return data.removeprefix(BOM_UTF8)


def json_object(text: str, field: str, such_as: str = '{"ticket": 42}') -> dict[str, Any]:
    """A JSON object given as an option, or as a line."""
    found = json_value(text, field)
    if not isinstance(found, dict):
        raise Invalid(f"{field} must be a JSON object such as {such_as}", field=field)
    return found


def json_value(text: str, where: str) -> Any:
    """JSON as the standard has it: no NaN, and a message that says where it breaks."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise Invalid(f"{where} is not JSON: {error.msg} at character {error.pos + 1}", field=where) from None
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise Invalid(f"{where} is not JSON: {why}", field=where) from None


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number in JSON")


def lines(path: str) -> Iterator[str]:
    """The lines of a file, or of stdin for `-`."""
    if path == STDIN:
        yield from _lines(sys.stdin.buffer, "stdin")
        return
    try:
        with open(path, "rb") as file:
            yield from _lines(file, path)
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}", path=path) from None


def _lines(file: BinaryIO, where: str) -> Iterator[str]:
    for number, line in enumerate(file, 1):
        yield _decoded(_unmarked(line) if number == 1 else line, f"{where}, line {number},")


def objects(path: str) -> dict[str, dict[str, Any]]:
    """The objects of a JSON-lines file, by the place of each; empty lines do not count."""
    file = "stdin" if path == STDIN else path
    told = ((f"{file}, line {number}", line) for number, line in enumerate(lines(path), 1) if line.strip())
    return {place: json_object(line, f"{place},", such_as='{"text": "…"}') for place, line in told}
