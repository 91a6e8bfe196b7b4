"""A shell for tests: runs the command line as a real process on a home of its own, with or without a terminal."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any, NamedTuple

SRC = Path(__file__).resolve().parents[2] / "src"
COMMAND = [sys.executable, "-m", "holdfast"]
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Ran(NamedTuple):
    """What a process printed, and its exit code."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


class Shell:
    """Runs `holdfast` with its home in a directory of the test."""

    def __init__(self, home: Path) -> None:
        self.home = home
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_")}
        self.environment = {**kept, "HOLDFAST_HOME": str(home), "PYTHONPATH": str(SRC), "TZ": "UTC", "COLUMNS": "100"}

    def __call__(self, *arguments: str | bytes, stdin: str | bytes = "", **environment: str) -> Ran:
        """Run a command to its end, with pipes for stdin, stdout and stderr."""
        given = stdin.encode() if isinstance(stdin, str) else stdin
        ran = subprocess.run(
            [*COMMAND, *arguments], input=given, capture_output=True, timeout=120,
            env={**self.environment, **environment},
        )  # fmt: skip
        return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())

    def good(self, *arguments: str | bytes, **options: Any) -> Ran:
        """Run a command that must succeed."""
        ran = self(*arguments, **options)
        assert ran.code == 0, ran.err
        return ran

    def json(self, *arguments: str, **options: Any) -> Any:
        """Run a command with `--json` that must succeed, and read its answer."""
        return self.good(*arguments, "--json", **options).json()

    def add(self, *arguments: str, **options: Any) -> str:
        """Add an entry and give its id."""
        return self.good("add", *arguments, **options).out.strip()

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        """Start a command and do not wait for it."""
        return subprocess.Popen([*COMMAND, *arguments], env=self.environment, preexec_fn=_hear_interrupts, **options)

    def on_terminal(self, *arguments: str, typed: str = "", program: str | None = None, **environment: str) -> Ran:
        """Run a command on a pseudo-terminal, typing this; stdout and stderr come as one."""
        command = [sys.executable, program] if program is not None else COMMAND
        terminal, other = pty.openpty()
        process = subprocess.Popen(
            [*command, *arguments], stdin=other, stdout=other, stderr=other, start_new_session=True,
            preexec_fn=_take_terminal,
            env={**self.environment, "TERM": "xterm", **environment},
        )  # fmt: skip
        os.close(other)
        shown = _converse(terminal, typed)
        os.close(terminal)
        return Ran(process.wait(60), shown, "")


def _hear_interrupts() -> None:
    """A job in the background, as tests may be, hands down that SIGINT is ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _take_terminal() -> None:
    """Make stdin the controlling terminal, so that ^C typed there is a signal."""
    _hear_interrupts()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _converse(terminal: int, typed: str) -> str:
    """Read all there is; answer when the program asks, as click does: `… [y/N]: `."""
    shown = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                piece = os.read(terminal, 65536)
            except OSError as error:
                if error.errno == errno.EIO:  # the other side is closed
                    break
                raise
            if not piece:
                break
            shown += piece
        if typed and shown.endswith(b"]: "):
            time.sleep(0.3)  # nobody answers at once; ^C between the question and the read would wait for a second one
            os.write(terminal, typed.encode())
            typed = ""
    return shown.decode().replace("\r\n", "\n")


def plain(shown: str) -> str:
    """What a person reads: the text without colours."""
    return ESCAPES.sub("", shown)
