"""Asking: every question of a set, put to every contender in turn, on the stores of that set.

Contenders take turns question by question, who begins rotating, so a busy moment of the machine falls on
all of them. Only the ten best are timed; a longer ranking follows for token budgets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from bench.asked import Asked
from bench.contenders import (
    WITH_MINILM,
    WITHOUT_MODEL,
    BySession,
    Contender,
    Holdfast,
    Ranking,
    has_minilm,
    peers,
)
from bench.recall_data import Question, Store, Unit
from bench.rounds import timed
from holdfast.text.tokens import estimate

TOP = 10
LONGER = 60  # as many turns as 1,200 tokens could pay for
SHOWN = 700  # characters of a unit that are handed over at most: the default of recall.snippet_chars


@dataclass(frozen=True)
class Set:
    """Stores, and how their answers are counted: as units, or as the sessions that hold them."""

    name: str
    what: str
    stores: tuple[Store, ...]
    sessions: bool = False


@dataclass
class Results:
    """What a run found."""

    asked: list[Asked] = field(default_factory=list)
    strangers: list[tuple[str, float]] = field(default_factory=list)  # set, best score of a question asked elsewhere
    units: int = 0
    added_s: float = 0.0
    indexed_s: float = 0.0
    bar: float = 0.0  # context.min_score in force

    def note(self, home: Holdfast, store: Store) -> None:
        """How long this store took to be taken in."""
        self.units += len(store.units)
        self.added_s += home.added_s
        self.indexed_s += home.indexed_s
        self.bar = home.memory.store.settings["context.min_score"]


def ask_set(what: Set, embedder: str, results: Results, progress: Callable[[str], None]) -> None:
    """All stores of a set, one after the other; each also gets the questions of the next."""
    for number, store in enumerate(what.stores):
        progress(f"{what.name}: {store.name}, {number + 1} of {len(what.stores)}")
        strange = what.stores[(number + 1) % len(what.stores)].questions if _comparable(what) else ()
        half = number % 2
        ours, contenders, asked = _contenders(what, store, embedder)
        results.note(ours, store)
        try:
            results.asked += _answers(what, asked, contenders, half)
            results.strangers += [(what.name, _best_score(ours, question)) for question in strange]
        finally:
            for contender in contenders:
                contender.close()


def _comparable(what: Set) -> bool:
    """Whether there is another store of the same kind to be silent in."""
    return len(what.stores) > 1 and not what.sessions


def _contenders(what: Set, store: Store, embedder: str) -> tuple[Holdfast, list[Contender], Store]:
    """The memory itself, all contenders, and the store as it is asked."""
    ours = Holdfast(store, embedder)
    memories = [ours]
    if ours.embedder is not None:
        memories.append(Holdfast(store, "none", WITHOUT_MODEL))
        if has_minilm() and not ours.embedder.identity.startswith("minilm/"):
            memories.append(Holdfast(store, "minilm", WITH_MINILM))
    asked = by_session(store) if what.sessions else store
    home = {unit.id: unit.session for unit in store.units}
    shown = [BySession(memory, home) for memory in memories] if what.sessions else memories
    return ours, [*shown, *peers(asked, ours.embedder)], asked


def _answers(what: Set, store: Store, contenders: Sequence[Contender], half: int) -> Iterator[Asked]:
    costs = {unit.id: estimate(unit.text[:SHOWN]) for unit in store.units}
    halves = _halves(store)
    for contender in contenders:
        contender.rank(store.questions[0].text, TOP)  # warms caches
    for number, question in enumerate(store.questions):
        turn = number % len(contenders)
        found = {one.name: _answer(one, question) for one in (*contenders[turn:], *contenders[:turn])}
        for contender in contenders:
            ranked, longer, cpu_ms = found[contender.name]
            yield Asked(
                what.name, store.name, contender.name, question.text, question.category, question.gold,
                tuple(unit for unit, _ in ranked), tuple(score for _, score in ranked),
                tuple(unit for unit, _ in longer), tuple(costs[unit] for unit, _ in longer), cpu_ms,
                halves.get(question.gold[0].split("/")[0], half),
            )  # fmt: skip


def _answer(contender: Contender, question: Question) -> tuple[Ranking, Ranking, float]:
    """Ten units, timed; then a longer ranking. A contender that finds nothing has answered too."""
    ranked: Ranking = []
    _, cpu_ms = timed(lambda: ranked.extend(contender.rank(question.text, TOP)))
    return ranked, contender.rank(question.text, LONGER), cpu_ms


def _halves(store: Store) -> dict[str, int]:
    """For stores that were pooled: the half of each, by the name that its units carry."""
    names = dict.fromkeys(unit.id.split("/")[0] for unit in store.units if "/" in unit.id)
    return {name: number % 2 for number, name in enumerate(names)}


def by_session(store: Store) -> Store:
    """Whole sessions as units, as contenders without turns would be given them."""
    said: dict[str, list[Unit]] = {}
    for unit in store.units:
        said.setdefault(unit.session, []).append(unit)
    units = [
        Unit(name, "\n".join(f"{unit.author}: {unit.text}" for unit in turns), None, name, turns[0].timestamp)
        for name, turns in said.items()
    ]
    home = {unit.id: unit.session for unit in store.units}
    questions = [
        question._replace(gold=tuple(dict.fromkeys(home[unit] for unit in question.gold)))
        for question in store.questions
    ]
    return store._replace(units=tuple(units), questions=tuple(questions))


def _best_score(ours: Holdfast, question: Question) -> float:
    """The best score that a question gets where its answer is not; 0 for nothing found."""
    return max((score for _, score in ours.rank(question.text, TOP, min_score=0.0)), default=0.0)
