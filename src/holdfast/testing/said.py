"""Said: what an entry says, and who names whom, for an index that keeps whole entries."""

from __future__ import annotations

import json

from ..text.content import searchable_text
from ..text.names import called, mentioned
from .bm25 import occurrences, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model.entry import Entry

    Placed = tuple[Entry, str]  # an entry and its journal

BESIDE = 5  # turns before and after one that are beside it


def searched(entry: Entry) -> str:
    """What a keyword can find: the words of the content, the tags, the key, the path."""
    return "\n".join([searchable_text(entry.content), " ".join(entry.tags), entry.key or "", entry.path or ""])


def held(entry: Entry) -> str:
    """Everything that an entry says, in lower case."""
    parts = [entry.content, entry.metadata, list(entry.tags), entry.path, entry.tool, entry.key]
    return "\n".join([entry.text, *(json.dumps(part, ensure_ascii=False) for part in parts)]).lower()


def mentions(seen: Sequence[Placed], author: str) -> tuple[int, int, float]:
    """As `Index.mentions` has it: of what is seen who says the name, and the author's share beside that."""
    places = {journal for entry, journal in seen if entry.author == author}
    spoken = [(entry, journal) for entry, journal in seen if journal in places and entry.author]
    told = [(entry, journal) for entry, journal in spoken if _says(entry, author)]
    beside = [
        other.author == author
        for entry, journal in told
        for other, its in seen
        if its == journal and other.author and 0 < abs(other.seq - entry.seq) <= BESIDE
    ]
    own = sum(entry.author == author for entry, _ in told)
    return own, len(told) - own, sum(beside) / len(beside) if beside else 0.0


def _says(entry: Entry, author: str) -> bool:
    return occurrences(split(searched(entry)), called(author)) > 0 and mentioned(searchable_text(entry.content), author)
