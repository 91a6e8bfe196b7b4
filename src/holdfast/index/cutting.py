"""Cutting: how the texts of one generation are cut into chunks.

A generation is cut by one rule from its first row to its last, kept in its `meta`, so that the same content
gives the same answers whatever the settings were in between; other settings take effect with the next
generation. Cutting itself is `text.chunks`, loaded only for texts that may be too long.
"""

from __future__ import annotations

from ..model.ids import digest
from ..model.value import Value
from .database import ask_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    Piece = tuple[int, int, int | None, str, str]  # ordinal, start, stop, hash, text

RULE = 1  # raise it when `text.chunks` cuts otherwise


class Chunking(Value):
    """The rule that a generation is cut by."""

    tokens: int = 160
    overlap: int = 32
    rule: int = RULE

    def pieces(self, text: str) -> list[Piece]:
        """The whole text, and behind it what it is cut into if it is long: then it is not searched as a whole."""
        if len(text) <= 4 * self.tokens and text.isascii():
            return [(0, 0, len(text), digest(text.encode()), text)]
        from ..text.chunks import fits, spans

        if fits(text, self.tokens):
            return [(0, 0, len(text), digest(text.encode()), text)]
        found: list[Piece] = [(0, 0, None, digest(text.encode()), text)]
        for ordinal, (start, stop) in enumerate(spans(text, self.tokens, self.overlap), 1):
            found.append((ordinal, start, stop, digest(text[start:stop].encode()), text[start:stop]))
        return found


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
