"""Searching: from a question to ranked, checked hits that say how they were found.

filters in the index → keyword candidates → rank → read back from the journals → absolute score →
snippet. Order comes from the match scaled to the best candidate; the score shown, and compared with
`min_score`, is absolute: the share of the question's words, weighted by rarity, that the entry holds
(D19). So a search can find nothing, and an empty result means that nothing matches.
"""

from __future__ import annotations

import time

from ..errors import Invalid
from ..guard import validate
from ..model.hit import Hit, SearchResult
from ..model.query import Filter, Words, passes
from ..model.value import FrozenDict, Value
from ..text.content import searchable_text
from ..text.snippet import highlight, snippet
from ..text.words import words
from . import filters as filtering
from .asking import trust, understand
from .coverage import Coverage
from .fusion import WITHOUT_VECTORS, fused, scaled
from .relevance import Ranking, influence, relevance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..model.entry import Entry
    from ..model.query import Row
    from ..model.scope import Scope
    from ..store import Store
    from .asking import Question

RANKS = ("match", "relevance", "recent", "importance")
MOST_CANDIDATES = 200
LEAST_CANDIDATES = 100
MOST_AUTHORS = 2_000
ANSWERED = 60  # how many of the best candidates bring the turn after them along: often the answer
SPOKEN = "conversation"
BEFORE = 0.5  # what a word in the turn before is worth beside one in the turn itself
LONGEST_PROMPT = 20_000  # characters of a prompt that are looked up


class Ask(Value):
    """A search as validated."""

    text: str
    words: Words
    wanted: Filter
    limit: int
    offset: int = 0
    rank: str = "match"
    min_score: float = 0.0


def ask(
    store: Store, text: str, *, limit: int | None, offset: int, rank: str, min_score: float | None,
    filters: Mapping[str, Any],
) -> Ask:  # fmt: skip
    """Check what a caller gave."""
    settings = store.settings
    if rank not in RANKS:
        raise Invalid(f"rank must be one of {', '.join(RANKS)}", field="rank")
    return Ask(
        text=text, words=words(text),
        wanted=filtering.build(filters, now=store.clock.now(), zone=settings["time.zone"]),
        limit=validate.limit(settings["recall.limit"] if limit is None else limit),
        offset=validate.offset(offset), rank=rank,
        min_score=validate.share(settings["recall.min_score"] if min_score is None else min_score, "min_score"),
    )  # fmt: skip


def search(store: Store, scope: Scope, asked: Ask) -> SearchResult:
    """The best hits within a scope; a person's or agent's recall is noted for recency (D35)."""
    started = time.perf_counter()
    behind = store.index.refresh(scope, store.settings["index.wait_ms"])
    damaged = store.reader.damaged
    hits = _hits(store, scope, asked) if not asked.words.empty else []
    store.index.recall(scope, [hit.id for hit in hits], store.clock.now())
    took = (time.perf_counter() - started) * 1000
    store.observer.record("memory.operations.query.duration_ms", took)
    return SearchResult(
        hits=tuple(hits), mode="keyword", degraded=_degraded(store, behind, store.reader.damaged - damaged),
        took_ms=round(took, 3),
    )  # fmt: skip


def _degraded(store: Store, behind: int, damaged: int) -> str | None:
    """Why the answer may not be whole, or None."""
    reasons = []
    if behind:
        reasons.append("read-only, index behind" if store.read_only() else f"index behind by {behind}")
    if damaged:
        reasons.append(f"{damaged} damaged entries left out; run `holdfast verify`")
    return "; ".join(reasons) or None


def _hits(store: Store, scope: Scope, asked: Ask) -> list[Hit]:
    """Candidates, ranked, read back from their journals, scored, cut to the page asked for."""
    question = understand(asked.text, store.index.authors(scope, MOST_AUTHORS))
    rows = _candidates(store, scope, asked, question)
    if not rows:
        return []
    ranking = Ranking(store.settings, store.clock.now(), scope.workspace, _overrides(store, scope, rows))
    matched = fused(
        rows,
        question,
        scaled({row.id: row.score for row in rows}),
        None,
        _trust(store, scope, question),
        WITHOUT_VECTORS,
    )
    ordered = _ordered(rows, matched, ranking, asked.rank)
    coverage = Coverage(store, scope, question.words)
    entries = store.reader.entries(scope, [row.id for row, _ in ordered])
    hits = []
    for row, factors in ordered:
        entry = entries.get(row.id)
        if entry is None or not passes(entry, asked.wanted):
            continue
        covered = coverage.of(entry) or BEFORE * coverage.of(_before(store, scope, row))
        hit = _hit(store, entry, factors, covered, asked)
        if hit.score >= asked.min_score and hit.score > 0:
            hits.append(hit)
            if len(hits) == asked.limit + asked.offset:
                break
    keys = store.index.sessions(scope, [hit.session_id for hit in hits if hit.session_id])
    named = [hit.replace(session_key=keys.get(hit.session_id or "", (None,))[0]) for hit in hits]
    return named[asked.offset :]


