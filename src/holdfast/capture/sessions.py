"""Sessions: found by id or key, made when a write needs one, closed with their counts.

An id names its session and with it the user; a key is any string and is looked up under the user
(D4). The id of a session with a key is made from user, key and day, so that two processes that make
it at the same moment make the same one. Foreign names never become a path: ids are minted here.
"""

from __future__ import annotations

import hashlib

from ..errors import Corrupt, Denied, Invalid, Locked, NotFound, StorageFailed
from ..guard import validate
from ..guard.redaction import identifier
from ..model.card import Card
from ..model.ids import GLOBAL, SESSION_ID, session_id, user_dir
from ..model.moment import iso
from ..model.scope import Scope, whole
from ..model.value import FrozenDict, Value, freeze

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..store import Store

DEFAULT_KEY = "default"
UNANSWERED = (StorageFailed, Corrupt, Locked)  # what an index raises that cannot be read: no reason to refuse a write
_WAIT_MS = 2_000  # for whoever writes: a second session under a key that exists would be worse than waiting
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class Options(Value):
    """What a new session may be given besides its user."""

    key: str | None = None
    workspace: str | None = None
    channel: str | None = None
    title: str | None = None
    preferences: FrozenDict = FrozenDict()
    decay: FrozenDict = FrozenDict()
    compaction: FrozenDict = FrozenDict()
    continues: str | None = None


def options(
    store: Store, *, key: str | None, workspace: str | None, channel: str | None, title: str | None,
    preferences: Mapping[str, Any] | None, decay: Mapping[str, Any] | None, compaction: Mapping[str, Any] | None,
) -> Options:  # fmt: skip
    """What a caller gave, checked."""
    from ..guard import overrides  # a write that finds its session does without

    return Options(
        key=None if key is None else identifier(validate.session_key(key, "key"), "key"),
        workspace=None if workspace is None else store.settings.workspace(validate.workspace(workspace)),
        channel=None if channel is None else validate.short(channel, "channel"),
        title=None if title is None else validate.short(title, "title"),
        preferences=overrides.preferences(preferences), decay=overrides.decay(decay),
        compaction=overrides.compaction(compaction),
    )  # fmt: skip


def find(store: Store, name: str, user: str | None, explicit: bool, wait_ms: int | None = None) -> Card | None:
    """The session of this id or key. `explicit`: the caller named the user, who must then be its own.

    A key may wait so long for the index: whoever only reads says how long their answer may take.
    """
    if not isinstance(name, str):
        raise Invalid(f"session must be an id or a key, not {type(name).__name__}", field="session")
    if SESSION_ID.match(name):
        card = store.journal.card(whole(store.agent), name)
        if card is not None and explicit and user is not None and card.user_id != user:
            raise Denied(f"session {name} belongs to another user", session=name, grant="read:user")
        return card
    return _by_key(store, validate.session_key(name), user, wait_ms)


def _by_key(store: Store, key: str, user: str | None, wait_ms: int | None) -> Card | None:
    """The session last used under this key; from the cards themselves where the index cannot say."""
    scope = Scope(agent=store.agent, user=user)
    try:
        behind = store.index.refresh(whole(store.agent), _WAIT_MS if wait_ms is None else wait_ms)
        ids = store.index.under_key(scope, key)
    except UNANSWERED:
        behind, ids = 1, []
    found = next((card for id in ids if (card := store.journal.card(scope, id)) is not None), None)
    if found is not None or not behind:
        return found
    cards = (store.journal.card(scope, journal) for journal in store.journal.journals(scope))
    same = [card for card in cards if card is not None and card.kind == "session" and card.key == key]
    return max(same, key=lambda card: (card.created_at, card.id), default=None)


def known(store: Store, name: str, user: str | None, explicit: bool, wait_ms: int | None = None) -> Card:
    """The same, or NotFound."""
    card = find(store, name, user, explicit, wait_ms)
    if card is None:
        if not SESSION_ID.match(name):  # which of those that cannot be read has this key nobody knows
            store.absent(0, Scope(agent=store.agent, user=user))
        raise NotFound(f"no session {name[:80]!r} here; `holdfast sessions` lists those there are", session=name[:80])
    return card


def chain(store: Store, card: Card) -> tuple[str, ...]:
    """The ids of a session and of those it goes on from or that go on from it (D11)."""
    same = store.index.under_key(Scope(agent=store.agent, user=card.user_id), card.key or card.id)
    return tuple(dict.fromkeys([card.id, *same]))


