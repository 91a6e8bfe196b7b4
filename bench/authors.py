"""Authors: what ranking by who is meant costs where author names are wrong or missing (LoCoMo).

The names of a store's authors are shuffled over its turns, or taken away; the pipeline must do about as well
as without author signals. Those are switched off by hiding the authors of a scope from the question.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from bench.asked import MAIN, pipes
from bench.contenders import Holdfast, Ranking
from bench.metrics import mean, ndcg_at, recall_at
from bench.recall_data import Store
from holdfast.recall import searching

_SEED = 20261115


def as_it_is(store: Store) -> Store:
    return store


def shuffled(store: Store) -> Store:
    """Every turn keeps its words and gets the name of some other turn's author."""
    names = [unit.author for unit in store.units]
    random.Random(_SEED).shuffle(names)
    units = (unit._replace(author=name) for unit, name in zip(store.units, names, strict=True))
    return store._replace(units=tuple(units))


def removed(store: Store) -> Store:
    return store._replace(units=tuple(unit._replace(author=None) for unit in store.units))


@contextmanager
def unsigned() -> Iterator[None]:
    """Within this block no question is read against the names of authors."""
    most, searching.MOST_AUTHORS = searching.MOST_AUTHORS, 0
    try:
        yield
    finally:
        searching.MOST_AUTHORS = most


VARIANTS: dict[str, Callable[[Store], Store]] = {"as they are": as_it_is, "shuffled": shuffled, "removed": removed}


def authors_table(stores: Sequence[Store], embedder: str) -> tuple[str, list[dict[str, object]]]:
    """The main figures for each state of the names, with the signals and without."""
    found = [row for name, change in VARIANTS.items() for row in _variant(name, list(map(change, stores)), embedder)]
    rows = [[str(row["authors"]), str(row["signals"]), *(f"{row[name]:.1f}" for name in MAIN)] for row in found]
    return pipes(["author names", "author signals", *MAIN], rows), found


def _variant(name: str, stores: Sequence[Store], embedder: str) -> list[dict[str, object]]:
    scores: dict[str, list[tuple[float, float, float]]] = {"on": [], "off": []}
    for store in stores:
        ours = Holdfast(store, embedder)
        for question in store.questions:
            if question.category != "adversarial":
                scores["on"].append(_score(ours.rank(question.text, 10), question.gold))
                with unsigned():
                    scores["off"].append(_score(ours.rank(question.text, 10), question.gold))
        ours.close()
    return [
        {"authors": name, "signals": signals, **{
            metric: 100 * mean([one[place] for one in got]) for place, metric in enumerate(MAIN)
        }}
        for signals, got in scores.items()
    ]  # fmt: skip


def _score(found: Ranking, gold: tuple[str, ...]) -> tuple[float, float, float]:
    ranked = [unit for unit, _ in found]
    return recall_at(ranked, gold, 5), recall_at(ranked, gold, 10), ndcg_at(ranked, gold, 10)
