"""Naming: which authors a question names, and what is left of it without their names.

Works from the names that the scope really has. Where letters have a case, a capital makes a name of a word; where they
have none, the name itself does: as a word, with Korean particles attached, or anywhere in a run without spaces.
Accents count for nothing: `Soren` is Søren. Also tells of whom it is asked what they said, think or want.
"""

from __future__ import annotations

import re
from functools import lru_cache
from operator import itemgetter

from ..model.entry import ROLES
from ..text.names import called_plainly, is_handle, is_office, is_title, is_word, plain, typed_small
from ..text.stopwords import STOP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Word = tuple[str, int, int]  # as it is spelt plainly, and where it stands, an `'s` included
    Span = tuple[int, int]
    _Names = dict[str, list[str]]  # authors by what they are named by

_WORD = re.compile(r"\w+")
_OWNER = ("'s", "’s")
_MOST_SHARED = 4  # authors who may have a first name in common and all be meant
_PARTICLES = 4  # letters that Korean writes on to a name, at most
_LEAST_WITHIN = 3  # letters of a name that is looked for within a run, where these are no ideographs
# Names that are also words begin many questions; they count only inside a sentence, and with a capital letter.
_WORDS_TOO = """
will may mark grace hope faith joy rose art bill rob sue pat dean chase drew jack amber april august autumn case
chance chuck daisy frank grant guy heather holly iris ivy june lane lily max miles norm olive page penny pearl ray
reed rich river ruby sky skip star summer sunny violet ward
"""
_AMBIGUOUS = frozenset(_WORDS_TOO.split())
# These begin hardly any question; in small letters they are words all the same.
_WORDS_IN_SMALL = """
angel basil brook buck carol chip christian clay cliff crystal dawn destiny dusty eve fern forest gene ginger hazel herb
hunter jade jan jasmine jewel kit laurel mason melody mercy opal paris patience piper port robin rosemary rusty sage
sandy scarlet sterling stone van
"""
_SMALL = frozenset(_WORDS_IN_SMALL.split())
# Behind these a word in small letters is just that: "the build", "which van", "how much rosemary".
_A_THING = """
a an another any each every few half her his its less little many more most much my no one our several some the their
these this those three two which whose your
"""
_THING = frozenset(_A_THING.split())
# Behind a name, these ask for somebody's own words; what somebody does or likes others tell as well.
_VERBS = """
advise advised advises announce announced announces argue argued argues believe believed believes claim claimed claims
explain explained explains feel feels felt mention mentioned mentions propose proposed proposes recommend recommended
recommends said say saying says suggest suggested suggesting suggests tell telling tells think thinking thinks thought
told want wanted wants write writes wrote
"""
_GERMAN_VERBS = "gesagt sagt sagte meint meinte denkt dachte geschrieben vorgeschlagen empfohlen"
_NOUNS = (
    "advice idea ideas opinion opinions proposal proposals recommendation suggestion suggestions thoughts view views"
)
_VERBS_FIRST = (
    "dijo dice piensa quiere dit pense veut sagt sagte meint meinte denkt dachte "
    "сказал сказала говорит думает хочет قال قالت يقول تقول"
)
_PASSED = "s actually also always and both currently ever had has have just not or originally really t to"
_SAID_BY = frozenset(_VERBS_FIRST.split())
SAYING_ELSEWHERE = _SAID_BY.union(_GERMAN_VERBS.split())  # in other languages than English
SAYING = frozenset(_VERBS.split()).union(_GERMAN_VERBS.split())
_ASKED = SAYING.union(_NOUNS.split())
_BETWEEN = frozenset(_PASSED.split())
_FAR = 6  # words from a name to its verb: "Ana Ruiz and Ben Ito have suggested"
_ACCORDING = frozenset(("according",))
_PASSIVE = frozenset(("am", "are", "be", "been", "is", "was", "were"))


