"""Folders in memory, for tests that make thousands of homes and say nothing about power loss.

There an fsync costs nothing; everything else (locks, modes, renames, SQLite) is as on a disk.
"""

from __future__ import annotations

import contextlib
import os
import tempfile

MEMORY = "/dev/shm"


@contextlib.contextmanager
def folder():
    """An empty directory, in memory where the machine has such a place; gone afterwards."""
    where = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="holdfast-test-", dir=where, ignore_cleanup_errors=True) as made:
        yield made
