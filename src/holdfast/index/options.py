"""IndexOptions: what settings say about the index, as `wiring` hands it over."""

from __future__ import annotations

from ..model.value import Value
from .cutting import Chunking


class IndexOptions(Value):
    """The index as configured."""

    compare_minutes: int = 10
    cache: bool = True  # whether vectors of costly embedders are kept by the hash of their text
    cache_entries: int = 50_000
    cache_bytes: int = 256 << 20
    chunking: Chunking = Chunking()
    vfs: str | None = None  # tests put a failing file system here
