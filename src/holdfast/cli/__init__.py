"""The command line: one verb a command, over the facade and nothing below it.

Data goes to stdout, everything else to stderr; the exit code says how it went. What is not needed for
the command at hand is not imported, click included, until `main` runs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

STOPPED = 130  # what a shell expects of a program that Ctrl-C ended


def main() -> None:
    """Run the command line and exit: what the `holdfast` script calls."""
    import sys

    _fill_streams()
    try:
        from .run import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = STOPPED
    _leave(code)


def _fill_streams() -> None:
    """A stream that the caller closed is an empty one. Left closed, its number would go to the next file that is
    opened, a journal perhaps, and what is printed with it."""
    import os
    import sys

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def _leave(code: int) -> NoReturn:
    """Exit. A thread that is still inside a model, after exit handlers have waited for it, would be torn down with the
    interpreter, and its native code crash: then leave without tearing down anything, all output being written."""
    import sys
    from _thread import _count  # `sys._current_frames` may never return (tests/architecture)

    if _count():
        import atexit
        import os

        atexit._run_exitfuncs()
        if _count():
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    sys.exit(code)
