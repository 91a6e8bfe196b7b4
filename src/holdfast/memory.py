"""Memory: the facade. One verb for each thing that can be done, the same on every surface.

It names whose memory is meant (through the guard), hands the work to the stage that owns it, and
decides nothing itself. Safe for threads; a forked child reopens what it needs. `Session` and `User`
are the same verbs with a name filled in; the names of seed 004 are in `seeds.py`. Stages that a
writer never reaches (recall, context, upkeep) are loaded by the verbs that need them, not by `open`.
"""

from __future__ import annotations

from .capture import sessions, writing
from .capture.places import Writer
from .errors import Invalid, NotFound
from .guard import permissions, validate
from .handles import Session, User
from .model.scope import whole
from .seeds import SeedMethods, one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, Self

    from .model.card import Card
    from .model.entry import Entry
    from .model.hit import Context, Counted, Entries, Listed, SearchResult
    from .model.receipt import Receipt
    from .model.scope import Caller, Scope
    from .ports import Progress
    from .store import Store

MOST_SESSIONS = 100_000  # that one call lists


class Memory(SeedMethods):
    """The memory of one agent, as seen by one caller. Made by `holdfast.open`."""

    def __init__(self, store: Store, *, caller: Caller, user: str, release: Callable[[], None]) -> None:
        self._store, self._caller = store, caller
        self._release: Callable[[], None] | None = release
        self.default_user = user

    @property
    def home(self) -> str:
        """The directory that holds everything."""
        return self._store.home

    @property
    def agent(self) -> str:
        """The agent whose memory this is."""
        return self._store.agent

    def __repr__(self) -> str:
        return f"Memory(home={self.home!r}, agent={self.agent!r}, user={self.default_user!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Flush what is pending and let go; a second close does nothing."""
        release, self._release = self._release, None
        if release is not None:
            release()

    # -- whose memory

    @property
    def store(self) -> Store:
        """The open store; Invalid after `close`."""
        if self._release is None:
            raise Invalid("this memory is closed; open it again with holdfast.open()", field="memory")
        return self._store

    def scope(
        self, *, user: str | None = None, session: str | None = None, workspace: str | None = None, act: str = "read"
    ) -> Scope:
        """What a call may see: the named or default user, narrowed to a session or workspace."""
        return self._scope(self.store, user, session, workspace, act)

    def _scope(
        self, store: Store, user: str | None, session: str | None, workspace: str | None, act: str = "read"
    ) -> Scope:
        ids: tuple[str, ...] = ()
        if user is not None and user != "*":
            validate.user(user)
        if session is not None:
            named = None if user == "*" else user
            wait_ms = store.wait_ms if act == "read" else None
            card = sessions.known(store, session, named or self.default_user, named is not None, wait_ms)
            user, ids = card.user_id, sessions.chain(store, card)
        place = None if workspace is None else store.settings.workspace(validate.workspace(workspace))
        return permissions.scope_for(
            self._caller, store.agent, user=user, default_user=self.default_user, act=act, sessions=ids, workspace=place
        )

    def _scope_of_id(self, user: str | None, act: str = "read") -> Scope:
        """An id names its entry: the owner sees it whosever it is, a principal only their own."""
        anyone = user is None and self._caller.owner
        return self.scope(user="*" if anyone else user, act=act)

    def _scope_around(self, store: Store, user: str | None, session: str | None, workspace: str | None) -> Scope:
        """What an agent in this session may be handed: its user's memory, in its workspace or in none (D2)."""
        if session is not None:
            card = self._card(session, user, store.wait_ms)
            user, workspace = card.user_id, card.workspace if workspace is None else workspace
        return self._scope(store, user, None, workspace).replace(loose=True)

    def _card(self, session: str, user: str | None, wait_ms: int | None = None) -> Card:
        """The card of a session that the caller may read."""
        self.scope(user=user)
        card = sessions.known(self.store, session, user or self.default_user, user is not None, wait_ms)
        self.scope(user=card.user_id)
        return card

    # -- sessions and users

    def create_session(
        self, user: str | None = None, *, workspace: str | None = None, key: str | None = None,
        channel: str | None = None, title: str | None = None, preferences: Mapping[str, Any] | None = None,
        decay: Mapping[str, Any] | None = None, compaction: Mapping[str, Any] | None = None,
    ) -> Session:  # fmt: skip
        """Begin a conversation with a user; a key that exists already gives that session."""
        whose = self.default_user if user is None else validate.user(user)
        self.scope(user=whose, act="write")
        if key is not None and (found := sessions.find(self.store, key, whose, explicit=True)) is not None:
            return Session(self, found)
        options = sessions.options(
            self.store, key=key, workspace=workspace, channel=channel, title=title,
            preferences=preferences, decay=decay, compaction=compaction,
        )  # fmt: skip
        made = sessions.make(self.store, whose, options)
        self.store.index.refresh(self.scope(user=whose), 0)
        return Session(self, made)

    def load_session(self, session: str, user: str | None = None) -> Session:
        """The session of this id or key."""
        return Session(self, self._card(session, user, self.store.wait_ms))

    def close_session(self, session: str, user: str | None = None) -> Session:
        """End a session: its card gets the counts of now."""
        card = self._card(session, user)
        self.scope(user=card.user_id, act="write")
        return Session(self, sessions.close(self.store, card))

    def sessions(
        self, *, user: str | None = None, workspace: str | None = None, limit: int | None = None, offset: int = 0
    ) -> Listed[Session]:
        """Sessions, last used first, with live counts; `degraded` says what the list lacks."""
        from .recall.browsing import cards

        most, first = None if limit is None else validate.limit(limit, MOST_SESSIONS), validate.offset(offset)
        found = cards(self.store, self.scope(user=user, workspace=workspace), most, first)
        return found.holding(Session(self, card) for card in found)

    def save_session(self, /, session: str, **changes: Any) -> Session:
        """Change a session's title, preferences, or its decay and compaction overrides."""
        card = self._card(session, None)
        self.scope(user=card.user_id, act="write")
        return Session(self, sessions.change(self.store, card, changes))

    def user(self, user: str) -> User:
        """A user's own memory: what they told every agent to remember."""
        return User(self, validate.user(user))

    # -- writing

    def add(self, /, text: str | None = None, **fields: Any) -> Entry:
        """Remember one thing. `session=` (id or key), `user=`, `scope=` and `workspace=` say where."""
        return self.add_many([{**fields, **({"text": text} if text is not None else {})}])[0]

    def add_many(self, items: Iterable[Mapping[str, Any]]) -> list[Entry]:
        """Remember all of these or none, in order, with one sync a journal."""
        if isinstance(items, (str, bytes, dict)) or not hasattr(items, "__iter__"):
            raise Invalid(f"items must be a list of entries, not {type(items).__name__}", field="items")
        return writing.add_many(self.store, self._writer(), list(items))

    def _writer(self, continues: bool = False) -> Writer:
        return Writer(caller=self._caller, user=self.default_user, make_room=_make_room, continues=continues)

    def amend(self, /, id: str, **changes: Any) -> Entry:
        """Change importance, tags, pinned, sensitive or text; the old line stays until compaction."""
        from .capture import changing

        by = "user" if self._caller.owner else self._caller.name
        return changing.amend(self.store, self._scope_of_id(None, "write"), validate.entry_id(id), by, changes)

    def pin(self, id: str) -> Entry:
        """Keep beyond every retention, and rank a little higher."""
        return self.amend(id, pinned=True)

    def unpin(self, id: str) -> Entry:
        """Take the pin from an entry."""
        return self.amend(id, pinned=False)

    def delete(self, id: str) -> bool:
        """Hide at once; erased at compaction. False if there is no such entry."""
        from .capture import changing

        scope = self._scope_of_id(None, "write")
        return changing.delete(self.store, scope, [validate.entry_id(id)]) == 1

    def undelete(self, id: str) -> Entry:
        """Show a deleted entry again, as long as it is not erased."""
        from .capture import changing

        return changing.undelete(self.store, self._scope_of_id(None, "write"), validate.entry_id(id))

    # -- recall

    def get(self, id: str, *, user: str | None = None) -> Entry:
        """One entry, read from its journal and checked; NotFound if there is none."""
        from .recall import querying

        found = querying.get(self.store, self._scope_of_id(user), validate.entry_id(id))
        if found is None:
            raise NotFound(f"no entry {id!r} here; `holdfast search` finds entries by their words", id=id)
        return found

    def search(
        self, /, text: str, *, user: str | None = None, session: str | None = None, workspace: str | None = None,
        limit: int | None = None, offset: int = 0, rank: str = "match", min_score: float | None = None, **filters: Any,
    ) -> SearchResult:  # fmt: skip
        """Find entries by words; filters as in `query`. The result says how it was found and what it lacks.

        Deleted entries (`hidden`) are left to `query`.
        """
        from .recall import searching

        store = self.store.answering()
        scope = self._scope(store, user, session, workspace)
        store = store.within(scope.workspace)
        ask = searching.ask(store, text, limit=limit, offset=offset, rank=rank, min_score=min_score, filters=filters)
        return searching.search(store, scope, ask)

    def query(
        self, /, *, user: str | None = None, session: str | None = None, workspace: str | None = None,
        references: Sequence[str] | None = None, max_depth: int = 1, rank: str = "relevance",
        limit: int | None = None, offset: int = 0, **filters: Any,
    ) -> Entries:  # fmt: skip
        """Entries by exact filters, such as types, tags, since and pinned; `every=True` gives all there are."""
        from .recall import querying

        store = self.store.answering()
        scope = self._scope(store, user, session, workspace)
        store = store.within(scope.workspace)
        ask = querying.ask(
            store, references=references, max_depth=max_depth, rank=rank, limit=limit, offset=offset, filters=filters
        )
        return querying.query(store, scope, ask)

    def context(
        self, prompt: str = "", *, session: str | None = None, user: str | None = None, workspace: str | None = None,
        parts: Sequence[str] = ("memories", "pins", "recall"), budget: int | None = None, limit: int | None = None,
    ) -> Context:  # fmt: skip
        """The block for an agent: user memories, pins and best hits, quoted, within a token budget.

        Empty where nothing is worth handing over; of its session it sees the user and the workspace.
        """
        from .context.composing import compose_for

        store = self.store.answering()
        scope = self._scope_around(store, user, session, workspace)
        return compose_for(store.within(scope.workspace), scope, prompt, parts=parts, budget=budget, limit=limit)

    def tags(self, *, user: str | None = None, session: str | None = None, workspace: str | None = None) -> Counted:
        """How often each tag is used; `degraded` says what the counts lack."""
        from .recall.browsing import tags

        store = self.store.answering()
        return tags(store, self._scope(store, user, session, workspace))

    # -- removing

    def delete_where(self, /, session: str, reason: str, **filters: Any) -> int:
        """Hide every entry of a session that passes these filters; returns how many."""
        from .capture import changing

        found = self.query(session=one(session), rank="oldest", every=True, **filters)
        scope = self.scope(session=session, act="write")
        self.store.require_level(found.behind, "what is to be hidden", scope)
        return changing.delete(self.store, scope, [entry.id for entry in found], reason)

    def forget_key(self, user: str, key: str, *, dry_run: bool = False) -> Receipt:
        """Erase a user's key with all its earlier values."""
        from .upkeep import choosing, forget

        scope = self.scope(user=user, act="write")
        choice = choosing.choose(self.store, scope, user=user, key=validate.memory_key(key))
        return forget.forget(self.store, scope, choice, dry_run=dry_run)

    def forget(
        self, id: str | Sequence[str] | None = None, *, session: str | None = None, user: str | None = None,
        workspace: str | None = None, topic: str | None = None, since: Any = None, until: Any = None,
        older_than: Any = None, history: bool = False, dry_run: bool = False,
    ) -> Receipt:  # fmt: skip
        """Erase now, for good, from every file; `history` erases only an entry's former words, `dry_run` plans."""
        from .upkeep import choosing, forget

        ids = () if id is None else tuple(id) if isinstance(id, (list, tuple, set, frozenset)) else (id,)
        if id is not None and not ids:
            raise Invalid("id names no entry; leave it out to forget a session, user or workspace", field="id")
        if not dry_run:
            forget.resume(self.store)  # first: who repeats one that was interrupted may name what is gone by now
        self.store.index.refresh(whole(self.agent), self.store.settings["index.wait_ms"])  # what a session goes on in
        alone = ids and session is None
        scope = self._scope_of_id(user, "write") if alone else self.scope(user=user, session=session, act="write")
        choice = choosing.choose(
            self.store, scope, ids=ids, session=session, user=user, workspace=workspace, topic=topic,
            since=since, until=until, older_than=older_than, history=history,
        )  # fmt: skip
        return forget.forget(self.store, scope, choice, dry_run=dry_run)

    # -- in and out

    def export(
        self, format: str = "jsonl", *, session: str | None = None, user: str | None = None,
        workspace: str | None = None,
    ) -> Iterator[str]:  # fmt: skip
        """Lines of a session, user, workspace or (`user="*"`) everything; `load` reads them back."""
        from .upkeep import export

        store = self.store.answering()
        return self._while_open(export.export(store, self._scope(store, user, session, workspace), format))

    def _while_open(self, pieces: Iterator[str]) -> Iterator[str]:
        """These, and Invalid once this memory was closed: what goes on reading would open it again for nobody."""
        while self.store and (piece := next(pieces, None)) is not None:
            yield piece

    def load(self, path: str | Iterable[str], *, progress: Progress | None = None) -> dict[str, Any]:
        """Read an export back: what exists or was forgotten is skipped; the report counts each."""
        from .upkeep import load

        return load.load(self.store, self._writer(continues=True), path, progress=progress)

    # -- upkeep

    def compact(self, session: str | None = None, *, user: str | None = None) -> dict[str, Any]:
        """Make room: erase what was deleted, fold amendments, strip old metadata."""
        from .upkeep import compaction

        if session is not None:
            scope = self.scope(user=user, session=session, act="write")
            return compaction.compact_all(self.store, scope, list(scope.sessions))
        scope = self.scope(user=user, act="write")
        return compaction.compact_all(self.store, scope, sessions.journals_of(self.store, scope))

    def reindex(self, *, embedder: str | None = None, progress: Progress | None = None) -> dict[str, Any]:
        """Build the index anew from the journals, with another embedder if one is named; the old index serves."""
        from .upkeep import forget

        self.scope(user="*", act="write")
        forget.resume(self.store)
        if embedder is None:
            self.store.embedding.rebuild(self.scope(user="*"), progress)
        else:
            self.store.embedding.change(validate.short(embedder, "embedder"), progress)
        return self.store.index.status(self.scope(user="*"))

    def sync(self) -> dict[str, Any]:
        """Bring the index level with every journal, vectors included; finishes an interrupted forget."""
        from .upkeep import forget

        scope = self.scope(user="*", act="write")
        forget.resume(self.store)
        changed = self.store.index.compare(scope)
        behind = self.store.index.refresh(scope, 60_000)
        lacking = self.store.embedding.fill(scope)
        return {"changed": changed, "behind": behind, "without_vector": lacking, "reason": self.store.embedding.reason}

    def verify(self, *, progress: Progress | None = None) -> dict[str, Any]:
        """Check every line of every journal and the index against them; names file and line."""
        from .upkeep import verify

        self.scope(user="*")
        return verify.verify(self.store, progress=progress)

    def stats(self, *, user: str | None = None, session: str | None = None) -> dict[str, Any]:
        """Counts by type, sizes, corruption statistics and metrics."""
        from .upkeep import status

        store = self.store.answering()
        return status.stats(store, self._scope(store, user, session, None))

    def status(self) -> dict[str, Any]:
        """Disk use by kind, index, warnings: what a person wants to know first."""
        from .upkeep import status

        self.scope(user="*")
        return status.status(self.store)


def _make_room(store: Store, scope: Scope, journal: str, *, needed: int, full: bool, dry: bool) -> bool:
    """Compaction, for a writer that found a journal full."""
    from .upkeep.compaction import make_room  # no writer needs it before

    return make_room(store, scope, journal, needed=needed, full=full, dry=dry)
