"""The words of a question and of a text, cut so that both sides of a search agree.

Owns what a word is: a run of letters, digits and underscores with its combining marks, in lower case.
Scripts written without spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) are cut to pairs by
the same function for texts (`searchable`) and questions (`words`). Any input is safe: nothing that leaves
here holds a quote, an operator, a control character or a lone surrogate.
"""

from __future__ import annotations

import re

from ..errors import Invalid
from ..model.query import Words
from .content import searchable as searchable
from .escapes import parted
from .joined import MOST_TOGETHER, PATTERN, is_name, parts_of
from .stopwords import COMMON, PARTICLES, STOP, named, small_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeVar

    Item = TypeVar("Item")

QUERY_BYTES = 100 * 1024
QUERY_WORDS = 256  # that are looked for, stop words not counted
MOST_PIECES = 1_024  # words that are looked at
MOST_LETTERS = 24  # in a question of more ideographs there are pairs enough, and each letter alone is a long list
MOST_GLOBS = 16  # each one is a scan of the scope
MOST_PREFIXES = 16  # and each of these of all that may begin so: 234 took 8 s among 10 thousand texts
MOST_BESIDE = 32  # plain words beside a pattern: with more it is a text, in which nobody means one (`done?Then`)
LONGEST_PATTERN = 128  # letters, as of the words that patterns are held against: more is a text without spaces

_ASCII_WORD = re.compile(r"\w+", re.ASCII)
_ASCII_PIECE = re.compile(rf"{PATTERN}|[\w*?']+", re.ASCII)
_NO_LETTERS = "*?_'\u2019"
_WILDCARD = re.compile(r"[*?]")
_NO_WILDCARD = re.compile(r"\*\*+|\?(?=\w+=)")  # Markdown's bold, Python's **kwargs, an address's ?id=5


def tokens(text: str) -> list[str]:
    """The words of a text as they stand; no stop words dropped, nothing cut to pairs."""
    return _word_pattern(text).findall(text)


def _word_pattern(text: str) -> re.Pattern[str]:
    if text.isascii():
        return _ASCII_WORD
    from .scripts import WORD

    return WORD


def _piece_pattern(text: str) -> re.Pattern[str]:
    if text.isascii():
        return _ASCII_PIECE
    from .scripts import PIECE

    return PIECE


def words(question: str) -> Words:
    """What to look for: terms (any of them counts), `prefix*` and globs; duplicates and stop words dropped."""
    if not isinstance(question, str):
        raise Invalid(f"query must be text, not {type(question).__name__}", field="query")
    size = len(question.encode("utf-8", "replace"))
    if size > QUERY_BYTES:
        raise Invalid(f"query is {size} bytes; at most {QUERY_BYTES} are allowed", field="query", limit=QUERY_BYTES)
    if not question.isascii():
        from .spelling import composed

        question = composed(question)
    found = _Found(named(question), small_here(question))
    for piece in _pieces(parted(question)):
        found.take(piece)
    return found.words()


def _pieces(question: str) -> Iterator[str]:
    """Its words with their wildcards and apostrophes; of very many those at both ends."""
    plain = _NO_WILDCARD.sub(" ", question.lower())
    found = _cut(plain)
    if sum(_WILDCARD.search(piece.rstrip("?")) is None for piece in found) > MOST_BESIDE:
        found = _cut(_WILDCARD.sub(" ", plain))
    for piece in both_ends(found, MOST_PIECES):
        yield piece.replace("\u2019", "'")


def _cut(text: str) -> list[str]:
    return [piece for piece in _piece_pattern(text).findall(text) if piece.strip(_NO_LETTERS)]


