"""Promise 6: nothing leaves the machine, and no process starts that the user did not start.

An audit hook sees every socket and every new process that Python code asks for, whoever asks. The one
process that is allowed is the search of `forget`, which ends before `forget` returns (docs/decisions/0005).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HOOK = """
import sys
EVENTS = ("socket.", "subprocess.", "os.fork", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "urllib.", "http.")

SEARCHES = []

def is_search(event, arguments):
    command = list(arguments[1]) if event in ("subprocess.Popen", "os.posix_spawn") else []  # the second from 3.13 on
    return command[1:4] == ["-I", "-S", "-c"] and "a byte search" in command[4]

def watch(event, arguments):
    if is_search(event, arguments):
        SEARCHES.extend([arguments] if event == "subprocess.Popen" else [])
    elif event.startswith(EVENTS):
        import os
        os.write(2, f"left the process: {event}".encode())
        os._exit(99)

sys.addaudithook(watch)
"""
NOBODY_STAYED = """
assert len(SEARCHES) == 1, SEARCHES
import os
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    pass
else:
    raise AssertionError("a child process is still there")
"""
EVERY_VERB = """
import holdfast
with holdfast.open({home!r}) as memory:
    session = memory.create_session("ana", workspace=".")
    entry = session.add("The deploy key lives in the vault", tags=["ops.deploy"])
    memory.user("ana").remember("editor", "vim")
    memory.search("where is the deploy key", user="ana")
    memory.query(tags={{"include": ["ops"]}}, user="ana")
    memory.context("the deploy key?", user="ana")
    list(memory.export(format="jsonl", user="ana"))
    memory.reindex(); memory.sync(); memory.verify(); memory.stats(); memory.status()
    other = session.add("The staging key is beside it", tags=["ops.staging"])
    memory.delete(entry.id); memory.compact(session.id)
    assert memory.forget(other.id).clean
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", HOOK + code], capture_output=True, text=True, timeout=120)


def test_no_verb_opens_a_socket_or_starts_a_process(tmp_path: Path) -> None:
    ran = run(EVERY_VERB.format(home=str(tmp_path / "home")) + NOBODY_STAYED)
    assert ran.returncode == 0, ran.stderr


def test_the_command_line_opens_no_socket_and_starts_no_process() -> None:
    ran = run("sys.argv = ['holdfast', 'demo']\nfrom holdfast.cli import main\nmain()")
    assert ran.returncode == 0, ran.stderr
    assert "receipt" in ran.stdout.lower()


@pytest.mark.parametrize(
    "code", ["import socket; socket.socket()", "import subprocess; subprocess.run(['true'])", "import os; os.fork()"]
)
def test_the_watch_sees_what_it_is_there_for(code: str) -> None:
    ran = run(code)
    assert ran.returncode == 99
    assert "left the process" in ran.stderr


def test_nothing_is_written_outside_the_home(tmp_path: Path) -> None:
    """Not in the working directory, not in the user's own directory, not in the temporary one."""
    places = {name: tmp_path / name for name in ("work", "user", "temporary")}
    for place in places.values():
        place.mkdir()
    environment = {
        **os.environ, "HOME": str(places["user"]), "TMPDIR": str(places["temporary"]), "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    command = [sys.executable, "-c", EVERY_VERB.format(home=str(tmp_path / "home"))]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=places["work"], env=environment)
    assert ran.returncode == 0, ran.stderr
    assert {name: sorted(place.rglob("*")) for name, place in places.items()} == {name: [] for name in places}
