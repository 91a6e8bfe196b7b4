"""Homes to measure on, built once a run and only when a row asks for them.

While a home is filled the disk is not synced: only the result counts, and 20,000 sessions would take
minutes. Nothing is measured in that time.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice

import holdfast
from bench.corpus import Corpus
from holdfast.disk import Disk

USERS = 10
SESSION_TURNS = 100
SESSION_BYTES = 10 << 20
ROOMY = {"journal.session_bytes": 64 << 20}
_BATCH = 500

Filler = Callable[[str], None]


@contextmanager
def unsynced() -> Iterator[None]:
    """Within this block nothing reaches the medium before the system likes."""
    sync, sync_dir = Disk.sync, Disk.sync_dir
    Disk.sync = Disk.sync_dir = lambda *_: None  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        Disk.sync, Disk.sync_dir = sync, sync_dir  # type: ignore[method-assign]


class Homes:
    """A folder of homes by name; with `keep` they stay for the next run."""

    def __init__(self, folder: str, corpus: Corpus, keep: bool) -> None:
        self.folder, self.corpus, self._keep = os.path.abspath(folder), corpus, keep
        os.makedirs(self.folder, exist_ok=True)

    def close(self) -> None:
        if not self._keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name: str) -> str:
        """A path that nothing lies at yet."""
        path = os.path.join(self.folder, name)
        if os.path.isdir(path):
            shutil.rmtree(path)
        for end in ("", "-wal", "-shm"):
            if os.path.exists(path + end):
                os.unlink(path + end)
        return path

    @contextmanager
    def fresh(self, name: str = "fresh") -> Iterator[holdfast.Memory]:
        """An empty home that is gone afterwards."""
        path = self.path(name)
        with holdfast.open(path, settings=ROOMY) as memory:
            memory.add("The first entry makes the session and the index")
            yield memory
        shutil.rmtree(path)

    def copy(self, home: str, name: str = "copy") -> str:
        """A copy that a row may spoil."""
        path = self.path(name)
        shutil.copytree(home, path)
        return path

    def of_turns(self, turns: int) -> str:
        """So many turns of ten users, a hundred turns a session."""
        return self._built(f"{turns}-turns", lambda path: self._fill(path, turns))

    def session(self) -> str:
        """One session of 10 MiB."""
        return self._built("10-mib", self._fill_session)

    def crowded(self, sessions: int = 20_000) -> str:
        """Many sessions of one entry each."""
        return self._built(f"{sessions}-sessions", lambda path: self._crowd(path, sessions))

    def _built(self, name: str, fill: Filler) -> str:
        path, done = os.path.join(self.folder, name), os.path.join(self.folder, f"{name}.done")
        if not os.path.exists(done):
            started = time.perf_counter()
            print(f"building {name} …", end=" ", file=sys.stderr, flush=True)
            with unsynced():
                fill(self.path(name))
            with open(done, "w"):
                pass
            print(f"{time.perf_counter() - started:.0f} s", file=sys.stderr)
        return path

    def _fill(self, path: str, turns: int) -> None:
        said = self.corpus.turns(turns)
        with holdfast.open(path, settings=ROOMY) as memory:
            for start in range(0, turns, _BATCH):
                memory.add_many([_turn(start + place, text) for place, text in enumerate(islice(said, _BATCH))])
            memory.sync()  # gives every turn its vector

    def _fill_session(self, path: str) -> None:
        said = self.corpus.turns(1 << 30, part=1)
        with holdfast.open(path, settings=ROOMY, embedder="none") as memory:
            session = memory.create_session()
            journal = journals(path)[0]
            while os.stat(journal).st_size < SESSION_BYTES:
                session.add_many({"text": text, "role": "user"} for text in islice(said, _BATCH // 2))

    def _crowd(self, path: str, sessions: int) -> None:
        said = self.corpus.turns(sessions, part=2)
        with holdfast.open(path) as memory:
            for start in range(0, sessions, _BATCH):
                batch = enumerate(islice(said, _BATCH), start)
                memory.add_many([{"text": text[:400], "session": f"chat:{number}"} for number, text in batch])


def _turn(number: int, text: str) -> dict[str, str]:
    talk = number // SESSION_TURNS
    role = "assistant" if number % 2 else "user"
    return {"text": text, "role": role, "user": f"user{talk % USERS}", "session": f"chat:{talk}"}


def journals(home: str) -> list[str]:
    """Every journal below a home."""
    return sorted(
        os.path.join(folder, name) for folder, _, files in os.walk(home) for name in files if name == "memory.jsonl"
    )
