"""Store: the ports and settings of one open agent, handed to every stage that needs them.

Made by `wiring`; the facade passes it on with a Scope. It holds no logic but knows where it stands.
"""

from __future__ import annotations

import os

from .errors import Locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .config import Settings
    from .guard.redaction import Redactor
    from .observe.events import Observer
    from .ports import Clock, Index, Journal
    from .recall.entries import Reader


class Store:
    """What a stage may use."""

    __slots__ = ("agent", "clock", "home", "index", "journal", "observer", "reader", "redactor", "settings")

    def __init__(
        self, *, home: str, agent: str, settings: Settings, clock: Clock, journal: Journal, index: Index,
        redactor: Redactor, observer: Observer, reader: Reader,
    ) -> None:  # fmt: skip
        self.home, self.agent, self.settings, self.clock = home, agent, settings, clock
        self.journal, self.index, self.redactor = journal, index, redactor
        self.observer, self.reader = observer, reader

    def absent(self, behind: int) -> None:
        """Before anybody is told that something does not exist: Locked while the index has not seen everything."""
        if behind:
            raise Locked(
                f"not found, but the index of agent {self.agent} is behind by {behind} journals, so it may exist; "
                "try again, and run `holdfast status` if it stays so",
                behind=behind,
            )

    def read_only(self) -> bool:
        """Whether the home cannot be written (D45)."""
        return not os.access(self.home, os.W_OK)
