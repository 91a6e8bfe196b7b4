"""Searching: from a question to ranked, checked hits that say how they were found.

filters in the index → candidates by word and by vector → fuse → rank → read back from the journals →
absolute score → snippet. Order comes from the match scaled to the best candidate; the score shown, and
compared with `min_score`, is absolute (D19, `coverage`). So a search can find nothing, and an empty
result means that nothing matches.
"""

from __future__ import annotations

import time
from operator import itemgetter

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
from .candidates import Candidates
from .coverage import Scoring
from .fusion import fused
from .relevance import Ranking, influence, relevance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from ..model.entry import Entry
    from ..model.query import Row
    from ..model.scope import Scope
    from ..store import Store
    from .asking import Question
    from .coverage import Parts
    from .fusion import Scores

RANKS = ("match", "relevance", "recent", "importance")
MOST_AUTHORS = 2_000
SETTLED = 10  # the best so many say how well a question is answered
WITHOUT_VECTOR = 0.01  # share of a scope that may lack a vector before the answer says so
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
    hits: list[Hit] = []
    mode, reason = "keyword", None
    if not asked.words.empty:
        question = understand(asked.text, store.index.authors(scope, MOST_AUTHORS))
        count = (asked.limit + asked.offset) * store.settings["recall.candidates"]
        found = Candidates(store, scope, asked.wanted, question, count)
        hits, mode, reason = _hits(store, scope, asked, question, found), found.mode, found.reason
    store.index.recall(scope, [hit.id for hit in hits], store.clock.now())
    took = (time.perf_counter() - started) * 1000
    store.observer.record("memory.operations.query.duration_ms", took)
    degraded = _degraded(store, scope, behind, store.reader.damaged - damaged, mode, reason)
    return SearchResult(hits=tuple(hits), mode=mode, degraded=degraded, took_ms=round(took, 3))


def _degraded(store: Store, scope: Scope, behind: int, damaged: int, mode: str, reason: str | None) -> str | None:
    """Why the answer may not be whole, or None."""
    reasons = []
    if behind:
        reasons.append("read-only, index behind" if store.read_only() else f"index behind by {behind}")
    if damaged:
        reasons.append(f"{damaged} damaged entries left out; run `holdfast verify`")
    if reason is not None:
        reasons.append(f"by keyword only: {reason}")
    missing, total = store.embedding.missing(scope) if mode == "hybrid" else (0, 0)
    if missing > total * WITHOUT_VECTOR:
        reasons.append(f"{missing} of {total} without vector")
    return "; ".join(reasons) or None


def _hits(store: Store, scope: Scope, asked: Ask, question: Question, found: Candidates) -> list[Hit]:
    """Candidates ranked, read back from their journals, scored, cut to the page asked for."""
    if not found.rows:
        return []
    ranking = Ranking(store.settings, store.clock.now(), scope.workspace, _overrides(store, scope, found.rows))
    matched = fused(
        found.rows, question, found.keyword, found.vector, _trust(store, scope, question), found.weights
    )  # fmt: skip
    ordered = _ordered(found.rows, matched.match, ranking, asked.rank)
    scoring = Scoring(store, scope, question, found.floor)
    wanted = asked.limit + asked.offset
    hits: list[Hit] = []
    size = max(wanted, SETTLED)
    for start in range(0, len(ordered), size):
        page = list(_spoken_for(store, scope, asked, scoring, ordered[start : start + size]))
        if start == 0:
            scoring.settle([parts for _, _, parts in page[:SETTLED]])
        for ranked, entry, parts in page:
            score = round(min(1.0, scoring.score(parts) * ranked.influence), 4)  # moved as in D19
            if score >= asked.min_score and score > 0 and len(hits) < wanted:
                factors = {**matched.explained(entry.id), **ranking.factors(ranked.row, ranked.match, ranked.recalls)}
                hits.append(_hit(store, entry, {**factors, "influence": ranked.influence}, parts, score, asked))
        if len(hits) >= wanted:
            break
    return _named(store, scope, hits[asked.offset : wanted])


