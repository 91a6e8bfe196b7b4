"""Coverage: the absolute score of a hit: how much of a question an entry really holds (D19).

The share of the question's words that stand in the entry, rare words counting more, so that a score
means the same in every store and for every question, and a search can find nothing.
"""

from __future__ import annotations

import math

from ..text.content import searchable_text
from ..text.globs import matches
from ..text.words import searchable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.entry import Entry
    from ..model.query import Words
    from ..model.scope import Scope
    from ..store import Store


class Coverage:
    """How much of a question an entry holds: the share of its words, rare ones counting more."""

    def __init__(self, store: Store, scope: Scope, asked: Words) -> None:
        self._stems = store.index.stems
        total, seen = store.index.rarity(scope, asked.terms)
        rarest = _idf(total, 1)
        self._terms = [(frozenset(self._stems(term)), _idf(total, seen.get(term, 0))) for term in asked.terms]
        self._prefixes = [(prefix.lower(), rarest) for prefix in asked.prefixes]
        self._globs = [(pattern, rarest) for pattern in asked.globs]
        self._whole = sum(weight for _, weight in (*self._terms, *self._prefixes, *self._globs)) or 1.0

    def of(self, entry: Entry | None) -> float:
        """0..1; no entry holds nothing."""
        return self.share(" ".join((searchable_text(entry.content), *entry.tags, entry.path or ""))) if entry else 0.0

    def share(self, text: str) -> float:
        """The same for a text."""
        stems = set(self._stems(searchable(text)))
        lowered = text.lower()
        held = sum(weight for term, weight in self._terms if term and term <= stems)
        held += sum(weight for prefix, weight in self._prefixes if matches(prefix + "*", lowered))
        held += sum(weight for pattern, weight in self._globs if matches(pattern, lowered))
        return min(1.0, held / self._whole)


def _idf(total: int, seen: int) -> float:
    return math.log(1 + (max(total, seen) - seen + 0.5) / (seen + 0.5))
