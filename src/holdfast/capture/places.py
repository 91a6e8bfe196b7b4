"""Places: which journal each item of a batch goes to, and in whose name.

Each session is looked up once a batch. Nothing is made here: a session that an unknown key asks for
is only planned, so that an error in any item of the batch leaves the store as it was.
"""

from __future__ import annotations

from ..errors import Invalid
from ..guard import fields, permissions, validate
from ..guard.redaction import identifier
from ..model.entry import SCOPES
from ..model.ids import SESSION_ID
from ..model.scope import Scope, whole
from ..model.value import Value
from . import sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from ..model.card import Card
    from ..model.scope import Caller
    from ..store import Store

    class MakeRoom(Protocol):
        """Compaction, which capture does not know."""

        def __call__(self, store: Store, scope: Scope, journal: str, *, needed: int, full: bool, dry: bool) -> bool:
            """Whether so many more bytes fit once room is made, with `full` by what can be seen; `dry` only asks."""


FIELDS = validate.WHERE
_MOST_REMEMBERED = 256


class Writer(Value):
    """Who writes through which handle."""

    caller: Caller
    user: str
    make_room: MakeRoom
    continues: bool = False  # at a full session go on in a continuation (hooks, importers) instead of SizeLimit


class Place(Value):
    """Where an entry goes."""

    card: Card
    exists: bool
    scope: Scope
    kind: str  # session, user, global
    workspace: str | None
    key: str | None = None  # under which a session may be made anew; None where its id names it


class Places:
    """The places of one batch."""

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store, self._writer = store, writer
        self._sessions: dict[tuple[str, str | None], tuple[Card, bool]] = {}
        self._known: dict[tuple[str | None, ...], Place] = {}
        self.by_journal: dict[str, Place] = {}

    def of(self, item: Mapping[str, Any]) -> Place:
        """The place of an item, checked against what its caller may write."""
        if not isinstance(item, dict):
            fields.named(item, "entry")
        named = tuple(map(item.get, FIELDS))
        try:
            found = self._known.get(named) or self._as_before(named)
        except TypeError:  # a list in place of a name, which the check refuses
            found = None
        if found is None:
            found = self._checked(item)  # names are text or missing from here on
        self._known[named] = found
        return found

    def _as_before(self, named: tuple[Any, ...]) -> Place | None:
        """Where the same caller last wrote under the same names, as long as the session's card is the same and, where
        a key names it, no other can have been made under that."""
        found = self._store.places.get((self._writer.user, *named))
        if found is None or found[0] is not self._writer.caller:
            return None
        place: Place = found[1]
        if place.key is not None and found[2] != self._store.journal.roster(whole(self._store.agent)):
            return None
        if self._store.journal.card(whole(self._store.agent), place.card.id) is not place.card:
            return None
        self.by_journal.setdefault(place.card.id, place)
        return place

    def _remember(self, item: Mapping[str, Any], place: Place, roster: object) -> None:
        """A session, for the next write: named by its id, or by a key that it alone has, as long as none is made.

        A path may mean something else by then.
        """
        if place.kind != "session" or not place.exists or item.get("workspace") is not None:
            return
        if place.key is not None and not self._is_only(place.card, place.key):
            return
        if len(self._store.places) >= _MOST_REMEMBERED:
            self._store.places.clear()
        named = self._writer.user, *map(item.get, FIELDS)
        self._store.places[named] = self._writer.caller, place, roster

    def _is_only(self, card: Card, key: str) -> bool:
        """Whether no other session has its key, as far as the index says that has just been asked for it."""
        try:
            return self._store.index.under_key(Scope(agent=self._store.agent, user=card.user_id), key) == [card.id]
        except sessions.UNANSWERED:
            return False

    def _checked(self, item: Mapping[str, Any]) -> Place:
        kind = "session" if item.get("scope") is None else item["scope"]
        if not isinstance(kind, str) or kind not in SCOPES:
            raise Invalid(f"scope must be one of {', '.join(SCOPES)}{fields.hint(kind, SCOPES)}", field="scope")
        if not isinstance(item.get("session", ""), (str, type(None))):
            raise Invalid("session must be an id or a key", field="session")
        user = None if item.get("user") is None else validate.user(item["user"])
        workspace = self._workspace(item.get("workspace"))
        roster = self._store.journal.roster(whole(self._store.agent))  # before anybody looks for the session
        card, exists = (
            self._session(item.get("session"), user, workspace) if kind == "session" else self._own(kind, user)
        )
        scope = permissions.scope_for(
            self._writer.caller, self._store.agent, user=card.user_id or user, default_user=self._writer.user,
            act="write", level=kind,
        )  # fmt: skip
        workspace = workspace or card.workspace
        identifier(card.user_id or "", "user")
        identifier(workspace or "", "workspace")
        key = _key(item.get("session")) if kind == "session" else None
        place = Place(card=card, exists=exists, scope=scope, kind=kind, workspace=workspace, key=key)
        self.by_journal.setdefault(card.id, place)
        self._remember(item, place, roster)
        return place

    def _workspace(self, given: Any) -> str | None:
        return None if given is None else self._store.settings.workspace(validate.workspace(given))

    def _own(self, kind: str, user: str | None) -> tuple[Card, bool]:
        """The card of the user's or the global journal, which a first write makes."""
        store = self._store
        card = sessions.global_card(store) if kind == "global" else sessions.user_card(store, user or self._writer.user)
        size = store.journal.size(whole(store.agent), card.id)
        return card, size is not None and size.entries > 0  # what was forgotten leaves its tombstones

    def _session(self, name: Any, user: str | None, workspace: str | None) -> tuple[Card, bool]:
        """The session's card and whether it exists; an unknown key is made by this write (D4)."""
        name = sessions.DEFAULT_KEY if name is None else name
        if not isinstance(name, str) or not name:
            raise Invalid("session must be an id or a key", field="session")
        if (name, user) not in self._sessions:
            self._sessions[name, user] = self._find(name, user, workspace)
        return self._sessions[name, user]

    def _find(self, name: str, user: str | None, workspace: str | None) -> tuple[Card, bool]:
        store, whose = self._store, user or self._writer.user
        look = sessions.known if SESSION_ID.match(name) else sessions.find
        card = look(store, name, whose, user is not None)
        if card is not None:
            lost = card.extra.get("rebuilt") and card.user_id is not None  # who made it may have died before its card
            return card, not lost
        return sessions.plan(store, whose, sessions.Options(key=name, workspace=workspace)), False


def _key(name: str | None) -> str | None:
    """The key that a session is named by; None for an id."""
    name = sessions.DEFAULT_KEY if name is None else name
    return None if SESSION_ID.match(name) else name
