"""Coverage and Scoring: the absolute score of a hit, on one scale for every store and question (D19).

A hit's own part is the larger of two shares: of the question's words that stand in it, rare words and
the name of who is meant counting more, and of its cosine above the embedder's noise floor. It is
weighed by how well the best hits answer the question at all, in its words and in others (decision 0030), and by how
much of the question this store knows, so that a question about something else finds nothing worth injecting even where
single words match.
"""

from __future__ import annotations

import math

from ..model.hit import OWN
from ..model.moment import millis
from ..model.value import Value
from ..text.content import searchable_text
from ..text.globs import matches
from ..text.names import speaks_of
from ..text.words import searchable
from .asking import KINDS
from .days import Days
from .fusion import PIECE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..model.entry import Entry
    from ..model.query import Row
    from ..model.scope import Scope
    from ..store import Store
    from .asking import Question
    from .candidates import Candidates

    _Term = tuple[frozenset[str], float]
    _Other = tuple[
        list[frozenset[str]], float, float
    ]  # words any of which will do, the term's worth, how alike they are

BEFORE = 0.5  # what a word in a question is worth for the turn after it, beside one in the turn itself
NAME = 2.25  # what naming its author is worth, in rarest words
COMMON = 0.6  # what a word that stands everywhere is worth at least, in rarest words: the store is about it
BOTH = 0.9  # what words and vector are worth each, where both can speak
CHANCE = (
    0.2  # what each e-fold of the length of texts takes off the nearest: long ones are a little alike to everything
)
BRIEF, USUAL = 40, 80  # characters of a text as which shorter ones count, and of one from which nothing is taken
FAINT = 0.75  # share of the noise floor from which on a cosine alone makes a hit, if it adds nothing up to the floor
WELL = 0.8  # how well a question is answered where nobody wants to see such a hit
BEGUN = 0.8  # what a word that begins with an unknown one is worth in its place
LOOSE = 0.3  # what a word of asking or of a date is worth where it is held; where it is not, nobody misses it
UNSEEN = 0.8  # what a word is worth that the store does not know, in rarest words; in a large store twice that
STRAY = 0.4  # the same of a pair of letters where no spaces are written: half of these lie across two words
SMALL = 500  # chunks of a store that is half way from small to large: a small one lacks words by chance
LEAST = 3  # what a sentence that asks is held to be worth at least, in rarest words: "Any tips?" is answered everywhere
MAIN = 0.5  # share of a prompt's worth that a sentence is held to have at least, if it does not ask
CALLED = 0.7  # the share of a prompt that an identifier is which few hold
STRANGE = 0.6  # what is left of a score where no word of the question is known: vectors find without words, too
ALONE = 1.06  # what words are worth where no vector can speak for a hit: 95 % of evidence should pass there, too
LIKELY = 5  # hits that are looked at for more than their words; with all ten, the same abstention
TOGETHER = 0.3  # what two words are worth besides that stand together as in the question, in the rarer one's worth


class _Part:
    """Words of a question, all of them or those of one sentence, with what each is worth."""

    __slots__ = ("_begun", "_plain", "size", "worth")

    def __init__(self, plain: list[_Term], begun: list[_Other]) -> None:
        self._plain, self._begun = plain, begun
        self.size = len(plain) + len(begun)
        self.worth = sum(weight for _, weight in plain) + sum(weight for _, weight, _ in begun)

    def held(self, stems: set[str]) -> float:
        """What those are worth that stand among these; one by a longer word that begins with it a little less."""
        held = _held(self._plain, stems)
        if self._begun:
            held += sum(weight * like for words, weight, like in self._begun if any(word <= stems for word in words))
        return held


class Read:
    """An entry as it was looked through: the text that matched, its stems, and the share of the question in them."""

    __slots__ = ("said", "share", "stems")

    def __init__(self, said: str, stems: set[str], share: float) -> None:
        self.said, self.stems, self.share = said, stems, share


