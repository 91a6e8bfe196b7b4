"""Intent: what a forget is about to do, written down before its first step, so that a killed one is finished.

Owns `forgetting.json`: ids and journals, never a word of text. One that cannot be read is kept beside the quarantined
pieces, so that it stands in nobody's way; what it was about is then for the person to say again, and `trouble` says so
until they have removed the file.
"""

from __future__ import annotations

import json
import os
from errno import errorcode
from hashlib import sha256

from ..disk import REAL, Attempt, discard, exists, make_private_dir, read_file, write_atomic
from ..errors import StorageFailed
from ..lock import Lock
from ..model.ids import is_journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..lock import Held
    from ..store import Store

FILE = "forgetting.json"
_ASIDE = "forgetting-"
WAIT_MS = 60_000


def folder(store: Store) -> str:
    return os.path.join(store.home, "agents", store.agent)


def path(store: Store) -> str:
    return os.path.join(folder(store), FILE)


def alone(store: Store, what: str) -> Held:
    """Nobody forgets meanwhile, and nobody loads: a load looks for tombstones, and then writes."""
    return Lock(_lock(store)).hold(WAIT_MS, what)


def _lock(store: Store) -> str:
    return os.path.join(folder(store), "forgetting.lock")


def unfinished(store: Store) -> bool:
    """Whether a forget was interrupted, or is under way in another process; so it is where we may not even look."""
    try:
        return exists(REAL, path(store))
    except OSError:
        return True


def interrupted(store: Store) -> bool:
    """Whether a forget was interrupted; not one that is under way, whose lock is held."""
    if not unfinished(store):
        return False
    try:
        held = Lock(_lock(store)).attempt("look")
    except StorageFailed:  # a home that cannot be written, where nobody forgets
        return True
    if held is None:
        return False
    with held:
        return unfinished(store)


def write(store: Store, plan: dict[str, Any]) -> None:
    with Attempt("write", path(store)):
        write_atomic(REAL, path(store), json.dumps(plan).encode())


def remove(store: Store) -> None:
    """Nothing is left to finish."""
    discard(REAL, path(store))
    with Attempt("sync", folder(store)):
        REAL.sync_dir(folder(store))


def read(store: Store) -> dict[str, Any] | None:
    """The plan of the interrupted forget; None if what is written there is no plan."""
    raw = _raw(store)
    try:
        found = json.loads(raw)
        wanted = {**_ids(found["drop"]), **_ids(found["history"])}
        whole = all(map(is_journal, [*wanted, *found["remove"]])) and isinstance(found["id"], str)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return found if whole and isinstance(found["remove"], list) else None


def _raw(store: Store) -> bytes:
    try:
        return read_file(REAL, path(store))
    except OSError as error:
        name = errorcode.get(error.errno or 0, "unknown")
        raise StorageFailed(
            f"a forget may have been interrupted: what stands at {path(store)} cannot be read ({name}); make it "
            "readable or, if it is no file of Holdfast's, move it away, then try again",
            path=path(store), errno=name,
        ) from error  # fmt: skip


def _ids(by_journal: dict[str, list[str]]) -> dict[str, list[str]]:
    if not all(isinstance(ids, list) and all(isinstance(id, str) for id in ids) for ids in by_journal.values()):
        raise ValueError("names what is no entry")
    return by_journal


def set_aside(store: Store) -> str:
    """Keep a damaged plan where it stops nobody; returns where."""
    with Attempt("set aside", path(store)):
        raw = read_file(REAL, path(store))
        kept = os.path.join(folder(store), "quarantine", f"{_ASIDE}{sha256(raw).hexdigest()[:16]}.bad")
        make_private_dir(REAL, os.path.dirname(kept))
        REAL.replace(path(store), kept)
        REAL.sync_dir(os.path.dirname(kept))
        REAL.sync_dir(folder(store))
    return kept


def trouble(store: Store) -> list[str]:
    """What somebody must do about interrupted forgets, each as a sentence."""
    told = [
        f"a forget was interrupted and what it was about cannot be read: forget again, then delete {kept}"
        for kept in _kept_aside(store)
    ]
    if os.path.lexists(aside := os.path.join(folder(store), "quarantine")) and not os.path.isdir(aside):
        told.append(f"{os.path.relpath(aside, store.home)} is no directory, so damage cannot be kept: move it away")
    return [*told, *_noted(store)] if interrupted(store) else told


def _noted(store: Store) -> list[str]:
    try:
        known = read(store) is not None
    except StorageFailed as error:
        return [error.message] if error.details["errno"] != "ENOENT" else []  # somebody has just finished it
    if known:
        return ["a forget was interrupted; `holdfast sync` finishes it"]
    unread = "a forget was interrupted and what it was about cannot be read"
    return [f"{unread}; `holdfast sync` sets it aside, then forget again"]


def _kept_aside(store: Store) -> list[str]:
    directory = os.path.join(folder(store), "quarantine")
    names = sorted(REAL.listdir(directory)) if os.path.isdir(directory) else []
    return [os.path.relpath(os.path.join(directory, name), store.home) for name in names if name.startswith(_ASIDE)]