def take_names(text: str, authors: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Which authors are named, and the question without them."""
    if not authors:
        return (), text
    text = _whole_letters(text)
    whole, short, rest = _directory(tuple(authors))
    named, taken, said = _whole_names(_plainly(text), whole)
    spoken = list(_words(said))
    known, also = (_few({word for word, _, _ in spoken}, names) for names in (short, rest))
    for found, span in _meant(text, said, spoken, (known, also)) if known or also else ():
        named.update(dict.fromkeys(found))
        taken.append(span)
    return tuple(named), _without(text, taken)


def _meant(text: str, said: str, spoken: Sequence[Word], names: tuple[_Names, _Names]) -> list[tuple[list[str], Span]]:
    """Whom the words mean that are names, and where each stands, with its title; of `Ana Ruiz` those who have both.

    By the rest of a name somebody is named only within a sentence, and with a capital letter that says something.
    """
    known, also = names
    lazy, shouted, first = typed_small(text), text.isupper(), len(said) - len(said.lstrip())
    meant: list[tuple[list[str], Span]] = []
    last = title = (0, 0)
    before = ""
    for word, start, end in spoken:
        begins, own, thing, before = start == first and end - start == len(word), word in known, before in _THING, word
        found = known[word] if own else [] if begins or shouted else also.get(word, [])
        if thing and text[start].islower():
            found = []
        if found and _is_name(text[start : start + len(word)], found, begins, lazy and own):
            if meant and _joins(said, last[1], start):
                both = [author for author in (*found, *also.get(word, ())) if author in meant[-1][0]]
                if both:
                    found, start = both, meant.pop()[1][0]
            meant.append((found, (title[0] if _joins(said, title[1], start) else start, end)))
            last = start, end
        elif is_title(word) and text[start].isupper():
            title = start, end
    return meant


def _joins(said: str, end: int, start: int) -> bool:
    """Whether what stands between two words leaves them parts of one name."""
    return end > 0 and said[end:start] in (" ", "-", ". ")


def also_named(text: str, named: Sequence[str]) -> tuple[str, ...]:
    """What those who are named are called in the question besides what people call them: `Ruiz`."""
    others = {word for author in named for word in called_plainly(author)[2]}
    if not others:
        return ()
    text = _whole_letters(text)
    spoken = _words(_plainly(text))
    return tuple(dict.fromkeys(word for word, start, _ in spoken if word in others and text[start].isupper()))


def asked_of(text: str, named: Sequence[str]) -> tuple[str, ...]:
    """Those of whom it is asked what they said: `What did Ana say?`, `Ana's opinion`, but not `Who told Ana?`."""
    spoken = [word for word, _, _ in _words(_plainly(_whole_letters(text)))]
    if all(known.isdisjoint(spoken) for known in (_ASKED, _SAID_BY, _ACCORDING)):
        return ()
    called = {author: [_WORD.findall(name) for name in called_plainly(author)[:2]] for author in named}
    names = {word for short, whole in called.values() for word in (*short, *whole)}
    speaking = {word for place, word in enumerate(spoken) if word in names and _speaks(spoken, place, names)}
    return tuple(
        author
        for author, (short, whole) in called.items()
        if not speaking.isdisjoint(short if set(short).issubset(spoken) else whole)
    )


def _speaks(spoken: Sequence[str], place: int, names: set[str]) -> bool:
    """Whether whoever is named at this place is the one who says something."""
    earlier, before = ("", "", *spoken[max(0, place - 2) : place])[-2:]
    if before in _SAID_BY or (before == "to" and earlier in _ACCORDING):
        return True
    following = spoken[place + 1 : place + 1 + _FAR]
    after = next((word for word in following if word not in names and word not in _BETWEEN), "")
    return after in _ASKED and not (before in _PASSIVE and after.endswith("d"))  # "was Ana told"


def _whole_letters(text: str) -> str:
    """With every accent in its letter: by itself it would be no part of a word."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFC", text)


def _plainly(text: str) -> str:
    """As names are compared, every letter where it stood."""
    said = plain(text)
    if len(said) == len(text):
        return said
    return "".join(letter if len(small := plain(letter)) != 1 else small for letter in text)