def _candidates(store: Store, scope: Scope, asked: Ask, question: Question) -> list[Row]:
    count = min(
        MOST_CANDIDATES, max(LEAST_CANDIDATES, (asked.limit + asked.offset) * store.settings["recall.candidates"])
    )
    rows = store.index.match(scope, asked.wanted, question.words, count)
    store.index.look_around(scope, rows)
    return rows + _answers(store, scope, asked.wanted, rows) if question.words.terms else rows


def _answers(store: Store, scope: Scope, wanted: Filter, rows: Sequence[Row]) -> list[Row]:
    """The turns after the best candidates of a conversation: what was asked there is answered here."""
    known = {row.id for row in rows}
    after = dict.fromkeys(row.after for row in rows[:ANSWERED] if row.after is not None and row.type == SPOKEN)
    ids = tuple(id for id in after if id not in known)
    if not ids or wanted.ids:
        return []
    found = [row for row in store.index.rows(scope, wanted.replace(ids=ids)) if row.type == SPOKEN]
    store.index.look_around(scope, found)
    return found


def _trust(store: Store, scope: Scope, question: Question) -> float:
    """How far the one author that is named can be believed to have said what stands under that name."""
    return trust(*store.index.mentions(scope, question.authors[0])) if len(question.authors) == 1 else 1.0


def _overrides(store: Store, scope: Scope, rows: Sequence[Row]) -> dict[str, Mapping[str, Any]]:
    """Decay overrides of the sessions that these rows come from."""
    ids = list({row.session_id for row in rows if row.session_id is not None})
    return {id: decay for id, (_key, decay) in store.index.sessions(scope, ids).items() if decay}


def _ordered(
    rows: Sequence[Row], matched: dict[str, dict[str, float]], ranking: Ranking, rank: str
) -> list[tuple[Row, dict[str, float]]]:
    """Best first; ties by id, so that the order does not depend on how the index was built."""
    # What a search found must not rank higher in the next one for having been found: only the seeds'
    # relevance counts recalls.
    recalls = rank == "relevance"
    scored = [(row, {**matched[row.id], **ranking.factors(row, matched[row.id]["match"], recalls)}) for row in rows]
    return sorted(scored, key=lambda pair: (-round(_rank(rank, pair[0], pair[1], ranking.influence), 9), pair[0].id))


def _rank(rank: str, row: Row, factors: dict[str, float], most: float) -> float:
    if rank == "recent":
        return row.time
    if rank == "importance":
        return row.importance
    return relevance(factors) if rank == "relevance" else factors["match"] * influence(factors, most)


def _before(store: Store, scope: Scope, row: Row) -> Entry | None:
    return store.reader.one(scope, row.before) if row.before is not None else None


def _hit(store: Store, entry: Entry, factors: dict[str, float], covered: float, asked: Ask) -> Hit:
    said = searchable_text(entry.content)
    moved = influence(factors, store.settings["recall.influence"])
    scores = {**factors, "coverage": covered, "influence": moved, "relevance": relevance({**factors, "match": covered})}
    terms = (*asked.words.terms, *asked.words.prefixes)
    shown = snippet(said, terms, store.settings["recall.snippet_chars"])
    return Hit(
        id=entry.id, type=entry.type, path=entry.path, score=round(min(1.0, covered * moved), 4),
        snippet=shown, marks=tuple(highlight(shown, terms)),
        timestamp=entry.timestamp, session_id=entry.session_id, user_id=entry.user_id, workspace=entry.workspace,
        tags=entry.tags, provenance=entry.provenance, pinned=entry.pinned,
        scores=FrozenDict({name: round(value, 4) for name, value in scores.items()}), entry=entry,
    )  # fmt: skip
