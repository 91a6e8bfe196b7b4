"""Census: which kinds of lines take up a journal's bytes, for `SizeLimit` and for `stats` (A114)."""

from __future__ import annotations

from ..disk import exists
from .replay import replay_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..disk import Disk
    from .files import Place


def bytes_by_kind(disk: Disk, place: Place) -> dict[str, int]:
    """Bytes of entries by type, of amendments, damaged lines and tombstones; `pinned` counts again what is pinned."""
    kinds: dict[str, int] = {}
    for line in replay_file(disk, place.entries, None).lines:
        record = line.record or {}
        kind = "amendments" if "amends" in record else record.get("type", "damaged")
        kinds[kind] = kinds.get(kind, 0) + line.length + 1
        if record.get("pinned"):
            kinds["pinned"] = kinds.get("pinned", 0) + line.length + 1
    if exists(disk, place.tombstones):
        kinds["tombstones"] = disk.stat(place.tombstones).st_size
    return kinds
