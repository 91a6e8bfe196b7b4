"""Budget: fills a block with items in order of priority and never goes over its tokens.

An item that does not fit is shortened at a word if enough room is left, else skipped, so that a long
one does not keep shorter ones out. The estimate is taken of the whole block, fence and header included.
"""

from __future__ import annotations

from ..text.cut import shorten
from ..text.tokens import estimate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model.hit import Hit
    from .render import Frame

LEAST_TOKENS = 24  # a shorter rest of an item says nothing
LEAST_CHARACTERS = 40
MOST_CHARACTERS = 4  # that a token can hold: more of a long item need not be looked at


def fill(frame: Frame, items: Sequence[Hit], budget: int) -> tuple[str, list[Hit]]:
    """The block and the items in it; empty if not one fits."""
    chosen: list[Hit] = []
    lines: list[str] = []
    for item in items:
        line = _fitting(frame, lines, item, budget)
        if line is not None:
            lines.append(line)
            chosen.append(item)
    return (frame.block(lines), chosen) if chosen else ("", [])


def _fitting(frame: Frame, lines: list[str], item: Hit, budget: int) -> str | None:
    """The item's line, whole or shortened, or None if it has no room."""
    room = budget - estimate(frame.block([*lines, frame.line(item, "")]))
    size = min(len(item.snippet), (max(0, room) + 1) * MOST_CHARACTERS)
    if size == len(item.snippet) and fits(frame, [*lines, frame.line(item)], budget):
        return frame.line(item)
    while room >= LEAST_TOKENS and size > LEAST_CHARACTERS:
        line = frame.line(item, shorten(item.snippet, size))
        if fits(frame, [*lines, line], budget):
            return line
        size = size * 3 // 4
    return None


def fits(frame: Frame, lines: list[str], budget: int) -> bool:
    """Whether a block of these lines costs no more than the budget."""
    return estimate(frame.block(lines)) <= budget