def both_ends(found: Sequence[Item], most: int) -> Sequence[Item]:
    """At most so many, half of them from the beginning: what is meant stands there or at the end."""
    return found if len(found) <= most else [*found[: most // 2], *found[-(most // 2) :]]


class _Found:
    """Collects the words of one question in order, each once."""

    __slots__ = ("_names", "_room", "_small", "globs", "letters", "prefixes", "stopped", "stressed", "terms")

    def __init__(self, names: frozenset[str], small: frozenset[str]) -> None:
        self._names = names  # stop words that are names in this question
        self._small = small  # words that are stop words in it
        self._room = MOST_TOGETHER  # for parts of joined names
        self.terms: dict[str, None] = {}
        self.letters: dict[str, None] = {}
        self.stopped: dict[str, None] = {}
        self.prefixes: dict[str, None] = {}
        self.globs: dict[str, None] = {}
        self.stressed: dict[str, str] = {}  # small words between stars, and how they are written

    def take(self, piece: str) -> None:
        """What is written in one is looked for so, and by its words; numbers alone are nothing without the others.
        Where there is no room left for a name, its words are all that is looked for."""
        parts = parts_of(piece)
        if is_name(piece, parts) and (piece in self.terms or len(parts) <= self._room):
            self._room -= 0 if piece in self.terms else len(parts)
            self.terms[piece] = None
            parts = [part for part in parts if not part.isdigit()]
        for part in parts:
            self._part(part)

    def _part(self, piece: str) -> None:
        """Contractions lose their small ends (`don't`, `l'auth`, `Jo's`)."""
        parts = [_unasked(part) for part in piece.split("'") if part.strip(_NO_LETTERS)]
        contracted = piece.rstrip("?").endswith("n't")
        owner = parts[-2:-1] if parts[-1:] == ["s"] else []  # however short: `the DB's port`
        for part in parts:
            if contracted or (len(parts) > 1 and len(part) < 3 and part not in owner):
                self.stopped.update(dict.fromkeys(tokens(part)))
            elif _is_glob(part) and len(self.globs) < MOST_GLOBS:
                self._pattern(part)
            else:
                self._plain(part)

    def _pattern(self, part: str) -> None:
        """Stars around a small word stress it ("when do we *not* deploy"): it is not looked for within others."""
        word = part.strip("*")
        if part.startswith("*") and word in STOP:
            self._between(word, self.terms)
            if len(self.stressed) < MOST_GLOBS:
                self.stressed.setdefault(word, part)
        else:
            self.globs[part] = None

    def _plain(self, part: str) -> None:
        """Words as they are; a star at the end makes the last one a prefix, other wildcards separate."""
        found = [word for word in tokens(part) if word.strip("_")]
        begins = part.endswith("*") and len(self.prefixes) < MOST_PREFIXES
        for word in found[:-1]:
            self._word(word, self.terms)
        for word in found[-1:]:
            self._word(word, self.prefixes if begins else self.terms)

    def _word(self, word: str, kind: dict[str, None]) -> None:
        if word.isascii():
            self._between(word, kind)
        else:
            self._foreign(word, kind)

    def _foreign(self, word: str, kind: dict[str, None]) -> None:
        """Runs give the pairs of `searchable`, and their ideographs beside them; what stands between stays a word."""
        from .scripts import SPACELESS, ideographs, letters, pairs

        pieces = SPACELESS.split(word)
        for run in pieces[1::2]:
            found = letters(run)
            if len(found) > 1:
                self.terms.update(dict.fromkeys(pairs(found)))
                self.letters.update(dict.fromkeys(letter for letter in ideographs(found) if letter not in COMMON))
            else:
                self._alone(run, kind if ideographs(found) else self.prefixes)
        for between in pieces[:-1:2]:
            self._between(between, self.terms)
        self._last(pieces[-1], kind)

    def _alone(self, letter: str, kind: dict[str, None]) -> None:
        """An ideograph is a word; any other letter begins one, since every letter of a run begins a pair."""
        (self.stopped if letter in STOP else kind)[letter] = None

    def _last(self, piece: str, kind: dict[str, None]) -> None:
        """Of Arabic words the index holds no beginning: such a prefix is a pattern."""
        from .arabic import is_arabic

        if kind is self.prefixes and is_arabic(piece) and len(self.globs) < MOST_GLOBS:
            self.globs[piece + "*"] = None
        else:
            self._between(piece, kind)

    def _between(self, piece: str, kind: dict[str, None]) -> None:
        if piece.strip("_"):
            stops = kind is self.terms and (piece in STOP or piece in self._small) and piece not in self._names
            (self.stopped if stops else kind)[piece] = None

    def words(self) -> Words:
        """What was found; stop words only if there is nothing else, and as patterns if all of them have stars."""
        if not (self.terms or self.prefixes or self.globs):
            self.globs = dict.fromkeys(self.stressed.values()) if self.stressed.keys() == self.stopped.keys() else {}
        if not (self.terms or self.prefixes or self.globs):
            self.terms = {word: None for word in self.stopped if word not in PARTICLES}
            self.prefixes = {word: None for word in self.stopped if word in PARTICLES}
        letters = tuple(self.letters) if len(self.letters) <= MOST_LETTERS else ()
        return Words(
            terms=tuple(both_ends(tuple(self.terms), QUERY_WORDS)), letters=letters,
            prefixes=tuple(both_ends(tuple(self.prefixes), MOST_PREFIXES)), globs=tuple(self.globs),
        )  # fmt: skip


def _unasked(part: str) -> str:
    """A question mark at the end is one, and at both ends; so is one before a script without spaces."""
    if not part.startswith("?") or part.endswith("?"):
        return part.strip("?")
    if part.isascii():
        return part
    from .scripts import SPACELESS

    bare = part.lstrip("?")
    return bare if SPACELESS.match(bare) else part


def _is_glob(part: str) -> bool:
    """A star anywhere but at the end, or a question mark."""
    return ("*" in part[:-1] or "?" in part) and len(part) - part.count("*") <= LONGEST_PATTERN
