"""Asking: what a question says besides its words: who is meant, who asks, and when.

Names of authors are taken out of the words that an answer should hold (turns that merely say a name would
rank first) and become a signal of their own: for what these people said, and what others tell of them.
Works from the names that the scope really has, for many authors and for none; a name is believed only as
far as the store bears it out (`trust`).
"""

from __future__ import annotations

import re

from ..model.value import Value
from ..text.form import wanted_form
from ..text.humps import names as written_in_one
from ..text.joined import parts_of
from ..text.names import called
from ..text.stopwords import ASKING, FRAMING
from ..text.words import words
from .dates import Named, meant, spelled
from .naming import SAYING, SAYING_ELSEWHERE, also_named, asked_of, take_names
from .prompts import Sentence, sentences, unframed
from .prompts import asked as asked_in
from .stretches import asked_dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model.query import Words

# "we" may be anybody, "tell me" says who asks and not about whom; nor do "disk I/O" and "my.cnf" speak of anybody
_FIRST_PERSON = re.compile(r"\b(?:I(?![/\w])|my(?![.\-/]\w)|mine|myself|(?:about|with|of) me)\b")
_WHO_ASKS = re.compile(
    r"\bI(?:['’]d| would)?(?: also| just| really| only)? (?:need|want|wanted|like|love) to "
    r"(?:know|find|see|check|understand)\b"
    r"|\bI(?:['’]m| am| was)? ?(?:just )?wonder(?:ing|ed)?\b",
    re.IGNORECASE,
)
_TOLD = "recommended|suggested|advised|proposed|mentioned|explained|said|told|gave|given|wrote"
_OF_YOU = re.compile(
    rf"\byou(?: had| have|['’]ve)? (?:{_TOLD})\b"
    r"|\b(?:did|had|have) you (?:recommend|suggest|advise|propose|mention|explain|say|said|tell|told|give|write)",
    re.IGNORECASE,
)  # then the answer is not the asker's own
_SMALL_I = re.compile(r"\bi\b(?!\.)")  # but "i.e."
_MOST_NAMED = 8  # in a prompt that names more, none of them is who is asked for
HALF = 0.5
MIXED = 1.5  # from two thirds of what chance would give, names are taken to be mixed up
_EMPTY = FRAMING | SAYING  # words that leave the name of who said it all that is asked for
_OF_NOTHING = FRAMING | SAYING_ELSEWHERE  # and those that leave nothing but the name: of English ones most are small

# What somebody decided or prefers is often kept as such, and then need not say so.
KINDS = {
    "decision": frozenset(
        ("decide", "decides", "decided", "decision", "decisions", "choose", "chose", "chosen", "agreed")
    ),
    "preference": frozenset(("prefer", "prefers", "preferred", "preference", "preferences", "favourite", "favorite")),
}


class Question(Value):
    """A question as ranking sees it."""

    text: str  # without the names of authors, and of a long prompt only what asks
    words: Words
    authors: tuple[str, ...] = ()  # those it names
    names: tuple[str, ...] = ()  # by which others speak of them
    speakers: tuple[str, ...] = ()  # authors of whom it asks what they said
    anything: bool = False  # that these said: it asks for nothing else
    first_person: bool = False
    dates: tuple[Named, ...] = ()  # that it asks for
    days: frozenset[str] = frozenset()  # words of all dates in it
    kinds: tuple[str, ...] = ()  # types of entry that it asks for
    sentences: tuple[Sentence, ...] = ()  # where it has several
    asked: tuple[str, ...] = ()  # words of those that ask, where a long prompt says much else
    identifiers: tuple[str, ...] = ()  # where it has several sentences, some of which may be code
    form: int = 0  # signs that an answer should show (text.form)

    def loose(self, term: str) -> bool:
        """Whether nobody misses this word in an answer: one of asking, or of a date, as `2026-02-02` is too."""
        days = self.days
        return term in ASKING or term in days or (bool(days) and days.issuperset(parts_of(term)))

    @property
    def only_dated(self) -> bool:
        """Whether a day is all that it asks for."""
        said = self.words
        return (
            bool(self.days) and not (said.prefixes or said.globs or said.letters) and all(map(self.loose, said.terms))
        )


def understand(
    text: str, authors: Sequence[str], said: Words | None = None, now: int | None = None, zone: str = ""
) -> Question:
    """Read a question against the authors of the scope; `said` are its words, where they are known already.

    Days counted from today are heard only where `now` is given.
    """
    whole, text = text, unframed(text)
    named, rest = take_names(text, authors)
    if text != whole:  # who is meant, when, and in what form may stand in what frames the question
        said, named = None, tuple(dict.fromkeys((*named, *take_names(whole, authors)[0])))
    if len(named) > _MOST_NAMED:
        named, rest = (), text
    speakers = asked_of(whole, named) if named else ()
    asked = words(rest) if named or said is None else said
    anything = bool(speakers) and _says_nothing(asked, _EMPTY)
    if named and _says_nothing(asked, _OF_NOTHING):
        rest, asked = text, words(text) if said is None else said  # `What did Ana say?`: then the name is the question
    parts = sentences(rest)
    asking, sought = asked_in(parts)
    dates = asked_dates(whole, now, zone)
    return Question(
        text=asking or rest, words=asked, authors=named,
        names=tuple(dict.fromkeys((*filter(None, map(called, named)), *also_named(whole, named)))),
        speakers=speakers, anything=anything,
        first_person=_of_oneself(asking or text), dates=meant(dates), days=spelled(dates),
        form=wanted_form(text) | wanted_form(whole), sentences=parts, asked=sought,
        identifiers=_identifiers(text, asked.terms) if parts else (),
        kinds=tuple(kind for kind, names in KINDS.items() if not names.isdisjoint(asked.terms)),
    )  # fmt: skip


def _says_nothing(asked: Words, empty: frozenset[str]) -> bool:
    """Whether no word is left but those of asking; where there are only stop words, `words` gives those."""
    return not (asked.prefixes or asked.globs or asked.letters) and empty.issuperset(asked.terms)


def _identifiers(text: str, terms: Sequence[str]) -> tuple[str, ...]:
    """Names as programs have them, `parseISODate` and `db_session`."""
    joined = written_in_one(text)
    return tuple(term for term in terms if "_" in term.strip("_") or term in joined)


def _of_oneself(text: str) -> bool:
    """Whether somebody asks about themselves; who writes all in lower case means `i` so too."""
    return _speaks_of_oneself(text) and _speaks_of_oneself(_WHO_ASKS.sub(" ", text)) and not _OF_YOU.search(text)


def _speaks_of_oneself(text: str) -> bool:
    return bool(_FIRST_PERSON.search(text) or (text.islower() and _SMALL_I.search(text)))


def trust(own: int, other: int, share: float = HALF) -> float:
    """How far an author's name can be believed: people name those they speak with, hardly themselves.

    Where names were mixed up, an author's "own" words name them as often as anybody's: as often as their share of what
    is said there, which is half of it between two and little among many. There, once is no sign: "I'm Ana".
    """
    if own + other < 3:
        return 1.0
    share = min(share or HALF, HALF)
    signs = max(0.0, own - min(1.0, 2.0 - 2.0 * share / HALF))
    return max(0.0, 1.0 - MIXED * signs / (share * (own + other)))
