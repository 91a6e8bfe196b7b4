"""Metrics of ranked retrieval, worked out by hand."""

from __future__ import annotations

import math

import pytest

from bench import metrics

RANKED = ["a", "b", "c", "d"]


def test_recall_is_the_share_of_the_evidence_among_the_first() -> None:
    assert metrics.recall_at(RANKED, ("b", "d"), 1) == 0
    assert metrics.recall_at(RANKED, ("b", "d"), 2) == 0.5
    assert metrics.recall_at(RANKED, ("b", "d"), 10) == 1
    assert metrics.recall_at(RANKED, ("b", "x"), 10) == 0.5


def test_evidence_that_is_named_twice_counts_once() -> None:
    assert metrics.recall_at(RANKED, ("b", "b"), 2) == 1


def test_any_and_all_are_yes_or_no() -> None:
    assert (metrics.any_at(RANKED, ("b", "d"), 2), metrics.all_at(RANKED, ("b", "d"), 2)) == (1, 0)
    assert (metrics.any_at(RANKED, ("b", "d"), 4), metrics.all_at(RANKED, ("b", "d"), 4)) == (1, 1)
    assert (metrics.any_at(RANKED, ("d",), 2), metrics.all_at(RANKED, ("d",), 2)) == (0, 0)


def test_ndcg_is_one_for_the_best_ranking_there_could_be() -> None:
    assert metrics.ndcg_at(["b", "d", "a"], ("b", "d"), 10) == 1
    assert metrics.ndcg_at([str(number) for number in range(10)], [str(number) for number in range(30)], 10) == 1


def test_ndcg_falls_with_the_logarithm_of_the_place() -> None:
    assert metrics.ndcg_at(RANKED, ("c",), 10) == pytest.approx(1 / math.log2(4))
    both = (1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3))
    assert metrics.ndcg_at(RANKED, ("b", "d"), 10) == pytest.approx(both)
    assert metrics.ndcg_at(RANKED, ("d",), 3) == 0


def test_a_unit_that_is_ranked_twice_gains_once() -> None:
    assert metrics.ndcg_at(["a", "a", "a"], ("a",), 10) == 1


def test_the_reciprocal_rank_is_that_of_the_first_evidence() -> None:
    assert metrics.reciprocal_rank(RANKED, ("d", "c")) == pytest.approx(1 / 3)
    assert metrics.reciprocal_rank(RANKED, ("x",)) == 0


def test_a_budget_pays_from_the_top_and_stops_at_what_it_cannot_pay() -> None:
    costs = [100, 250, 10, 10]
    assert metrics.within(RANKED, costs, ("a", "c"), 99) == 0
    assert metrics.within(RANKED, costs, ("a", "c"), 100) == 0.5
    assert metrics.within(RANKED, costs, ("a", "c"), 349) == 0.5
    assert metrics.within(RANKED, costs, ("a", "c"), 360) == 1


def test_an_interval_holds_the_mean_narrows_with_more_and_repeats() -> None:
    few, many = [0.0, 1.0] * 10, [0.0, 1.0] * 500
    low, high = metrics.interval(few)
    assert low < 0.5 < high
    tighter = metrics.interval(many)
    assert tighter[1] - tighter[0] < (high - low) / 3
    assert metrics.interval(few) == (low, high)


def test_an_interval_of_equal_values_is_a_point_and_of_nothing_nothing() -> None:
    assert metrics.interval([0.7] * 9) == (pytest.approx(0.7), pytest.approx(0.7))
    assert metrics.interval([]) == (0.0, 0.0)
    assert metrics.mean([]) == 0.0
