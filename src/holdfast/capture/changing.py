"""Changing: amendments, and hiding and showing again by tombstones.

`delete` hides at once and is undone by `undelete` until compaction erases the entry (D10); nothing
here removes a byte. Amendments are appended, never written over what is there (D9).
"""

from __future__ import annotations

from ..errors import NotFound
from ..guard import validate
from ..model.entry import Tombstone, amended
from ..model.moment import iso
from ..model.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..model.entry import Entry
    from ..model.replay import Address
    from ..store import Store

_WAIT_MS = 2_000


def amend(store: Store, scope: Scope, id: str, by: str, given: Mapping[str, Any]) -> Entry:
    """Append an amendment and return the entry as it stands now."""
    behind = store.index.refresh(scope, _WAIT_MS)
    place = store.index.locate(scope, [id]).get(id)
    if place is None:
        store.absent(behind, scope)
        raise NotFound(f"no entry {id[:40]!r} in this scope; `holdfast list` shows what there is", id=id[:40])
    before = store.reader.one(scope, id)
    if before is None:
        store.absent(behind, scope, place.journal)
        raise NotFound(f"entry {id} no longer reads back; run `holdfast verify`", id=id)
    changes = store.redactor.changes(validate.changes(given, type=before.type, keyed=before.key is not None))
    change = store.journal.amend(_own(store, scope, place), place.journal, id, by, changes)
    store.index.refresh(scope, 0)
    return amended(before, change)


def _own(store: Store, scope: Scope, place: Address) -> Scope:
    """The scope of the journal's own user, for callers who see more than one."""
    card = store.journal.card(scope, place.journal)
    return Scope(agent=store.agent, user=card.user_id if card is not None else scope.user)


def delete(store: Store, scope: Scope, ids: Sequence[str], reason: str = "user") -> int:
    """Hide these; returns how many were there to hide."""
    behind = store.index.refresh(scope, _WAIT_MS)
    places = store.index.locate(scope, ids)
    if len(places) < len(ids):
        store.absent(behind, scope)
    if behind:  # an index that has not seen it hidden would have it hidden twice
        there = store.reader.entries(scope, list(places))
        places = {id: place for id, place in places.items() if id in there}
    now = iso(store.clock.now())
    by_journal: dict[str, list[Tombstone]] = {}
    for id, place in places.items():
        by_journal.setdefault(place.journal, []).append(Tombstone(id=id, timestamp=now, reason=reason))
    for journal in sorted(by_journal):
        first = places[by_journal[journal][0].id]
        store.journal.bury(_own(store, scope, first), journal, by_journal[journal])
    store.index.refresh(scope, 0)
    return len(places)


def undelete(store: Store, scope: Scope, id: str) -> Entry:
    """Show a deleted entry again, as long as compaction has not erased it."""
    behind = store.index.refresh(scope, _WAIT_MS)
    stone = store.index.buried(scope, [id]).get(id)
    place = store.index.locate(scope, [id], every=True).get(id)
    if place is not None and place.journal in store.index.lagging(scope):
        store.require_level(behind, "what was deleted")
    if stone is None and place is not None:
        found = store.reader.one(scope, id, every=True)
        if found is not None:
            return found
    if stone is None or place is None or stone.final:
        store.absent(behind, scope)
        raise NotFound(f"entry {id[:40]!r} is not among the deleted ones; it was erased or never was", id=id[:40])
    lifted = Tombstone(id=id, timestamp=iso(store.clock.now()), reason="undelete")
    store.journal.bury(_own(store, scope, place), place.journal, [lifted])
    store.index.refresh(scope, _WAIT_MS)
    found = store.reader.one(scope, id, every=True)
    if found is None:
        raise NotFound(f"entry {id} no longer reads back; run `holdfast verify`", id=id)
    return found