def _spoken_for(
    store: Store, scope: Scope, asked: Ask, scoring: Scoring, ordered: Sequence[Ranked]
) -> Iterator[tuple[Ranked, Entry, Parts]]:
    """Rows read back from their journals, checked once more, with what speaks for them."""
    entries = store.reader.entries(scope, [ranked.row.id for ranked in ordered])
    for ranked in ordered:
        entry = entries.get(ranked.row.id)
        if entry is not None and passes(entry, asked.wanted):
            parts = scoring.parts(ranked.row, entry)
            if parts is not None:
                yield ranked, entry, parts


def _named(store: Store, scope: Scope, hits: Sequence[Hit]) -> list[Hit]:
    """With the key of the session that each comes from."""
    keys = store.index.sessions(scope, [hit.session_id for hit in hits if hit.session_id])
    return [hit.replace(session_key=keys.get(hit.session_id or "", (None,))[0]) for hit in hits]


def _trust(store: Store, scope: Scope, question: Question) -> float:
    """How far the one author that is named can be believed to have said what stands under that name."""
    return trust(*store.index.mentions(scope, question.authors[0])) if len(question.authors) == 1 else 1.0


def _overrides(store: Store, scope: Scope, rows: Sequence[Row]) -> dict[str, Mapping[str, Any]]:
    """Decay overrides of the sessions that these rows come from."""
    ids = list({row.session_id for row in rows if row.session_id is not None})
    return {id: decay for id, (_key, decay) in store.index.sessions(scope, ids).items() if decay}


class Ranked:
    """A candidate in its place."""

    __slots__ = ("influence", "match", "recalls", "row")

    def __init__(self, row: Row, match: float, influence: float, recalls: bool) -> None:
        self.row, self.match, self.influence, self.recalls = row, match, influence, recalls


def _ordered(rows: Sequence[Row], match: Scores, ranking: Ranking, rank: str) -> list[Ranked]:
    """Best first; ties by id, so that the order does not depend on how the index was built."""
    # What a search found must not rank higher in the next one for having been found: only the seeds'
    # relevance counts recalls.
    recalls = rank == "relevance"
    keyed = []
    for row in rows:
        own, weight = match.get(row.id, 0.0), ranking.weight(row, recalls)
        ranked = Ranked(row, own, influence(weight, ranking.influence), recalls)
        keyed.append((-round(_rank(rank, ranked, weight), 9), row.id, ranked))
    return [ranked for _, _, ranked in sorted(keyed, key=itemgetter(0, 1))]


def _rank(rank: str, ranked: Ranked, weight: float) -> float:
    if rank == "match":
        return ranked.match * ranked.influence
    if rank == "relevance":
        return min(1.0, ranked.match * weight)
    return ranked.row.time if rank == "recent" else ranked.row.importance


def _hit(store: Store, entry: Entry, factors: dict[str, float], parts: Parts, score: float, asked: Ask) -> Hit:
    said = searchable_text(entry.content)
    scores = {
        **factors, "coverage": parts.coverage, "nearness": parts.nearness, "cosine": parts.cosine,
        "relevance": relevance({**factors, "match": parts.own}),
    }  # fmt: skip
    terms = (*asked.words.terms, *asked.words.prefixes)
    shown = snippet(said, terms, store.settings["recall.snippet_chars"], parts.span)
    return Hit(
        id=entry.id, type=entry.type, path=entry.path, score=score, snippet=shown, marks=tuple(highlight(shown, terms)),
        timestamp=entry.timestamp, session_id=entry.session_id, user_id=entry.user_id, workspace=entry.workspace,
        tags=entry.tags, provenance=entry.provenance, pinned=entry.pinned,
        scores=FrozenDict({name: round(value, 4) for name, value in scores.items()}), entry=entry,
    )  # fmt: skip
