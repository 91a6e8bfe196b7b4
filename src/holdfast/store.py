"""Store: the ports and settings of one open agent, handed to every stage that needs them.

Made by `wiring`; the facade passes it on with a Scope. It holds no logic but knows where it stands.
"""

from __future__ import annotations

import os

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

    def read_only(self) -> bool:
        """Whether the home cannot be written (D45)."""
        return not os.access(self.home, os.W_OK)
