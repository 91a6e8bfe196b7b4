"""Names: what people call somebody by, whose entries carry a full name, a handle or an address.

Who asks and who is spoken to use the same short name, so a question's names (`recall.asking`) and the evidence for
them in a store (`index.matching`) are both looked for by it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..model.entry import ROLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_NOT_TO = r"(?<![\w@])(?<!hey )(?<!hi )(?<!hello )(?<!thanks )(?<!dear )"
_ABOUT = r"\b(?:about|of|with|for|from|by|in|at|to|and) @?"
_LETTERS = re.compile(r"\W*([^\W\d_]{2,})")


@lru_cache(4_096)  # a question is read against all authors of a scope
def called(author: str) -> str:
    """In lower case: `Ana Ruiz`, `ana.ruiz@example.com` and `ana80` are called ana; `user_42` is just that."""
    first = _first(author)
    found = None if first.isalpha() else _LETTERS.match(first)
    return found[1] if found and found[1] not in ROLES else first


def is_handle(author: str) -> bool:
    """Whether more than a name stands there: `ana80`, `ana@example.com`, `user_42`."""
    return not _first(author).isalpha()


def _first(author: str) -> str:
    return author.lower().split(None, 1)[0] if author.strip() else ""


def speaks_of(names: Sequence[str]) -> Callable[[str], bool]:
    """Whether a text tells something of one of these, and does not just speak to them: `Ana broke it`, `Ana's lamp`,
    `a note for Ana`, but not `Thanks, Ana!`, `hey Ana can you` and `@Ana Ruiz done`."""
    if not names:
        return lambda said: False
    one = f"(?:{'|'.join(map(re.escape, names))})"
    told = re.compile(rf"{_NOT_TO}{one}(?:['’]s\b|\s+\w)|{_ABOUT}{one}\b", re.IGNORECASE)
    return lambda said: any(map(said.lower().__contains__, names)) and told.search(said) is not None
