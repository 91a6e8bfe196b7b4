"""Status: what a person wants to know first: how much there is, where the bytes are, what is wrong.

Reads counts from the index and sizes by stat; it changes nothing and shows no remembered text.
`session_stats` is the seeds' card with live counts and corruption statistics (A033-A037, A137).
"""

from __future__ import annotations

import os
import stat

from ..disk import risky_filesystem
from ..errors import NotFound
from ..model.scope import whole
from ..recall.lacking import degraded
from ..recall.missing import lost
from .holdings import holdings
from .intent import trouble, unfinished

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.scope import Scope
    from ..store import Store

KINDS = ("journals", "tombstones", "cards", "index", "quarantine", "locks", "ballast", "other")
_BY_NAME = {
    "memory.jsonl": "journals", "tombstones.jsonl": "tombstones", "metadata.json": "cards", "ballast": "ballast",
}  # fmt: skip
_OURS = (*_BY_NAME, "key", "config.toml", "recalled.jsonl")
_BY_FOLDER = {"index": "index", "quarantine": "quarantine", "locks": "locks"}


def status(store: Store) -> dict[str, Any]:
    """The state of the whole agent; `degraded` and `warnings` are empty when all is well."""
    scope = whole(store.agent)
    behind = store.index.refresh(scope, store.settings["index.wait_ms"])
    counts = store.index.counts(scope)
    index = store.index.status(scope)
    pieces, gone = store.journal.quarantined(scope), lost(store.journal, store.index, scope)
    unread = unreadable(store)
    reasons = [*_degraded(store, behind, counts, index, len(gone)), *_unread(unread), *_unreadable(pieces)]
    return {
        "home": store.home, "agent": store.agent, "disk": disk_use(store), "counts": counts, "index": index,
        "behind": behind, "degraded": reasons, "unreadable": unread,
        "corruption": {"damaged_lines": counts["damaged"], "lost_entries": len(gone), "quarantined": len(pieces)},
        "unfinished_forget": unfinished(store), "warnings": _warnings(store),
    }  # fmt: skip


def _degraded(store: Store, behind: int, counts: dict[str, Any], index: dict[str, Any], gone: int) -> list[str]:
    """Why answers may not be whole, each with what to do."""
    reasons = []
    if store.read_only():
        reasons.append("read-only: nothing can be remembered here")
    if behind:
        reasons.append(f"index behind by {behind} journals; `holdfast sync` brings it level")
    if index.get("trouble"):
        reasons.append(f"the index could not be written ({index['trouble']}); what is remembered is safe")
    if counts["damaged"]:
        reasons.append(f"{counts['damaged']} damaged lines; `holdfast verify` names them")
    if gone:
        reasons.append(f"{gone} entries were lost from their journals; `holdfast verify` names them")
    told = (store.embedding.pin_trouble(), store.embedding.setting_trouble(), store.redactor.trouble())
    reasons += [one for one in told if one is not None]
    return [*reasons, *trouble(store)]


def unreadable(store: Store) -> list[str]:
    """Files and directories of this agent and its home that cannot be read; what the disk says only once it is read,
    only if the index has tried. Relative to the home."""
    paths = [str(error.details["path"]) for error in store.index.unreadable(whole(store.agent)).values()]
    unlisted: list[OSError] = []
    for folder, inner, names in os.walk(store.home, onerror=unlisted.append):
        if os.path.relpath(folder, store.home) == "agents":
            inner[:] = [name for name in inner if name == store.agent]
        paths += [path for name in names if not _opens(path := os.path.join(folder, name))]
    paths += [str(error.filename) for error in unlisted]
    return sorted({os.path.relpath(path, store.home) for path in paths if os.path.dirname(path) not in paths})


def _opens(path: str) -> bool:
    """Whether it may be read, and is a file if it is one of ours; or gone, as temporary ones are at once."""
    try:
        regular = stat.S_ISREG(os.stat(path).st_mode)
    except OSError as error:
        return isinstance(error, FileNotFoundError)
    return os.access(path, os.R_OK) if regular else os.path.basename(path) not in _OURS


def _unread(paths: list[str]) -> list[str]:
    count = "1 file or directory" if len(paths) == 1 else f"{len(paths)} files or directories"
    return [f"{count} cannot be read, {paths[0]} for one; `holdfast verify` says why"] if paths else []


def _unreadable(pieces: list[dict[str, Any]]) -> list[str]:
    count = sum(piece["trouble"] is not None for piece in pieces)
    return [f"{count} pieces of quarantine cannot be read; `holdfast verify` names them"] if count else []


def _warnings(store: Store) -> list[str]:
    risk = risky_filesystem(store.home)
    return [*store.settings.warnings, *([risk] if risk is not None else [])]


def disk_use(store: Store) -> dict[str, int]:
    """Bytes by kind of all files below the home, and their sum; an index elsewhere counts too."""
    used = dict.fromkeys(KINDS, 0)
    for folder, _, names in os.walk(store.home):
        parts = os.path.relpath(folder, store.home).split(os.sep)
        for name in names:
            used[_kind(parts, name)] += _size(os.path.join(folder, name))
    path = store.index.status(whole(store.agent)).get("path")
    if path and os.path.relpath(path, store.home).startswith(os.pardir):
        used["index"] += int(store.index.status(whole(store.agent))["bytes"])
    return {**used, "total": sum(used.values())}


def _kind(parts: list[str], name: str) -> str:
    if len(parts) > 2 and parts[0] == "agents" and parts[2] in _BY_FOLDER:
        return _BY_FOLDER[parts[2]]
    return _BY_NAME.get(name, "other")


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0


def stats(store: Store, scope: Scope) -> dict[str, Any]:
    """Counts and sizes within a scope; of one session, its card with live counts."""
    behind = store.index.refresh(scope, store.wait_ms)
    lacking = {"degraded": degraded(store, scope, behind)}
    if len(scope.sessions) == 1:
        return {**session_stats(store, scope, scope.sessions[0], behind), **lacking}
    counts = store.index.counts(scope)
    metrics = {**store.observer.snapshot(), **_levels(counts)}
    del counts["active"]  # told as one of these
    return {**counts, "tags": len(store.index.tags(scope)), "metrics": metrics, **lacking}


def _levels(counts: dict[str, Any]) -> dict[str, dict[str, int]]:
    """What is there now, under the names of the specification (A178-A180); a session is active until it is closed."""
    levels = {"sessions.active": "active", "entries.total": "entries", "size.bytes": "bytes"}
    return {f"memory.{name}": {"value": counts[field]} for name, field in levels.items()}


def session_stats(store: Store, scope: Scope, session: str, behind: int = 0) -> dict[str, Any]:
    """The card of a session, counted now, with the bytes of its files and what is damaged in them."""
    cards = store.index.cards(scope, journal=session)
    if not cards:
        store.absent(behind, scope)
    held = holdings(store.journal, scope, session)
    size = store.journal.size(scope, session)
    if not cards or held is None or size is None:
        raise NotFound(f"no session {session} here", session=session)
    hidden = [holding for holding in held if not holding.visible]
    return {
        **cards[0].to_dict(), "bytes": {"entries": size.entries, "tombstones": size.tombstones},
        "deleted": sum(holding.stone is not None for holding in hidden),
        "superseded": sum(holding.stone is None for holding in hidden),
        "amendments": sum(holding.amendments for holding in held),
        "corruption": {
            "damaged_lines": len(held.damaged), "torn": held.replay.torn,
            "quarantined": len(store.journal.quarantined(scope, session)),
        },
    }  # fmt: skip
