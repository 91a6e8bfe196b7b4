"""Rare: in how many chunks a stem occurs, counted once for each state of the index.

Counting reads the whole list of a common word. Questions to one memory share most of their words, so what was
counted is remembered until anybody changes the index; then everything is counted anew, since a score must not
depend on what was asked before.
"""

from __future__ import annotations

from . import questions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .live import Live

_MOST = 5_000


class Rare:
    """What is known of one index. Threads may share it: what is held is replaced, never changed."""

    def __init__(self) -> None:
        self._known: tuple[int, int, dict[str, int]] = (-1, 0, {})  # version, searchable chunks, by stem

    def of(self, live: Live, stems: set[str]) -> tuple[int, dict[str, int]]:
        """How many chunks are searchable, and in how many these stems occur; one that is unknown in none."""
        version = live.version()
        at, total, seen = self._known
        if at != version or len(seen) > _MOST:
            seen = {}
        unknown = [stem for stem in stems if stem not in seen]
        if unknown or at != version:
            total, found = live.ask(lambda c: questions.rarity(c, unknown))
            seen = {**seen, **dict.fromkeys(unknown, 0), **found}
            self._known = (version, total, seen)
        return total, seen
