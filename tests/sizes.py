"""How long the long tests are. `make test` takes these numbers, `make crash` sets larger ones.

The only place in the tests that reads a size from the environment: `HOLDFAST_TEST_<NAME>`.
"""

from __future__ import annotations

import os


def _size(name: str, usual: int) -> int:
    return int(os.environ.get(f"HOLDFAST_TEST_{name}", usual))


KILLS = _size("KILLS", 200)  # of eight writers
CUTS_AND_FLIPS = _size("CUTS_AND_FLIPS", 200)  # of a journal, through `open`
INDEX_FLIPS = _size("INDEX_FLIPS", 2_000)  # bits of index.db
UPKEEP_KILLS = _size("UPKEEP_KILLS", 24)  # of each of rebuild, compaction and forget
FAULT_STRIDE = _size("FAULT_STRIDE", 100)  # the longest stride between failing calls of the index's disk; 1 tries all
MACHINE_STEPS = _size("MACHINE_STEPS", 10_000)  # of the store beside a dict
SCOPED_CALLS = _size("SCOPED_CALLS", 400)  # verbs called by somebody without a grant
