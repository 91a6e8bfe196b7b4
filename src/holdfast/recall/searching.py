"""Searching: from a question to ranked, checked hits that say how they were found.

filters in the index → candidates by word and by vector → fuse → rank → read back from the journals →
absolute score → snippet. Order comes from the match scaled to the best candidate; the score shown, and
compared with `min_score`, is absolute (D19, `coverage`). So a search can find nothing, and an empty
result means that nothing matches.
"""

from __future__ import annotations

import time
from itertools import islice

from ..errors import Invalid
from ..guard import fields, validate
from ..model.hit import Hit, SearchResult
from ..model.query import Filter, Words, passes
from ..model.value import FrozenDict, Value
from ..text.content import searchable_text
from ..text.snippet import LENGTH, Marks, snippet
from ..text.words import words
from . import filters as filtering
from .asking import trust, understand
from .candidates import Candidates
from .coverage import Scoring
from .fusion import fused
from .lacking import reasons
from .ordering import RANKS, Ranked, ordered, ranking_for, unranked
from .relevance import relevance
from .sifting import Sieve, all_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from ..model.entry import Entry
    from ..model.scope import Scope
    from ..store import Store
    from .asking import Question
    from .coverage import Parts
    from .fusion import Fused

MOST_AUTHORS = 2_000
CROWD = 50_000  # candidates where something else than the match decides: the newest may match least
SETTLED = 10  # the best so many say how well a question is answered
MOST_AT_ONCE = 500  # entries that are read together, where those before them may have scored too little
WITHOUT_VECTOR = 0.01  # share of a scope that may lack a vector before the answer says so
WORDLESS = "the question has no words or numbers, and entries are found by these"


class Ask(Value):
    """A search as validated."""

    text: str
    words: Words
    wanted: Filter
    limit: int
    offset: int = 0
    rank: str = "match"
    min_score: float = 0.0
    snippet_chars: int = LENGTH
    beyond: bool = True  # whether pages go on with what holds a word and was not compared with the candidates
    most: int = 0  # hits up to which a page goes on if those that were asked for are not `enough`
    enough: Callable[[Sequence[Hit]], bool] | None = None

    @property
    def last(self) -> int:
        """How many hits there are up to the end of the page asked for."""
        return self.limit + self.offset


def ask(
    store: Store, text: str, *, limit: int | None, offset: int, rank: str, min_score: float | None,
    filters: Mapping[str, Any],
) -> Ask:  # fmt: skip
    """Check what a caller gave."""
    settings = store.settings
    if rank not in RANKS:
        raise Invalid(f"rank must be one of {', '.join(RANKS)}", field="rank")
    wanted = filtering.build(filters, now=store.clock.now(), zone=settings["time.zone"])
    if wanted.hidden:
        raise Invalid("deleted entries have no words to search by; list them with query(hidden=True)", field="hidden")
    return Ask(
        text=text, words=words(fields.text(text, "query")), wanted=wanted,
        limit=validate.limit(settings["recall.limit"] if limit is None else limit),
        offset=validate.offset(offset), rank=rank,
        min_score=validate.share(settings["recall.min_score"] if min_score is None else min_score, "min_score"),
        snippet_chars=settings["recall.snippet_chars"],
    )  # fmt: skip


def search(store: Store, scope: Scope, asked: Ask) -> SearchResult:
    """The best hits within a scope; a person's or agent's recall is noted for recency (D35)."""
    started = time.perf_counter()
    behind = store.index.refresh(scope, store.wait_ms)
    damaged = store.reader.damaged
    hits: list[Hit] = []
    mode, reason, stopped = "keyword", WORDLESS if asked.words.empty else None, None
    if not asked.words.empty:
        authors = store.index.authors(scope, MOST_AUTHORS)
        question = understand(asked.text, authors, asked.words, store.clock.now(), store.settings["time.zone"])
        found = Candidates(store, scope, asked.wanted, question, CROWD if asked.rank != "match" else None)
        hits, stopped = _hits(store, scope, asked, question, found)
        mode, reason = found.mode, found.reason
    store.index.recall(scope, [hit.id for hit in hits], store.clock.now())
    took = (time.perf_counter() - started) * 1000
    store.observer.record("memory.operations.query.duration_ms", took)
    lacking = _lacking(store, scope, behind, store.reader.damaged - damaged, mode, reason)
    degraded = "; ".join([*lacking, *([stopped] if stopped else [])]) or None
    return SearchResult(hits=tuple(hits), mode=mode, degraded=degraded, took_ms=round(took, 3))


def _lacking(store: Store, scope: Scope, behind: int, damaged: int, mode: str, reason: str | None) -> list[str]:
    """Why the answer may not be whole."""
    found = reasons(store, scope, behind, damaged)
    if reason is not None:
        found.append(reason if reason is WORDLESS else f"by keyword only: {reason}")
    missing, total = store.embedding.missing(scope) if mode == "hybrid" else (0, 0)
    if missing > total * WITHOUT_VECTOR:
        refused, why = store.embedding.not_taken(scope), store.embedding.reason  # why it could make none just now
        found.append(
            f"{missing} of {total} without vector"
            + (f", of which the embedder did not take {refused}" if refused else "")
            + (f": {why}" if why else "")
        )
    return found


