"""Fusion: from keyword and vector candidates to one order, as small pure functions.

Each side is scaled to its best and blended by weight over the sides that ran, so a hit found by one
side only is not lost. Then turns beside each other lend each other a share, who is meant and when are
added, which of the question's words stand together, and how many of them the session holds in all; what was said anew
stands before what it was. Every part is kept for `explain`.
"""

from __future__ import annotations

from math import log

from ..model.entry import ROLES
from ..model.value import Value
from ..text.form import NAME, NUMBER, TIME, asks, marked, questions, shows
from ..text.names import called, speaks_of
from .days import Days, says
from .echoes import asks_anew, echoes
from .restating import of_the_past, restated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..model.query import Row
    from .asking import Question
    from .wording import Held, Sought

    Column = list[float]  # a value for each row; empty: nothing for any


class Weights(Value):
    """What each signal may add, relative to a perfect match; chosen by measuring (docs/benchmarks.md)."""

    keyword: float = 0.53  # this and the next as `recall.text_weight` and `recall.vector_weight` say
    vector: float = 0.47
    known: float = 1.0  # how far the vector side knows the question's language
    neighbour: float = 0.25
    beyond: float = 0.1
    answer: float = 0.2  # what a turn that asks lends besides to the one after it, among people
    author: float = 0.55
    date: float = 0.8
    day: float = 3.0  # the same where a day is all that is asked for
    session: float = 0.3  # where the candidates of its session hold every word of the question between them
    asked: float = 1.0  # where a candidate holds every word of what a long prompt asks
    called: float = 0.8  # where one holds an identifier of a longer prompt that few hold: pasted code is about that
    whole: float = 0.15  # for holding every word of the question, among few: there the rarity of words counts half
    together: float = 0.2  # for two of the rarest words that stand together as in the question
    long: float = 0.1  # taken off for each doubling or so beyond one piece, but among people
    asking: float = 0.2  # taken off where people talk with each other and a turn only asks
    echo: float = 1.1  # taken off where a turn only asks the same
    length: float = 0.06  # for each doubling or so of a turn among people: longer ones say more
    kind: float = 0.25  # for a decision where one is asked for, and the like
    time: float = 0.25  # for a turn that tells a time, where a time is asked for
    number: float = 0.2
    name: float = 0.2

    def for_a_day(self) -> Weights:
        """The same where a day is all that is asked for."""
        return self.replace(
            date=self.day, session=ALIKE * self.session, together=ALIKE * self.together, whole=ALIKE * self.whole
        )


WITH_VECTORS = Weights()
WITHOUT_VECTORS = Weights(vector=0.0, neighbour=0.3, answer=0.24, session=0.5, author=0.5)
FEW = 60  # of which a search compares as many vectors: all candidates that there are, if there are fewer
HANDFUL = 9
ALIKE = 0.2  # what words and vectors count where a day is all that is asked for: what is like "what did I do" is chance
SAYS = 0.95  # how near what says the date is, where a day is all that is asked for
AMONG_FEW = 0.5  # taken off the words' weight there: which of them are rare among so few is chance
NEARLY = 3  # power of the share of its words that a row holds: half of them are worth an eighth
SPOKEN = "conversation"
PIECE = 640  # characters of the longest text that is searched as a whole
BOTH = 0.5  # what it adds that one who is meant speaks of another: "What did Ana say about Ben?"
ANYTHING = 3.0  # what their own count for where nothing else is asked for: more than to hold the name, the only word
APART = 0.25  # what lies between the best cosine and the worst where all that vectors say counts
CURIOUS = (
    0.05  # share of turns with a question mark below which they are notes: 0.23 and more in LoCoMo, none in minutes
)
TALKATIVE = 0.2  # share of texts longer than that which people do not reach: none in LoCoMo, half with an assistant


def scaled(scores: Sequence[float]) -> Column:
    """To 0..1 by the best; for keyword scores, whose zero means "no word"."""
    best = max(scores, default=0.0)
    return [score / best for score in scores] if best > 0 else [0.0] * len(scores)


