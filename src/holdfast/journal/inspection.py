"""Inspection: every damaged place in the files of one journal, by file and line, for `verify`.

Reports and changes nothing. It never shows what a damaged line holds.
"""

from __future__ import annotations

from ..disk import read_file
from .cards import read_card
from .replay import replay_file
from .tombstones import stone_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..disk import Disk
    from ..model.replay import Replay
    from .files import Place


def damage(disk: Disk, place: Place, replay: Replay | None) -> Iterator[dict[str, Any]]:
    """What is wrong: `file`, `line` (1-based, 0 for the whole file), `offset`, `bytes`, `what`."""
    try:
        yield from _in_entries(disk, place.entries, replay)
    except FileNotFoundError:
        if _text(disk, place.card) is not None:
            yield _found(place.entries, 0, 0, 0, "missing, though its card exists")
        else:
            yield from _in_tombstones(disk, place.tombstones)
            return
    yield from _in_tombstones(disk, place.tombstones)
    yield from _in_card(disk, place)


def _in_entries(disk: Disk, path: str, replay: Replay | None) -> Iterator[dict[str, Any]]:
    size = disk.stat(path).st_size
    replay = replay or replay_file(disk, path, None)
    for line in replay.lines:
        if line.record is None:
            yield _found(path, line.number, line.offset, line.length, "damaged line")
    if replay.torn:
        yield _found(path, replay.mark.line + 1, replay.mark.offset, size - replay.mark.offset, "unfinished last line")


def _in_tombstones(disk: Disk, path: str) -> Iterator[dict[str, Any]]:
    offset = 0
    for number, raw in enumerate((_text(disk, path) or b"").split(b"\n"), 1):
        line = raw.removesuffix(b"\r")
        if line and stone_in(line) is None:
            yield _found(path, number, offset, len(raw), "damaged tombstone")
        offset += len(raw) + 1


def _in_card(disk: Disk, place: Place) -> Iterator[dict[str, Any]]:
    card = read_card(disk, place)
    if card is None or card.extra.get("rebuilt"):
        yield _found(place.card, 0, 0, 0, "card missing or damaged; made again from the journal")


def _text(disk: Disk, path: str) -> bytes | None:
    try:
        return read_file(disk, path)
    except FileNotFoundError:
        return None


def _found(path: str, line: int, offset: int, count: int, what: str) -> dict[str, Any]:
    return {"file": path, "line": line, "offset": offset, "bytes": count, "what": what}
