"""Composing: user memories first, then pins, then the best hits, within the budget.

Only what the user or the agent said and what is not sensitive is handed over unasked (D21). Entries of
the asking workspace and entries without one are in sight (D2). Nothing relevant gives an empty block,
never filler.
"""

from __future__ import annotations

import os

from ..guard import fields
from ..model.hit import Context, Hit
from ..model.ids import entry_id
from ..model.query import Filter
from ..recall.lacking import degraded
from ..recall.prompts import asks_for_nothing
from ..text.tokens import estimate
from .budget import fill
from .handing import MOST_SEATS, distinct, injectable, recalled, says
from .render import Frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..model.entry import Entry
    from ..model.scope import Scope
    from ..store import Store

PARTS = ("memories", "pins", "recall")


def compose_for(
    store: Store, scope: Scope, prompt: str, *, parts: Sequence[str], budget: int | None, limit: int | None
) -> Context:
    """The context for a prompt; without one only memories and pins."""
    settings = store.settings
    asked = fields.text(prompt, "prompt").strip()
    wanted = _parts(parts)
    most = _tokens(settings["context.budget"] if budget is None else budget)
    kept = min(MOST_SEATS, settings["context.facts"] + settings["context.snippets"])
    seats = kept if limit is None else fields.limit(limit)
    if not settings["context.inject"]:
        return _context(store, "", [], f"switched off by context.inject ({settings.origin('context.inject')})")
    behind = store.index.refresh(scope, store.wait_ms)
    items: dict[str, Hit] = {}
    lacking = degraded(store, scope, behind)
    if "memories" in wanted and settings["context.user_memories"]:
        items.update(_as_items(_memories(store, scope)))
    if "pins" in wanted:
        items.update(_as_items(_pins(store, scope)))
    if "recall" in wanted and asked and seats and not asks_for_nothing(asked):
        hits, lacking = recalled(store, scope, prompt, seats)
        said = {says(item) for item in items.values()}
        for hit in distinct(hits)[:seats]:
            if says(hit) not in said:
                items.setdefault(hit.id, hit)
    text, chosen = fill(Frame(os.urandom(4).hex()), list(items.values()), most)
    return _context(store, text, chosen, lacking)


def _parts(given: Sequence[str]) -> list[str]:
    parts = fields.several(given, "parts", len(PARTS))
    for part in parts:
        if part not in PARTS:
            raise fields.broken("parts", f"must be among {', '.join(PARTS)}, not {str(part)[:40]!r}")
    return parts


def _tokens(budget: int) -> int:
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
        raise fields.broken("budget", "must be a whole number of tokens from 0")
    return budget


def _context(store: Store, text: str, items: Sequence[Hit], lacking: str | None) -> Context:
    id = "ctx_" + entry_id(store.clock.now())[4:]
    return Context(
        id=id, text=text, items=tuple(items), tokens=estimate(text) if text else 0, degraded=lacking
    )  # fmt: skip


def _memories(store: Store, scope: Scope) -> Iterable[Entry]:
    """The user's own memories, newest first: told in any session, but in this workspace or in none (D2)."""
    own = scope.replace(sessions=())
    rows = store.index.rows(
        own, Filter(types=("preference",), scopes=("user",)), "time", store.settings["context.memories"]
    )
    return store.reader.entries(own, [row.id for row in rows]).values()


def _pins(store: Store, scope: Scope) -> Iterable[Entry]:
    rows = store.index.rows(scope, Filter(pinned=True), "time", store.settings["context.memories"])
    found = store.reader.entries(scope, [row.id for row in rows])
    return [entry for entry in found.values() if entry.pinned]  # it may have been unpinned since


def _as_items(entries: Iterable[Entry]) -> dict[str, Hit]:
    return {entry.id: _item(entry) for entry in entries if injectable(entry)}


def _item(entry: Entry) -> Hit:
    return Hit(
        id=entry.id, type=entry.type, path=entry.path, score=1.0, snippet=entry.text, timestamp=entry.timestamp,
        session_id=entry.session_id, user_id=entry.user_id, workspace=entry.workspace, author=entry.author,
        role=entry.role, key=entry.key, tags=entry.tags, provenance=entry.provenance, pinned=entry.pinned,
        entry=entry,
    )  # fmt: skip
