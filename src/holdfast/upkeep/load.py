"""Load: reads an export back, through validation and redaction like any other write.

Ids, sessions, times and provenance are kept, so loading twice adds nothing and an interrupted load can
be repeated. What was forgotten is not brought back, what differs from what is stored is named and left
as it is, and nothing is refused in silence: the report counts every record. Whatever can be refused
as a whole is refused before the first write.
"""

from __future__ import annotations

from ..capture import places, sessions, writing
from ..errors import FormatTooNew, HoldfastError, Invalid, SizeLimit
from ..guard import fields, permissions, validate
from ..guard.redaction import identifier
from ..model.entry import SCHEMA_VERSION, STORED
from ..model.ids import ENTRY_ID, OLDER_ID, SESSION_ID, user_dir
from ..model.moment import millis
from ..model.query import Filter
from ..model.scope import Scope, whole
from ..model.value import Value
from . import intent
from .carried import carried
from .covering import Coverings
from .export import END, HEADER
from .intake import Account, lasting, records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from ..model.card import Card
    from ..model.entry import Draft, Entry
    from ..ports import Progress
    from ..store import Store
    from .intake import Source

BATCH = 500
_PLACED = ("schema_version", "seq", "scope", "session_id", "user_id", "workspace", "compacted")
_KNOWN = "what is stored or was forgotten here"
_GIVEN = tuple(name for name in STORED if name not in _PLACED)


class Item(Value):
    """An entry of the file, validated, with the card of the journal it goes to."""

    number: int
    card: Card
    draft: Draft
    size: int  # bytes that it takes in a journal


def load(store: Store, writer: places.Writer, source: Source, *, progress: Progress | None = None) -> dict[str, Any]:
    """Store what the file holds; returns how much was added, skipped, in conflict or damaged."""
    found = lasting(source)
    total, coverings = 0, Coverings()
    for _, record in records(found):
        total += 1
        if isinstance(record, dict):
            _permit(store, writer, record)
            coverings.look(record)
    work = Loading(store, writer, coverings)
    for done, (number, record) in enumerate(records(found), 1):
        work.take(number, record)
        if progress is not None and done % BATCH == 0:
            progress(done, total)
    work.finish()
    store.index.refresh(whole(store.agent), store.settings["index.wait_ms"])
    if progress is not None:
        progress(total, total)
    return work.report()


def _permit(store: Store, writer: places.Writer, record: Mapping[str, Any]) -> None:
    """Denied if the file holds what this caller may not write."""
    if HEADER not in record and END not in record:
        card = record.get("card")
        _scope(store, writer, card if isinstance(card, dict) else record)


def _scope(store: Store, writer: places.Writer, placed: Mapping[str, Any]) -> Scope:
    user = placed.get("user_id")
    level = placed.get("kind") or placed.get("scope") or "session"
    return permissions.scope_for(
        writer.caller, store.agent, user=user if isinstance(user, str) else None, default_user=writer.user,
        act="write", level=level if level in ("user", "global") else "session",
    )  # fmt: skip


