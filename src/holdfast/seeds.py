"""The methods of seed 004 under their own names, in its parameter order and Python case (D38).

Thin: each is one call of the facade. `content.message` is accepted for `text` by every write and
given back here, where the seed's callers look for it.
"""

from __future__ import annotations

from .errors import Invalid, NotFound
from .model.value import FrozenDict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, Protocol

    from .model.entry import Entry
    from .model.hit import Listed
    from .model.scope import Scope

    class Facade(Protocol):
        """What these methods ask of the class that they are mixed into."""

        def scope(self, *, session: str | None = None) -> Scope: ...
        def add_many(self, items: Iterable[Mapping[str, Any]]) -> list[Entry]: ...
        def get(self, id: str) -> Entry: ...
        def delete(self, id: str) -> bool: ...
        def delete_where(self, session: str, reason: str, **filters: Any) -> int: ...
        def query(self, *, session: str | None = None, **filters: Any) -> Listed[Entry]: ...
        def export(self, format: str = "jsonl", *, session: str | None = None) -> Iterator[str]: ...
        def compact(self, session: str | None = None) -> dict[str, Any]: ...
        def reindex(self) -> dict[str, Any]: ...
        def stats(self, *, session: str | None = None) -> dict[str, Any]: ...
        def get_memory(self, session_id: str, memory_id: str) -> Entry | None: ...
        def query_memories(self, session_id: str, query: Mapping[str, Any]) -> Listed[Entry]: ...


class SeedMethods:
    """The verbs of `Memory` under other names, for code that was written to that document; mixed into Memory."""

    def add_memory(self: Facade, session_id: str, entry: Mapping[str, Any]) -> str:
        """Store an entry and return its id."""
        return self.add_many([{**_object(entry, "entry"), "session": one(session_id)}])[0].id

    def get_memory(self: Facade, session_id: str, memory_id: str) -> Entry | None:
        """An entry of this session, or None."""
        try:
            found = self.get(memory_id)
        except NotFound:
            return None
        return _as_seed(found) if found.session_id in self.scope(session=session_id).sessions else None

    def delete_memory(self: Facade, session_id: str, memory_id: str) -> bool:
        """Hide an entry of this session."""
        return self.get_memory(session_id, memory_id) is not None and self.delete(memory_id)

    def query_memories(self: Facade, session_id: str, query: Mapping[str, Any]) -> Listed[Entry]:
        """Entries by the seed's query object, with its names (timeRange, minImportance, sortBy, maxDepth)."""
        found = self.query(session=one(session_id), **_our_names(query))
        return found.holding(map(_as_seed, found))

    def search_by_topic(self: Facade, session_id: str, topic: str) -> Listed[Entry]:
        """Entries with this tag or one below it, most relevant first."""
        return self.query_memories(session_id, {"tags": [topic], "limit": 200})

    def search_by_type(self: Facade, session_id: str, type: str) -> Listed[Entry]:
        """Entries of this type, most relevant first."""
        return self.query_memories(session_id, {"types": [type], "limit": 200})

    def search_by_time_range(self: Facade, session_id: str, start: Any, end: Any) -> Listed[Entry]:
        """Entries from start (included) to end (excluded), most relevant first."""
        return self.query_memories(session_id, {"timeRange": {"start": start, "end": end}, "limit": 200})

    def delete_memories_by_topic(self: Facade, session_id: str, topic: str) -> int:
        """Hide every entry with this tag or one below it; returns how many."""
        return self.delete_where(session_id, "topic", tags=[topic])

    def delete_memories_by_time_range(self: Facade, session_id: str, start: Any, end: Any) -> int:
        """Hide every entry from start (included) to end (excluded); returns how many."""
        return self.delete_where(session_id, "time_range", since=start, until=end)

    def export_session(self: Facade, session_id: str, format: str = "jsonl") -> str:
        """The session as one text, `json` or `jsonl`."""
        return "".join(self.export(format, session=one(session_id)))

    def compact_session(self: Facade, session_id: str) -> dict[str, Any]:
        """Make room in this session."""
        return self.compact(one(session_id))

    def rebuild_index(self: Facade, session_id: str | None = None) -> dict[str, Any]:
        """Build the index anew; one index serves all sessions, so the session only has to exist."""
        if session_id is not None:
            self.scope(session=session_id)
        return self.reindex()

    def get_session_stats(self: Facade, session_id: str) -> dict[str, Any]:
        """The card with live counts, sizes and corruption statistics."""
        return self.stats(session=one(session_id))


def one(session: str | None) -> str:
    """The session that a call is about; without one it would be about all of a user's sessions."""
    if session is None:
        raise Invalid("name a session, by its id or key", field="session")
    return session


def _object(given: Any, field: str) -> Mapping[str, Any]:
    from collections.abc import Mapping

    if not isinstance(given, Mapping):
        raise Invalid(f"{field} must be an object of names and values, not {type(given).__name__}", field=field)
    return given


_NAMES = {"timeRange": "time_range", "minImportance": "min_importance", "sortBy": "rank", "maxDepth": "max_depth"}


def _our_names(query: Mapping[str, Any]) -> dict[str, Any]:
    named = {_NAMES.get(name, name): value for name, value in _object(query, "query").items()}
    for name in named:
        if not isinstance(name, str):
            raise Invalid("query must have names of filters for its names", field="query")
    span = named.pop("time_range", None)
    if span is not None:
        between = _object(span, "timeRange")
        named.update({"since": between.get("start"), "until": between.get("end")})
    return named


def _as_seed(entry: Entry) -> Entry:
    """With `content.message` beside `text`, for conversation."""
    if entry.type != "conversation" or "message" in entry.content:
        return entry
    return entry.replace(content=FrozenDict({**entry.content, "message": entry.text}))
