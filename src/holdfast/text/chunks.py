"""Chunks: where a long text is cut so that each piece can be found and shown on its own.

Owns the cutting rule and nothing else: spans in, spans out, no text copied or changed. Every character is
in at least one chunk, a chunk costs no more tokens than asked for, and it knows its lines. A cut prefers the
end of a line, then of a sentence, then of a word, and never parts a character from its marks. A chunk
begins within the end of the one before it, by characters: carrying whole lines doubles chunks of long lines.
Cuts depend only on what stands before them, so text that grows at its end keeps its earlier chunks.
"""

from __future__ import annotations

import re

from ..model.value import Value
from .cut import end_before, start_after
from .tokens import estimate, quarters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION = 1  # of the rule: an index cut by another one is built anew
_NEAR = 96  # most sentences end within this many characters: looked at first
_DEAREST = 8  # quarters of a token that a character costs at most
# Begins with one set of characters, which `re` looks for without trying a match at every place: five times quicker.
_SENTENCE = re.compile(r"[.!?…。！？](?:(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])[」』）”’]*)")


class Chunk(Value):
    """A piece of a text: characters from `start` to before `end`, lines from 1, both included."""

    start: int
    end: int
    start_line: int
    end_line: int


def fits(text: str, tokens: int) -> bool:
    """Whether a text is one chunk."""
    return len(text) <= tokens // 2 or estimate(text) <= tokens


def chunks(text: str, tokens: int, overlap: int) -> list[Chunk]:
    """The pieces that cover a text, in order; one where it fits, none where there is no text."""
    found: list[Chunk] = []
    line, before = 1, 0
    for start, end in spans(text, tokens, overlap):
        line += text.count("\n", before, start)
        before = start
        found.append(Chunk(start=start, end=end, start_line=line, end_line=line + text.count("\n", start, end - 1)))
    return found


def spans(text: str, tokens: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Where those pieces begin and end.

    More than half a chunk is never carried over: 31 of 32 tokens would make a chunk of every letter.
    """
    overlap = min(overlap, tokens // 2)
    start = end = 0
    while end < len(text):
        end = _end(text, start, end, tokens)
        yield start, end
        start = _next_start(text, start, end, overlap)


def _end(text: str, start: int, covered: int, tokens: int) -> int:
    """Where the chunk from `start` ends: past what the one before covers, the second half preferred."""
    limit = start + _reach(text[start : start + 4 * tokens], tokens)
    if limit >= len(text):
        return len(text)
    least = max(covered + 1, (start + limit) // 2)
    after_line = text.rfind("\n", least - 1, limit) + 1
    if after_line >= least:
        return after_line
    for begin in (max(least - 1, limit - _NEAR), least - 1):
        for match in reversed(list(_SENTENCE.finditer(text, begin, limit))):
            return match.end()
    safe = start + end_before(text[start : limit + 1], limit - start)
    return safe if safe > covered else limit  # a character with more marks than a chunk holds is cut all the same


def _next_start(text: str, start: int, end: int, overlap: int) -> int:
    """Where the chunk after one begins: `overlap` tokens before its end, at the beginning of a word."""
    if not overlap or end >= len(text):
        return end
    back = end - _reach(text[max(start, end - 4 * overlap) : end][::-1], overlap)
    if back <= start:
        return end  # a chunk that was cut short: the next one would hold it whole
    return back - 1 + start_after(text[back - 1 : end], 1)


def _reach(text: str, tokens: int) -> int:
    """How many characters of a text cost at most so many tokens; at least one."""
    if text.isascii():
        return min(len(text), 4 * tokens)
    excess = quarters(text) - 4 * tokens
    if excess <= 0:
        return len(text)
    low, high = max(1, len(text) - excess), max(1, len(text) - -(-excess // _DEAREST))
    while low < high:
        middle = (low + high + 1) // 2
        if quarters(text[:middle]) <= 4 * tokens:
            low = middle
        else:
            high = middle - 1
    return low
