"""Access: whether a Scope may touch a journal. Asked first by every method of the port.

The owner of a session is what its header says, which its checksum protects; the card is asked only
where the header is damaged. A scope without a user is the agent's own upkeep and passes.
"""

from __future__ import annotations

from ..disk import EXHAUSTED, exists
from ..errors import Denied
from ..model.ids import GLOBAL, user_dir
from .cards import header_at, read_card, written_card

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..disk import Disk
    from ..model.scope import Scope
    from .files import Place, Places
    from .header import Header


class Access:
    """The door of one agent's journals."""

    __slots__ = ("_agent", "_disk", "_places")

    def __init__(self, agent: str, disk: Disk, places: Places) -> None:
        self._agent, self._disk, self._places = agent, disk, places

    def check_agent(self, scope: Scope) -> None:
        """Denied if the scope is another agent's."""
        if scope.agent != self._agent:
            raise Denied(f"this is the memory of agent {self._agent}, not of {scope.agent}", grant="agent")

    def place(self, scope: Scope, journal: str) -> Place:
        """The files of a journal of this agent; says nothing yet about its owner."""
        self.check_agent(scope)
        return self._places.of(journal)

    def admit(self, scope: Scope, place: Place, header: Header | None = None) -> None:
        """Denied unless the journal is the scope's own or shared by all."""
        if not self._is_own(scope, place, header):
            raise Denied(f"{place.journal} belongs to another user", grant="user", journal=place.journal)

    def sees(self, scope: Scope, place: Place) -> bool:
        """Whether a reader in this scope may know of the journal at all."""
        if place.journal == GLOBAL:
            return scope.shared
        return self._is_own(scope, place, None)

    def is_there(self, place: Place) -> bool:
        """Whether anything of the journal is; so it is where nobody can look."""
        try:
            return any(exists(self._disk, path) for path in (place.entries, place.tombstones, place.card))
        except OSError:
            return True

    def finds(self, scope: Scope, place: Place) -> bool:
        """The same for whoever looks at all there are: where nobody can tell whose it is, only who sees everybody's."""
        try:
            return self.sees(scope, place)
        except OSError as error:
            if error.errno in EXHAUSTED:
                raise
            return scope.user is None

    def owner(self, place: Place) -> str | None:
        """Whose journal it is, as far as anything of it can be read that says so."""
        for look in (header_at, written_card):
            try:
                found = look(self._disk, place)
            except OSError:
                continue
            if found is not None and found.kind is not None:
                return found.user_id
        return None

    def _is_own(self, scope: Scope, place: Place, header: Header | None) -> bool:
        if scope.user is None or place.journal == GLOBAL:
            return True
        if place.journal.startswith("u_"):
            return place.journal == user_dir(scope.user)
        return self._owner(place, header) == scope.user or not exists(self._disk, place.directory)

    def _owner(self, place: Place, header: Header | None) -> str | None:
        header = header or header_at(self._disk, place)
        if header.tells_owner:
            return header.user_id
        card = read_card(self._disk, place)
        return card.user_id if card else None


def is_ones_own(scope: Scope, piece: Mapping[str, Any], seen: bool) -> bool:
    """A quarantined piece that tells whose it is belongs to that user, though its journal be gone; any other to the
    journal's."""
    if scope.user is None or piece["user_id"] is None:
        return seen
    return bool(piece["user_id"] == scope.user)
