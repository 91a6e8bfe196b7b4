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
    line = frame.line(item)
    left = budget - estimate(frame.block([*lines, line]))
    if left >= 0:
        return line
    room = budget - estimate(frame.block([*lines, frame.line(item, "")]))
    size = len(item.text)
    while room >= LEAST_TOKENS and size > 40:
        size = size * 3 // 4
        line = frame.line(item, shorten(item.text, size))
        if estimate(frame.block([*lines, line])) <= budget:
            return line
    return None
