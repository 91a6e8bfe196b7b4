"""Removing: one entry forgotten, and a session compacted, in 10 MiB."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator

import holdfast
from bench import bare
from bench.homes import ROOMY, journals
from bench.rounds import Samples, interleaved
from bench.row import Row, ms
from bench.run import Run

_DELETED = 50


def forget(run: Run) -> list[Row]:
    """Erased from every file, and looked for in all of them."""
    took = _took(run, lambda memory, ids: memory.forget(next(ids)))
    return [_row("forget one entry of a 10 MiB session", took)]


def compaction(run: Run) -> list[Row]:
    """Fifty deleted entries erased at a time."""
    took = _took(run, _compact)
    return [_row(f"compact a 10 MiB session, {_DELETED} deleted", took)]


def _compact(memory: holdfast.Memory, ids: Iterator[str]) -> None:
    for _ in range(_DELETED):
        memory.delete(next(ids))
    memory.compact()


def _took(run: Run, act: Callable[[holdfast.Memory, Iterator[str]], object]) -> dict[str, Samples]:
    """On a copy of the home, beside a bare rewrite of the same journal."""
    home = run.homes.copy(run.homes.session())
    journal, plain = journals(home)[0], os.path.join(run.homes.folder, "bare.jsonl")
    shutil.copyfile(journal, plain)
    with holdfast.open(home, settings=ROOMY) as memory:
        ids = iter([entry.id for entry in memory.query(rank="oldest", every=True)])
        took = interleaved({"ours": lambda: act(memory, ids), "bare": lambda: bare.rewrite(plain)}, 5)
    shutil.rmtree(home)
    return took


def _row(what: str, took: dict[str, Samples]) -> Row:
    ours, peer = took["ours"], took["bare"]
    return Row(
        what, "—", f"{ms(ours.cpu_at())} CPU, {ms(ours.wall_at())} wall",
        f"{ms(peer.cpu_at())} CPU, {ms(peer.wall_at())} wall: rewrite, fsync, rename", ours.cpu_at() / peer.cpu_at(),
    )  # fmt: skip
