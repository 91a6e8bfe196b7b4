"""Owning: whose journals these are, and which may hold something of a scope.

What another user's journals lack makes nobody else's answer less whole, and nobody learns of it. Where nobody can tell
whose a journal is, it may be anybody's. Reads only; `select.where_journal` says the same of what is indexed.
"""

from __future__ import annotations

import json

from ..errors import HoldfastError
from ..model.ids import GLOBAL, user_dir
from .database import ask_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    import apsw

    from ..model.replay import Size
    from ..model.scope import Scope
    from ..ports import Journal

_OWNERS = """
SELECT f.journal, s.user_id, f.card_mtime
FROM json_each(?) j CROSS JOIN files f ON f.journal=j.value JOIN sessions s ON s.id=f.journal
"""


def concerns(scope: Scope, journal: str, owner: str | None) -> bool:
    """Whether a journal of this owner may hold something of a scope; None is one whom nobody can name."""
    if scope.user is None:
        return True
    if journal == GLOBAL:
        return scope.shared
    return journal == user_dir(scope.user) if journal.startswith("u_") else owner in (None, scope.user)


def owners(
    connection: apsw.Connection, journals: Journal, scope: Scope, sizes: Mapping[str, Size | None]
) -> dict[str, str | None]:
    """The owner of each: from the index while the card is the one that it has read, which takes no file to open.

    One that has changed hands, as a session that was forgotten and made anew under its id, concerns both.
    """
    found: dict[str, str | None] = dict.fromkeys(sizes)
    known = {name: row for name, *row in ask_all(connection, _OWNERS, (json.dumps(list(sizes)),))}
    for name, size in sizes.items():
        user, read = known.get(name, (None, None))
        same = name in known and (size is None or read == size.card_changed)
        now = user if same else _on_card(journals, scope, name)
        found[name] = now if now == user or name not in known else None
    return found


def _on_card(journals: Journal, scope: Scope, name: str) -> str | None:
    try:
        card = journals.card(scope, name)
    except HoldfastError:
        return journals.owner(scope, name)
    return None if card is None else card.user_id
