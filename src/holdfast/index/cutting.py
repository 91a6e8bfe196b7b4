"""Cutting: how the texts of one generation are cut into chunks.

A generation is cut by one rule from its first row to its last, kept in its `meta`, so that the same content
gives the same answers whatever the settings were in between; other settings take effect with the next
generation. Cutting itself is `text.chunks`, loaded only for texts that may be too long.
"""

from __future__ import annotations

from ..model.value import Value
from .database import ask_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    Span = tuple[int, int]

RULE = 1  # raise it when `text.chunks` cuts otherwise


class Chunking(Value):
    """The rule that a generation is cut by."""

    tokens: int = 160
    overlap: int = 32
    rule: int = RULE

    def spans(self, text: str) -> list[Span]:
        """Where to cut a text; empty if it stays whole."""
        if len(text) <= 4 * self.tokens and text.isascii():
            return []
        from ..text.chunks import fits, spans

        return [] if fits(text, self.tokens) else list(spans(text, self.tokens, self.overlap))


def chunking_of(connection: apsw.Connection) -> Chunking:
    """The rule of this generation."""
    found = ask_one(connection, "SELECT value FROM meta WHERE key='chunking'")
    if found is None:
        return Chunking()
    tokens, overlap, rule = (int(part) for part in found[0].split())
    return Chunking(tokens=tokens, overlap=overlap, rule=rule)


def note_chunking(connection: apsw.Connection, chunking: Chunking) -> None:
    """Settle the rule of a new generation, before its first row."""
    value = f"{chunking.tokens} {chunking.overlap} {chunking.rule}"
    connection.execute("INSERT OR REPLACE INTO meta VALUES('chunking', ?)", (value,))