UNREAD = Read("", set(), 0.0)


class Coverage:
    """How much of a question an entry holds: the share of its words, rare ones counting more."""

    def __init__(
        self, store: Store, question: Question, rarity: tuple[int, Mapping[str, int]],
        instead: Mapping[str, Sequence[str]], called: Sequence[str] = (),
    ) -> None:  # fmt: skip
        asked = question.words
        self._stems = store.index.stems
        total, seen = rarity
        rarest = idf(total, 1)
        grown = total / (total + SMALL)
        words = (*asked.terms, *asked.letters)
        found = {word: sum(seen.get(one, 0) for one in instead.get(word, (word,))) for word in words}
        weights = {word: _worth(total, found[word], rarest, grown) for word in words}
        weights.update({word: STRAY * rarest for word in words if not found[word] and _is_pair(word)})
        must, may = _parted(question)
        self._only_dated = question.only_dated  # then an answer is of that day
        self._days, self._dated = Days(question.dates, self._only_dated), LOOSE * rarest
        self._authors = question.authors
        self._name = NAME * rarest
        self._speaks = speaks_of(question.names)
        self._all = self._part(must, weights, instead)
        self._rarest = rarest
        self._terms = [
            (term, frozenset(self._stems(term)), weights[term])
            for term in must
            if term.isalpha() and term not in instead
        ]
        self._loose = [(frozenset(self._stems(word)), LOOSE * weights[word]) for word in (*may, *asked.letters)]
        self._kinds = {
            kind: {stem for term in asked.terms if term in KINDS[kind] for stem in self._stems(term)}
            for kind in question.kinds
        }
        self._globs = [(pattern, rarest) for pattern in (*asked.globs, *(prefix + "*" for prefix in asked.prefixes))]
        whole = self._all.worth + sum(weight for _, weight in self._globs)
        self._whole = whole + self._name * bool(self._authors) or 1.0  # nobody is two people
        strange = () if self._only_dated else [term for term in must if term not in instead]
        unknown = sum(weights[term] for term in strange if not seen.get(term, 0)) / self._whole
        self.known = max(STRANGE, 1.0 - grown * unknown)  # how much of the question this store knows of at all
        self._sentences = [
            (part, max(part.worth, LEAST * rarest if sentence.asks else MAIN * self._whole))
            for sentence in question.sentences
            if (part := self._part([term for term in sentence.terms if term in must], weights, instead)).size
        ]
        self._sentences += [(self._part([name], weights, instead), weights[name] / CALLED) for name in called]

    def _part(self, terms: Sequence[str], weights: Mapping[str, float], instead: Mapping[str, Sequence[str]]) -> _Part:
        plain = [(frozenset(self._stems(term)), weights[term]) for term in terms if term not in instead]
        begun = [
            ([frozenset(self._stems(word)) for word in instead[term]], weights[term], _likeness(term, instead[term]))
            for term in terms if term in instead
        ]  # fmt: skip
        return _Part(plain, begun)

    def read(self, entry: Entry | None, span: tuple[int, int] | None = None) -> Read:
        """The share that is held in words, of a long text by the span that matched; no entry holds nothing."""
        if entry is None:
            return UNREAD
        said, beside = searchable_text(entry.content), " ".join((*entry.tags, entry.key or "", entry.path or ""))
        near = said[span[0] : span[1]] if span is not None else said  # somewhere in a book stands every word
        stems = set(self._stems(searchable(f"{near} {beside}")))
        stems |= self._kinds.get(entry.type, set())  # a decision need not say that it was decided
        return Read(near, stems, self._share(entry, stems, (near, f"{said} {beside}")))

    def _share(self, entry: Entry, stems: set[str], texts: tuple[str, str]) -> float:
        near, whole = texts
        held = self._all.held(stems)
        held += sum(weight for pattern, weight in self._globs if matches(pattern, whole))
        if self._authors and self._speaks(near):
            held += self._name
        loose = _held(self._loose, stems)
        if self._of_that_day(entry):
            if self._only_dated:
                return 1.0
            loose += self._dated
        share = min(1.0, (held + loose) / (self._whole + loose))
        return max(share, *(part.held(stems) / worth for part, worth in self._sentences)) if self._sentences else share

    def lacking(self, stems: set[str]) -> dict[str, float]:
        """Words of the question that these are not, with the share of the question that each is."""
        return {term: worth / self._whole for term, stem, worth in self._terms if not stem <= stems}

    def together(self, worth: float) -> float:
        """The share that words are worth besides where they stand together, given in rarest words."""
        return TOGETHER * worth * self._rarest / self._whole

    def _of_that_day(self, entry: Entry) -> bool:
        return self._days.hold(millis(entry.timestamp))

    def name(self, entry: Entry) -> float:
        """The share that is held by having been said by who is meant."""
        return self._name / self._whole if entry.author is not None and entry.author in self._authors else 0.0


