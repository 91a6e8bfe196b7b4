"""A process that has everything imported and forks: a new Python would cost a tenth of a second each time.

It opens no store itself, so a fork of it is as innocent as a new process. Commands come in on stdin, one a
line: `<name> <argument>…` runs the function of that name of a module in a forked child. What children
have to say goes to the one stdout, a line of JSON each, written in one piece after the fact.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from queue import Empty, SimpleQueue

ROOT = Path(__file__).parents[2]


def say(**facts):
    """Tell the test something. Shorter than PIPE_BUF, so that lines of two processes never mix."""
    line = json.dumps({"pid": os.getpid(), **facts}).encode() + b"\n"
    assert len(line) <= 4096
    os.write(1, line)


def serve(module):
    """Fork a child for every command, until stdin ends."""
    acts = importlib.import_module(module)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries them
    for command in sys.stdin:
        name, *arguments = json.loads(command)
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _run(getattr(acts, name), arguments)


def _run(act, arguments):
    say(event="started")
    try:
        act(*arguments)
        say(event="done")
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - told to the test, which fails on it
        say(event="failed", error=f"{type(error).__name__}: {error}"[:1000])
        os._exit(1)


class Zygote:
    """The test's end of it; a context manager."""

    def __init__(self, module):
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, module], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}, start_new_session=True,
        )  # fmt: skip
        self._heard = SimpleQueue()
        self._alive = set()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self):
        for line in self._process.stdout:
            self._heard.put(json.loads(line))

    def start(self, name, *arguments):
        """Fork a child; its pid comes with its first word."""
        self._process.stdin.write(json.dumps([name, *arguments]).encode() + b"\n")
        self._process.stdin.flush()

    def hear(self, seconds=60.0):
        """The next thing that a child said; None if nothing was said in time."""
        try:
            heard = self._heard.get(timeout=seconds)
        except Empty:
            return None
        {"started": self._alive.add, "done": self._alive.discard, "failed": self._alive.discard}.get(
            heard.get("event"), lambda pid: None
        )(heard["pid"])
        return heard

    def begin(self, name, *arguments):
        """Fork a child and wait for its first word; only while no other child speaks."""
        self.start(name, *arguments)
        return self.expect("started")["pid"]

    def expect(self, event):
        heard = self.hear()
        assert heard is not None, f"no {event} within a minute"
        assert heard.get("event") == event, heard
        return heard

    def kill(self, pid):
        """SIGKILL, and wait until the child is gone."""
        self._alive.discard(pid)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        self.wait(pid)

    def wait(self, pid):
        """Until a child is gone by itself."""
        self._alive.discard(pid)
        while _runs(pid):
            time.sleep(0.0005)

    def drained(self):
        """All that was said and not heard yet, once nobody is left to speak."""
        while (heard := self.hear(seconds=0.3)) is not None:
            yield heard

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        """All of them go, also who never said a word: a pipe that one of them keeps open would be read for ever."""
        self._process.stdin.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(timeout=60)
        self._listener.join(60)
        if not self._listener.is_alive():
            self._process.stdout.close()


def _runs(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in ("Z", "X")


if __name__ == "__main__":
    serve(sys.argv[1])
