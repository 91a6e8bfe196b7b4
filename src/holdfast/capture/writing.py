"""Writing: one or many entries from what callers gave to what journals acknowledged.

Everything is validated and redacted before the first byte is written, so an error changes nothing
(D33). One journal is written with one lock, one write and one sync; several are written under all of their locks,
or on an error none of them. The index follows after the acknowledgement and can never fail a write.
"""

from __future__ import annotations

import time

from ..errors import HoldfastError, NotFound, SizeLimit
from ..guard import validate
from ..model.batch import Batch
from ..model.query import Filter
from ..model.scope import whole
from . import chosen, sessions
from .places import FIELDS, Place, Places, Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..model.entry import Draft, Entry
    from ..model.scope import Scope
    from ..store import Store

    Part = tuple[Place, Sequence[Draft]]  # what goes to one journal
    Known = Callable[[Sequence[Draft]], Mapping[str, Entry]]

SEAL = 32  # the number of a line grows, and a torn tail takes a line end
HEADER = 4096  # more than a journal's first line takes


def add_many(store: Store, writer: Writer, items: Sequence[Mapping[str, Any]]) -> list[Entry]:
    """Store all of these or, on an error, none; returns them in the order given."""
    started = time.perf_counter()
    entries = _stored(store, writer, items)
    if entries:
        store.index.follow(whole(store.agent), len(entries))
    store.observer.record("memory.operations.write.duration_ms", (time.perf_counter() - started) * 1000)
    return entries


def _stored(store: Store, writer: Writer, items: Sequence[Mapping[str, Any]]) -> list[Entry]:
    places = Places(store, writer)
    drafts: dict[str, list[tuple[int, Draft]]] = {}
    for number, item in enumerate(items):
        try:
            place = places.of(item)
            draft = _draft(store, place, item)
        except HoldfastError as error:
            if len(items) == 1:
                raise
            raise _of_item(number, error) from None
        drafts.setdefault(place.card.id, []).append((number, draft))
    planned = places.by_journal
    _check(store, writer, planned, drafts)
    parts = [(planned[journal], [draft for _, draft in drafts[journal]]) for journal in drafts]
    written = _append_all(store, writer, parts) if len(parts) > 1 else [append(store, writer, *part) for part in parts]
    stored: dict[int, Entry] = {}
    for numbered, entries in zip(drafts.values(), written, strict=True):
        stored.update(zip([number for number, _ in numbered], entries, strict=True))
    return [stored[number] for number in range(len(items))]


def _of_item(number: int, error: HoldfastError) -> HoldfastError:
    """The same error, saying which of many it is about."""
    return type(error)(f"items[{number}]: {error.message}", **{**error.details, "item": number})


def _draft(store: Store, place: Place, item: Mapping[str, Any]) -> Draft:
    fields = {name: value for name, value in item.items() if name not in FIELDS}
    card = place.card
    draft = validate.draft(
        fields, scope=place.kind, session_id=card.id if place.kind == "session" else None,
        user_id=card.user_id, workspace=place.workspace, now=store.clock.now(),
    )  # fmt: skip
    return store.redactor.draft(draft)


def _check(store: Store, writer: Writer, planned: dict[str, Place], drafts: dict[str, list[tuple[int, Draft]]]) -> None:
    """What can be refused is refused before anything is written."""
    chosen.check(store, writer.caller, [draft for numbered in drafts.values() for _, draft in numbered])
    for journal, numbered in drafts.items():
        place, own = planned[journal], [draft for _, draft in numbered]
        if len(drafts) > 1 or not place.exists:  # one journal that exists refuses as a whole by itself
            _room(store, writer, place, store.journal.measure(place.scope, own))
        _within(_keys, store, place, own)
    _within(_quotas, store, planned, drafts)


def _within(limit: Callable[..., None], store: Store, *about: Any) -> None:
    """Keep to a limit that only the index can count; where it cannot be read, the write goes on."""
    try:
        limit(store, *about)
    except sessions.UNANSWERED:
        store.observer.count("memory.quota.unchecked.count")


