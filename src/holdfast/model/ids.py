"""Names that we make: ULIDs for entries, session ids, directory names for users, checksums.

No input becomes a path: agents are checked against a pattern, everything else is minted or hashed
here (D5). ULIDs of one process and one millisecond rise, so ids order as they were made.
"""

from __future__ import annotations

import hashlib
import os
import re
from _thread import allocate_lock

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
ENTRY_ID = re.compile(r"mem_[0-9A-HJKMNP-TV-Z]{26}\Z")
OLDER_ID = re.compile(r"mem_[0-9A-Za-z_-]{1,64}\Z")  # as other programs make them, and ours
SESSION_ID = re.compile(r"sess_[0-9]{8}_[a-z0-9]{6,32}\Z")
AGENT = re.compile(r"[a-z0-9_-]{1,64}\Z")
USER_DIR = re.compile(r"u_[a-z2-7]{26}\Z")
GLOBAL = "global"

_last = (-1, 0)
_front = (-1, "")  # all but the last four characters of the last ULID: those of one millisecond share them
_lock = allocate_lock()


def _crockford(number: int, length: int) -> str:
    return "".join([CROCKFORD[number >> shift & 31] for shift in range(5 * length - 5, -1, -5)])


def entry_id(millis: int) -> str:
    """A new `mem_` ULID for this time; rises within a process even inside one millisecond."""
    global _last
    millis = max(0, min(millis, (1 << 48) - 1))
    with _lock:
        before, tail = _last
        if before == millis and tail < (1 << 80) - 1:
            tail += 1
        else:
            tail = int.from_bytes(os.urandom(10)) >> 1
        _last = (millis, tail)
    letters = CROCKFORD
    return (
        f"mem_{_shared(millis << 60 | tail >> 20)}"
        f"{letters[tail >> 15 & 31]}{letters[tail >> 10 & 31]}{letters[tail >> 5 & 31]}{letters[tail & 31]}"
    )


def _shared(number: int) -> str:
    global _front
    known, text = _front
    if known != number:
        text = _crockford(number, 22)
        _front = (number, text)
    return text


def forget_sequence() -> None:
    """After a fork: parent and child must not go on from the same random tail."""
    global _last, _lock
    _lock = allocate_lock()
    _last = (-1, 0)


def session_id(day: str) -> str:
    """A new session id; `day` is yyyymmdd."""
    number = int.from_bytes(os.urandom(5))
    alphabet = CROCKFORD.lower()
    return f"sess_{day}_" + "".join(alphabet[(number >> (5 * place)) & 31] for place in range(6))


def user_dir(user: str) -> str:
    """The directory of a user: a hash, so that no two ids collide on any file system (D5)."""
    number = int.from_bytes(hashlib.sha256(user.encode()).digest()) >> (256 - 130)
    alphabet = "abcdefghijklmnopqrstuvwxyz234567"
    return "u_" + "".join(alphabet[(number >> (5 * place)) & 31] for place in reversed(range(26)))


def is_journal(name: object) -> bool:
    """Whether this is the id of a journal: a session's, a user's, or the global one."""
    return isinstance(name, str) and bool(name == GLOBAL or SESSION_ID.match(name) or USER_DIR.match(name))


def digest(data: bytes) -> str:
    """`sha256:` and the hex digest: the checksum of a line and the hash of a chunk."""
    return "sha256:" + hashlib.sha256(data).hexdigest()
