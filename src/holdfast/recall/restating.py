"""Restating: of what somebody said twice, the later one stands before the earlier.

"The flight leaves at 7:15", and a month later "the flight leaves at 9:40 now": both hold the words of the question, and
which holds more of them is chance. Says nothing of anything but short texts, of the same author, that share half of
their words; and the later one must hold every word of the question that the earlier holds: Eva's number does not
take the place of Ben's.
"""

from __future__ import annotations

import re

from ..text.form import marked
from ..text.stopwords import STOP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model.query import Row
    from .wording import Held

AMONG = 8  # the best so many are compared with each other
CLOSE = 0.5  # what the later one matches at least, beside the earlier
ALIKE = 0.5  # share of their words that both have; with 0.45, NDCG@10 of LoCoMo without a model falls by 0.1
LEAST = 2
LONGEST = 320  # characters: a fact, not a message
STEP = 1e-4  # by how much the later one is then the better
ROOT = 5  # letters by which a word is known: `lesson` and `lessons`
_WORD = re.compile(r"[^\W\d_]{3,}")
_BEFORE = "earlier first former formerly initial initially old original originally previous previously"
_EARLIER = frozenset(_BEFORE.split())


def of_the_past(terms: Sequence[str]) -> bool:
    """Whether a question asks for what was said before it was said anew."""
    return not _EARLIER.isdisjoint(terms)


def restated(rows: Sequence[Row], match: Sequence[float], held: Sequence[Held]) -> list[float]:
    """What is added to the later ones, to stand just before the earlier; nothing where there are none. `held` are the
    words of the question in each."""
    best = (place for place in _best(rows, match) if 0 < rows[place].size <= LONGEST)
    short = sorted(best, key=lambda place: (rows[place].time, rows[place].seq))
    if len(short) < 2:
        return []
    raised = _raised(
        [rows[place] for place in short], [match[place] for place in short], [held[place][0] for place in short]
    )
    added = [0.0] * len(rows)
    for place, value in zip(short, raised, strict=True):
        added[place] = value - match[place]
    return added if any(added) else []


def _best(rows: Sequence[Row], match: Sequence[float]) -> list[int]:
    """The places of the best; of equals the newer, since how an index was built must not decide."""
    least = min(sorted(match)[-AMONG:], default=0.0)
    found = [place for place, value in enumerate(match) if value >= least and value > 0.0]
    if len(found) > AMONG:
        found.sort(key=lambda place: (-match[place], -rows[place].time, -rows[place].seq, rows[place].id))
    return found[:AMONG]


def _raised(rows: Sequence[Row], match: Sequence[float], held: Sequence[int]) -> list[float]:
    """The match of each, oldest first, with what the later ones need to stand before the earlier."""
    raised, words = list(match), _Words(rows)
    for later, row in enumerate(rows):
        for earlier in range(later):
            close = raised[later] <= raised[earlier] and match[later] >= CLOSE * match[earlier]
            holds = held[earlier] and not held[earlier] & ~held[later]
            if close and holds and _same(row, rows[earlier]) and words.alike(later, earlier):
                raised[later] = raised[earlier] + STEP
    return raised


class _Words:
    """The words of some rows, each looked for once."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._found: dict[int, set[str]] = {}

    def alike(self, place: int, other: int) -> bool:
        """Whether each has half of the words of both."""
        words, others = self._of(place), self._of(other)
        shared = len(words & others)
        return shared >= LEAST and 2 * shared >= ALIKE * (len(words) + len(others))

    def _of(self, place: int) -> set[str]:
        if place not in self._found:
            said = self._rows[place].said.lower()
            self._found[place] = {word[:ROOT] for word in _WORD.findall(said) if word not in STOP}
        return self._found[place]


def _same(row: Row, other: Row) -> bool:
    """Whether both are by the same, and the other was said before; who asks tells nothing anew."""
    return row.author == other.author and row.role == other.role and _later(row, other) and not marked(row.said)


def _later(row: Row, other: Row) -> bool:
    """What was written together has one time and, in one journal, an order."""
    return row.time > other.time or (row.time == other.time and row.file == other.file and row.seq > other.seq)