def plan(store: Store, user: str, options: Options) -> Card:
    """The card of a session to be made, under names that may be stored; nothing is written yet."""
    now = store.clock.now()
    day = iso(now)[:10].replace("-", "")
    key = identifier(validate.session_key(options.key), "session") if options.key is not None else None
    identifier(user, "user")
    identifier(options.workspace or "", "workspace")
    id = _free_id(store, user, key, day, options.continues) if key else session_id(day)
    return Card(
        id=id, kind="session", key=key or id, user_id=user, workspace=options.workspace, channel=options.channel,
        title=options.title, created_at=iso(now), continues=options.continues,
        preferences=_preferences(options.preferences), decay_config=options.decay, compaction_config=options.compaction,
    )  # fmt: skip


def _preferences(given: FrozenDict) -> FrozenDict:
    """A035: language and verbosity have defaults, the rest is the caller's."""
    named = {name: value for name, value in given.items() if name in ("language", "verbosity")}
    custom = {name: value for name, value in given.items() if name not in ("language", "verbosity", "custom")}
    return FrozenDict(
        {"language": "en", "verbosity": "medium", **named, "custom": freeze({**given.get("custom", {}), **custom})}
    )


def _free_id(store: Store, user: str, key: str, day: str, continues: str | None) -> str:
    """The id for this key today; the next one where an earlier session of that id was forgotten.

    Ids are numbered, and a number is used once all below it were forgotten: the first that is free is between one that
    is and one that is not, so that a key may be forgotten any number of times.
    """

    def id_of(number: int) -> str:
        made = hashlib.sha256("\0".join((user, key, continues or "", str(number))).encode()).digest()
        return f"sess_{day}_" + "".join(_ALPHABET[byte & 31] for byte in made[:13])

    forgotten, free = 0, 1
    while _was_forgotten(store, id_of(free)):
        forgotten, free = free, free * 2
    while free - forgotten > 1:
        middle = (forgotten + free) // 2
        forgotten, free = (middle, free) if _was_forgotten(store, id_of(middle)) else (forgotten, middle)
    return id_of(free)


def _was_forgotten(store: Store, id: str) -> bool:
    stones, _ = store.journal.tombstones(whole(store.agent), id)
    return any(stone.id == id for stone in stones)


def make(store: Store, user: str, options: Options) -> Card:
    """Plan a session and make it; once more where somebody forgot the session of that id in between."""
    try:
        return create(store, plan(store, user, options))
    except NotFound:
        return create(store, plan(store, user, options))


def create(store: Store, card: Card) -> Card:
    """Make the journal of this card, or take the one that another process has just made."""
    scope = Scope(agent=store.agent, user=card.user_id)
    made = store.journal.create(scope, store.redactor.card(card))
    tell_of(store, made)
    return made


def tell_of(store: Store, made: Card) -> None:
    """Say that this journal was made."""
    store.observer.emit("session created", "info", "capture", session_id=made.id)


def user_card(store: Store, user: str) -> Card:
    """The card of a user's own journal, made on first use."""
    return Card(id=user_dir(user), kind="user", user_id=user, created_at=iso(store.clock.now()))


def global_card(store: Store) -> Card:
    return Card(id=GLOBAL, kind="global", created_at=iso(store.clock.now()))


def close(store: Store, card: Card) -> Card:
    """Write the counts of now and the end into the card."""
    scope = Scope(agent=store.agent, user=card.user_id)
    store.index.refresh(scope, _WAIT_MS)
    live = store.index.cards(scope, journal=card.id)
    now = iso(store.clock.now())
    counted = live[0] if live else card
    saved = _save(
        store, card, ended_at=now, last_accessed=now, total_entries=counted.total_entries,
        total_size_bytes=counted.total_size_bytes, statistics=counted.statistics,
    )  # fmt: skip
    store.observer.emit("session closed", "info", "capture", session_id=card.id)
    return saved


def change(store: Store, card: Card, changes: Mapping[str, Any]) -> Card:
    """Save a card with some fields changed: title, channel, preferences, overrides."""
    from ..guard import overrides

    return _save(store, card, **overrides.card_changes(changes))


def _save(store: Store, card: Card, **changes: Any) -> Card:
    """Change these fields of the card as it is by now: another process may have changed others."""
    scope = Scope(agent=store.agent, user=card.user_id)
    return store.journal.change_card(scope, card.id, lambda now: store.redactor.card(now.replace(**changes)))


def journals_of(store: Store, scope: Scope) -> list[str]:
    """Every journal of a user: sessions and the user's own; of everyone: all there are."""
    if scope.everyone:
        return list(store.journal.journals(scope))
    store.index.refresh(scope, _WAIT_MS)
    ids = [card.id for card in store.index.cards(scope)]
    own = user_dir(scope.user or "")
    size = store.journal.size(scope, own)
    return ids + ([own] if size is not None and size.entries > 0 else [])
