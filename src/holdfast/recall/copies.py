"""Copies: of what was written again and again only a few are candidates, so that they leave room for anything else.

A line that a job logs every night would fill a search, and the note that explains it would not be looked at. What
differs in numbers alone is nearly a copy; of these more stay, since a number may be what is asked for. Copies score the
same, so among texts of which no few have one score nothing is compared. What is left out comes behind the candidates.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from ..model.query import Row

SAME, NEARLY = 3, 6  # how many of those that say the same stay, and of those that differ in numbers alone
STEPS, ENOUGH = (1, 8), 0.75  # times as many are looked at, where copies leave less than this share of the places
_NEAR = 1  # decimals of a cosine: which of two copies is a little nearer is chance
_DIGITS = str.maketrans("", "", "0123456789")


def uncrowded(ask: Callable[[int], list[Row]], count: int) -> tuple[list[Row], list[Row]]:
    """The best so many with few copies among them, and the copies; `ask` gives as many as it is told, best first."""
    for step in STEPS:
        found = ask(step * count)
        kept, copies = without_copies(found)
        if len(kept) >= ENOUGH * count or len(found) < step * count:
            break
    return kept[:count], copies


def rejoined(rows: Sequence[Row], copies: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The candidates of both sides and their copies, chosen anew: each side may have kept others, and knows of its own
    only what it scored itself."""
    known = {row.id: row for row in rows}
    for copy in copies:
        row = known.setdefault(copy.id, copy)
        row.score = max(row.score, copy.score)
        row.cosine = copy.cosine if row.cosine is None else row.cosine
    return without_copies(list(known.values()))


def without_copies(rows: list[Row]) -> tuple[list[Row], list[Row]]:
    """Those that stay, and the copies beyond the best few."""
    most = _most_tied(rows)
    if most <= SAME:
        return rows, []
    extra = _beyond(rows, _saying, SAME)
    if most > NEARLY:
        extra |= _beyond(rows, _words, NEARLY)
    return [row for row in rows if row.id not in extra], [row for row in rows if row.id in extra]


def _most_tied(rows: Sequence[Row]) -> int:
    """How many rows at most have one score."""
    seen: dict[float | None, int] = {}
    for row in rows:
        score = row.score or row.cosine
        seen[score] = seen.get(score, 0) + 1
    return max(seen.values(), default=0)


def _beyond(rows: Iterable[Row], of: Callable[[Row], Hashable], most: int) -> set[str]:
    """The ids of those before which so many are the same in this, the best first, of equals the newest."""
    groups: dict[Hashable, list[Row]] = {}
    for row in rows:
        if row.said:
            groups.setdefault(of(row), []).append(row)
    crowds = [group for group in groups.values() if len(group) > most]
    return {row.id for group in crowds for row in sorted(group, key=_best_first)[most:]}


def _best_first(row: Row) -> tuple[float, float, int, int, str]:
    return -row.score, -round(row.cosine or 0.0, _NEAR), -row.time, -row.seq, row.id


def _saying(row: Row) -> Hashable:
    """Whoever says what another said says something else."""
    return row.author, row.said


def _words(row: Row) -> Hashable:
    return row.author, without_numbers(row.said)


def without_numbers(text: str) -> str:
    """What texts have in common that differ in numbers alone."""
    return text.translate(_DIGITS)
