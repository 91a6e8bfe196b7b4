"""Hit, SearchResult, Listed, Entries, Counted and Context: what recall answers with.

A hit cites an entry or `path:line` and shows every factor of its score. A result says in which mode
it was found and, when something kept it from being whole, why (promise 7).
"""

from __future__ import annotations

from .value import FrozenDict, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeVar

    from .entry import Entry

    S = TypeVar("S")
    T = TypeVar("T")
else:
    T = object  # `typing` costs a hook too much


OWN = 0.1  # how much of a hit's score is its own, the rest being that of the best


class Hit(Value):
    """One search result.

    Its `score` can be reckoned from its `scores`: answered × (1 - OWN + OWN × the larger of coverage and nearness) ×
    influence.
    """

    id: str
    type: str
    source: str = "journal"  # journal, memory, sessions
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    score: float
    snippet: str
    marks: Sequence[tuple[int, int]] = ()  # where the question's words stand in the snippet; not part of the JSON
    timestamp: str
    session_id: str | None = None
    session_key: str | None = None
    user_id: str | None = None
    workspace: str | None = None
    author: str | None = None  # who spoke, by name
    role: str | None = None
    key: str | None = None  # of a remembered value
    tags: tuple[str, ...] = ()
    provenance: str = "user"
    pinned: bool = False
    scores: FrozenDict = FrozenDict()
    entry: Entry | None = None

    @property
    def text(self) -> str:
        """The whole text of the entry, or the snippet where there is no entry."""
        return self.entry.text if self.entry is not None else self.snippet

    def to_dict(self) -> dict[str, Any]:
        """As `search --json` and HTTP show it."""
        shown = {name: value for name, value in self._items() if name not in ("entry", "marks")}
        shown["tags"] = list(self.tags)
        return shown


class SearchResult(Value):
    """Ranked hits with how they were found."""

    hits: tuple[Hit, ...] = ()
    mode: str = "keyword"  # or hybrid: vectors were used beside the words
    degraded: str | None = None
    took_ms: float = 0.0

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, place: int) -> Hit:
        return self.hits[place]

    def to_dict(self) -> dict[str, Any]:
        return {
            "hits": [hit.to_dict() for hit in self.hits],
            "mode": self.mode, "degraded": self.degraded, "took_ms": self.took_ms,
        }  # fmt: skip


class Listed(list[T]):
    """A list that says what kept it from being whole; `behind` is how many journals the index has not seen all of."""

    __slots__ = ("behind", "degraded")

    def __init__(self, found: Iterable[T] = (), *, behind: int = 0, degraded: str | None = None) -> None:
        super().__init__(found)
        self.behind, self.degraded = behind, degraded

    def holding(self, found: Iterable[S]) -> Listed[S]:
        """A list of other things that lacks what this one lacks."""
        return Listed(found, behind=self.behind, degraded=self.degraded)


class Entries(Listed["Entry"]):
    """What a query found, and the ids that were referred to on the way and lead nowhere."""

    __slots__ = ("dangling",)

    def __init__(
        self, found: Iterable[Entry] = (), dangling: tuple[str, ...] = (), *,
        behind: int = 0, degraded: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(found, behind=behind, degraded=degraded)
        self.dangling = dangling


class Counted(dict[str, int]):
    """Counts by name, and what kept them from being whole."""

    __slots__ = ("degraded",)

    def __init__(self, counts: Mapping[str, int], degraded: str | None = None) -> None:
        super().__init__(counts)
        self.degraded = degraded


class Context(Value):
    """The block handed to an agent: quoted text within a budget, and what it is made of."""

    id: str
    text: str = ""
    items: tuple[Hit, ...] = ()
    tokens: int = 0
    degraded: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id, "text": self.text, "tokens": self.tokens, "degraded": self.degraded,
            "items": [item.to_dict() for item in self.items],
        }  # fmt: skip