def _hits(
    store: Store, scope: Scope, asked: Ask, question: Question, found: Candidates
) -> tuple[list[Hit], str | None]:
    """Candidates ranked, read back from their journals, scored, cut to the page asked for; and why not all, if so."""
    if not found.rows:
        return [], None
    trusted = _trust(store, scope, question)
    matched = fused(found.rows, question, (found.sought, found.asked, found.by_name), trusted, found.weights)
    scoring = Scoring(store, scope, question, found)
    sieve = Sieve(scoring, asked.min_score)
    terms = _shown(asked.words, found)
    hits: list[Hit] = []
    last = asked.last
    for ranked in _ranked(store, scope, asked, found, matched):
        if asked.rank != "match" and not scoring.settled:
            ranked = list(ranked)
            _settle(store, scope, scoring, ranked)
        for one, entry, parts in _spoken_for(store, scope, asked, scoring, sieve.promising(ranked)):
            score = sieve.score(one, scoring.score(parts))
            if score is not None:
                scores = {**matched.explained(one.place), "answered": scoring.most}
                hits.append(_hit(one, entry, parts, score, scores, (terms, asked.snippet_chars)))
            if len(hits) == last:
                if asked.enough is None or last >= asked.most or asked.enough(hits):
                    return hits[asked.offset :], None
                last = asked.most
        if sieve.done:
            break
    return hits[asked.offset :], sieve.gave_up


def _ranked(store: Store, scope: Scope, asked: Ask, found: Candidates, matched: Fused) -> Iterator[Iterable[Ranked]]:
    """The candidates in order; then, for pages beyond them, what else holds a word, in the order of the words."""
    if asked.rank == "relevance":
        store.index.when_recalled(scope, found.rows)
    yield ordered(found.rows, matched.match, ranking_for(store, scope, found.rows), asked.rank)
    most = asked.last
    while asked.beyond and (rest := found.further(most)):
        yield unranked(rest, ranking_for(store, scope, rest))
        most *= 4


def _spoken_for(
    store: Store, scope: Scope, asked: Ask, scoring: Scoring, ranked: Iterable[Ranked]
) -> Iterator[tuple[Ranked, Entry, Parts]]:
    """Rows read back from their journals page by page, checked once more, with what speaks for them."""
    size, narrows, rest = max(asked.last, SETTLED), asked.wanted.narrows, iter(ranked)
    while page := list(islice(rest, size)):
        entries = store.reader.entries(scope, [one.row.id for one in page])
        there = [
            (one, entry)
            for one in page
            if (entry := entries.get(one.row.id)) is not None and (not narrows or passes(entry, asked.wanted))
        ]
        spoken = scoring.parts([(one.row, entry) for one, entry in there])
        told = [(one, entry, parts) for (one, entry), parts in zip(there, spoken, strict=True) if parts is not None]
        if not scoring.settled:
            best = {one.row.id for one in page[:SETTLED]}
            scoring.settle([parts for one, _, parts in told if one.row.id in best])
        yield from (one for one in told if scoring.counts(one[-1]))
        if asked.min_score:
            size = max(size, min(2 * size, MOST_AT_ONCE))


def _settle(store: Store, scope: Scope, scoring: Scoring, ranked: Sequence[Ranked]) -> None:
    """Where something else than the match decides the order, the best matches still say how well it is answered."""
    best = sorted(ranked, key=lambda one: -one.match)[:SETTLED]
    entries = store.reader.entries(scope, [one.row.id for one in best])
    found = [(one.row, entries[one.row.id]) for one in best if one.row.id in entries]
    scoring.settle([parts for parts in scoring.parts(found) if parts is not None])


def _trust(store: Store, scope: Scope, question: Question) -> dict[str, float]:
    """How far each author that is named can be believed to have said what stands under that name."""
    return {author: trust(*store.index.mentions(scope, author)) for author in question.authors}


def _shown(said: Words, found: Candidates) -> tuple[str, ...]:
    """What snippets show: the words of the question, and those that were looked for in place of some."""
    terms = dict.fromkeys((*said.terms, *found.terms))
    return (*terms, *(prefix + "*" for prefix in said.prefixes), *said.globs, *said.letters)


def _hit(
    one: Ranked, entry: Entry, parts: Parts, score: float, scores: dict[str, float], shows: tuple[tuple[str, ...], int]
) -> Hit:
    """The hit of an entry; `scores` are the parts of its match, and what is `answered`; the rest goes to them. `shows`
    are the words that its snippet shows, and the most characters of that."""
    factors = one.factors
    scores.update(
        factors, coverage=parts.coverage, nearness=parts.nearness, cosine=parts.cosine, relevance=relevance(factors)
    )
    terms, most = shows
    excerpt = snippet(searchable_text(entry.content), terms, most, parts.span)
    return Hit(
        id=entry.id, type=entry.type, path=entry.path, score=score, snippet=excerpt, marks=Marks(excerpt, terms),
        timestamp=entry.timestamp, session_id=entry.session_id, session_key=one.session_key, user_id=entry.user_id,
        workspace=entry.workspace, author=entry.author, role=entry.role, key=entry.key, tags=entry.tags,
        provenance=entry.provenance, pinned=entry.pinned,
        scores=FrozenDict(all_shown(scores)), entry=entry,
    )  # fmt: skip