def _room(store: Store, writer: Writer, place: Place, needed: int) -> None:
    """SizeLimit if this journal could not take the batch, before anything is made, written or taken away for it."""
    limit = store.settings["journal.session_bytes"]
    used = _used(store, place)
    if writer.continues or used + needed <= limit:
        return
    able = place.exists and _may_compact(store, place)
    if able and writer.make_room(store, place.scope, place.card.id, needed=needed, full=True, dry=True):
        return  # which is made when it is written to
    message = f"{place.card.id} has {used} of {limit} bytes and cannot take {needed} more; compact or forget"
    raise SizeLimit(message, journal=place.card.id, bytes=used, needed=needed, limit=limit, kind="journal")


def _used(store: Store, place: Place) -> int:
    size = store.journal.size(place.scope, place.card.id)
    return size.total if size is not None else HEADER


def _keys(store: Store, place: Place, drafts: Sequence[Draft]) -> None:
    """At most `quota.user_keys` keys a user (D37)."""
    new = {draft.key for draft in drafts if draft.key is not None}
    if not new:
        return
    store.index.refresh(place.scope, 0)
    keyed = Filter(types=("preference",), scopes=("user",))
    used = {row.id for row in store.index.rows(place.scope, keyed)}
    again = {row.id for row in store.index.rows(place.scope, keyed.replace(keys=tuple(new)))}
    most = store.settings["quota.user_keys"]
    if len(used - again) + len(new) > most:
        raise SizeLimit(f"a user can have at most {most} keys; forget some first", keys=len(used), most=most)


def _quotas(store: Store, planned: dict[str, Place], drafts: dict[str, list[tuple[int, Draft]]]) -> None:
    """SizeLimit if this batch would take the home, or one of its users, beyond what they may use."""
    home, user = store.settings["quota.home_bytes"], store.settings["quota.user_bytes"]
    if not home and not user:
        return
    users: dict[Scope, int] = {}
    for journal, numbered in drafts.items():
        scope = planned[journal].scope
        users[scope] = users.get(scope, 0) + store.journal.measure(scope, [draft for _, draft in numbered])
    if user:
        store.index.refresh(whole(store.agent), 0)
    for scope, needed in users.items() if user else ():
        used = store.index.counts(scope)["bytes"]
        _refuse_beyond("this user", used, needed, user, used + needed <= user)
    if home:
        from .usage import room_for  # most homes have no quota

        fits, used = room_for(store.home, sum(users.values()), home)
        _refuse_beyond("the home", used, sum(users.values()), home, fits)


def _refuse_beyond(whose: str, used: int, needed: int, most: int, fits: bool) -> None:
    if not fits:
        raise SizeLimit(
            f"{whose} has used {used} of {most} bytes and cannot take {needed} more; "
            "forget something or raise the quota",
            used=used, needed=needed, most=most,
        )  # fmt: skip


def append(store: Store, writer: Writer, place: Place, drafts: Sequence[Draft]) -> list[Entry]:
    """Append, making the journal and making room where that is needed and allowed.

    What somebody forgets meanwhile is made anew, as if we had come after them, unless it was named by its id.
    """
    known = _known(store, writer)
    for last in (False, False, True):
        try:
            if not place.exists:
                sessions.create(store, place.card)
            return store.journal.append(place.scope, place.card.id, drafts, known=known)
        except NotFound:
            if last or not _may_return(place):
                raise
            place, drafts = _anew(store, place, drafts)
        except SizeLimit as error:
            if not last and _made_room(store, writer, place, error):
                continue
            if writer.continues and place.kind == "session" and error.details.get("kind") != "entry":
                return _continued(store, place, drafts, known)
            raise
    raise AssertionError("unreachable")


