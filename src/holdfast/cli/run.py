"""Run: one call of the command line, from its arguments to its exit code.

Every error ends here as one line on stderr, with `--json` also as an object on stdout. A traceback is
shown only with `--debug`, and a remembered text never: of errors that are not ours only the kind is told.
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

import click

from ..errors import HoldfastError, response
from . import STOPPED, screen
from .everywhere import FAILED, OK
from .root import PROGRAM, root

if TYPE_CHECKING:
    from collections.abc import Sequence


def run(args: Sequence[str]) -> int:
    """The exit code of this command line: 0, 1 failed or partial, 2 usage, 3 nothing found, 130 stopped."""
    _never_fail_to_print()
    warnings.showwarning = _show_warning
    try:
        code: Any = root.main(list(args), prog_name=PROGRAM, standalone_mode=False)
        screen.flush()
    except (click.Abort, KeyboardInterrupt):
        screen.note("stopped")
        return STOPPED
    except BrokenPipeError:
        return _reader_left()
    except Exception as error:  # noqa: BLE001 - whatever it is, the person gets one line and an exit code
        return _fail(error, _options(args))
    return code if isinstance(code, int) else OK


def _never_fail_to_print() -> None:
    """A terminal that cannot show a letter gets its number instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _show_warning(message: Warning | str, *_where: object, **_more: object) -> None:
    """What the library warns of, such as a home on a network file system, without the line of our code."""
    screen.warn(str(message))


def _options(args: Sequence[str]) -> Sequence[str]:
    """The arguments that can be options: an error may come before click has read them."""
    return args[: args.index("--")] if "--" in args else args


def _fail(error: Exception, given: Sequence[str]) -> int:
    code, kind, message, details = _explained(error)
    if isinstance(error, screen.Unprinted):
        _discard_output()
    if "--debug" in given:
        import traceback

        traceback.print_exception(error)
    screen.note(f"error: {message}")
    if "--json" in given:
        _print_error({"type": kind, "message": message, "details": details})
    return code


def _explained(error: Exception) -> tuple[int, str, str, dict[str, Any]]:
    """Exit code, kind, message and details of an error."""
    if isinstance(error, HoldfastError):
        return response(error)[0], type(error).__name__, error.message, error.details
    if isinstance(error, click.UsageError):
        where = error.ctx.command_path if error.ctx is not None else PROGRAM
        message = error.format_message().rstrip(".") + _dashed(error)
        return error.exit_code, "Usage", f"{message} (see `{where} --help`)", {}
    if isinstance(error, click.ClickException):
        return error.exit_code, "Usage", error.format_message(), {}
    if isinstance(error, screen.Unprinted):
        return FAILED, "OutputFailed", f"stdout cannot be written: {error}; what the command changed is kept", {}
    if isinstance(error, OSError):
        named = f": {error.filename}" if error.filename else ""
        return FAILED, "StorageFailed", f"{error.strerror or type(error).__name__}{named}", {}
    kind = type(error).__name__
    return FAILED, kind, f"Holdfast itself failed ({kind}); run it again with --debug to see where", {}


def _dashed(error: click.UsageError) -> str:
    """What to do where a text was taken for an option: tasks often begin as items of a list do."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return ""
    takes_text = any(isinstance(param, click.Argument) for param in error.ctx.command.params)
    return "; before a text that begins with a dash put `--`" if takes_text else ""


def _print_error(error: dict[str, Any]) -> None:
    try:
        screen.data({"error": error})
        screen.flush()
    except (OSError, screen.Unprinted):  # it has been told on stderr already
        _discard_output()


def _reader_left() -> int:
    """Whoever read our output has seen enough: `holdfast export | head`."""
    _discard_output()
    return FAILED


def _discard_output() -> None:
    """Let the interpreter flush what is left into nothing, not into an error at exit."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
