"""Candidates: what the two sides of a search found, before anything is ranked.

The keyword side always runs; the vector side runs when there is an embedder, within its deadline, and
when the question has words at all. A side that did not run is named with its reason, never guessed.
"""

from __future__ import annotations

from itertools import islice
from time import gmtime

from ..text.humps import names
from ..text.joined import is_joined
from ..text.mistakes import is_named, may_be_wrong, spellings
from ..text.solid import forms
from ..text.stopwords import ASKING, STOP
from ..text.words import words as words_of
from .copies import rejoined, uncrowded
from .coverage import idf
from .days import told_of
from .fusion import FEW as NEAREST
from .fusion import SPOKEN, WITH_VECTORS, WITHOUT_VECTORS, talk_of
from .wording import Sought

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..model.query import Filter, Row, Words
    from ..model.scope import Scope
    from ..model.vector import Vector
    from ..store import Store
    from .asking import Question
    from .fusion import Weights

PAGE = 25  # hits for which there are candidates, whatever page is asked for: pages of one question must fit together
# The same among more than so many texts, where those that hold a word are soon chance. All dev sets in one store of
# 10 thousand: LoCoMo R@10 78.0 (with 25: 77.6), BEAM 57.4 (57.6), LongMemEval 63.1 (63.2); a tenth of the time less.
PAGE_AMONG_MANY, MANY = 16, 5_000
# Words in more than this share of a large memory are left out. Among 9,575 turns and messages of all sets, R@10 was for
# LoCoMo 68.1 (68.1 with all words), for BEAM 54.8 (54.8); without words of 3 % and more, 67.4 and 52.9 (FEW being 500).
COMMON = 0.06
LEAST = 3  # the rarest words stay, however common
FEW = 2_000  # a word in fewer texts costs nothing
PLENTY = 16  # times as many texts as are ranked: where so many hold one of the rarest words, the others find no more
DATED, MOST_SPANS = 30, 8  # how many are looked at for each date that a question names, and for how many dates
HELD = 0.7  # what the best by word is worth for what holds all words, where that is only estimated
TOLD, ENOUGH = 60, 30  # how many are looked at of those who are named, unless so many of theirs are there anyway
MOST_SCANNED = 10_000  # texts among which a span of time is looked for one by one
MOST_STRANGE, LEAST_BEGUN = 8, 4  # unknown words that may begin known ones, and their letters
ANSWERED = 60  # how many of the best candidates bring the turn after them along: often the answer
FEW_HOLD = 5  # texts, or as many in a thousand, that hold an identifier by which a note can be meant
READ = 60  # how many of each side have their text read where an index gave none: among very many
VECTOR_MS = 1_500  # how long a question's vector may take before words must do
UNKNOWN, KNOWN = 0.25, 0.75  # share of known words: below, another language, in which vectors say little
LEAST_SHARE = 0.05  # there they only add to what words find; with more, of 200 pairs in Chinese 99 (100 by words)
FLUENT, SAYING = 0.67, 4  # share of known words, and terms, from which on a question is taken for another language


