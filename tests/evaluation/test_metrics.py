from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satori.evaluation.metrics import hit_at, mean, ndcg, percentile, share


def test_ndcg_of_one_target_is_the_discount_of_its_rank() -> None:
    """One target at rank 3 is worth 1 / log2(4), computed by hand."""
    assert ndcg([0, 0, 1], [1]) == pytest.approx(0.5)


def test_ndcg_of_two_targets_by_hand() -> None:
    """Gains 1 and 0.5 at ranks 2 and 1 over the ideal order: (0.5 + 1/log2 3) / (1 + 0.5/log2 3)."""
    expected = (0.5 + 1 / math.log2(3)) / (1 + 0.5 / math.log2(3))
    assert ndcg([0.5, 1], [1, 0.5]) == pytest.approx(expected)
    assert expected == pytest.approx(0.8597, abs=1e-4)


def test_ndcg_ignores_what_is_past_k_and_is_zero_without_targets() -> None:
    """Rank 11 earns nothing at k = 10; no target, no score."""
    assert ndcg([0] * 10 + [1], [1], k=10) == 0
    assert ndcg([0, 0], []) == 0


def test_ndcg_counts_only_the_best_k_targets_in_the_ideal() -> None:
    """With twenty targets, ten found first are a perfect ten."""
    assert ndcg([1] * 10, [1] * 20, k=10) == pytest.approx(1)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=12))
def test_ndcg_stays_between_zero_and_one_and_is_one_for_the_ideal_order(gains: list[float]) -> None:
    """No ranking of the ideal's own gains beats the ideal."""
    assert 0 <= ndcg(gains, gains) <= 1 + 1e-9
    if any(gains):
        assert ndcg(sorted(gains, reverse=True), gains) == pytest.approx(1)


def test_hit_at_counts_ranks_up_to_k_and_never_the_missing() -> None:
    """Ranks 1, 5, 6 and none: a quarter at 1, half at 5."""
    assert hit_at([1, 5, 6, None], 1) == 0.25
    assert hit_at([1, 5, 6, None], 5) == 0.5
    assert hit_at([], 1) == 0


def test_share_and_mean_of_nothing_are_zero() -> None:
    """Empty input is no division by zero."""
    assert share([]) == 0 == mean([])
    assert share([True, False, True, True]) == 0.75
    assert mean([1.0, 2.0]) == 1.5


@pytest.mark.parametrize(("percent", "expected"), [(50, 5.0), (95, 10.0), (100, 10.0), (0, 1.0), (10, 1.0), (11, 2.0)])
def test_percentile_is_the_nearest_rank(percent: float, expected: float) -> None:
    """Of 1..10 the p-th percentile is the ceil(p / 10)-th value, at least the first."""
    assert percentile([float(value) for value in range(10, 0, -1)], percent) == expected
    assert percentile([], percent) == 0
