"""`open`, a write and a scoped search on a home of 20,000 sessions look at no more files than on an empty one.

Calls are counted, not timed: an audit hook sees every directory that is listed and every file that is opened, and
`os.stat` is counted where we call it. A hundred sessions more or less must not show.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import swift

ROOT = Path(__file__).parents[2]
SESSIONS = 20_000

COUNT = """
import json, os, sys
home, counted = sys.argv[1], {"open": 0, "list": 0, "stat": 0}
import holdfast, holdfast.wiring
from holdfast.index import live

live.STEADY_S = 0.0  # else a busy machine would look more often

def seen(event, arguments):
    path = str(arguments[0]) if arguments else ""
    if path.startswith(home):
        if event == "open":
            counted["open"] += 1
        elif event in ("os.listdir", "os.scandir"):
            counted["list"] += 1

def counting(call):
    def inner(path, *rest, **named):
        counted["stat"] += isinstance(path, str) and path.startswith(home)
        return call(path, *rest, **named)
    return inner

sys.addaudithook(seen)
os.stat, os.lstat = counting(os.stat), counting(os.lstat)
results = {}

def measure(name, act):
    before = dict(counted)
    act()
    results[name] = {kind: counted[kind] - before[kind] for kind in counted}

memory = None
def opened():
    global memory
    memory = holdfast.open(home, user="ana")
measure("open", opened)
measure("add", lambda: memory.add("a word", session="now"))
measure("search", lambda: memory.search("word"))
measure("close", lambda: memory.close())
print(json.dumps(results))
"""


def fill(home, count):
    """Sessions written straight to disk, as a crash or a copy would leave them, then indexed once."""
    script = """
import sys, holdfast
from holdfast.model.card import Card
from holdfast.journal.cards import card_line
from holdfast.journal.header import header_for, header_line
import os
home, count = sys.argv[1], int(sys.argv[2])
with holdfast.open(home, user="ana") as memory:
    memory.add("the first", session="first")
    folder = os.path.join(home, "agents", "main", "sessions")
    made = "2026-01-01T00:00:00.000Z"
    for number in range(count):
        card = Card(id=f"sess_20260101_{number:08d}", key=f"k{number}", user_id="ana", created_at=made)
        os.mkdir(os.path.join(folder, card.id), 0o700)
        header = header_line(header_for(card, 1, 1)) + b"\\n"
        for name, data in (("memory.jsonl", header), ("metadata.json", card_line(card))):
            with open(os.path.join(folder, card.id, name), "wb") as file:
                file.write(data)
    memory.sync()
    assert memory.stats()["entries"] == 1
    assert len(memory.sessions(limit=200)) == min(count + 1, 200)
"""
    run(script, home, str(count))


def run(script, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", script, *arguments], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def counted():
    """Calls for each act, in a home of one session and in one of many."""
    import json

    with swift.folder() as folder:
        small, large = os.path.join(folder, "small"), os.path.join(folder, "large")
        fill(small, 1)
        fill(large, SESSIONS)
        yield json.loads(run(COUNT, small)), json.loads(run(COUNT, large))


@pytest.mark.parametrize("act", ["open", "add", "search", "close"])
def test_twenty_thousand_sessions_cost_no_call_more(counted, act):
    small, large = counted
    more = {kind: calls - small[act][kind] for kind, calls in large[act].items()}
    assert max(more.values()) <= 0, more  # less where a file that locks are in is there already


def test_something_was_counted(counted):
    small, _ = counted
    assert small["open"]["open"] + small["add"]["open"] > 3
    assert sum(sum(calls.values()) for calls in small.values()) < 400
