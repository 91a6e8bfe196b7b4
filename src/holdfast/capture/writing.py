"""Writing: one or many entries from what callers gave to what journals acknowledged.

Everything is validated and redacted before the first byte is written, so an error changes nothing
(D33). Journals are written in ascending order of their ids, each with one lock, one write and one
sync. The index follows after the acknowledgement and can never fail a write.
"""

from __future__ import annotations

import time

from ..errors import Invalid, SizeLimit
from ..guard import permissions, validate
from ..model.ids import SESSION_ID
from ..model.query import Filter
from ..model.scope import Scope, whole
from ..model.value import Value
from . import sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..model.card import Card
    from ..model.entry import Draft, Entry
    from ..model.scope import Caller
    from ..store import Store

PLACE_FIELDS = ("session", "user", "scope", "workspace")


class Place(Value):
    """Where an entry goes."""

    card: Card
    exists: bool
    scope: Scope
    kind: str  # session, user, global
    workspace: str | None


class Writer(Value):
    """Who writes through which handle: its caller, default user and default workspace."""

    caller: Caller
    user: str
    workspace: str | None = None
    continues: bool = False  # at a full session go on in a continuation (hooks, importers) instead of SizeLimit


def add_many(store: Store, writer: Writer, items: Sequence[Mapping[str, Any]]) -> list[Entry]:
    """Store all of these or, on an error, none; returns them in the order given."""
    started = time.perf_counter()
    planned: dict[str, Place] = {}
    drafts: dict[str, list[tuple[int, Draft]]] = {}
    for number, item in enumerate(items):
        place = _place(store, writer, item, planned)
        drafts.setdefault(place.card.id, []).append((number, _draft(store, place, item)))
    _check(store, writer, planned, drafts)
    stored: dict[int, Entry] = {}
    for journal in sorted(drafts):
        numbers = [number for number, _ in drafts[journal]]
        written = append(store, writer, planned[journal], [draft for _, draft in drafts[journal]])
        stored.update(zip(numbers, written, strict=True))
    store.index.refresh(whole(store.agent), 0)
    store.observer.record("memory.operations.write.duration_ms", (time.perf_counter() - started) * 1000)
    return [stored[number] for number in range(len(items))]


def _place(store: Store, writer: Writer, item: Mapping[str, Any], planned: dict[str, Place]) -> Place:
    """The journal for an item; cards of the same batch are looked up once."""
    if not isinstance(item, dict):
        raise Invalid(f"an entry must be a mapping of fields, not {type(item).__name__}", field="entry")
    kind = item.get("scope") or "session"
    user = item.get("user")
    name = item.get("session")
    if user is not None:
        validate.user(user)
    wanted = user if user is not None else writer.user
    workspace = item.get("workspace")
    workspace = store.settings.workspace(workspace) if workspace else writer.workspace
    if kind == "session":
        card, exists = _session(store, writer, name, wanted, user is not None, workspace, planned)
    else:
        card = sessions.global_card(store) if kind == "global" else sessions.user_card(store, wanted)
        exists = card.id in planned or store.journal.size(whole(store.agent), card.id) is not None
    owner = card.user_id if card.user_id is not None else wanted
    scope = permissions.scope_for(
        writer.caller, store.agent, user=owner, default_user=writer.user, act="write", level=kind
    )
    place = Place(card=card, exists=exists, scope=scope, kind=kind, workspace=workspace or card.workspace)
    planned.setdefault(card.id, place)
    return place


def _session(
    store: Store, writer: Writer, name: str | None, user: str, explicit: bool, workspace: str | None,
    planned: dict[str, Place],
) -> tuple[Card, bool]:  # fmt: skip
    """The session's card and whether it exists; an unknown key is made by this write (D4)."""
    name = sessions.DEFAULT_KEY if name is None else name
    if not isinstance(name, str):
        raise Invalid("session must be an id or a key", field="session")
    for place in planned.values():
        if place.kind == "session" and (
            place.card.id == name or (place.card.key == name and place.card.user_id == user)
        ):
            if explicit and place.card.user_id != user:
                return sessions.known(store, name, user, explicit), True
            return place.card, place.exists
    if SESSION_ID.match(name):
        return sessions.known(store, name, user, explicit), True
    card = sessions.find(store, name, user, explicit)
    if card is not None:
        return card, True
    return sessions.plan(store, user, sessions.Options(key=name, workspace=workspace)), False


def _draft(store: Store, place: Place, item: Mapping[str, Any]) -> Draft:
    fields = {name: value for name, value in item.items() if name not in PLACE_FIELDS}
    card = place.card
    draft = validate.draft(
        fields, scope=place.kind, session_id=card.id if place.kind == "session" else None,
        user_id=card.user_id, workspace=place.workspace, now=store.clock.now(),
    )  # fmt: skip
    return store.redactor.draft(draft)


