"""The nearest known name, for "did you mean"; edit distance on short names, never on remembered text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST = 64


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name within a third of its length in edits, or None."""
    given = name.lower()[:_LONGEST]
    ranked = sorted((_distance(given, other.lower()), other) for other in known)
    return ranked[0][1] if ranked and ranked[0][0] <= max(1, len(ranked[0][1]) // 3) else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`, did you mean "tags"?`, or nothing."""
    found = nearest(name, known)
    return f', did you mean "{found}"?' if found else ""


def _distance(left: str, right: str) -> int:
    row = list(range(len(right) + 1))
    for place, letter in enumerate(left, 1):
        before, row[0] = row[0], place
        for other, target in enumerate(right, 1):
            change = before + (letter != target)
            before = row[other]
            row[other] = min(before + 1, row[other - 1] + 1, change)
    return row[-1]