class Parts(Value):
    """What speaks for one hit."""

    coverage: float
    nearness: float  # cosine above the noise floor, 0..1
    cosine: float
    span: tuple[int, int] | None = None  # where in its text; None: all of it
    read: Read = UNREAD
    faint: bool = False  # found by nothing but a cosine that is no more than noise

    @property
    def own(self) -> float:
        return max(self.coverage, self.nearness)


class Scoring:
    """Scores hits of one search; `settle` with the best of them first."""

    def __init__(self, store: Store, scope: Scope, question: Question, found: Candidates) -> None:
        self._store, self._scope, self._found = store, scope, found
        self._coverage = Coverage(store, question, found.rarity, found.instead, found.called)
        self._answered = 0.0
        self.settled = False

    def parts(self, found: Sequence[tuple[Row, Entry]]) -> list[Parts | None]:
        """What speaks for each hit; None where neither a word nor its vector nor who said it does, and it is no hit."""
        reads = [self._coverage.read(entry, row.span) for row, entry in found]
        before = self._before([row for (row, _), read in zip(found, reads, strict=True) if not read.share])
        return [
            self._spoken(row, entry, read, read.share or BEFORE * self._coverage.read(before.get(row.id)).share)
            for (row, entry), read in zip(found, reads, strict=True)
        ]

    def _spoken(self, row: Row, entry: Entry, read: Read, words: float) -> Parts | None:
        nearness, name = calibrated(row.cosine, self._found.floor), self._coverage.name(entry)
        faint = words <= 0.0 and nearness <= 0.0 and not name
        if faint and (row.cosine or 0.0) <= FAINT * self._found.floor:
            return None
        named = min(1.0, words + name) if words or nearness else 0.0  # a name alone answers nothing
        return Parts(
            coverage=named, nearness=nearness, cosine=row.cosine or 0.0, span=row.span, read=read, faint=faint
        )  # fmt: skip

    def _before(self, rows: Sequence[Row]) -> dict[str, Entry]:
        """The turn before each, if it is one that asks: then this may be the answer, which holds other words."""
        if not rows:
            return {}
        self._store.index.look_back(self._scope, rows)
        beside = {row.id: row.before for row in rows if row.before is not None and row.asked}
        entries = self._store.reader.entries(self._scope, list(beside.values())) if beside else {}
        return {id: entries[before] for id, before in beside.items() if before in entries}

    def settle(self, best: Sequence[Parts]) -> None:
        """How well the question is answered at all: the most covered and the nearest of the best hits.

        What the likeliest say in other words can only add, so where all is answered nobody looks for that.
        """
        likely = sorted(best, key=lambda part: -part.coverage - part.nearness)[:LIKELY]
        covered = self._covered(likely)
        answered = self._answer(best, [*covered, *(part.coverage for part in best)])
        if answered < 1.0:
            more = [own + meant for own, meant in zip(covered, self._meant(likely), strict=True)]
            answered = self._answer(best, [*more, *(part.coverage for part in best)])
        self._answered, self.settled = answered * self._coverage.known, True

    def _answer(self, best: Sequence[Parts], covered: Sequence[float]) -> float:
        """By the most covered and the nearest, as far as vectors can speak."""
        most = min(1.0, max(covered, default=0.0))
        known = self._found.weights.known if any(part.cosine for part in best) else 0.0
        with_vectors = BOTH * (most + self._beyond_chance(max(part.nearness for part in best))) if known else 0.0
        return min(1.0, known * with_vectors + (1.0 - known) * ALONE * most)

    def _beyond_chance(self, nearness: float) -> float:
        """What the nearest is worth among texts as long as these."""
        if not nearness:
            return 0.0
        sizes = sorted(row.size for row in self._found.rows if row.size)
        size = min(max(sizes[len(sizes) // 2], BRIEF), PIECE) if sizes else PIECE
        return max(0.0, nearness - CHANCE * math.log(size / USUAL))

    def _covered(self, likely: Sequence[Parts]) -> list[float]:
        """How much of the question each holds, words that stand together counting more."""
        beside = self._found.sought.held([part.read.said for part in likely])
        return [part.coverage + self._coverage.together(worth) for part, (_, worth) in zip(likely, beside, strict=True)]

    def _meant(self, likely: Sequence[Parts]) -> list[float]:
        """The share of the question that each lacks in words and says in others; nothing where nobody can tell."""
        lacking = [self._coverage.lacking(part.read.stems) for part in likely]
        terms = list(dict.fromkeys(term for one in lacking for term in one))
        if not terms or self._found.mode == "keyword":
            return [0.0] * len(likely)
        alike = self._store.embedding.alike(terms, [part.read.said for part in likely])
        return [
            sum(like * one.get(term, 0.0) for term, like in zip(terms, likes, strict=True))
            for one, likes in zip(lacking, alike, strict=True)
        ]

    @property
    def most(self) -> float:
        """What a hit of this search can score at most, all of its words held; `answered` among the scores of each."""
        return self._answered

    def counts(self, parts: Parts) -> bool:
        """Whether it is a hit: a faint one only where there is no good answer."""
        return not parts.faint or self._answered < WELL

    def score(self, parts: Parts) -> float:
        """0..1."""
        return self._answered * (1 - OWN + OWN * parts.own)


def calibrated(cosine: float | None, floor: float) -> float:
    """0 at the embedder's noise floor, 1 at identity."""
    if cosine is None or floor >= 1.0:
        return 0.0
    return max(0.0, (cosine - floor) / (1.0 - floor))


def _parted(question: Question) -> tuple[list[str], list[str]]:
    """What an answer must hold, and what nobody misses: words of asking and of dates, unless there are no others."""
    terms = question.words.terms
    loose = set(filter(question.loose, terms))
    must = [term for term in terms if term not in loose]
    return (must, [term for term in terms if term in loose]) if must else (list(terms), [])


def _worth(total: int, seen: int, rarest: float, grown: float) -> float:
    """What a word is worth: more the rarer it is, and where it is not known, more the larger the store."""
    return max(COMMON * rarest, idf(total, seen)) if seen else UNSEEN * rarest * (1.0 + grown)


def _likeness(term: str, others: Sequence[str]) -> float:
    """What one of others is worth for a term; one that is among them is the same word, written in two ways."""
    return 1.0 if term in others else BEGUN


def _is_pair(word: str) -> bool:
    """Whether it was cut from a run without spaces."""
    if word.isascii():
        return False
    from ..text.scripts import SPACELESS

    return SPACELESS.match(word) is not None


def _held(terms: Sequence[_Term], stems: set[str]) -> float:
    return sum(weight for term, weight in terms if term and term <= stems)


def idf(total: int, seen: int) -> float:
    return math.log(1 + (max(total, seen) - seen + 0.5) / (seen + 0.5))
