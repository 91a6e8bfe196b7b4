"""Composing: user memories first, then pins, then the best hits, within the budget.

Only what the user or the agent said and what is not sensitive is handed over unasked (D21). Entries of
the asking workspace and entries without one are in sight (D2). Nothing relevant gives an empty block,
never filler.
"""

from __future__ import annotations

import os

from ..errors import Invalid
from ..model.hit import Context, Hit
from ..model.ids import entry_id
from ..model.query import Filter
from ..recall import searching
from ..text.tokens import estimate
from .budget import fill
from .render import Frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..model.entry import Entry
    from ..model.hit import SearchResult
    from ..model.scope import Scope
    from ..store import Store

PARTS = ("memories", "pins", "recall")
TRUSTED = ("user", "agent")


def injectable(entry: Entry) -> bool:
    """Whether an entry may be handed over unasked."""
    return entry.provenance in TRUSTED and not entry.sensitive


def compose_for(
    store: Store, scope: Scope, prompt: str, *, parts: Sequence[str], budget: int | None, limit: int | None
) -> Context:
    """The context for a prompt; without one only memories and pins."""
    most = store.settings["context.budget"] if budget is None else budget
    if isinstance(most, bool) or not isinstance(most, int) or most < 0:
        raise Invalid("budget must be a whole number of tokens from 0", field="budget")
    for part in parts:
        if part not in PARTS:
            raise Invalid(f"parts must be among {', '.join(PARTS)}, not {part!r}", field="parts")
    store.index.refresh(scope, store.settings["index.wait_ms"])
    items: dict[str, Hit] = {}
    degraded = None
    if "memories" in parts:
        items.update(_as_items(_memories(store, scope)))
    if "pins" in parts:
        items.update(_as_items(_pins(store, scope)))
    if "recall" in parts and prompt.strip():
        found = _recalled(store, scope, prompt, limit)
        degraded = found.degraded
        for hit in found:
            if hit.entry is not None and injectable(hit.entry):
                items.setdefault(hit.id, hit)
    text, chosen = fill(Frame(os.urandom(4).hex()), list(items.values()), most)
    return Context(
        id="ctx_" + entry_id(store.clock.now())[4:], text=text, items=tuple(chosen),
        tokens=estimate(text) if text else 0, degraded=degraded,
    )  # fmt: skip


def _memories(store: Store, scope: Scope) -> Iterable[Entry]:
    """The user's own memories, newest first."""
    own = scope.replace(sessions=(), workspace=None)
    rows = store.index.rows(
        own, Filter(types=("preference",), scopes=("user",)), "time", store.settings["context.memories"]
    )
    return store.reader.entries(own, [row.id for row in rows]).values()


def _pins(store: Store, scope: Scope) -> Iterable[Entry]:
    rows = store.index.rows(scope, Filter(pinned=True), "time", store.settings["context.memories"])
    return store.reader.entries(scope, [row.id for row in rows]).values()


def _recalled(store: Store, scope: Scope, prompt: str, limit: int | None) -> SearchResult:
    settings = store.settings
    seats = settings["context.facts"] + settings["context.snippets"] if limit is None else limit
    asked = searching.ask(
        store, prompt[: searching.LONGEST_PROMPT], limit=max(1, seats), offset=0, rank="match",
        min_score=settings["context.min_score"], filters={"sensitive": False, "provenance": list(TRUSTED)},
    )  # fmt: skip
    return searching.search(store, scope, asked)


def _as_items(entries: Iterable[Entry]) -> dict[str, Hit]:
    return {entry.id: _item(entry) for entry in entries if injectable(entry)}


def _item(entry: Entry) -> Hit:
    return Hit(
        id=entry.id, type=entry.type, path=entry.path, score=1.0, snippet=entry.text, timestamp=entry.timestamp,
        session_id=entry.session_id, user_id=entry.user_id, workspace=entry.workspace, tags=entry.tags,
        provenance=entry.provenance, pinned=entry.pinned, entry=entry,
    )  # fmt: skip