def _append_all(store: Store, writer: Writer, parts: Sequence[Part]) -> list[list[Entry]]:
    """Append to several journals, or on an error to none.

    Except where a full session goes on in another (hooks, importers): those are written one by one.
    """
    for last in (False, False, True):
        places = {place.card.id: place for place, _ in parts}
        try:
            batches = [_batch(store, *part) for part in parts]
            written = store.journal.append_all(whole(store.agent), batches, known=_known(store, writer))
        except NotFound as error:
            gone = places.get(str(error.details.get("journal")))
            if last or gone is None or not _may_return(gone):
                raise
            parts = [_anew(store, *part) if part[0] is gone else part for part in parts]
            continue
        except SizeLimit as error:
            full = places.get(str(error.details.get("journal")))
            if not last and full is not None and full.exists and _made_room(store, writer, full, error):
                continue
            if writer.continues and full is not None:
                return [append(store, writer, *part) for part in parts]
            raise
        for batch in batches:
            if batch.card is not None:
                sessions.tell_of(store, batch.card)
        return written
    raise AssertionError("unreachable")


def _batch(store: Store, place: Place, drafts: Sequence[Draft]) -> Batch:
    card = None if place.exists else store.redactor.card(place.card)
    return Batch(scope=place.scope, journal=place.card.id, drafts=drafts, card=card)


def _known(store: Store, writer: Writer) -> Known:
    def known(drafts: Sequence[Draft]) -> dict[str, Entry]:
        return chosen.stored(store, writer.caller, drafts)  # asked again under the journal's lock (D33)

    return known


def _made_room(store: Store, writer: Writer, place: Place, error: SizeLimit) -> bool:
    """Whether compacting a full journal, if that is allowed, made room; none helps a single entry that is too large."""
    if error.details.get("kind") == "entry" or not _may_compact(store, place):
        return False
    given = error.details.get("needed")
    needed = given if isinstance(given, int) else 0
    full = not writer.continues  # who can go on elsewhere takes nothing away for it
    return writer.make_room(store, place.scope, place.card.id, needed=needed, full=full, dry=False)


def _may_return(place: Place) -> bool:
    """Whether a place that is gone can be made again: an id is never used twice, a name is."""
    return place.kind != "session" or place.key is not None


def _anew(store: Store, place: Place, drafts: Sequence[Draft]) -> Part:
    """The place of the same name after what was there is gone, and what goes there."""
    if place.key is None or place.card.user_id is None:
        return place.replace(exists=False), drafts
    options = sessions.Options(key=place.key, workspace=place.workspace)
    place = place.replace(card=sessions.make(store, place.card.user_id, options), exists=True)
    return place, [draft.replace(session_id=place.card.id) for draft in drafts]


def _may_compact(store: Store, place: Place) -> bool:
    own = place.card.compaction_config.get("auto_compact")
    return bool(store.settings["compaction.auto"] if own is None else own)


def _continued(store: Store, place: Place, drafts: Sequence[Draft], known: Known) -> list[Entry]:
    """A full session goes on in another with the same key, and so on, so that nothing is lost (D11)."""
    stored: list[Entry] = []
    while len(stored) < len(drafts):
        rest = [draft.replace(session_id=place.card.id) for draft in drafts[len(stored) :]]
        fits = _fitting(store, place, rest)
        if fits:
            stored += store.journal.append(place.scope, place.card.id, rest[:fits], known=known)
        else:
            place = _next(store, place)
    return stored


def _fitting(store: Store, place: Place, drafts: Sequence[Draft]) -> int:
    """How many of these the session can still take; SizeLimit if not even an empty one takes the first."""
    size, limit = store.journal.size(place.scope, place.card.id), store.settings["journal.session_bytes"]
    used = size.total if size is not None else 0
    for count, draft in enumerate(drafts):
        needed = store.journal.measure(place.scope, [draft])
        if used + needed + SEAL > limit:
            if count == 0 and needed + HEADER > limit:
                raise SizeLimit(
                    f"an entry of {needed} bytes fits into no session of {limit} bytes", needed=needed, limit=limit
                )
            return count
        used += needed
    return len(drafts)


def _next(store: Store, place: Place) -> Place:
    """The session that this one goes on in."""
    before = place.card
    assert before.user_id is not None
    options = sessions.Options(
        key=before.key or before.id, workspace=before.workspace, channel=before.channel, continues=before.id
    )
    return place.replace(card=sessions.make(store, before.user_id, options), exists=True)
