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
_STROKES = str.maketrans("øđł", "odl")  # no accents to Unicode, but left out like these
_LETTERS = re.compile(r"\W*([^\W\d_]{2,})")


@lru_cache(4_096)  # a question is read against all authors of a scope
def called(author: str) -> str:
    """In lower case: `Ana Ruiz`, `ana.ruiz@example.com` and `ana80` are called ana; `user_42` is just that."""
    first = _first(author)
    found = None if is_word(first) else _LETTERS.match(first)
    return found[1] if found and found[1] not in ROLES else first


@lru_cache(4_096)
def called_plainly(author: str) -> tuple[str, str]:
    """What people call somebody, and the whole name, as `plain` has them."""
    return plain(called(author)), plain(author)


def plain(name: str) -> str:
    """In lower case and without accents, as people type it who lack the keys: `Zoë` is zoe, `Søren` soren."""
    small = name.lower()
    if small.isascii():
        return small
    from .accents import unaccented

    return unaccented(small).translate(_STROKES)


def is_handle(author: str) -> bool:
    """Whether more than a name stands there: `ana80`, `ana@example.com`, `user_42`."""
    return not is_word(_first(author))


def is_word(name: str) -> bool:
    """Whether it is made of letters, each with its marks: vowel signs of India are no letters to Python."""
    if name.isalpha() or name.isascii():
        return name.isalpha()
    from .scripts import WORD

    return WORD.fullmatch(name) is not None and not any(letter.isdigit() or letter == "_" for letter in name)


def _first(author: str) -> str:
    return author.lower().split(None, 1)[0] if author.strip() else ""


def speaks_of(names: Sequence[str]) -> Callable[[str], bool]:
    """Whether a text tells something of one of these, and does not just speak to them: `Ana broke it`, `Ana's lamp`,
    `a note for Ana`, but not `Thanks, Ana!`, `hey Ana can you` and `@Ana Ruiz done`."""
    if not names:
        return lambda said: False
    names = tuple(dict.fromkeys((*names, *map(plain, names))))
    one = f"(?:{'|'.join(map(re.escape, names))})"
    told = re.compile(rf"{_NOT_TO}{one}(?:['’]s\b|\s+\w)|{_ABOUT}{one}\b", re.IGNORECASE)
    return lambda said: any(map(said.lower().__contains__, names)) and told.search(said) is not None