class Loading:
    """One load under way: cards seen, entries waiting to be written, and what became of the rest."""

    def __init__(self, store: Store, writer: places.Writer, coverings: Coverings) -> None:
        self._store, self._writer, self._coverings = store, writer, coverings
        self._cards: dict[str, Card] = {}  # as the file has them
        self._places: dict[str, Card] = {}  # as they are or will be here
        self._waiting: list[Item] = []
        self._summaries: list[tuple[int, dict[str, Any]]] = []  # of lines that may stand behind them in the file
        self._account = Account()
        self.added = self.existing = self.forgotten = 0
        self.conflicts: list[str] = []
        self.made: list[str] = []
        self.damaged: list[dict[str, Any]] = []

    def take(self, number: int, record: dict[str, Any] | str) -> None:
        """One record of the file."""
        self._account.take(record)
        if isinstance(record, dict):
            self._coverings.note(record)
            if self._coverings.waits(record):
                self._summaries.append((number, record))
                return
        self._try(number, record)

    def _try(self, number: int, record: dict[str, Any] | str) -> None:
        try:
            self._take(number, record)
        except HoldfastError as error:
            self._refuse(number, error.message)
        if len(self._waiting) >= BATCH:
            self.flush()

    def _take(self, number: int, record: dict[str, Any] | str) -> None:
        if isinstance(record, str):
            self._refuse(number, record)
        elif isinstance(record.get("card"), dict):
            card = carried(record["card"])
            self._cards[card.id] = self._store.redactor.card(card)
        elif HEADER not in record and END not in record:
            self._waiting.append(self._item(number, record))

    def _refuse(self, number: int, problem: str) -> None:
        self.damaged.append({"line": number, "problem": problem})

    # -- where an entry goes

    def _item(self, number: int, record: dict[str, Any]) -> Item:
        _refuse_newer(record)
        if not isinstance(record.get("content"), (dict, str)):
            raise Invalid("is neither an entry, a card nor a header", field="content")
        kind = record.get("scope") or "session"
        place = record.get("workspace")
        workspace = None if place is None else identifier(fields.text(place, "workspace"), "workspace")
        card = self._placed(kind, record)
        given = {name: record[name] for name in _GIVEN if record.get(name) is not None}
        older = _older_id(given.get("id"))
        if older is not None:
            del given["id"]
        draft = validate.draft(
            given, scope=kind, session_id=card.id if kind == "session" else None, user_id=card.user_id,
            workspace=workspace, now=self._store.clock.now(),
        )  # fmt: skip
        if older is not None:
            draft = draft.replace(id=older, chosen_id=True)
        fit = self._store.redactor.draft(draft)
        size = self._store.journal.measure(whole(self._store.agent), [fit])  # which refuses what no journal would take
        return Item(number=number, card=card, draft=fit, size=size)

    def _placed(self, kind: str, record: Mapping[str, Any]) -> Card:
        """The card of the journal: the store's own, the file's, or one made from the entry."""
        user = fields.user(record["user_id"]) if record.get("user_id") is not None else self._writer.user
        identifier(user, "user_id")
        if kind == "global":
            return sessions.global_card(self._store)
        if kind == "user":
            return self._cards.get(user_dir(user)) or sessions.user_card(self._store, user)
        name = fields.session_key(record.get("session_id") or sessions.DEFAULT_KEY)
        if name not in self._places:
            self._places[name] = self._session(name, user, record)
        card = self._places[name]
        if card.user_id != user:
            raise Invalid(f"user_id is not the user of session {card.id}", field="user_id")
        return card

    def _session(self, name: str, user: str, record: Mapping[str, Any]) -> Card:
        found = sessions.find(self._store, name, user, explicit=False) or self._cards.get(name)
        if found is not None:
            return found
        ours = SESSION_ID.match(name) is not None
        options = sessions.Options(key=None if ours else name, workspace=record.get("workspace"))
        card = sessions.plan(self._store, user, options)
        return card.replace(id=name, key=name) if ours else card

    # -- writing

    def flush(self) -> None:
        """Write what waits, journal by journal, without what is there already or was forgotten."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            with intent.alone(self._store, "load"):
                self._store_fresh(waiting)

    def _store_fresh(self, items: Sequence[Item]) -> None:
        by_journal: dict[str, list[Item]] = {}
        for item in self._fresh(items):
            by_journal.setdefault(item.card.id, []).append(item)
        for journal in sorted(by_journal):
            self._write(by_journal[journal])

    def finish(self) -> None:
        """Write the rest, summaries last, and make the sessions that had no entries."""
        for number, record in self._summaries:
            self._try(number, self._coverings.named(record))
        self.flush()
        with intent.alone(self._store, "load"):
            self._make_empty()

    def _make_empty(self) -> None:
        scope = whole(self._store.agent)
        buried = self._store.index.buried(scope, list(self._cards))
        for id, card in self._cards.items():
            if id not in buried and self._store.journal.card(scope, id) is None:
                self._make(card)

    def _make(self, card: Card) -> None:
        self._store.journal.create(whole(self._store.agent), self._store.redactor.card(card))
        self.made.append(card.id)

    def _fresh(self, items: Sequence[Item]) -> list[Item]:
        scope = whole(self._store.agent)
        behind = self._store.index.refresh(scope, self._store.settings["index.wait_ms"])
        for user in sorted({item.card.user_id for item in items if item.card.user_id is not None}):
            self._store.require_readable(Scope(agent=self._store.agent, user=user), _KNOWN)
        self._store.require_level(behind, _KNOWN)
        ids = [item.draft.id for item in items]
        buried = self._store.index.buried(scope, [*ids, *{item.card.id for item in items}])
        stored = self._store.reader.entries(scope, ids, every=True)
        seen: dict[str, Draft] = {}
        newest: dict[tuple[str | None, str], int] = {}
        fresh = []
        for item in items:
            id = item.draft.id
            if id in buried or self._journal_forgotten(item, buried):
                self.forgotten += 1
            elif id in stored or id in seen:
                self._compare(item, stored.get(id), seen.get(id))
            elif self._outdated(item.draft, newest):
                self.conflicts.append(id)
            else:
                fresh.append(item)
                seen[id] = item.draft
        return fresh

    def _journal_forgotten(self, item: Item, buried: Mapping[str, Any]) -> bool:
        """A journal that was forgotten as a whole: nothing of before comes back, whatever its id."""
        stone = buried.get(item.card.id)
        return stone is not None and item.draft.timestamp <= stone.timestamp

    def _compare(self, item: Item, stored: Entry | None, before: Draft | None) -> None:
        """The same id, stored or before it in the file: the same thing, or a conflict in which the first one stands."""
        first = stored or before
        same = first is not None and self._told(first) == self._told(item.draft)
        if same and (stored is None or permissions.may_see(self._writer.caller, stored.scope, stored.user_id)):
            self.existing += 1
        else:
            self.conflicts.append(item.draft.id)

    def _told(self, entry: Draft | Entry) -> tuple[object, ...]:
        """What an entry says and what can be amended; its content without what a load says in its own way."""
        redact = self._store.redactor
        said = {name: value for name, value in redact.value(entry.content).items() if name != "covers"}
        tags = {redact.tag(tag) for tag in entry.tags}
        return entry.type, said, tags, entry.importance, entry.pinned, entry.sensitive

    def _outdated(self, draft: Draft, newest: dict[tuple[str | None, str], int]) -> bool:
        """A user memory whose key has a later value must not supersede it; `newest` are those of what goes with it."""
        if draft.key is None:
            return False
        key, time = (draft.user_id, draft.key), millis(draft.timestamp)
        if key not in newest:
            scope = Scope(agent=self._store.agent, user=draft.user_id, shared=False)
            wanted = Filter(types=("preference",), keys=(draft.key,), scopes=("user",))
            rows = self._store.index.rows(scope, wanted, limit=1)
            newest[key] = rows[0].time if rows else 0
        latest, newest[key] = newest[key], max(time, newest[key])
        return latest > time

    def _write(self, items: Sequence[Item]) -> None:
        card = items[0].card
        if self._store.journal.card(whole(self._store.agent), card.id) is None:
            self._make(card)
        kind = items[0].draft.scope
        scope = _scope(self._store, self._writer, {"user_id": card.user_id, "scope": kind})
        place = places.Place(card=card, exists=True, scope=scope, kind=kind, workspace=card.workspace)
        for portion in self._portions(items):
            try:
                self.added += len(writing.append(self._store, self._writer, place, [item.draft for item in portion]))
            except SizeLimit as error:  # what is no session goes on nowhere else
                for item in portion:
                    self._refuse(item.number, error.message)

    def _portions(self, items: Sequence[Item]) -> Iterator[list[Item]]:
        """As many at a time as a journal surely has room for, so that a full session can go on in another."""
        most, taken = self._store.settings["journal.session_bytes"] // 8, 0
        portion: list[Item] = []
        for item in items:
            if portion and taken + item.size > most:
                yield portion
                portion, taken = [], 0
            portion.append(item)
            taken += item.size
        yield portion

    def report(self) -> dict[str, Any]:
        """What happened to every record of the file."""
        return {
            "added": self.added, "skipped_existing": self.existing, "skipped_forgotten": self.forgotten,
            "conflicts": self.conflicts, "sessions": len([id for id in self.made if SESSION_ID.match(id)]),
            "damaged": self.damaged, "complete": self._account.complete,
        }  # fmt: skip


def _refuse_newer(record: Mapping[str, Any]) -> None:
    """A line of a later schema may mean what this one cannot say, and would be stored as if it were of ours."""
    version = record.get("schema_version")
    if version is not None and not (isinstance(version, (int, float)) and version <= SCHEMA_VERSION):
        raise FormatTooNew(f"has schema {version}; this Holdfast reads up to {SCHEMA_VERSION}: upgrade it")


def _older_id(id: Any) -> str | None:
    """An id that is not of our making, as the lines of another program have; None for any other."""
    foreign = isinstance(id, str) and OLDER_ID.match(id) and not ENTRY_ID.match(id)
    return identifier(id, "id") if foreign else None
