"""Chosen: ids that callers gave their entries, which nobody else's entry may have.

The same id with the same fields, in the same place, is the same call again and finds what is stored (D33,
`repeats`); any other use of an id that is taken or was deleted is Invalid. A principal gets one answer for all
of these, whosever the id is, and never what is stored under a foreign one: whoever holds an id learns that it
cannot be used, not whether, whose or what it is. Ids hold 80 random bits, so that nobody can try them all.
"""

from __future__ import annotations

from ..errors import Invalid
from ..guard.permissions import may_see
from ..model.scope import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..model.entry import Draft, Entry, Tombstone
    from ..model.scope import Caller
    from ..store import Store

_WAIT_MS = 2_000


def check(store: Store, caller: Caller, drafts: Sequence[Draft]) -> None:
    """Invalid if one of these cannot be stored under the id that was chosen for it."""
    chosen = [draft for draft in drafts if draft.chosen_id]
    if not chosen:
        return
    _once(chosen)
    ids = [draft.id for draft in chosen]
    found = _stored(store, caller, ids)
    for id, stone in store.reader.buried(whole(store.agent), ids).items():
        raise _refused(caller, id, _gone(stone))
    for id in _in_quarantine(store, ids) - found.keys():
        raise _refused(caller, id, "belongs to an entry in quarantine; load a backup, forget it, or choose another id")
    _compare(store, caller, found, chosen)


def stored(store: Store, caller: Caller, drafts: Sequence[Draft]) -> dict[str, Entry]:
    """Which of these exist already, deleted ones included; Invalid if one is there as something else."""
    found = _stored(store, caller, [draft.id for draft in drafts])
    _compare(store, caller, found, drafts)
    return found


def _stored(store: Store, caller: Caller, ids: Sequence[str]) -> dict[str, Entry]:
    """Which of these exist; Invalid if one is not the caller's to know of."""
    scope = whole(store.agent)
    store.index.refresh(scope, _WAIT_MS)
    found = store.reader.entries(scope, ids, every=True)
    for id, entry in found.items():
        if not may_see(caller, entry.scope, entry.user_id):
            raise _refused(caller, id, "")
    return found


def _compare(store: Store, caller: Caller, found: Mapping[str, Entry], drafts: Sequence[Draft]) -> None:
    """Invalid unless all that were found are what is to be stored. Whose an entry elsewhere is, nobody is told."""
    if not found:
        return
    from .repeats import difference, is_elsewhere  # few ids are chosen, and fewer repeated

    for draft in drafts:
        entry = found.get(draft.id)
        if entry is None:
            continue
        if is_elsewhere(store, entry, draft):
            raise _refused(caller, draft.id, "is in use already; choose another id")
        if (other := difference(store, entry, draft)) is not None:
            raise _refused(caller, draft.id, f"is stored already with other {other}; choose another id")


def _gone(stone: Tombstone) -> str:
    """What can be done about an id under which nothing is shown any more."""
    if not stone.final:
        return "was deleted; undelete it, or add this under another id"
    what = "forgotten" if stone.reason == "forget" else "deleted and erased since"
    return f"was {what}, so its id is never used again; add this under another id"


def _in_quarantine(store: Store, ids: Sequence[str]) -> set[str]:
    """Ids of entries of which only damage is left: under another's words they would no longer be missed (D40)."""
    pieces = store.journal.quarantined(whole(store.agent))
    return {id for piece in pieces if piece["sealed"] for id in piece["entries"]}.intersection(ids)


def _once(drafts: Sequence[Draft]) -> None:
    seen: set[str] = set()
    for draft in drafts:
        if draft.id in seen:
            raise Invalid(f"{draft.id} stands twice in one batch", field="id", id=draft.id)
        seen.add(draft.id)


def _refused(caller: Caller, id: str, reason: str) -> Invalid:
    told = reason if caller.owner else "cannot be used: it is taken or was deleted; leave the id out to be given one"
    return Invalid(f"entry {id} {told}", field="id", id=id)
