"""Compaction: makes room in a journal, in the order of D11, and never takes what somebody relies on.

First what nobody can see: deleted entries, folded amendments, superseded values; then verbose metadata
of old entries. Only if the journal would still be over its threshold: conversation, events and
artifacts that have faded, then the least relevant of them until the target. Preferences, facts,
decisions, findings, summaries, notes, pinned and imported entries are never evicted. `plan` is pure;
`compact` carries it out under the journal's lock.
"""

from __future__ import annotations

import json
import time

from ..errors import HoldfastError, NotFound, StorageFailed
from ..model.card import statistics_of
from ..model.entry import Tombstone, standing
from ..model.moment import DAY_MS, iso, millis
from ..model.query import Filter, Row
from ..model.scope import Scope, whole
from ..model.value import FrozenDict, Value
from ..recall.relevance import Ranking, relevance
from .holdings import holdings, stands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from ..model.card import Card
    from ..model.entry import Entry
    from ..ports import Journal
    from ..store import Store
    from .holdings import Holding, Holdings

EVICTABLE = ("conversation", "event", "artifact")
KEPT_WHOLE = ("preference", "fact", "decision", "summary", "note")
VERBOSE_BYTES = 200  # a metadata value that takes more is detail; ids, names and numbers stay
_SEAL = 86  # bytes of the checksum and the line end
_STONE = 240  # bytes of a tombstone that says when its entry was erased


class Rules(Value):
    """Limits and shares that a plan obeys; a session's card may set its own threshold."""

    limit: int
    threshold: float = 0.9
    target: float = 0.7
    min_relevance: float = 0.05
    metadata_days: int = 30


class Plan:
    """What shall go, by id with the reason, and whose metadata is cut."""

    __slots__ = ("drop", "folded", "size", "strip")

    def __init__(self) -> None:
        self.drop: dict[str, str] = {}  # id -> deleted, superseded, faded, least
        self.strip: set[str] = set()
        self.folded = 0  # amendments that become part of their entries
        self.size = 0  # bytes of what would remain

    @property
    def idle(self) -> bool:
        return not (self.drop or self.strip or self.folded)


def plan(
    held: Iterable[Holding], overhead: int, rules: Rules, now: int, worth: Callable[[Entry], float] | None = None
) -> Plan:
    """What to do with these; `overhead` is what the files take besides. Without `worth` nothing is evicted."""
    made = Plan()
    made.size = overhead
    kept: list[tuple[Holding, int]] = []
    for holding in held:
        if holding.stone is not None or holding.superseded:
            made.drop[holding.entry.id] = "deleted" if holding.stone is not None else "superseded"
            made.size += _STONE
        else:
            kept.append((holding, _remaining(made, holding, rules, now)))
            made.size += kept[-1][1]
    if worth is not None and made.size > rules.threshold * rules.limit:
        _evict(made, kept, rules, worth)
    return made


def _remaining(made: Plan, holding: Holding, rules: Rules, now: int) -> int:
    """The bytes that a kept entry will take, noting what is cut from it."""
    entry = holding.entry
    made.folded += holding.amendments
    old = millis(entry.timestamp) < now - rules.metadata_days * DAY_MS
    if old and not protected(entry) and brief(entry.metadata) != entry.metadata:
        made.strip.add(entry.id)
        return line_bytes(stripped(entry))
    return line_bytes(entry) if holding.amendments else holding.bytes


def _evict(made: Plan, kept: Sequence[tuple[Holding, int]], rules: Rules, worth: Callable[[Entry], float]) -> None:
    """Faded entries first, then the least relevant until the target; ties go oldest first."""
    may_go = [(worth(holding.entry), holding.entry.seq, holding.entry.id, size) for holding, size in kept
              if evictable(holding.entry)]  # fmt: skip
    for value, _, id, size in sorted(may_go):
        if value >= rules.min_relevance and made.size <= rules.target * rules.limit:
            return
        made.drop[id] = "faded" if value < rules.min_relevance else "least"
        made.strip.discard(id)
        made.size -= size


def evictable(entry: Entry) -> bool:
    """Whether compaction may ever take this entry away to make room."""
    return entry.type in EVICTABLE and not protected(entry)


def protected(entry: Entry) -> bool:
    """Pinned, imported, or of a type that is kept whole."""
    return entry.pinned or entry.type in KEPT_WHOLE or entry.provenance.split(":")[0] == "import"


def brief(metadata: FrozenDict) -> FrozenDict:
    """Metadata without its long values."""
    return FrozenDict({name: value for name, value in metadata.items() if len(_json(value)) <= VERBOSE_BYTES})


def stripped(entry: Entry) -> Entry:
    """The entry without verbose metadata, marked as compacted (A101)."""
    return entry.replace(metadata=brief(entry.metadata), compacted=True)


