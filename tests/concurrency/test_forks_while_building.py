"""A child that is forked while another thread builds an index neither waits for it nor inherits its locks."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import os, sys, threading, time
import holdfast
from holdfast.index import forking

forking.WAIT_S = 20
begun, go_on = threading.Event(), threading.Event()

def progress(done, total):
    if done == 3:
        begun.set()
        go_on.wait(30)

memory = holdfast.open(sys.argv[1], settings={"recall.vectors": False})
words = " ".join(f"w{n:x}" for n in range(4000))
for session in "abc":  # more than a cache holds
    memory.add_many([{"text": f"herons {n} {words}", "session": session} for n in range(400)])
memory.add("herons", session="d")
thread = threading.Thread(target=lambda: memory.reindex(progress=progress))
thread.start()
assert begun.wait(30)
read, write = os.pipe()
started = time.monotonic()
child = os.fork()
if child == 0:
    os.read(read, 1)
    os._exit(0 if memory.search("herons").hits and memory.add("more", session="a") else 3)
print("forked at once" if time.monotonic() - started < 10 else "forked late")
go_on.set()
thread.join()
os.write(write, b"x")
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_fork_during_a_reindex_does_not_wait_and_the_child_uses_the_new_index(tmp_path):
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "home")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=150, check=True)
    assert ran.stdout.split("\n") == ["forked at once", "0", ""]
