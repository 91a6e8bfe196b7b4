"""The command line: one verb a command, over the facade and nothing below it.

Data goes to stdout, everything else to stderr; the exit code says how it went. What is not needed for
the command at hand is not imported, click included, until `main` runs.
"""

from __future__ import annotations

STOPPED = 130  # what a shell expects of a program that Ctrl-C ended


def main() -> None:
    """Run the command line and exit: what the `holdfast` script calls."""
    import sys

    try:
        from .run import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = STOPPED
    sys.exit(code)