class Candidates:
    """Rows of both sides, what each scored, and how the search came about."""

    def __init__(self, store: Store, scope: Scope, wanted: Filter, question: Question, count: int | None) -> None:
        """`count` is how many are looked for by word; None: as many as the memory's size asks for."""
        self._store, self._scope, self._wanted = store, scope, wanted
        self._stems = store.index.stems
        self.reason: str | None = None  # why there is no vector side
        self.floor = 1.0  # cosines up to this count for nothing
        self.weights: Weights = WITHOUT_VECTORS
        self.mode = "keyword"
        self._fluency = 0.0  # share of the question's words that the embedder knows
        self._words = question.words
        self._names = question.names
        self.rarity = store.index.rarity(scope, (*question.words.terms, *question.words.letters, *question.names))
        self._count = count or self._usual_count()
        vector = self._vector(question)
        self.instead = self._together(question.text) | self._spelled(question.text) | self._instead(question.text)
        self._more = True  # there may be others that hold a word
        self._copies: list[Row] = []  # what says the same as a few of the candidates
        self._few_alike = count is None and not question.dates  # of one day or another is not the same
        by_word = self._by_word()
        if question.asked:  # among all words of a long prompt those of its question may be lost
            asked = self._words.replace(terms=question.asked, letters=())
            by_word = _joined(by_word, self._matching(self._finding(asked)))
        near = self._near(vector, by_word)
        if vector is not None and self.mode == "keyword":  # the embedder may have been changed between the two
            vector = self._vector(question)
            near = self._near(vector, by_word)
        self.rows = _joined(by_word, near)
        if self._copies:
            self.rows, self._copies = rejoined(self.rows, self._copies)
        self.sought = self._sought(self._words.terms)
        if question.authors:
            self.rows = _joined(self.rows, self._told_by(question.authors, vector))
        if question.dates:
            self.rows = _joined(self.rows, self._dated(question, vector))
        self.asked = self._sought(question.asked) if question.asked else None
        self.called = self._few_hold(question.identifiers)
        self.by_name = Sought([(name, 1.0) for name in self.called]) if self.called else None
        if self.mode == "keyword" and question.words.terms:
            self.rows += self._answers(by_word)
        self._known = {row.id for row in self.rows}
        if unread := _unread(self.rows, by_word, near):
            store.index.describe(scope, unread)

    @property
    def terms(self) -> tuple[str, ...]:
        """The words that were looked for, stand-ins among them."""
        return self._words.terms

    def _usual_count(self) -> int:
        many = self.rarity[0] > MANY and self._store.index.extent(self._scope) > MANY
        per_hit: int = self._store.settings["recall.candidates"]
        return per_hit * (PAGE_AMONG_MANY if many else PAGE)

    def _together(self, text: str) -> dict[str, list[str]]:
        """For the words of names with separators these or the name without, where somebody here writes it so: a text is
        indexed with both, hence more hold the one without."""
        found = dict(islice(forms(text).items(), MOST_STRANGE))
        if not found:
            return {}
        total, seen = self.rarity
        _, held = self._store.index.rarity(self._scope, [*found, *found.values()])
        alone = {form: words_of(name).terms for form, name in found.items() if held[form] > held[name]}
        other = {term: form for form, terms in alone.items() for term in terms if term in seen}
        apart = {term for term, form in other.items() if held[found[form]]}  # or nobody writes it so: parts are chance
        kept = (term for term in self._words.terms if term not in other or (seen.get(term, 0) and term in apart))
        self._words = self._words.replace(terms=tuple(dict.fromkeys((*kept, *other.values()))))
        self.rarity = total, {**seen, **{form: held[form] for form in alone}}
        return {term: [term, form] for term, form in other.items()}

    def _spelled(self, text: str) -> dict[str, list[str]]:
        """For identifiers that nobody here has used, the words in them, where all of these are known."""
        total, seen = self.rarity
        found = {name: words for name, words in names(text).items() if seen.get(name) == 0}
        if not found:
            return {}
        spelled = {name: [word for word in words if word not in STOP] or words for name, words in found.items()}
        _, held = self._store.index.rarity(self._scope, [word for words in spelled.values() for word in words])
        spelled = {name: words for name, words in spelled.items() if all(held[word] for word in words)}
        terms = dict.fromkeys(part for term in self._words.terms for part in spelled.get(term, (term,)))
        self._words = self._words.replace(terms=tuple(terms))
        whole = {name: " ".join(words) for name, words in spelled.items()}
        known = {name: min(held[word] for word in spelled[name]) for name in spelled}
        self.rarity = total, {**seen, **held, **{whole[name]: known[name] for name in spelled}}
        return {name: [words] for name, words in whole.items()}

    def _instead(self, text: str) -> dict[str, list[str]]:
        """For words that nobody here has used, those that begin with them, or that they may have been meant to be: then
        these are looked for."""
        total, seen = self.rarity
        strange = [term for term in self._words.terms if not seen.get(term, 0) and _may_begin(term)][:MOST_STRANGE]
        if not strange:
            return {}
        begun = self._store.index.begun(self._scope, strange)
        begun.update((term, spellings(term)) for term in self._misspelt(text, strange) if not begun.get(term))
        _, held = self._store.index.rarity(self._scope, [word for found in begun.values() for word in found])
        instead = {term: known for term, found in begun.items() if (known := [word for word in found if held[word]])}
        others = dict.fromkeys(word for known in instead.values() for word in known)
        kept = (term for term in self._words.terms if term not in instead)
        self._words = self._words.replace(terms=tuple(dict.fromkeys((*kept, *others))))
        self.rarity = total, {**seen, **{word: held[word] for word in others}}
        return instead

    def _misspelt(self, text: str, strange: Sequence[str]) -> list[str]:
        """Those that are no words at all, where somebody can tell, nor names, as far as these are written as such; of
        another language all would be wrong."""
        if self.mode == "keyword" or (self._fluency < FLUENT and len(self._words.terms) > SAYING):
            return []
        wrong = [term for term in strange if may_be_wrong(term) and not is_named(term, text)]
        return self._store.embedding.no_words(wrong)

    def _by_word(self) -> list[Row]:
        """The best by words; by the rarer ones where these find enough: half the work or less, as good."""
        words = self._sought_for()
        rarer = self._finding(without_common(words, *self.rarity))
        if rarer is not words:
            found = self._matching(rarer)
            enough = self._count if rarer.beside else self._count / 2  # others may use a word, not this user
            if len(found) + len(self._copies) >= enough:
                return found
        found = self._matching(words)
        self._more = len(found) + len(self._copies) >= self._count
        return found

    def _finding(self, words: Words) -> Words:
        total, seen = self.rarity
        part = min(1.0, self._store.index.extent(self._scope) / total) if total > PLENTY * self._count else 1.0
        return parted(words, seen, PLENTY * self._count / part) if part else words

    def _matching(self, words: Words) -> list[Row]:
        match = self._store.index.match
        return self._varied(lambda most: match(self._scope, self._wanted, words, most), self._count)

    def _varied(self, ask: Callable[[int], list[Row]], count: int) -> list[Row]:
        """The best so many; few that say the same, unless these are wanted."""
        if not self._few_alike:
            return ask(count)
        found, copies = uncrowded(ask, count)
        self._copies += copies
        return found

    def _sought_for(self) -> Words:
        """With the names of those who are meant: others may speak of them."""
        if not self._names:
            return self._words
        return self._words.replace(terms=tuple(dict.fromkeys((*self._words.terms, *self._names))))

    def _sought(self, terms: Sequence[str]) -> Sought:
        """The words to look for in each candidate, by stem."""
        total, seen = self.rarity
        stems = (
            (stem, idf(total, seen.get(term, 0)))
            for term in terms
            for stem in ((term,) if is_joined(term) else self._stems(term))
        )
        return Sought(list(dict(stems).items()))

    def _few_hold(self, identifiers: Sequence[str]) -> tuple[str, ...]:
        """Those that are known here and stand in few texts: what holds one is about it."""
        total, seen = self.rarity
        most = max(FEW_HOLD, FEW_HOLD * total / 1_000)
        return tuple(name for name in identifiers if 0 < seen.get(name, 0) <= most)

    def further(self, most: int) -> list[Row]:
        """So many more: copies, then what else holds a word, best first; each is given once."""
        if copies := [row for row in self._copies if row.id not in self._known]:
            return self._given(copies[:most])
        if not self._more:
            return []
        count = self._count + most
        found = self._store.index.match(self._scope, self._wanted, self._sought_for(), count)
        self._more, self._count = len(found) == count, count
        rest = [row for row in found if row.id not in self._known]
        return self._given(rest) or self.further(2 * most)

    def _given(self, rows: list[Row]) -> list[Row]:
        self._known.update(row.id for row in rows)
        return rows

    def _vector(self, question: Question) -> Vector | None:
        """The question's vector, and with it the weights and the floor of its embedder."""
        embedding = self._store.embedding
        if not question.words.terms or not (self._store.settings["recall.vectors"] and embedding.wanted):
            return None
        vector = embedding.query_vector(question.text, VECTOR_MS)
        self.reason = embedding.reason if vector is None else None
        if self.reason is None and not self._store.read_only():  # where no vector could be kept
            embedding.top_up(self._scope)  # after the question, which a slow embedder would keep waiting
        if vector is None:
            return None
        self.floor, self.mode, self._fluency = vector.floor, "hybrid", vector.known
        text, near = self._store.settings["recall.text_weight"], self._store.settings["recall.vector_weight"]
        known = share(vector.known) if text else 1.0  # who wants vectors alone gets them
        self.weights = WITH_VECTORS.replace(keyword=text, vector=near * known, known=known)
        return vector

    def _near(self, vector: Vector | None, by_word: Sequence[Row]) -> list[Row]:
        """The nearest; where there is none since vectors are of another kind, or all zero, there is no vector side."""
        if vector is None:
            return []
        near = self._store.index.near
        found = self._varied(lambda most: near(self._scope, self._wanted, vector, most), NEAREST)
        reason = None if found else self._store.embedding.misfit(vector) or self._unsaid(vector, by_word)
        if reason is not None:
            self.reason, self.mode, self.weights, self.floor = reason, "keyword", WITHOUT_VECTORS, 1.0
        return found

    def _unsaid(self, vector: Vector, by_word: Sequence[Row]) -> str | None:
        """Why nothing is near though words are found and no vector is still to be made: all of these were zero.

        One text may say nothing to an embedder, punctuation say; that none of many does is for the caller to know.
        """
        if not by_word or self._store.embedding.missing(self._scope)[0]:
            return None
        return f"nothing that was found says anything to the embedder {vector.identity}"

    def _told_by(self, authors: tuple[str, ...], vector: Vector | None) -> list[Row]:
        """The nearest by those who are named, or without vectors their best by word and their newest: among many
        authors what one of them said need not be among the best of all."""
        if sum(row.author in authors for row in self.rows) >= ENOUGH:
            return []
        wanted = self._wanted.replace(authors=authors)
        index, scope = self._store.index, self._scope
        if vector is not None and self.mode == "hybrid":
            return self._estimated(index.near(scope, wanted, vector, TOLD))
        found = index.match(scope, wanted, without_common(self._words, *self.rarity), TOLD)
        return _joined(found, index.rows(scope, wanted, "time", TOLD))

    def _estimated(self, rows: list[Row]) -> list[Row]:
        """With a keyword score by the words that each holds: to have them ranked by word takes longer than all else."""
        best = max((row.score for row in self.rows), default=0.0)
        for row, (bits, _) in zip(rows, self.sought.held([row.said for row in rows]), strict=True):
            row.score = HELD * best * self.sought.share(bits)
        return rows

    def _dated(self, question: Question, vector: Vector | None) -> list[Row]:
        """Of the days that are named the nearest by vector, or else the newest: they need not be among the best of all.

        A date without a year may be of any year from which there are candidates, or of the last two that pass.
        """
        if self._scope.user is None and self.rarity[0] > MOST_SCANNED:
            return []  # only one user's entries are kept in the order of time
        now = self._store.clock.now()
        last = now if self._wanted.until is None else max(0, min(now, self._wanted.until - 1))
        this = gmtime(last / 1000).tm_year
        years = {this, this - 1, *(gmtime(row.time / 1000).tm_year for row in self.rows)}
        found: list[Row] = []
        for told in told_of(question.dates, sorted(years, reverse=True))[:MOST_SPANS]:
            rows = self._within(told.full, vector)
            if len(rows) >= DATED and told.named != told.full:  # later days may have left no room for the day itself
                rows += self._within(told.named, vector)
            found += rows
        return found

    def _within(self, span: tuple[int, int], vector: Vector | None) -> list[Row]:
        wanted = self._wanted.within(*span)
        if wanted is None:
            return []
        if vector is not None and self.mode == "hybrid":
            return self._store.index.near(self._scope, wanted, vector, DATED)
        return self._store.index.rows(self._scope, wanted, "time", NEAREST)

    def _answers(self, rows: Sequence[Row]) -> list[Row]:
        """The turns after the best candidates of a conversation: what was asked there is answered here."""
        spoken = [row for row in rows[:ANSWERED] if row.type == SPOKEN]
        if not spoken or self._wanted.ids:
            return []
        known = {row.id for row in self.rows}
        after = self._store.index.following(self._scope, self._wanted, spoken)
        return [row for row in after if row.type == SPOKEN and row.id not in known]


