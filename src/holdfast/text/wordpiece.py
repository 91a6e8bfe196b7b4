"""WordPiece as BERT's uncased models cut text: words into the longest known pieces, from the left.

Owns the cutting: cleaning, case and accent folding, one word a CJK character, one a punctuation mark,
then greedy longest match. Never touches a model; the vocabulary is handed in. The rule it keeps: the same
numbers as the reference implementation for the same vocabulary, on any string, lone surrogates included.
"""

from __future__ import annotations

import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CONTINUES = "##"  # marks a piece that does not begin its word
LONGEST_WORD = 100  # characters; a longer run is unknown as a whole
CACHED_WORDS = 50_000  # some 10 MB; then the cache starts anew
_CACHED_CHARACTERS = 20_000
_CJK = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip
_DROPPED = frozenset(("Cc", "Cf", "Co", "Cs"))  # not Cn: what is unassigned depends on the Python version


class _Fold(dict[int, str]):
    """Code point to its folded form, filled as characters are met; spaces set words apart."""

    def __missing__(self, code: int) -> str:
        folded = _fold(code)
        if len(self) < _CACHED_CHARACTERS:
            self[code] = folded
        return folded


def _fold(code: int) -> str:
    character = chr(code)
    if character in "\t\n\r":
        return " "
    if code == 0xFFFD or unicodedata.category(character) in _DROPPED:
        return ""
    folded = "".join(_fold_part(part) for part in unicodedata.normalize("NFD", character))
    return f" {folded} " if any(first <= code <= last for first, last in _CJK) else folded


def _fold_part(part: str) -> str:
    category = unicodedata.category(part)
    if category == "Mn":
        return ""
    if category[0] == "P" or (part.isascii() and not part.isalnum() and not part.isspace()):
        return f" {part} "
    return " " if part.isspace() else part.lower()


_FOLD = _Fold()


def words(text: str) -> list[str]:
    """The folded words and marks of a text, in order."""
    return text.translate(_FOLD).split()


class WordPiece:
    """Cuts words with one vocabulary. What it cannot cut, `unknown` turns into numbers (default: none)."""

    def __init__(
        self, vocabulary: Mapping[str, int], unknown: Callable[[str], tuple[int, ...]] = lambda word: ()
    ) -> None:
        self._vocabulary = vocabulary
        self._unknown = unknown
        self._cache: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str) -> list[int]:
        """The numbers of the pieces of a text."""
        cache = self._cache
        numbers: list[int] = []
        for word in words(text):
            pieces = cache.get(word)
            numbers += self._remember(word) if pieces is None else pieces
        return numbers

    def pieces(self, word: str) -> tuple[int, ...] | None:
        """The pieces of one folded word, or None if some part of it is in no piece."""
        if len(word) > LONGEST_WORD:
            return None
        found: list[int] = []
        start, mark = 0, ""
        while start < len(word):
            end, number = self._longest(word, start, mark)
            if number is None:
                return None
            found.append(number)
            start, mark = end, CONTINUES
        return tuple(found)

    def _longest(self, word: str, start: int, mark: str) -> tuple[int, int | None]:
        for end in range(len(word), start, -1):
            number = self._vocabulary.get(mark + word[start:end])
            if number is not None:
                return end, number
        return start, None

    def _remember(self, word: str) -> tuple[int, ...]:
        pieces = self.pieces(word)
        if pieces is None:
            pieces = self._unknown(word)
        if len(word) <= LONGEST_WORD:  # so that the cache is bounded in bytes too
            if len(self._cache) >= CACHED_WORDS:
                self._cache.clear()
            self._cache[word] = pieces
        return pieces