def _check(store: Store, writer: Writer, planned: dict[str, Place], drafts: dict[str, list[tuple[int, Draft]]]) -> None:
    """What can be refused is refused before anything is written."""
    for journal, numbered in drafts.items():
        place, own = planned[journal], [draft for _, draft in numbered]
        if len(drafts) > 1 or not place.exists:  # one journal that exists refuses as a whole by itself
            _room(store, writer, place, store.journal.measure(place.scope, own))
        _keys(store, place, own)
    _unburied(store, [draft.id for numbered in drafts.values() for _, draft in numbered if draft.chosen_id])
    _quotas(store, planned)


def _room(store: Store, writer: Writer, place: Place, needed: int) -> None:
    """SizeLimit if this journal could not take the batch, before another one has taken its part."""
    limit = store.settings["journal.session_bytes"]
    used = store.journal.size(place.scope, place.card.id)
    if writer.continues or used is None or used.total + needed <= limit:
        return
    if _may_compact(store, place):
        _make_room(store, place, needed)
        used = store.journal.size(place.scope, place.card.id) or used
    if used.total + needed > limit:
        message = f"{place.card.id} has {used.total} of {limit} bytes and cannot take {needed} more; compact or forget"
        raise SizeLimit(message, journal=place.card.id, bytes=used.total, needed=needed, limit=limit, kind="journal")


def _make_room(store: Store, place: Place, needed: int) -> None:
    from ..upkeep.compaction import compact  # only a full journal pays for loading it

    compact(store, place.scope, place.card.id, needed=needed)


def _unburied(store: Store, ids: Sequence[str]) -> None:
    """A deleted id cannot be used again: its tombstone would hide the new entry at once."""
    if not ids:
        return
    store.index.refresh(whole(store.agent), 2_000)
    for id in store.index.buried(whole(store.agent), ids):
        raise Invalid(f"entry {id} was deleted; undelete it, or add this under another id", field="id", id=id)


def _keys(store: Store, place: Place, drafts: Sequence[Draft]) -> None:
    """At most `quota.user_keys` keys a user (D37)."""
    new = {draft.key for draft in drafts if draft.key is not None}
    if not new:
        return
    store.index.refresh(place.scope, 0)
    used = {row.id for row in store.index.rows(place.scope, Filter(types=("preference",), scopes=("user",)))}
    again = {row.id for row in store.index.rows(place.scope, Filter(keys=tuple(new), scopes=("user",)))}
    most = store.settings["quota.user_keys"]
    if len(used - again) + len(new) > most:
        raise SizeLimit(f"a user can have at most {most} keys; forget some first", keys=len(used), most=most)


def _quotas(store: Store, planned: dict[str, Place]) -> None:
    home, user = store.settings["quota.home_bytes"], store.settings["quota.user_bytes"]
    if not home and not user:
        return
    store.index.refresh(whole(store.agent), 0)
    for place in planned.values():
        for most, scope, whose in ((home, whole(store.agent), "the home"), (user, place.scope, "this user")):
            used = store.index.counts(scope)["bytes"] if most else 0
            if most and used >= most:
                raise SizeLimit(
                    f"{whose} has used {used} of {most} bytes; forget something or raise the quota",
                    used=used,
                    most=most,
                )


def append(store: Store, writer: Writer, place: Place, drafts: Sequence[Draft]) -> list[Entry]:
    """Append, making the journal and making room where that is needed and allowed."""
    if not place.exists:
        sessions.create(store, place.card)
    journal = place.card.id
    for last in (False, False, True):
        try:
            return store.journal.append(place.scope, journal, drafts, known=lambda ids: _known(store, ids))
        except SizeLimit as error:
            if last or error.details.get("kind") == "entry" or not _may_compact(store, place):
                if writer.continues and place.kind == "session":
                    return _continued(store, writer, place, drafts)
                raise
            needed = error.details.get("needed")
            _make_room(store, place, needed if isinstance(needed, int) else 0)
    raise AssertionError("unreachable")


def _may_compact(store: Store, place: Place) -> bool:
    own = place.card.compaction_config.get("auto_compact")
    return bool(store.settings["compaction.auto"] if own is None else own)


def _continued(store: Store, writer: Writer, place: Place, drafts: Sequence[Draft]) -> list[Entry]:
    """A full session goes on in another with the same key, so that nothing is lost (D11)."""
    before = place.card
    assert before.user_id is not None
    card = sessions.plan(store, before.user_id, sessions.Options(
        key=before.key, workspace=before.workspace, channel=before.channel, continues=before.id,
    ))  # fmt: skip
    moved = [draft.replace(session_id=card.id) for draft in drafts]
    return append(store, writer, place.replace(card=card, exists=False), moved)


def _known(store: Store, ids: Sequence[str]) -> dict[str, Entry]:
    """Which of the ids that callers chose exist already; asked under the journal's lock (D33)."""
    scope = whole(store.agent)
    store.index.refresh(scope, 2_000)
    return store.reader.entries(scope, ids, every=True)
