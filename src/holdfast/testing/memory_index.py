"""An Index in memory: the port's promises in plain Python over dictionaries.

It keeps the port honest and is what a faster index is compared with: every answer is a walk over all
entries with `passes` and `Scope.sees`. It reads journals through their port only, so it can be
thrown away like any other index.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from ..model.card import statistics_of
from ..model.ids import GLOBAL, user_dir
from ..model.moment import HOUR_MS, iso, millis
from ..model.query import Row, label_of, oldest_first, passes, row_for
from ..model.replay import Address
from ..model.scope import whole
from ..text.content import searchable_text
from ..text.form import asks
from ..text.view import is_answer
from .bm25 import asked, has_glob, longer, occurrences, scores, split
from .known import Known
from .memory_vectors import MemoryVectors, views_of, with_cosine
from .said import held, mentions, searched
from .shown import shows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..errors import StorageFailed
    from ..model.card import Card
    from ..model.entry import Entry, Tombstone
    from ..model.query import Filter, Label, Words
    from ..model.replay import Mark, Size
    from ..model.scope import Scope
    from ..model.vector import Vector
    from ..ports import Embedder, Journal, Progress

VISIBLE, DELETED, SUPERSEDED = "visible", "deleted", "superseded"


class MemoryIndex:
    """Implements the Index port for tests."""

    def __init__(self, agent: str, journal: Journal) -> None:
        self._all, self._journal, self._vectors = whole(agent), journal, MemoryVectors()
        self._known: dict[str, Known] = {}
        self._stones: dict[str, Tombstone] = {}
        self._graves: dict[str, str] = {}  # the journal that a tombstone was last read from
        self._recalled: dict[str, int] = {}
        self._announced: set[str] = set()  # never taken away: a mark says "look at me", not "something is missing"
        self._suspects, self._built, self._version = set[str](), False, 0

    # -- keeping level

    def announce(self, scope: Scope, journal: str) -> None:
        self._announced.add(journal)

    def suspect(self, scope: Scope, journal: str) -> None:
        self._suspects.add(journal)

    def follow(self, scope: Scope, lines: int) -> None:
        self.refresh(scope, 0)

    def refresh(self, scope: Scope, wait_ms: int) -> int:
        self._ready()
        for journal in sorted(self._behind() | self._suspects):
            self._read(journal)
        self._suspects.clear()
        return 0

    def lagging(self, scope: Scope) -> dict[str, Mark | None]:
        return {}  # a refresh leaves nothing behind

    def unreadable(self, scope: Scope) -> dict[str, StorageFailed]:
        return {}  # as nothing in memory is

    def _ready(self) -> None:
        if not self._built:
            self.rebuild(self._all)

    def _behind(self) -> set[str]:
        """Announced journals of which the index does not have everything."""
        return {name for name in self._announced if self._journal.size(self._all, name) != self._size(name)}

    def sweep(self, scope: Scope) -> None:
        """Whatever is built here goes with its process."""

    def scour(self, scope: Scope, wait_ms: int) -> bool:
        return self.refresh(self._all, wait_ms) == 0

    def compare(self, scope: Scope) -> int:
        self._ready()
        before = set(self._announced)
        self._announced |= {*self._journal.journals(self._all), *self._known}
        changed = self._behind() - before
        self.refresh(scope, 0)
        return len(changed)

    def _size(self, journal: str) -> Size | None:
        known = self._known.get(journal)
        return known.size if known else None

    def rebuild(
        self, scope: Scope, progress: Progress | None = None, embedder: Embedder | None = None, vectors: bool = True
    ) -> None:
        self._known, self._stones, self._built = {}, {}, True
        names = list(self._journal.journals(self._all))
        for done, name in enumerate(names, 1):
            self._read(name)
            if progress is not None:
                progress(done, len(names))
        if not vectors or (embedder is not None and not self._vectors.fit(embedder)):
            self._vectors = MemoryVectors()
        if embedder is not None:
            self.embed(self._all, embedder, None)

    def _read(self, journal: str) -> None:
        """Take a journal in anew; what damaged lines it has is set aside once."""
        self._version += 1
        for stone in self._journal.tombstones(self._all, journal)[0]:
            if stone.hides:
                self._stones[stone.id], self._graves[stone.id] = stone, journal
            else:
                self._stones.pop(stone.id, None)
        size = self._journal.size(self._all, journal)
        if size is None:
            self._known.pop(journal, None)
            return
        lines = self._journal.replay(self._all, journal).lines
        bad = [(line.offset, line.raw) for line in lines if line.record is None]
        if bad:
            self._journal.quarantine(self._all, journal, bad)
        self._known[journal] = Known(journal, size, self._journal.card(self._all, journal), lines)

    # -- walking

    def _entries(self) -> Iterator[tuple[Entry, Known, str]]:
        """Every entry with its state; an id seen before adds nothing."""
        self._ready()
        seen: set[str] = set()
        for _, known in sorted(self._known.items()):
            for entry in known.entries.values():
                if entry.id in seen:
                    continue
                seen.add(entry.id)
                hidden = DELETED if entry.id in self._stones else SUPERSEDED if known.superseded(entry) else VISIBLE
                yield entry, known, hidden

    def _in(self, scope: Scope, *states: str) -> Iterator[tuple[Entry, Known]]:
        for entry, known, state in self._entries():
            inside = scope.sees(entry.scope, entry.user_id, entry.session_id, entry.workspace)
            if inside and (not states or state in states):
                yield entry, known

    def _passing(self, scope: Scope, wanted: Filter) -> list[Entry]:
        states = (DELETED,) if wanted.hidden else (VISIBLE, SUPERSEDED) if wanted.superseded else (VISIBLE,)
        return [entry for entry, _ in self._in(scope, *states) if passes(entry, wanted)]

    # -- asking

    def rows(
        self, scope: Scope, wanted: Filter, order: str = "time", limit: int | None = None, offset: int = 0
    ) -> list[Row]:
        found = [self._row(entry) for entry in self._passing(scope, wanted)]
        ordered = oldest_first(found) if order == "oldest" else oldest_first(found)[::-1]
        if order == "importance":
            ordered.sort(key=lambda row: -row.importance)
        return ordered[offset : None if limit is None else offset + limit]

    def _row(self, entry: Entry, score: float = 0.0) -> Row:
        row = row_for(entry)
        row.file = f"{entry.scope} {entry.user_id} {entry.session_id}"
        row.score = score
        row.said = searchable_text(entry.content)
        row.size = len(row.said)
        return row

    def when_recalled(self, scope: Scope, rows: Sequence[Row]) -> None:
        for row in rows:
            row.recalled = self._recalled.get(row.id, 0)

    def match(self, scope: Scope, wanted: Filter, words: Words, limit: int) -> list[Row]:
        texts = {entry.id: searched(entry) for entry, _ in self._in(self._all, VISIBLE)}
        found = scores({id: split(text) for id, text in texts.items()}, words)
        for pattern in words.globs:
            for id, text in texts.items():
                if has_glob(text, pattern):
                    found[id] = found.get(id, 0.0) + 1.0
        hits = [self._row(entry, found[entry.id]) for entry in self._passing(scope, wanted) if entry.id in found]
        return sorted(hits, key=lambda row: (-row.score, -row.time, -row.seq, row.id))[:limit]

    # -- vectors

    def near(self, scope: Scope, wanted: Filter, vector: Vector, limit: int) -> list[Row]:
        found = self._vectors.near(self._passing(scope, wanted), views_of(self._journals()), vector)
        rows = [with_cosine(self._row(entry), cosine) for entry, cosine in found]
        return sorted(rows, key=lambda row: (-(row.cosine or 0.0), row.id))[:limit]

    def backlog(self, scope: Scope) -> tuple[int, int]:
        visible = [entry for entry, _ in self._in(scope, VISIBLE)]
        missing = len(self._vectors.missing(visible, views_of(self._journals())))
        return missing, len(visible) if missing else 0

    def not_taken(self, scope: Scope) -> int:
        return self._vectors.refused(views_of(self._journals()), [entry for entry, _ in self._in(scope, VISIBLE)])

    def embed(self, scope: Scope, embedder: Embedder, budget_ms: int | None, first: int = 4) -> int:
        visible, views = [entry for entry, _ in self._in(scope, VISIBLE)], views_of(self._journals())
        self._vectors.embed(self._vectors.missing(visible, views), views, embedder)
        return self.backlog(scope)[0]

    def embedded_by(self, scope: Scope) -> str | None:
        return self._vectors.identity

    def dimensions(self, scope: Scope) -> int | None:
        return self._vectors.dimensions

    def unsound(self, scope: Scope) -> list[tuple[str | None, str]]:
        return []

    def make_sound(self, scope: Scope, wait_ms: int) -> bool:
        return True

    def _journals(self) -> Iterator[list[Entry]]:
        """What can be seen of each journal, in order."""
        journals: dict[str, list[Entry]] = {}
        for entry, known in self._in(self._all, VISIBLE):
            journals.setdefault(known.journal, []).append(entry)
        return (sorted(entries, key=lambda entry: entry.seq) for entries in journals.values())

    def describe(self, scope: Scope, rows: Sequence[Row]) -> None:
        entries = {entry.id: entry for entry, _ in self._in(self._all, VISIBLE)}
        for row in rows:
            text = searchable_text(entries[row.id].content)
            row.size, row.said = len(text), text

    def look_back(self, scope: Scope, rows: Sequence[Row]) -> None:
        wanted = {row.id: row for row in rows}
        for before, entry in self._pairs():
            if (row := wanted.get(entry.id)) is not None:
                row.before = before.id
                row.asked = asks(searchable_text(before.content)) or is_answer(entry.role, before.role)

    def following(self, scope: Scope, wanted: Filter, rows: Sequence[Row]) -> list[Row]:
        told = {row.id for row in rows}
        after = {entry.id for before, entry in self._pairs() if before.id in told}
        return [row for row in self.rows(scope, wanted) if row.id in after]

    def _pairs(self) -> Iterator[tuple[Entry, Entry]]:
        return chain.from_iterable(map(pairwise, self._journals()))

    def authors(self, scope: Scope, most: int) -> list[str]:
        named = {entry.author for entry, _ in self._in(scope.replace(shared=scope.everyone), VISIBLE) if entry.author}
        return sorted(named)[:most]

    def mentions(self, scope: Scope, author: str) -> tuple[int, int, float]:
        return mentions([(entry, known.journal) for entry, known in self._in(scope, VISIBLE)], author)

    def rarity(self, scope: Scope, terms: Sequence[str]) -> tuple[int, dict[str, int]]:
        texts = [split(searched(entry)) for entry, _ in self._in(self._all, VISIBLE)]
        seen = [split(searched(entry)) for entry, _ in self._in(scope, VISIBLE)]
        held = {term for term in terms if any(occurrences(text, term) for text in seen)}
        return len(texts), {t: sum(occurrences(text, t) > 0 for text in texts) if t in held else 0 for t in terms}

    def extent(self, scope: Scope) -> int:
        return sum(1 for _ in self._in(scope.replace(sessions=(), workspace=None), VISIBLE))

    def begun(self, scope: Scope, terms: Sequence[str]) -> dict[str, list[str]]:
        return {term: longer(term, [split(searched(e)) for e, _ in self._in(scope, VISIBLE)]) for term in terms}

    def stems(self, text: str) -> list[str]:
        return asked(text)

    def names(self, scope: Scope) -> str:
        return ""

    def locate(self, scope: Scope, ids: Sequence[str], every: bool = False) -> dict[str, Address]:
        states = () if every else (VISIBLE,)
        return {
            entry.id: Address(id=entry.id, journal=known.journal, spans=tuple(known.spans[entry.id]))
            for entry, known in self._in(scope, *states) if entry.id in ids
        }  # fmt: skip

    def labels(self, scope: Scope, ids: Sequence[str]) -> dict[str, Label]:
        return {entry.id: label_of(entry) for entry, _ in self._in(scope) if entry.id in ids}

    def buried(self, scope: Scope, ids: Sequence[str]) -> dict[str, Tombstone]:
        self._ready()
        return {id: self._stones[id] for id in ids if id in self._stones and self._owns(scope, self._graves[id])}

    def _owns(self, scope: Scope, journal: str) -> bool:
        """Whether a journal is in scope; one without a card is nobody's."""
        if journal == GLOBAL:
            return scope.shared
        card = self._journal.card(self._all, journal)
        return scope.user is None or journal == user_dir(scope.user) or (card and card.user_id) == scope.user

    def references(self, scope: Scope, ids: Sequence[str], inbound: bool) -> list[tuple[str, str]]:
        edges = ((entry.id, target) for entry, _ in self._in(scope, VISIBLE) for target in entry.references)
        return sorted(edge for edge in edges if edge[1 if inbound else 0] in ids)

    def same_text(self, scope: Scope, ids: Sequence[str]) -> list[str]:
        texts = {searchable_text(entry.content) for entry, _, _ in self._entries() if entry.id in ids}
        found = (entry for entry, _ in self._in(scope, VISIBLE) if searchable_text(entry.content) in texts)
        return sorted({entry.id for entry in found}.difference(ids))

    def contains(self, scope: Scope, fragment: str) -> bool:
        going = {id for id, stone in self._stones.items() if stone.reason == "forget"}
        return any(fragment.lower() in held(entry) for entry, _, _ in self._entries() if entry.id not in going)

    def cards(
        self, scope: Scope, journal: str | None = None, key: str | None = None,
        limit: int | None = None, offset: int = 0,
    ) -> list[Card]:  # fmt: skip
        self._ready()
        known = [one for one in self._known.values() if one.card and shows(scope, one.card, journal, key)]
        found = sorted((self._live(one) for one in known), key=lambda card: (card.last_accessed or "", card.id))
        return found[::-1][offset : None if limit is None else offset + limit]

    def _live(self, known: Known) -> Card:
        """The stored card with counts as of now."""
        assert known.card is not None
        assert known.size is not None
        visible = [entry for entry, where, state in self._entries() if where is known and state == VISIBLE]
        last = max([known.card.created_at, *(entry.timestamp for entry in known.entries.values())])
        return known.card.replace(
            total_entries=len(visible), total_size_bytes=known.size.total, last_accessed=last,
            statistics=statistics_of(entry.type for entry in visible),
        )  # fmt: skip

    def sessions(self, scope: Scope, ids: Sequence[str]) -> dict[str, tuple[str | None, Mapping[str, Any]]]:
        return {card.id: (card.key, card.decay_config) for id in ids for card in self.cards(scope, journal=id)}

    def under_key(self, scope: Scope, key: str) -> list[str]:
        return [card.id for card in self.cards(scope, key=key)]

    def tags(self, scope: Scope) -> dict[str, int]:
        found = Counter(tag for entry, _ in self._in(scope, VISIBLE) for tag in entry.tags)
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    def counts(self, scope: Scope) -> dict[str, Any]:
        everything = [entry for entry, _ in self._in(scope)]
        visible = [entry for entry, _ in self._in(scope, VISIBLE)]
        times = [millis(entry.timestamp) for entry in everything]
        types = sorted({entry.type for entry in visible})
        return {
            "entries": len(visible), "types": {type: sum(e.type == type for e in visible) for type in types},
            "bytes": sum(len(json.dumps(entry.to_dict(), ensure_ascii=False).encode()) for entry in everything),
            "sessions": len({entry.session_id for entry in everything} - {None}),
            "active": sum(card.ended_at is None for card in self.cards(scope)),
            "deleted": sum(1 for _ in self._in(scope, DELETED)),
            "superseded": sum(1 for _ in self._in(scope, SUPERSEDED)),
            "pinned": sum(entry.pinned for entry in everything),
            "oldest": iso(min(times)) if times else None, "newest": iso(max(times)) if times else None,
            "damaged": self.damaged(scope, [name for name in scope.sessions or self._known if self._owns(scope, name)]),
        }  # fmt: skip

    # -- the rest

    def damaged(self, scope: Scope, journals: Sequence[str]) -> int:
        return sum(known.damaged for name, known in self._known.items() if name in journals)

    def recall(self, scope: Scope, ids: Sequence[str], time: int) -> None:
        self._recalled.update(dict.fromkeys(ids, time - time % HOUR_MS))

    def erase(self, scope: Scope, journals: Sequence[str], ids: Sequence[str], former: Sequence[str] = ()) -> None:
        self.refresh(scope, 0)
        for journal in journals:
            self._known.pop(journal, None)
        for known in self._known.values():
            for id in ids:
                known.entries.pop(id, None)
                known.spans.pop(id, None)
        for id in ids:
            self._recalled.pop(id, None)
        self._vectors.forget(ids)
        self._version += 1

    def version(self, scope: Scope) -> int:
        return self._version

    def status(self, scope: Scope) -> dict[str, Any]:
        return {
            "generation": "memory", "path": None, "bytes": 0, "entries": sum(1 for _ in self._entries()),
            "journals": len(self._known), "damaged": self.damaged(scope, list(self._known)),
            "behind": len(self._behind()), "trouble": None,
        }  # fmt: skip

    def close(self) -> None:
        return None
