"""With umask 000 every file is 0600 and every directory 0700, at every moment that anybody could look."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# A process of its own: the umask belongs to the process, and so does what it makes.
WORK = """
import os, sys
os.umask(0)
import holdfast
home = sys.argv[1]
for turn in range(3):
    with holdfast.open(home) as memory:
        session = memory.create_session("ana", key=f"s{turn}", title="a title")
        ids = [session.add(f"words {number}", tags=["t"]).id for number in range(40)]
        session.add_many([{"text": f"more {number}"} for number in range(200)])
        memory.user("ana").remember("editor", "vim")
        memory.add("for everybody", scope="global")
        memory.search("words", user="ana")
        memory.amend(ids[0], text="other words")
        memory.delete(ids[1])
        memory.compact(user="ana")
        memory.reindex()
        path = os.path.join(home, "agents", "main", "sessions", session.id, "memory.jsonl")
        with open(path, "r+b") as file:
            file.seek(600)
            file.write(b"?")
        memory.sync()
        memory.context("words", user="ana")
        memory.forget(ids[2:5], user="ana")
        session.close()
"""


class Watcher(threading.Thread):
    """Looks at every name below a directory, over and over, until told to stop."""

    def __init__(self, home):
        super().__init__(daemon=True)
        self.home, self.stop = home, threading.Event()
        self.wrong: dict[str, str] = {}
        self.kinds = Counter()
        self.looks = 0

    def run(self):
        while not self.stop.is_set():
            self.look(self.home)
            self.looks += 1

    def look(self, folder):
        try:
            self.judge(folder)
            with os.scandir(folder) as found:
                for entry in found:
                    if entry.is_dir(follow_symlinks=False):
                        self.look(entry.path)
                    else:
                        self.judge(entry.path)
        except (FileNotFoundError, NotADirectoryError):
            return

    def judge(self, path):
        try:
            found = os.lstat(path)
        except FileNotFoundError:
            return
        mode = stat.S_IMODE(found.st_mode)
        wanted = 0o700 if stat.S_ISDIR(found.st_mode) else 0o600
        self.kinds[kind_of(path)] += 1
        if mode != wanted:
            self.wrong.setdefault(f"{os.path.relpath(path, self.home)}: {mode:04o}", path)


def kind_of(path):
    name = os.path.basename(path)
    for ending in ("-wal", "-shm", ".tmp", ".bad", ".lock", ".jsonl", ".json", ".db"):
        if name.endswith(ending):
            return ending
    return name


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """A home made and used with umask 000 while somebody looks at it all the time."""
    folder = tmp_path_factory.mktemp("umask")
    os.chmod(folder, 0o755)
    home = str(folder / "home")
    watcher = Watcher(home)
    watcher.start()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", WORK, home], env=environment, capture_output=True, text=True)
    watcher.stop.set()
    watcher.join()
    assert done.returncode == 0, done.stderr
    watcher.look(home)
    return watcher


def test_nothing_was_open_to_others_at_any_moment(watched):
    assert watched.looks > 20
    assert list(watched.wrong) == []


def test_the_watcher_saw_logs_and_temporary_files_while_they_existed(watched):
    assert {"-wal", "-shm", ".db", ".jsonl", ".json", ".bad", "key", "ballast"} <= watched.kinds.keys()


def test_the_watcher_would_have_seen_it(tmp_path):
    (tmp_path / "open").mkdir(mode=0o755)
    (tmp_path / "open" / "file").write_text("x")
    os.chmod(tmp_path / "open" / "file", 0o644)
    watcher = Watcher(str(tmp_path))
    watcher.look(str(tmp_path / "open"))
    assert list(watcher.wrong) == ["open: 0755", "open/file: 0644"]
