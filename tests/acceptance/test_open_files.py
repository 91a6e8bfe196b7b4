"""A process that has no descriptor left says so; it takes nothing for damaged or lost, and throws nothing away."""

import subprocess
import sys

import pytest

EXHAUSTED = """
import os, resource, sys
import holdfast
from holdfast.errors import StorageFailed
from holdfast.index.database import connect
from holdfast.providers import registry
from holdfast.testing.embedder import HashingEmbedder

home, warm = sys.argv[1], sys.argv[2] == "warm"
registry.FACTORIES["onnx"] = lambda model: HashingEmbedder(costly=True)


def opened():
    return holdfast.open(home, user="ana", embedder="onnx")


def state():
    cache = connect(os.path.join(home, "agents", "main", "index", "cache.db"))
    (count,) = cache.execute("SELECT count(*) FROM embedding_cache").fetchone()
    cache.close()
    with open(os.path.join(home, "agents", "main", "index", "CURRENT")) as file:
        return file.read(), count


with opened() as memory:
    memory.add_many([{"text": f"topic {number}", "type": "note"} for number in range(20)])
    memory.sync()
    memory.search("topic 3")  # loads whatever a search needs
before, answers = state(), set()
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
for spare in range(12):
    with opened() as memory:
        if warm:
            memory.search("topic 3")
            memory.add(f"late {spare}", type="note")
        held = []
        try:
            while True:
                held.append(os.open(os.devnull, os.O_RDONLY))
        except OSError:
            pass
        for _ in range(spare):
            os.close(held.pop())
        try:
            found = memory.search("topic 3")
            assert found.hits and "damaged" not in (found.degraded or ""), found
            answers.add("hits")
        except StorageFailed as error:
            assert "too many open files" in error.message, error.message
            answers.add("refused")
        for fd in held:
            os.close(fd)
    now = state()
    assert now[0] == before[0] and now[1] >= before[1], (spare, before, now)
print(*sorted(answers))
"""


@pytest.mark.parametrize(("kind", "answers"), [("warm", "hits"), ("cold", "hits refused")])
def test_too_many_open_files_cost_neither_the_index_nor_the_cache(tmp_path, kind, answers):
    command = [sys.executable, "-c", EXHAUSTED, str(tmp_path / "home"), kind]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == answers
