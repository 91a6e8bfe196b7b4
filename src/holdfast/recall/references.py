"""References: entries linked to entries, followed breadth first, each reached once, cycles or not."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOST_DEPTH = 16


def walk(
    start: list[str], edges_of: Callable[[list[str]], list[tuple[str, str]]], max_depth: int
) -> list[tuple[str, int]]:
    """Ids with the depth at which they were first reached, nearest first; the start has depth 0."""
    depths = dict.fromkeys(start, 0)
    front = list(depths)
    for depth in range(1, min(max_depth, MOST_DEPTH) + 1):
        reached = [target for _source, target in edges_of(front) if target not in depths]
        front = list(dict.fromkeys(reached))
        if not front:
            break
        depths.update(dict.fromkeys(front, depth))
    return list(depths.items())