def spread(cosines: Sequence[float | None]) -> Column:
    """To 0..1 between worst and best; for cosines, whose zero means nothing. None where none was compared.

    Among few, the less alike half is 0 too: it would only press the others together. Among a handful the worst may be
    nearly as good as the best, and is 0 only if it is half as alike. Among many that are all about as alike, which of
    them is the best is chance, and counts the less.
    """
    there = sorted(cosine for cosine in cosines if cosine is not None)
    if not there:
        return [0.0] * len(cosines)
    low, high = there[_half(there) if few(cosines) else 0], there[-1]
    if len(there) <= HANDFUL:
        low = min(low, high / 2)
    if low == high:
        return [float(cosine == high) for cosine in cosines]
    whole = high - low if len(there) < FEW else max(high - low, APART)
    return [0.0 if cosine is None or cosine < low else (cosine - low) / whole for cosine in cosines]


def few(cosines: Sequence[float | None]) -> bool:
    """Whether these are all there are: fewer than a search compares, and each of them was."""
    return len(cosines) < FEW and None not in cosines


def _half(there: Column) -> int:
    """Where the more alike half begins, or the best eight."""
    return max(0, min((len(there) - 1) // 2, len(there) - HANDFUL))


def blended(rows: Sequence[Row], weights: Weights) -> Column:
    """A weighted mean over the sides that count."""
    keyword = scaled([row.score for row in rows])
    if not weights.vector:
        return keyword
    cosines = [row.cosine for row in rows]
    words = weights.keyword * (1.0 - weights.known * AMONG_FEW) if few(cosines) else weights.keyword
    whole = words + weights.vector
    words, vectors = words / whole, weights.vector / whole
    return [words * word + vectors * cosine for word, cosine in zip(keyword, spread(cosines), strict=True)]


def lent(rows: Sequence[Row], base: Column, weights: Weights) -> Column:
    """What the entries just before and after it in its journal lend to each, and a little those beyond.

    Notes beside each other have nothing to do with each other: one of the two must have been said, and to somebody.
    """
    if not conversing(rows):
        return []
    files = _by_file(rows, base)
    told = [row.type == SPOKEN for row in rows]
    said = (
        files if all(told) else _by_file(rows, [own if spoken else 0.0 for own, spoken in zip(base, told, strict=True)])
    )
    near, far = weights.neighbour, weights.beyond
    found = []
    for row, spoken in zip(rows, told, strict=True):
        beside = (files if spoken else said)[row.file]
        if len(beside) == 1:  # nobody there
            found.append(0.0)
            continue
        of, seq = beside.get, row.seq
        found.append(near * (of(seq - 1, 0.0) + of(seq + 1, 0.0)) + far * (of(seq - 2, 0.0) + of(seq + 2, 0.0)))
    return found


def conversing(rows: Sequence[Row]) -> bool:
    """Whether somebody talks with somebody: people ask, and who has a role talks with an assistant."""
    told = [row for row in rows if row.type == SPOKEN and (row.said or row.role)]
    return any(row.role for row in told) or sum(questions(row.said) for row in told) > CURIOUS * len(told)


def _by_file(rows: Sequence[Row], base: Column) -> dict[str | int, dict[int, float]]:
    found: dict[str | int, dict[int, float]] = {}
    for row, own in zip(rows, base, strict=True):
        found.setdefault(row.file, {})[row.seq] = own
    return found


def answering(rows: Sequence[Row], talk: Sequence[bool], base: Column, weights: Weights) -> Column:
    """What a turn that asks lends to the one after it, among people: the answer has other words than the question."""
    asked = {
        (row.file, row.seq + 1): own
        for row, own, said in zip(rows, base, talk, strict=True)
        if own and said and asks(row.said)
    }
    return [weights.answer * asked.get((row.file, row.seq), 0.0) for row in rows] if asked else []


def by_author(rows: Sequence[Row], question: Question, trusted: Mapping[str, float]) -> Column:
    """1 for what the named authors said, as far as they can be trusted to have, or others about them, unless it asks
    for their own words; or for what is the user's own where the question speaks of oneself."""
    if question.authors:
        told = speaks_of(question.names)
        both = BOTH if len(set(map(called, question.authors))) > 1 else 0.0
        others = 0.0 if question.speakers == question.authors else 1.0  # to hold the name is worth enough there
        speakers = question.speakers if question.anything else ()
        own = {author: worth * (ANYTHING if author in speakers else 1.0) for author, worth in trusted.items()}
        return [_of_whom(own.get(row.author or "", 0.0), told(row.said), (others, both)) for row in rows]
    return [float(_own(row)) for row in rows] if question.first_person else []


def _of_whom(said: float, told: bool, worth: tuple[float, float]) -> float:
    """What somebody said who is meant, what others tell of them, and what one of them tells of another."""
    others, both = worth
    return max(said, others * told) + both * (told and said > 0.0)


def _own(row: Row) -> bool:
    """What the user said, or kept without anybody having said it."""
    if row.author is None and row.role is None:
        return row.type != SPOKEN
    return "user" in (row.role, row.author)


def by_date(rows: Sequence[Row], question: Question) -> Column:
    """How near each entry's day lies to a date that the question names."""
    if not question.dates:
        return []
    days = Days(question.dates, question.only_dated)
    near = [days.nearness(row.time) for row in rows]
    if not question.only_dated:
        return near
    return [
        SAYS if own < SAYS and row.score and says(question.dates, row.said) else own
        for own, row in zip(near, rows, strict=True)
    ]


def by_form(rows: Sequence[Row], talk: Sequence[bool], question: Question, weights: Weights) -> Column:
    """In talk between people, turns that tell count more than turns that ask, and most what can be the answer; of
    anything else what is longer than one piece is taken down: of many the best looks good by chance.

    With an assistant it is not so: there the user's questions say what the user has and wants.
    """
    found = [-weights.long * log(row.size / PIECE) if row.size > PIECE else 0.0 for row in rows]
    if not any(talk):
        return found
    sizes = [log(1 + row.size) for row in rows]
    middle = sum(size for size, said in zip(sizes, talk, strict=True) if said) / sum(talk)
    shapes = ((TIME, weights.time), (NUMBER, weights.number), (NAME, weights.name))
    wanted = [(sign, weight) for sign, weight in shapes if question.form & sign]
    for place, row in enumerate(rows):
        if talk[place]:
            shown = sum(weight * shows(row.said, sign) for sign, weight in wanted)
            found[place] = weights.length * (sizes[place] - middle) - weights.asking * marked(row.said) + shown
    return found


def talk_of(rows: Sequence[Row]) -> list[bool]:
    """Which people said to each other: by name or by nobody knows whom, in sessions without an assistant."""
    assisted = _assisted(rows)
    turns: dict[str | None, int] = {}
    for row in rows:
        if (session := row.session_id) not in assisted:
            turns[session] = turns.get(session, 0) + 1
    return [row.session_id in turns and _by_somebody(row, turns[row.session_id] > 1) for row in rows]


def _assisted(rows: Sequence[Row]) -> set[str | None]:
    """Sessions with an assistant: one that is named so, or one that is not and shows by how long it goes on."""
    found = {row.session_id for row in rows if row.role == "assistant" or row.author == "assistant"}
    told: dict[str | None, list[bool]] = {}
    for row in rows:
        if row.size and row.session_id not in found:
            told.setdefault(row.session_id, []).append(row.size > PIECE)
    found.update(session for session, long in told.items() if sum(long) > TALKATIVE * len(long))
    return found


def _by_somebody(row: Row, answered: bool) -> bool:
    """By name; or by nobody knows whom, if the session has another turn: alone it is rather a note."""
    if row.author is None:
        return answered and row.role is None and row.type == SPOKEN
    return row.author.lower() not in ROLES


def by_words(
    rows: Sequence[Row], held: Sequence[Held], sought: Sought, weights: Weights
) -> tuple[Column, Column, Column]:
    """What the words of a question say: those that stand together in a row, those that its session holds in all, and
    among few whether the row holds nearly all of them itself."""
    names = [row.session_id or row.id for row in rows]
    sessions: dict[str, int] = {}
    for name, (bits, _) in zip(names, held, strict=True):
        sessions[name] = sessions.get(name, 0) | bits
    shares = {bits: weights.session * sought.share(bits) for bits in set(sessions.values())}
    whole: Column = []
    if weights.vector and few([row.cosine for row in rows]):
        whole = [weights.whole * sought.share(bits) ** NEARLY for bits, _ in held]
    return [weights.together * worth for _, worth in held], [shares[sessions[name]] for name in names], whole


class Fused:
    """The match of each row, scaled to the best, and by name what it is the sum of.

    Where more is taken off than there is, the match is nothing: a weight would raise what is below it.
    """

    def __init__(self, parts: Mapping[str, Column]) -> None:
        self._none = dict.fromkeys(parts, 0.0)
        self._some = {name: part for name, part in parts.items() if part}
        every: Iterable[float] = map(sum, zip(*self._some.values(), strict=True))
        sums = [total if total > 0.0 else 0.0 for total in every]
        self.best = max(sums, default=0.0) or 1.0
        self.match = scaled(sums)

    def explained(self, place: int) -> dict[str, float]:
        """Every part of the match of one of the rows; nothing for one that is not among them."""
        if place < 0:
            return dict(self._none)
        return {**self._none, **{name: part[place] / self.best for name, part in self._some.items()}}


def by_asked(rows: Sequence[Row], asked: Sought | None, weights: Weights) -> Column:
    """How much each holds of what is asked, in a long prompt that says much else."""
    if asked is None:
        return []
    return [weights.asked * asked.share(bits) for bits, _ in asked.held([row.said for row in rows])]


def by_name(rows: Sequence[Row], called: Sought | None, weights: Weights) -> Column:
    """Which of them hold an identifier."""
    if called is None:
        return []
    return [weights.called * (bits > 0) for bits, _ in called.held([row.said for row in rows])]


def by_echo(
    rows: Sequence[Row], held: Sequence[Held], question: Question, sought: Sought, weights: Weights
) -> Column:  # fmt: skip
    """What is taken off turns that only ask the same; a note that asks was written down to be found."""
    if not asks_anew(question):
        return []
    turns = [
        row.said if bits and row.type == SPOKEN and row.size <= PIECE else ""
        for row, (bits, _) in zip(rows, held, strict=True)
    ]
    holding = [bits.bit_count() for bits, _ in held]
    return [-weights.echo * echo for echo in echoes(turns, holding, question, sought)]


def fused(
    rows: Sequence[Row], question: Question, words: tuple[Sought, Sought | None, Sought | None],
    trusted: Mapping[str, float], weights: Weights,
) -> Fused:  # fmt: skip
    """All signals together; `words` are those of all that is said, of what a long prompt asks, and its identifiers."""
    sought, asked, called = words
    base, talk = blended(rows, weights), talk_of(rows)
    if question.dates and question.only_dated:
        base, weights = [ALIKE * own for own in base], weights.for_a_day()
    held = sought.held([row.said for row in rows])
    together, session, whole = by_words(rows, held, sought, weights)
    parts: dict[str, Column] = {
        "base": base, "neighbour": lent(rows, base, weights), "answer": answering(rows, talk, base, weights),
        "author": [weights.author * value for value in by_author(rows, question, trusted)],
        "date": [weights.date * value for value in by_date(rows, question)],
        "kind": [weights.kind * (row.type in question.kinds) for row in rows] if question.kinds else [],
        "form": by_form(rows, talk, question, weights), "together": together, "session": session,
        "whole": whole, "asked": by_asked(rows, asked, weights), "called": by_name(rows, called, weights),
        "echo": by_echo(rows, held, question, sought, weights), "newer": [],
    }  # fmt: skip
    found = Fused(parts)
    if question.dates or of_the_past(question.words.terms):
        return found
    newer = restated(rows, found.match, held)
    return Fused({**parts, "newer": [found.best * value for value in newer]}) if newer else found
