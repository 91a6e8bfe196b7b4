"""Locks: several lock files that one write has together.

Whoever needs several has them in one order, so that nobody waits for one who waits for them: first those of the ids
that callers chose, then those of journals, each kind in ascending order of the names (D7). One wait bounds them all.
"""

from __future__ import annotations

import time

from ..lock import Lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..lock import Held
    from ..model.entry import Draft
    from .files import Place
    from .pen import Desk


class Locks:
    """Lock files that are had together; a context manager."""

    __slots__ = ("_deadline", "_desk", "_held", "_paths")

    def __init__(self, desk: Desk, drafts: Iterable[Draft], places: Sequence[Place] = ()) -> None:
        """For these drafts, and for all of these journals."""
        ids = {desk.places.id_lock(draft.id) for draft in drafts if draft.chosen_id}
        self._desk, self._paths = desk, [*sorted(ids), *sorted({place.lock for place in places})]
        self._held: list[Held] = []

    @property
    def left_ms(self) -> int:
        """How long may still be waited."""
        return max(0, round((self._deadline - time.monotonic()) * 1000))

    def __enter__(self) -> Locks:
        self._deadline = time.monotonic() + self._desk.options.lock_ms / 1000
        try:
            for path in self._paths:
                self._held.append(Lock(path, self._desk.disk).hold(self.left_ms, "append"))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        while self._held:
            self._held.pop().release()
