"""JournalOptions: the settings that a journal obeys."""

from __future__ import annotations

from ..model.value import Value

MIB = 1 << 20


class JournalOptions(Value):
    """Limits, patience and durability of the journals of one agent."""

    session_bytes: int = 10 * MIB  # journal + tombstones; exactly full is allowed
    entry_bytes: int = 1 * MIB  # one line
    lock_ms: int = 5000  # the deadline of a write: waiting for the lock and all retries
    retries: int = 3
    backoff_ms: int = 100  # doubled for each retry
    durability: str = "durable"  # or "relaxed": acknowledged before the sync
    relaxed_ms: int = 200  # and synced within this time
