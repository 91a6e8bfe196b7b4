"""Names: what people call somebody by, whose entries carry a full name, a handle or an address.

Who asks and who is spoken to use the same short name, so a question's names (`recall.asking`) and the evidence for
them in a store (`index.matching`) are both looked for by it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..model.entry import ROLES
from .stopwords import STOP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_NOT_TO = r"(?<![\w@])(?<!hey )(?<!hi )(?<!hello )(?<!thanks )(?<!dear )"
_ABOUT = r"\b(?:about|of|with|for|from|by|in|at|to|and) @?"
_STROKES = str.maketrans("øđł", "odl")  # no accents to Unicode, but left out like these
_LETTERS = re.compile(r"\W*([^\W\d_]{2,})")
_WORDS = re.compile(r"[^\W\d_]{3,}")
_LISTED = re.compile(r"\s*([^\W\d_]+),\s+(\S.*)")  # as in a directory: `Ruiz, Ana`
# Before a name these are no part of it; nor is an article.
_TITLES = """
capt captain dame dr doctor fr frau herr hr lady lord madam madame mister miss mme mr mrs ms mx prof professor rev sir
sr sra señor señora signor signora the
"""
TITLES = frozenset(_TITLES.split())
# Of whom there are many, told apart by a number: `Speaker 3`, `SPEAKER_03`.
_NUMBERED = """
agent anon anonymous attendee caller candidate client customer employee guest interviewee member participant passenger
patient person player speaker student tenant visitor voice witness
"""
NUMBERED = frozenset((*_NUMBERED.split(), *ROLES))
# Who has one of these in their name is called by the rest of it with a capital only: `Build Bot`, `Data Analyst`.
_HELD = """
account admin administrator agent analyst architect assistant bot care centre center consultant coordinator department
desk developer designer director editor engineer expert group head lead leader manager office officer operations
operator owner planner representative reviewer scientist service services specialist staff success supervisor support
system team tester
"""
_OFFICES = frozenset(_HELD.split())
_NO_NAMES = TITLES | NUMBERED | STOP


# In a mail, between whom it went and what it quotes; and before any text who said it: `[10:32] Ana Ruiz:`.
_MAIL = r"^(?:[ \t]*>.*|(?:from|to|cc|bcc|reply-to|sender)[ \t]*:.*|on\b.*\bwrote:)"
_HEAD = re.compile(_MAIL, re.IGNORECASE | re.MULTILINE)
_SET = re.compile(r"(?:^|[.!?]\s)\W{0,3}\w|\bI\b")  # capitals that a telephone sets; linear
_SAID_BY = re.compile(r"^(?:\[[^\]\n]*\][ \t]*)?[^\s:][^:\n]{0,40}:(?=\s|$)", re.MULTILINE)


@lru_cache(4_096)  # a question is read against all authors of a scope
def called(author: str) -> str:
    """In lower case: `Dr. Ana Ruiz`, `Ruiz, Ana`, `ana.ruiz@example.com` and `ana80` are called ana; `user_42` and
    `speaker 3` are just that."""
    first, *rest = _pieces(author)
    if rest and first in NUMBERED and (number := rest[0].lstrip("#")).isdigit():
        return f"{first} {number}"
    found = None if is_word(first) else _LETTERS.match(first)
    return found[1] if found and found[1] not in NUMBERED else first


@lru_cache(4_096)
def called_plainly(author: str) -> tuple[str, str, tuple[str, ...]]:
    """What people call somebody, the whole name, and what else they may be named by, as `plain` has them: of `Ana Ruiz`
    and `ana.ruiz@example.com` ruiz."""
    short, whole = plain(called(author)), plain(author)
    own = _WORDS.findall(whole.partition("<")[0].partition("@")[0])
    return short, whole, tuple(word for word in own if word not in short and word not in _NO_NAMES)


def plain(name: str) -> str:
    """In lower case and without accents, as people type it who lack the keys: `Zoë` is zoe, `Søren` soren."""
    small = name.lower()
    if small.isascii():
        return small
    from .accents import unaccented

    return unaccented(small).translate(_STROKES)


def is_handle(author: str) -> bool:
    """Whether more than a name stands there: `ana80`, `ana@example.com`, `user_42`."""
    return not is_word(_pieces(author)[0])


def is_word(name: str) -> bool:
    """Whether it is made of letters, each with its marks: vowel signs of India are no letters to Python."""
    if name.isalpha() or name.isascii():
        return name.isalpha()
    from .scripts import WORD

    return WORD.fullmatch(name) is not None and not any(letter.isdigit() or letter == "_" for letter in name)


def _pieces(author: str) -> list[str]:
    """The words of a name, the given one first, without what only stands before it: a title, a sign."""
    listed = _LISTED.match(author)
    name = f"{listed[2]} {listed[1]}" if listed and listed[2].split()[0].istitle() else author
    pieces = name.lower().split() or [""]
    own = (place for place, piece in enumerate(pieces) if any(map(str.isalnum, piece)) and not is_title(piece))
    return pieces[next(own, 0) :]


def is_title(word: str) -> bool:
    return word.rstrip(".") in TITLES


def is_office(author: str) -> bool:
    """Whether somebody is named by what they do."""
    return not _OFFICES.isdisjoint(author.lower().split())


def typed_small(text: str) -> bool:
    """Whether nobody pressed a key for a capital: a telephone sets the first of a sentence, and `I`."""
    return _SET.sub("", text).islower()


def mentioned(text: str, author: str) -> bool:
    """Whether a text that holds what an author is called has it in what was said, and not only before that or in what
    it quotes; in small letters only where all is, or the author's name is too: `my project` is no Project Manager."""
    name, rest = plain(called(author)), text
    if ":" in text or ">" in text:
        rest = _SAID_BY.sub("", _bodied(text))
    said = plain(rest)
    if len(rest) < len(text) and name not in said:
        return False
    small = rest.islower() or (typed_small(rest) and not is_office(author))
    if small or author.islower() or len(said) != len(rest):
        return True
    places = [found.start() for found in re.finditer(rf"\b{re.escape(name)}", said)]
    return not places or any(not rest[place].islower() for place in places)


def speaks_of(names: Sequence[str]) -> Callable[[str], bool]:
    """Whether a text tells something of one of these, and does not just speak to them: `Ana broke it`, `Ana's lamp`,
    `a note for Ana`, but not `Thanks, Ana!`, `hey Ana can you`, `@Ana Ruiz done` and `To: Ana Ruiz`."""
    if not names:
        return lambda said: False
    names = tuple(dict.fromkeys((*names, *map(plain, names))))
    one = f"(?:{'|'.join(map(re.escape, names))})"
    told = re.compile(rf"{_NOT_TO}{one}(?:['’]s\b|\s+\w)|{_ABOUT}{one}\b", re.IGNORECASE)
    return lambda said: any(map(said.lower().__contains__, names)) and told.search(_bodied(said)) is not None


def _bodied(text: str) -> str:
    """Without the head of a mail and what it quotes."""
    return _HEAD.sub("", text) if ":" in text or ">" in text else text
