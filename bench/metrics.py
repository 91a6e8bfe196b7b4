"""Metrics of ranked retrieval, as pure functions of a ranking and the units that answer a question.

Gains are binary. A question without an answer in the store is not asked, so `gold` is never empty.
Intervals come from a bootstrap over questions: 95 % of the means of resampled questions lie within.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
from itertools import accumulate

_RESAMPLES = 1_000
_SEED = 20261115


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """The share of the evidence that is among the first k."""
    return len(set(gold).intersection(ranked[:k])) / len(set(gold))


def any_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 if any evidence is among the first k."""
    return float(recall_at(ranked, gold, k) > 0)


def all_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 if all evidence is among the first k."""
    return float(recall_at(ranked, gold, k) == 1)


def ndcg_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Discounted gain beside that of the best ranking there could be."""
    wanted = set(gold)
    gain = sum(_discount(place) for place, unit in enumerate(dict.fromkeys(ranked[:k])) if unit in wanted)
    return gain / sum(map(_discount, range(min(k, len(wanted)))))


def _discount(place: int) -> float:
    return 1 / math.log2(place + 2)


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str]) -> float:
    """1 for evidence in the first place, a half in the second, 0 for none."""
    wanted = set(gold)
    return next((1 / (place + 1) for place, unit in enumerate(ranked) if unit in wanted), 0.0)


def within(ranked: Sequence[str], costs: Sequence[int], gold: Collection[str], budget: int) -> float:
    """The share of the evidence in as much of the ranking, from its top, as a budget of tokens pays for."""
    paid = sum(spent <= budget for spent in accumulate(costs))
    return recall_at(ranked, gold, paid)


def mean(values: Sequence[float]) -> float:
    """0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % bootstrap interval of the mean; the same for the same values."""
    if not values:
        return 0.0, 0.0
    chance = random.Random(_SEED)
    means = sorted(mean(chance.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return means[round(0.025 * _RESAMPLES)], means[round(0.975 * _RESAMPLES) - 1]