def line_bytes(entry: Entry) -> int:
    """What an entry's line takes with its checksum and line end."""
    return len(_json(entry.replace(checksum=None).to_dict())) + _SEAL


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class _Keep:
    """Decides under the journal's lock: what was undeleted or pinned since the plan was made stays."""

    def __init__(self, journals: Journal, scope: Scope, journal: str, made: Plan) -> None:
        self._journals, self._scope, self._journal, self._plan = journals, scope, journal, made
        self._stones: dict[str, Tombstone] | None = None
        self.dropped: dict[str, str] = {}
        self.kept: list[str] = []  # types
        self.stripped = 0

    def __call__(self, entry: Entry) -> Entry | None:
        reason = self._reason(entry)
        if reason is not None:
            self.dropped[entry.id] = reason
            return None
        self.kept.append(entry.type)
        if entry.id in self._plan.strip and not entry.pinned:
            self.stripped += 1
            return stripped(entry)
        return entry

    def _reason(self, entry: Entry) -> str | None:
        reason = self._plan.drop.get(entry.id)
        if reason == "deleted" and entry.id not in self.stones:
            return None
        return None if reason in ("faded", "least") and entry.pinned else reason

    @property
    def stones(self) -> dict[str, Tombstone]:
        if self._stones is None:
            self._stones = standing(self._journals.tombstones(self._scope, self._journal)[0])
        return self._stones

    def count(self, reason: str) -> int:
        return sum(found == reason for found in self.dropped.values())


def make_room(store: Store, scope: Scope, journal: str, *, needed: int, full: bool, dry: bool) -> bool:
    """Whether so many more bytes fit once room is made, which is done unless this is `dry`."""
    if dry:
        *_, made = _planned(store, scope, journal, needed, full)
        return made.size <= _rules(store, None).limit
    compact(store, scope, journal, needed=needed, full=full)
    size = store.journal.size(scope, journal)
    return size is not None and size.total + needed <= _rules(store, None).limit


def _planned(store: Store, scope: Scope, journal: str, needed: int, full: bool) -> tuple[Holdings, int, Plan]:
    """What a journal holds, its bytes, and what to do; nothing that can be seen goes where that would not be enough."""
    held = holdings(store.journal, scope, journal)
    size = store.journal.size(scope, journal)
    if held is None or size is None:
        raise NotFound(f"there is no journal {journal} to compact", journal=journal)
    card = store.journal.card(scope, journal)
    lines = sum(line.length + 1 for line in held.replay.lines)
    now, rules, overhead = store.clock.now(), _rules(store, card), size.total - lines + needed
    made = plan(held, overhead, rules, now, _Worth(store, card, now) if full else None)
    if needed and made.size > rules.limit:
        made = plan(held, overhead, rules, now)
    return held, size.total, made


def compact(store: Store, scope: Scope, journal: str, *, needed: int = 0, full: bool = True) -> dict[str, Any]:
    """Make room for `needed` more bytes; without `full` only what nobody can see goes, and old metadata.

    A journal under its threshold loses nothing that can be seen, whoever asks.
    """
    started = time.perf_counter()
    held, before, made = _planned(store, scope, journal, needed, full)
    keep = _Keep(store.journal, scope, journal, made)
    if not made.idle or held.damaged:
        store.journal.rewrite(scope, journal, keep)
        _mark_erased(store, scope, journal, keep)
        _save_card(store, scope, journal, keep)
        store.index.refresh(whole(store.agent), 0)
    store.index.sweep(whole(store.agent))  # a build that was killed may have left what goes here
    size = store.journal.size(scope, journal)
    took = (time.perf_counter() - started) * 1000
    return _report(store, held, keep, made, (before, size.total if size is not None else before), took)


def _rules(store: Store, card: Card | None) -> Rules:
    settings = store.settings
    own = card.compaction_config.get("threshold") if card is not None else None
    return Rules(
        limit=settings["journal.session_bytes"], target=settings["compaction.target"],
        threshold=settings["compaction.threshold"] if own is None else float(own),
        min_relevance=settings["compaction.min_relevance"], metadata_days=settings["compaction.metadata_days"],
    )  # fmt: skip


class _Worth:
    """Relevance without the floor, which would let nothing ever fade (C29); what was recalled counts as recent."""

    def __init__(self, store: Store, card: Card | None, now: int) -> None:
        sessions = {card.id: (card.key, card.decay_config)} if card is not None else {}
        self._ranking = Ranking(store.settings, now, None, sessions)
        self._index, self._scope = store.index, _all_of(store, card)
        self._wait_ms: int = store.settings["index.wait_ms"]
        self._rows: dict[str, Row] | None = None

    def __call__(self, entry: Entry) -> float:
        if self._rows is None:
            self._index.refresh(self._scope, self._wait_ms)
            rows = self._index.rows(self._scope, Filter())
            self._index.when_recalled(self._scope, rows)
            self._rows = {row.id: row for row in rows}
        row = self._rows.get(entry.id) or Row(
            entry.id, millis(entry.timestamp), entry.type, entry.importance, entry.pinned,
            entry.session_id, entry.workspace,
        )  # fmt: skip
        return relevance({**self._ranking.factors(row), "decay": self._ranking.decay(row, floored=False)})