def _whole_names(said: str, names: Sequence[tuple[str, str]]) -> tuple[dict[str, None], list[Span], str]:
    """Those of more than one word, or of a script where a word does not end at a space, longest first; where they
    stand, and the text with blanks there."""
    named: dict[str, None] = {}
    taken: list[Span] = []
    # Looked for as text first: a pattern for each of 2,000 names took half a second.
    for name, author in [one for one in names if one[0] in said]:
        pattern = _pattern(name)
        if pattern and (spans := [hit.span() for hit in re.finditer(pattern, said)]):
            named[author] = None
            taken += spans
            said = re.sub(pattern, lambda hit: " " * len(hit[0]), said)
    return named, taken, said


def _pattern(name: str) -> str:
    """How a name is looked for as a whole; not at all where it is one word of a script with spaces."""
    if name and not (name.replace("_", "").isalnum() or is_word(name)):  # `Ana Ruiz`, `ana.ruiz@example.com`
        return rf"(?<!\w){re.escape(name)}(?:['’]s)?(?!\w)"
    if name.isascii():
        return ""
    from ..text.scripts import HANGUL, SPACELESS, ideographs, letters

    if not SPACELESS.fullmatch(name) or len(found := letters(name)) < 2:
        return ""
    if HANGUL.fullmatch(name):
        return rf"(?<!\w){name}{HANGUL.pattern[:-1]}{{0,{_PARTICLES}}}(?!\w)"
    return name if len(ideographs(found)) > 1 or len(found) >= _LEAST_WITHIN else ""


def _words(said: str) -> Iterator[Word]:
    pattern = _WORD
    if not said.isascii():
        from ..text.scripts import WORD as pattern  # noqa: N811 - keeps marks with their letters
    for hit in pattern.finditer(said):
        end = hit.end()
        owns = said.startswith(_OWNER, end) and not said[end + 2 : end + 3].isalnum()
        yield hit[0], hit.start(), end + 2 * owns


@lru_cache(8)  # authors are the same from question to question; to go through 2,000 takes a millisecond
def _directory(authors: tuple[str, ...]) -> tuple[list[tuple[str, str]], _Names, _Names]:
    """Authors by names that are no single words, longest first; by what they are called or their handle; and by the
    rest of their names. Roles are no names."""
    whole: dict[tuple[str, str], None] = {}
    short: _Names = {}
    rest: _Names = {}
    for author in authors:
        called, full, others = called_plainly(author)
        for name in dict.fromkeys((called, full)):
            if not (name.isascii() and name.isalpha()):
                whole[name, author] = None
            if name not in ROLES:
                short.setdefault(name, []).append(author)
        for name in others:
            rest.setdefault(name, []).append(author)
    return sorted(filter(itemgetter(0), whole), key=lambda one: len(one[0]), reverse=True), short, rest


def _few(spoken: set[str], names: _Names) -> _Names:
    """Whom each of these words may mean, where only few are called so."""
    return {word: meant for word in spoken if (meant := names.get(word)) and len(meant) <= _MOST_SHARED}


def _is_name(word: str, meant: Sequence[str], begins: bool, lazy: bool) -> bool:
    """By its capital letter, or without where the question has none or who is meant writes it so; at the beginning it
    may be another word.

    A handle is written as it is; what is left of it without its digits may be another word, too.
    """
    if not word.isalpha():
        return not word.isdigit()
    if word.lower() == word.upper():
        return len(word) > 1
    if word.lower() in _AMBIGUOUS or word.lower() in STOP or all(map(is_handle, meant)):
        return word[:1].isupper() and not begins
    if word[:1].isupper():
        return True
    return len(word) > 2 and word not in _SMALL and (word in meant or (lazy and not all(map(is_office, meant))))


def _without(text: str, spans: list[Span]) -> str:
    """The text with a space in the place of each of these."""
    pieces, last = [], 0
    for start, end in sorted(spans):
        pieces.append(text[last:start])
        last = end
    return " ".join((*pieces, text[last:])) if spans else text
