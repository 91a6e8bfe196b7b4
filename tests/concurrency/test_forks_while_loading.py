"""A child that is forked while another thread loads a part for its first use is not stuck at loading the same."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import os, sys, threading, time
import holdfast
from holdfast.index import forking

module, seconds, wait = sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
begun = threading.Event()

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == module and not begun.is_set():
            begun.set()
            time.sleep(seconds)

forking.WAIT_S = wait
memory = holdfast.open(sys.argv[1], settings={"recall.vectors": module == "numpy"})
memory.add("hello")
sys.meta_path.insert(0, Slow())
thread = threading.Thread(target=lambda: memory.search("hello"))
thread.start()
assert begun.wait(20), "nobody loads " + module
child = os.fork()
if child == 0:
    os._exit(0 if memory.search("hello").hits else 3)
deadline = time.monotonic() + 20
while not (ended := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < deadline:
    time.sleep(0.02)
if not ended[0]:
    os.kill(child, 9)
    os.waitpid(child, 0)
thread.join()
print("stuck" if not ended[0] else os.waitstatus_to_exitcode(ended[1]))
"""


def run(home, module, seconds, wait):
    command = [sys.executable, "-c", SCRIPT, str(home), module, str(seconds), str(wait)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()


@pytest.mark.parametrize("module", ["holdfast.recall.searching", "holdfast.index.matching", "numpy"])
def test_a_fork_waits_for_what_is_being_loaded(tmp_path, module):
    assert run(tmp_path / "home", module, 0.3, 20) == "0"


def test_what_takes_longer_than_a_fork_waits_is_loaded_anew_by_the_child(tmp_path):
    assert run(tmp_path / "home", "holdfast.recall.searching", 2, 0) == "0"