def _all_of(store: Store, card: Card | None) -> Scope:
    """The scope of the journal's own entries, as an index can narrow it."""
    if card is None or card.kind == "global":
        return whole(store.agent)
    return Scope(agent=store.agent, user=card.user_id, sessions=(card.id,) if card.kind == "session" else ())


def _mark_erased(store: Store, scope: Scope, journal: str, keep: _Keep) -> None:
    """Tombstones stay for good and say since when there is nothing left to undelete (C19).

    A superseded value gets one too: an older export would bring it back as the newest value of its key.
    """
    now = iso(store.clock.now())
    dropped = keep.dropped.items()
    erased = [keep.stones[id].replace(compacted_at=now) for id, reason in dropped if reason == "deleted"]
    erased += [
        Tombstone(id=id, timestamp=now, reason="superseded", compacted_at=now)
        for id, reason in dropped if reason == "superseded"
    ]  # fmt: skip
    if erased:
        store.journal.bury(scope, journal, erased)


def _save_card(store: Store, scope: Scope, journal: str, keep: _Keep) -> None:
    card, size = store.journal.card(scope, journal), store.journal.size(scope, journal)
    if card is None or size is None:
        return
    counted = {
        "last_compaction": iso(store.clock.now()), "total_entries": len(keep.kept), "total_size_bytes": size.total,
        "statistics": statistics_of(keep.kept),
    }  # fmt: skip
    store.journal.change_card(scope, journal, lambda now: store.redactor.card(now.replace(**counted)))


def _report(
    store: Store, held: Holdings, keep: _Keep, made: Plan, sizes: tuple[int, int], took: float
) -> dict[str, Any]:
    before, after = sizes
    dropped = {reason: keep.count(reason) for reason in ("deleted", "superseded", "faded", "least")}
    report: dict[str, Any] = {
        "journal": held.journal, "entries_before": len(held), "entries_after": len(held) - len(keep.dropped),
        "bytes_before": before, "bytes_after": after, "dropped": dropped, "folded": made.folded,
        "stripped": keep.stripped, "damaged": len(held.damaged), "took_ms": round(took, 3),
    }  # fmt: skip
    store.observer.count("memory.compaction.count")
    store.observer.emit(
        "compaction done", "info", "upkeep", session_id=held.journal, entries_before=len(held),
        entries_after=report["entries_after"], size_reduction_mb=round((before - after) / 1e6, 3),
        duration_ms=report["took_ms"],
    )  # fmt: skip
    return report


def compact_all(store: Store, scope: Scope, journals: Sequence[str]) -> dict[str, Any]:
    """Compact several journals, each under its own lock; the sums, each report, and whether all bytes are gone.

    One that refuses keeps no other from its turn, and is named in `failed`; of a session that was asked for by name it
    is the error. Bytes are looked after also where nothing was to be done: whoever did it before may have been killed.
    """
    reports: list[dict[str, Any]] = []
    errors: dict[str, HoldfastError] = {}
    for journal in journals:
        try:
            if stands(store.journal, scope, journal):
                reports.append(compact(store, scope, journal))
        except HoldfastError as error:
            errors[journal] = error
    if errors and not reports and scope.sessions:
        raise next(iter(errors.values()))
    errors = {**_unread(store, scope, journals), **errors}
    summed = ("entries_before", "entries_after", "bytes_before", "bytes_after")
    erased = store.index.scour(whole(store.agent), store.settings["index.wait_ms"])
    return {
        **{name: sum(report[name] for report in reports) for name in summed}, "erased": erased, "journals": reports,
        "failed": [_failure(journal, error) for journal, error in errors.items()],
    }  # fmt: skip


def _unread(store: Store, scope: Scope, journals: Sequence[str]) -> dict[str, HoldfastError]:
    """What may be of a user and cannot be read, so that nobody could say it is theirs to compact."""
    if scope.sessions:
        return {}
    return {name: error for name, error in store.index.unreadable(scope).items() if name not in journals}


def _failure(journal: str, error: HoldfastError) -> dict[str, Any]:
    """As `verify` tells it; whose it is may be for nobody to know, and then it has no name."""
    unnamed = isinstance(error, StorageFailed) and error.unreadable and "path" not in error.details
    where = {} if unnamed else {"journal": journal}
    return {"what": error.message, "error": type(error).__name__, **where}
