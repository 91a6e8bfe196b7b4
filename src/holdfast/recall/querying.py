"""Querying: entries by exact filters, sorted, paged, or by following references (A071-A084).

No text, no score: an entry passes or does not. `rank="relevance"` is the seeds' product of importance,
decay and recency. References are followed in the direction they point, cycles tolerated, up to
`max_depth`; ids that lead nowhere are reported, not raised (B36).
"""

from __future__ import annotations

import time

from ..errors import Invalid
from ..guard import validate
from ..model.hit import Entries
from ..model.query import Filter, oldest_first, passes, row_for
from ..model.value import Value
from . import filters as filtering
from .lacking import degraded
from .ordering import RANKS, ranking_for
from .references import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..model.entry import Entry
    from ..model.query import Row
    from ..model.scope import Scope
    from ..store import Store

_DECIMALS, _ALIKE = 9, 1e-8  # to which relevance is compared; what is not so far apart may be equal
_ORDERS = {"recent": "time", "importance": "importance", "oldest": "oldest"}


class Ask(Value):
    """A query as validated."""

    wanted: Filter
    limit: int | None
    offset: int = 0
    rank: str = "relevance"
    references: tuple[str, ...] = ()
    max_depth: int = 1


def ask(
    store: Store, *, references: Sequence[str] | None, max_depth: int, rank: str, limit: int | None, offset: int,
    filters: Mapping[str, Any],
) -> Ask:  # fmt: skip
    """Check what a caller gave; `every=True` lifts the limit."""
    filters = dict(filters)
    every = filters.pop("every", False)
    if rank not in (*RANKS, "oldest"):
        raise Invalid(f"rank must be one of {', '.join((*RANKS, 'oldest'))}", field="rank")
    settings = store.settings
    return Ask(
        wanted=filtering.build(filters, now=store.clock.now(), zone=settings["time.zone"]),
        limit=None if every else validate.limit(settings["query.limit"] if limit is None else limit),
        offset=validate.offset(offset), rank="relevance" if rank == "match" else rank,
        references=validate.references(references or ()), max_depth=validate.depth(max_depth),
    )  # fmt: skip


def get(store: Store, scope: Scope, id: str) -> Entry | None:
    """One entry, caught up and checked; noted as recalled (D35)."""
    behind = store.index.refresh(scope, store.wait_ms)
    found = store.reader.one(scope, id)
    if found is None:
        place = store.index.locate(scope, [id]).get(id)
        store.absent(behind, scope, None if place is None else place.journal)
    else:
        store.index.recall(scope, [id], store.clock.now())
    return found


def query(store: Store, scope: Scope, asked: Ask) -> Entries:
    """The entries that pass, ranked and paged; with references also which of them lead nowhere."""
    started = time.perf_counter()
    behind = store.index.refresh(scope, store.wait_ms)
    damaged = store.reader.damaged
    if asked.references:
        found = _related(store, scope, asked)
    elif asked.rank in _ORDERS and not behind:
        rows = store.index.rows(scope, asked.wanted, _ORDERS[asked.rank], asked.limit, asked.offset)
        found = Entries(_read(store, scope, asked, [row.id for row in rows]))
    else:
        late = _late(store, scope, asked.wanted)
        rows = store.index.rows(scope, asked.wanted, "any") + late
        end = None if asked.limit is None else asked.offset + asked.limit
        most = None if late else end  # one that is there twice takes two places
        ids = _in_order(rows, asked.rank) if asked.rank in _ORDERS else _by_relevance(store, scope, rows, most)
        found = Entries(_read(store, scope, asked, list(dict.fromkeys(ids))[asked.offset : end]))
    found.behind, found.degraded = behind, degraded(store, scope, behind, store.reader.damaged - damaged)
    store.observer.record("memory.operations.query.duration_ms", (time.perf_counter() - started) * 1000)
    return found


def _read(store: Store, scope: Scope, asked: Ask, ids: Sequence[str]) -> list[Entry]:
    every = asked.wanted.hidden or asked.wanted.superseded
    found = store.reader.entries(scope, ids, every=every)
    return [entry for entry in found.values() if passes(entry, asked.wanted)]


def _late(store: Store, scope: Scope, wanted: Filter) -> list[Row]:
    """Rows of what passes and the index has not seen yet: what somebody wrote a moment ago (D13)."""
    behind = store.index.lagging(scope)
    entries = store.reader.unindexed(scope, behind, wanted) if behind else ()
    return [row_for(entry) for entry in entries]


def _in_order(rows: list[Row], rank: str) -> list[str]:
    """As an index has it: newest first, of what is as important too."""
    found = oldest_first(rows) if rank == "oldest" else oldest_first(rows)[::-1]
    if rank == "importance":
        found.sort(key=lambda row: -row.importance)
    return [row.id for row in found]


def _by_relevance(store: Store, scope: Scope, rows: list[Row], most: int | None) -> list[str]:
    """At least the first `most`; to round a weight takes longer than to find it, so what follows them is left out."""
    store.index.when_recalled(scope, rows)
    weights = ranking_for(store, scope, rows).weights(rows)
    last = sorted(weights, reverse=True)[:most][-1:]
    least = min([1.0, *last]) - _ALIKE
    scored = [
        (-round(min(1.0, weight), _DECIMALS), row.id)
        for row, weight in zip(rows, weights, strict=True)
        if weight >= least
    ]
    return [id for _, id in sorted(scored)]


def _related(store: Store, scope: Scope, asked: Ask) -> Entries:
    """What these entries refer to and what refers to them, nearest first."""

    def edges(ids: list[str]) -> list[tuple[str, str]]:
        out = store.index.references(scope, ids, inbound=False)
        back = store.index.references(scope, ids, inbound=True)
        return out + [(target, source) for source, target in back]

    reached = walk(list(asked.references), edges, asked.max_depth)
    ids = [id for id, _depth in reached if id not in asked.references]
    found = _read(store, scope, asked, ids)
    end = None if asked.limit is None else asked.offset + asked.limit
    return Entries(found[asked.offset : end], dangling(store, scope, [id for id, _depth in reached]))


def dangling(store: Store, scope: Scope, ids: Sequence[str]) -> tuple[str, ...]:
    """Those that lead nowhere in this scope: never there, deleted, or forgotten."""
    there = store.index.locate(scope, ids, every=True)
    gone = store.reader.buried(scope, list(there))
    return tuple(id for id in ids if id not in there or id in gone)
