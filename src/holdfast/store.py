"""Store: the ports and settings of one open agent, handed to every stage that needs them.

Made by `wiring`; the facade passes it on with a Scope. It holds no logic but knows where it stands.
"""

from __future__ import annotations

import os
from time import monotonic

from .errors import Locked, StorageFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .config import Settings
    from .guard.redaction import Redactor
    from .model.scope import Scope
    from .observe.events import Observer
    from .ports import Clock, Index, Journal
    from .providers.embedding import Embedding
    from .recall.entries import Reader


class Store:
    """What a stage may use."""

    __slots__ = (
        "_embedding", "_make_embedding", "_until", "agent", "clock", "home", "index", "journal", "observer", "places",
        "reader", "redactor", "settings",
    )  # fmt: skip

    def __init__(
        self, *, home: str, agent: str, settings: Settings, clock: Clock, journal: Journal, index: Index,
        redactor: Redactor, observer: Observer, reader: Reader, embedding: Callable[[], Embedding],
    ) -> None:  # fmt: skip
        self.home, self.agent, self.settings, self.clock = home, agent, settings, clock
        self.journal, self.index, self.redactor = journal, index, redactor
        self.observer, self.reader = observer, reader
        # Under which names somebody wrote: who, where, and which sessions there were (`capture`).
        self.places: dict[tuple[str | None, ...], tuple[Any, Any, Any]] = {}
        self._make_embedding = embedding
        self._embedding: Embedding | None = None
        self._until: float | None = None  # how long one answer may wait for the index

    @property
    def embedding(self) -> Embedding:
        """Where vectors come from; loaded when first asked for, and a writer never asks (D17)."""
        if self._embedding is None:
            made = self._make_embedding()
            self._embedding = self._embedding or made  # another thread may have been faster
        return self._embedding

    def within(self, workspace: str | None) -> Store:
        """This store under the settings that the workspace's own file leaves; itself without one."""
        settings = self.settings if workspace is None else self.settings.within(workspace)
        return self if settings is self.settings else self._under(settings)

    def answering(self) -> Store:
        """This store for one answer, which waits for the index no longer in all than `index.wait_ms` (D13)."""
        found = self._under(self.settings)
        found._until = monotonic() + self.settings["index.wait_ms"] / 1000
        return found

    @property
    def wait_ms(self) -> int:
        """How long a reader may wait for the index now; at least a moment, in which it sees whether that is behind."""
        left = self.settings["index.wait_ms"] if self._until is None else round((self._until - monotonic()) * 1000)
        return max(1, left)

    def _under(self, settings: Settings) -> Store:
        found = Store(
            home=self.home, agent=self.agent, settings=settings, clock=self.clock, journal=self.journal,
            index=self.index, redactor=self.redactor, observer=self.observer, reader=self.reader,
            embedding=lambda: self.embedding,
        )  # fmt: skip
        found._until = self._until
        return found

    def after_fork(self) -> None:
        """In a child: locks of the parent's other threads would never be released, and its models not run."""
        self.observer.after_fork()
        self.reader.after_fork()
        if self._embedding is not None:
            self._embedding.after_fork()

    def absent(self, behind: int, scope: Scope, journal: str | None = None) -> None:
        """Before anybody is told that something does not exist: Locked while the index has not seen everything, and
        StorageFailed while a journal cannot be read in which it may be, or is."""
        unread = self.index.unreadable(scope)
        if journal is not None and journal in unread:
            raise unread[journal]
        for error in unread.values():
            raise StorageFailed(f"not found, but not all could be looked at: {error.message}", **error.details)
        if behind:
            raise Locked(
                f"not found, but the index of agent {self.agent} is behind by {behind} journals, so it may exist; "
                "try again, and run `holdfast status` if it stays so",
                behind=behind,
            )

    def require_readable(self, scope: Scope, what: str) -> None:
        """Before anything is done to all of something: StorageFailed while a journal of the scope cannot be read."""
        for error in self.index.unreadable(scope).values():
            lacking = f"{what} may not be all there is, and nothing was done"
            raise StorageFailed(f"{error.message}; until then {lacking}", **error.details)

    def require_level(self, behind: int, what: str, scope: Scope | None = None) -> None:
        """Before anything is done to all of something: Locked while the index has not seen everything; with a scope
        also StorageFailed while a journal of its user cannot be read: which sessions go on in which tells the index."""
        if scope is not None:
            self.require_readable(scope.replace(sessions=()), what)
        if behind:
            raise Locked(
                f"the index of agent {self.agent} is behind by {behind} journals, so {what} may not be all there is; "
                "nothing was done: try again, and run `holdfast status` if it stays so",
                behind=behind,
            )

    def read_only(self) -> bool:
        """Whether the home cannot be written (D45)."""
        return not os.access(self.home, os.W_OK)
