"""Repeats: whether what comes under an id that is stored already is the same call again (D33).

It is if nothing differs that the caller gave: the place first, then what is said, then every other field. What was
amended since is compared as it was first written, so that a retry finds its entry whatever became of it; a time is not
compared, since it differs with every call that leaves it out. Nothing is written here.
"""

from __future__ import annotations

from ..model.entry import AMENDABLE
from ..model.scope import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.entry import Draft, Entry
    from ..store import Store

_FIELDS = (
    "type", "content", "importance", "tags", "references", "key", "tool", "path", "metadata", "workspace", "provenance",
    "sensitive", "pinned",
)  # fmt: skip
_FOLDED = frozenset(AMENDABLE)  # without the text: other words under an id are never taken for a repeat


def is_elsewhere(store: Store, entry: Entry, draft: Draft) -> bool:
    """Whether an entry is of another user, scope or session than a draft that has its id."""
    if (entry.scope, entry.user_id) != (draft.scope, draft.user_id):
        return True
    return entry.session_id != draft.session_id and not _same_key(store, entry.session_id, draft.session_id)


def _same_key(store: Store, one: str | None, other: str | None) -> bool:
    """Whether two sessions of a user are one to those who name it by its key: a full one goes on in another (D11)."""
    cards = [store.journal.card(whole(store.agent), id) for id in (one, other) if id is not None]
    keys = {card.key if card is not None else None for card in cards}
    return len(cards) == 2 and len(keys) == 1 and None not in keys


def difference(store: Store, entry: Entry, draft: Draft) -> str | None:
    """The first field in which a draft differs from the entry under its id, as that stands and as it was written."""
    differing = [name for name in _FIELDS if not _is_same(entry, draft, name)]
    if not differing:
        return None
    first, folded = _as_written(store, entry)
    return next(
        (name for name in differing if not _is_same(first, draft, name) and not (folded and name in _FOLDED)), None
    )


def _is_same(entry: Entry, draft: Draft, name: str) -> bool:
    stored, given = getattr(entry, name), getattr(draft, name)
    if name in ("tags", "references"):
        return set(stored) == set(given)
    return stored == given or (name == "metadata" and entry.compacted)  # what was verbose goes with its age


def _as_written(store: Store, entry: Entry) -> tuple[Entry, bool]:
    """The entry without its amendments, and whether some may be folded into its line, which a rewrite does."""
    scope = whole(store.agent)
    place = store.index.locate(scope, [entry.id], every=True).get(entry.id)
    if place is None:
        return entry, True  # the index has not seen it yet, so nobody can say what was amended
    written = store.journal.fetch(scope, [place.replace(spans=place.spans[:1])]).get(entry.id)
    generation = store.journal.replay(scope, place.journal, None, 1).mark.generation
    return written or entry, written is None or generation > 1
