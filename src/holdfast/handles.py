"""Session and User: the facade's verbs with a session or a user filled in."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from .memory import Memory
    from .model.card import Card
    from .model.entry import Entry
    from .model.hit import Context, Counted, Entries, Listed, SearchResult
    from .model.receipt import Receipt


class Session:
    """One conversation of an agent with a user."""

    __slots__ = ("_memory", "card")

    def __init__(self, memory: Memory, card: Card) -> None:
        self._memory = memory
        self.card = card  # as of when this handle was made

    @property
    def id(self) -> str:
        return self.card.id

    @property
    def key(self) -> str:
        return self.card.key or self.card.id

    @property
    def user_id(self) -> str | None:
        return self.card.user_id

    @property
    def workspace(self) -> str | None:
        return self.card.workspace

    def __repr__(self) -> str:
        return f"Session(id={self.id!r}, key={self.key!r}, user={self.user_id!r})"

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def to_dict(self) -> dict[str, Any]:
        """The card, as `sessions --json` shows it."""
        return self.card.to_dict()

    def add(self, /, text: str | None = None, **fields: Any) -> Entry:
        """Remember one thing in this session."""
        return self._memory.add(text, session=self.id, **fields)

    def add_many(self, items: Iterable[Mapping[str, Any]]) -> list[Entry]:
        """Remember all of these in this session, or none."""
        own = {"session": self.id}
        if isinstance(items, (str, bytes, dict)) or not hasattr(items, "__iter__"):
            return self._memory.add_many(items)  # which says what is wrong
        return self._memory.add_many([{**item, **own} if isinstance(item, dict) else item for item in items])

    def search(self, /, text: str, **options: Any) -> SearchResult:
        """Find entries of this session by words."""
        return self._memory.search(text, session=self.id, **options)

    def query(self, /, **filters: Any) -> Entries:
        """Entries of this session by exact filters."""
        return self._memory.query(session=self.id, **filters)

    def context(self, /, prompt: str = "", **options: Any) -> Context:
        """The block for an agent in this session."""
        return self._memory.context(prompt, session=self.id, **options)

    def tags(self) -> Counted:
        """How often each tag is used in this session."""
        return self._memory.tags(session=self.id)

    def export(self, format: str = "jsonl") -> Iterator[str]:
        """This session's lines."""
        return self._memory.export(format, session=self.id)

    def stats(self) -> dict[str, Any]:
        """Counts and sizes of this session."""
        return self._memory.stats(session=self.id)

    def compact(self) -> dict[str, Any]:
        """Make room in this session."""
        return self._memory.compact(self.id)

    def forget(self, *, dry_run: bool = False) -> Receipt:
        """Erase this session for good."""
        return self._memory.forget(session=self.id, dry_run=dry_run)

    def close(self) -> None:
        """End the session; its card gets the counts of now."""
        self.card = self._memory.close_session(self.id).card


class User:
    """What one user wants remembered across sessions: values by key."""

    __slots__ = ("_memory", "id")

    def __init__(self, memory: Memory, id: str) -> None:
        self._memory = memory
        self.id = id

    def __repr__(self) -> str:
        return f"User(id={self.id!r})"

    def remember(self, /, key: str, value: str, **fields: Any) -> Entry:
        """Set a key; an older value is superseded and stays in the history until compaction."""
        return self._memory.add(value, type="preference", key=key, scope="user", user=self.id, **fields)

    def memories(self) -> Listed[Entry]:
        """What is remembered, by key; `degraded` says what the list lacks."""
        found = self._memory.query(
            user=self.id, types=["preference"], scopes=["user"], rank="recent", limit=None, every=True
        )
        return found.holding(
            sorted((entry for entry in found if entry.key is not None), key=lambda entry: str(entry.key))
        )

    def recall(self, key: str) -> Entry | None:
        """The value of one key, if there is one; Locked where the index has not seen enough to tell."""
        known = self.memories()
        found = next((entry for entry in known if entry.key == key), None)
        if found is None:
            self._memory.store.absent(known.behind, self._memory.scope(user=self.id))
        return found

    def forget(self, key: str, *, dry_run: bool = False) -> Receipt:
        """Erase a key with its history."""
        return self._memory.forget_key(self.id, key, dry_run=dry_run)
