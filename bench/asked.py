"""Asked: one question put to one contender, what came back, and the tables that many of them become."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bench import metrics

BUDGETS = (300, 600, 1_200)
ADVERSARIAL = "adversarial"  # LoCoMo's questions that name the wrong speaker on purpose: never part of a total


@dataclass(frozen=True)
class Asked:
    """A question's answer by one contender: ten units best first, and a longer ranking with what each costs."""

    set: str
    store: str
    contender: str
    question: str
    category: str
    gold: tuple[str, ...]
    ranked: tuple[str, ...]
    scores: tuple[float, ...]
    longer: tuple[str, ...]
    costs: tuple[int, ...]
    cpu_ms: float
    half: int

    def score(self, name: str) -> float:
        return METRICS[name](self)

    @property
    def evidence(self) -> list[float]:
        """The scores of those of the ten that are evidence."""
        return [score for unit, score in zip(self.ranked, self.scores, strict=False) if unit in self.gold]

    def to_json(self) -> str:
        shown: dict[str, Any] = {
            "set": self.set, "store": self.store, "contender": self.contender, "category": self.category,
            "question": self.question, "gold": self.gold, "ranked": self.ranked, "scores": self.scores,
            "half": self.half, "cpu_ms": round(self.cpu_ms, 3),
            **{name: round(self.score(name), 4) for name in METRICS},
        }  # fmt: skip
        return json.dumps(shown, ensure_ascii=False)


def _budgeted(budget: int) -> Callable[[Asked], float]:
    return lambda a: metrics.within(a.longer, a.costs, a.gold, budget)


METRICS: dict[str, Callable[[Asked], float]] = {
    "R@5": lambda a: metrics.recall_at(a.ranked, a.gold, 5),
    "R@10": lambda a: metrics.recall_at(a.ranked, a.gold, 10),
    "NDCG@10": lambda a: metrics.ndcg_at(a.ranked, a.gold, 10),
    "MRR": lambda a: metrics.reciprocal_rank(a.ranked, a.gold),
    "any@5": lambda a: metrics.any_at(a.ranked, a.gold, 5),
    "any@10": lambda a: metrics.any_at(a.ranked, a.gold, 10),
    "all@5": lambda a: metrics.all_at(a.ranked, a.gold, 5),
    "all@10": lambda a: metrics.all_at(a.ranked, a.gold, 10),
    **{f"{budget} tokens": _budgeted(budget) for budget in BUDGETS},
}
MAIN = ("R@5", "R@10", "NDCG@10")
RANKED = tuple(name for name in METRICS if not name.endswith("tokens"))
BUDGETED = tuple(name for name in METRICS if name.endswith("tokens"))


def answerable(asked: Iterable[Asked]) -> list[Asked]:
    """What a total counts: all but questions that are asked wrongly on purpose."""
    return [one for one in asked if one.category != ADVERSARIAL]


def figures(asked: Sequence[Asked], names: Sequence[str]) -> dict[str, float]:
    """Means in percent."""
    return {name: 100 * metrics.mean([one.score(name) for one in asked]) for name in names}


def bounds(asked: Sequence[Asked], name: str) -> tuple[float, float]:
    """The 95 % interval in percent."""
    low, high = metrics.interval([one.score(name) for one in asked])
    return 100 * low, 100 * high


def grouped(asked: Iterable[Asked], by: Callable[[Asked], str]) -> dict[str, list[Asked]]:
    """By a name, in the order of first appearance."""
    found: dict[str, list[Asked]] = {}
    for one in asked:
        found.setdefault(by(one), []).append(one)
    return found


def total_table(asked: Sequence[Asked], budgets: bool = True) -> str:
    """A row a contender: every metric over all answerable questions, intervals for the main ones."""
    rows, names = [], [*RANKED, *(BUDGETED if budgets else ())]
    for contender, theirs in grouped(answerable(asked), lambda one: one.contender).items():
        shown = figures(theirs, names)
        cells = [
            _with_bounds(shown[name], bounds(theirs, name)) if name in MAIN else _one(shown[name]) for name in shown
        ]
        rows.append([contender, str(len(theirs)), *cells])
    return pipes(["all questions", "n", *names], rows)


def category_table(asked: Sequence[Asked]) -> str:
    """A row for each category and contender."""
    rows = []
    for category, ours in sorted(grouped(asked, lambda one: one.category).items()):
        for contender, theirs in grouped(ours, lambda one: one.contender).items():
            rows.append([category, contender, str(len(theirs)), *map(_one, figures(theirs, RANKED).values())])
    return pipes(["category", "contender", "n", *RANKED], rows)


def halves_table(asked: Sequence[Asked]) -> str:
    """The main figures on both halves of the stores."""
    rows = []
    for contender, theirs in grouped(answerable(asked), lambda one: one.contender).items():
        for half in (0, 1):
            part = [one for one in theirs if one.half == half]
            if part:
                name = f"{'odd' if half == 0 else 'even'} stores"
                rows.append([contender, name, str(len(part)), *map(_one, figures(part, MAIN).values())])
    return pipes(["contender", "half", "n", *MAIN], rows)


def _with_bounds(value: float, between: tuple[float, float]) -> str:
    return f"{value:.1f} [{between[0]:.1f}, {between[1]:.1f}]"


def _one(value: float) -> str:
    return f"{value:.1f}"


def pipes(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, aligned for those who read it in a terminal."""
    widths = [max(len(row[place]) for row in (header, *rows)) for place in range(len(header))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
             for row in (header, *rows)]  # fmt: skip
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)