def _may_begin(term: str) -> bool:
    return len(term) >= LEAST_BEGUN and not term[-1].isdigit() and term not in ASKING  # 10.0.0.2 is not 10.0.0.20


def _joined(by_word: Sequence[Row], near: Sequence[Row]) -> list[Row]:
    """Each entry once, with what both sides know of it."""
    rows = {row.id: row for row in by_word}
    for row in near:
        known = rows.setdefault(row.id, row)
        known.cosine = known.cosine if row.cosine is None else row.cosine
    return list(rows.values())


def _unread(rows: Sequence[Row], by_word: Sequence[Row], near: Sequence[Row]) -> list[Row]:
    """Whose text is still to be read: what people said to each other, and of anything else the best of either side."""
    unread = [row for row in rows if not row.size]
    if not unread:
        return []
    ids = {row.id for row in (*by_word[:READ], *near[:READ])}
    ids.update(row.id for row, said in zip(rows, talk_of(rows), strict=True) if said)
    return [row for row in unread if row.id in ids]


def without_common(words: Words, total: int, seen: Mapping[str, int]) -> Words:
    """The same without words that stand in very many texts, if some are left."""
    limit = max(COMMON * total, FEW)
    if all(seen.get(word, 0) <= limit for word in (*words.terms, *words.letters)):
        return words
    rarest = sorted(words.terms, key=lambda term: seen.get(term, 0))[:LEAST]
    kept = tuple(term for term in words.terms if seen.get(term, 0) <= limit or term in rarest)
    letters = tuple(letter for letter in words.letters if seen.get(letter, 0) <= limit)
    return words.replace(terms=kept, letters=letters) if (kept, letters) != (words.terms, words.letters) else words


def parted(words: Words, seen: Mapping[str, int], enough: float) -> Words:
    """The same where only the rarest words find, if enough texts hold one of them; the others count beside these.

    A wildcard is looked for everywhere, so there nothing is gained.
    """
    held = 0
    rarest = sorted((*words.terms, *words.letters), key=lambda word: seen.get(word, 0))
    for place, word in enumerate(rarest[:-1], 1):
        held += seen.get(word, 0)
        if held >= enough and not words.prefixes and not words.globs:
            beside = set(rarest[place:])
            terms, letters = (tuple(word for word in all if word not in beside) for all in (words.terms, words.letters))
            return words.replace(terms=terms, letters=letters, beside=tuple(rarest[place:]))
    return words


def share(known: float) -> float:
    """How much of its weight the vector side keeps for a question of which so much is known."""
    return max(LEAST_SHARE, min(1.0, (known - UNKNOWN) / (KNOWN - UNKNOWN)))
