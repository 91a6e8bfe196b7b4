"""Noted: small answers that every search asks for again, kept until anybody changes the index.

Counting how often a word occurs reads its whole list; who speaks in a scope, and the keys of sessions, take a look
at an index each. All of it is asked anew after any change: what a search answers must not depend on what was asked
before it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable
    from typing import Any

    import apsw

    from .live import Live

    Ask = Callable[[apsw.Connection, list[Any]], dict[Any, Any]]

_MOST = 5_000


class Noted:
    """The notes of one index. Threads may share it: notes of another state replace these, and are never among them."""

    def __init__(self) -> None:
        self._notes: tuple[int, dict[str, dict[Hashable, Any]]] = (-1, {})  # of which state; replaced at once

    def of(self, live: Live, kind: str, keys: Iterable[Hashable], ask: Ask) -> dict[Hashable, Any]:
        """What is known of these keys and others; None for one of which there is nothing to know."""
        version = live.lately()
        state, notes = self._notes
        if version != state:
            notes = {}
            self._notes = version, notes
        known = notes.setdefault(kind, {})
        if len(known) > _MOST:
            known = notes[kind] = {}
        unknown = [key for key in keys if key not in known]
        if unknown:
            found = live.ask(lambda c: ask(c, unknown))
            known.update({key: found.get(key) for key in unknown})
        return known
