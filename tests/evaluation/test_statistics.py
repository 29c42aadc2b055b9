"""Intervals and tests against scipy, closed forms, and coverage that is counted."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from clew.errors import InputError
from clew.evaluation.calibration import calibrate
from clew.evaluation.statistics import Interval, estimates, holm, mcnemar, paired_permutation


@pytest.mark.parametrize(("kind", "method"), [("percentile", "percentile"), ("bca", "BCa")])
def test_intervals_agree_with_scipy(kind: Interval, method: str) -> None:
    values = np.random.default_rng(3).beta(0.4, 0.2, 300)
    (mine,) = estimates(values[:, None], np.ones((300, 1)), samples=20_000, kind=kind)
    theirs = stats.bootstrap((values,), np.mean, n_resamples=20_000, method=method, rng=1).confidence_interval
    assert mine.value == pytest.approx(values.mean())
    assert mine.low == pytest.approx(theirs.low, abs=0.002)
    assert mine.high == pytest.approx(theirs.high, abs=0.002)


def test_a_ratio_of_sums_agrees_with_scipy() -> None:
    rng = np.random.default_rng(5)
    bottom = rng.integers(1, 9, 200).astype(float)
    top = rng.binomial(bottom.astype(int), 0.7).astype(float)

    def ratio(a: np.ndarray, b: np.ndarray, axis: int = -1) -> np.ndarray:
        return a.sum(axis=axis) / b.sum(axis=axis)

    (mine,) = estimates(top[:, None], bottom[:, None], samples=10_000)
    theirs = stats.bootstrap((top, bottom), ratio, paired=True, n_resamples=10_000, method="BCa", rng=1)
    assert mine.low == pytest.approx(theirs.confidence_interval.low, abs=0.003)
    assert mine.high == pytest.approx(theirs.confidence_interval.high, abs=0.003)


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(7)
    table = rng.binomial(1, 0.7, (150, 300)).astype(float)
    found = estimates(table, np.ones_like(table), samples=400)
    covered = np.mean(
        [each.low <= 0.7 <= each.high for each in found if each.low is not None and each.high is not None]
    )
    assert 0.90 < covered < 0.985


def test_same_seed_same_interval_and_what_does_not_apply() -> None:
    values = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    weights = np.array([[1.0, 0.0]] * 3)
    first, second = (estimates(values, weights, samples=50, seed=4) for _ in range(2))
    assert first == second
    assert first[1].value is None
    assert first[1].n == 0
    assert str(first[1]) == "–"
    constant = estimates(np.ones((5, 1)), np.ones((5, 1)), samples=50)[0]
    assert (constant.value, constant.low, constant.high) == (1, 1, 1)
    assert estimates(values[:, :1], weights[:, :1], samples=0)[0].low is None


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_exact_binomial_test(first: int, second: int) -> None:
    expected = stats.binomtest(first, first + second, 0.5).pvalue if first + second else 1.0
    assert mcnemar(first, second) == pytest.approx(expected)


def test_mcnemar_on_large_counts() -> None:
    assert mcnemar(900, 1000) == pytest.approx(stats.binomtest(900, 1900, 0.5).pvalue)
    assert mcnemar(3, 5000) == 0.0
    assert mcnemar(1, 1000) == pytest.approx(2 * (1 + 1001) / 2**1001)


@given(st.lists(st.integers(-3, 3), max_size=9))
def test_permutation_is_exact_on_few_pairs(gaps: list[int]) -> None:
    extreme = [abs(sum(s * g for s, g in zip(signs, gaps, strict=True))) >= abs(sum(gaps))
               for signs in product((1, -1), repeat=len(gaps))]  # fmt: skip
    assert paired_permutation(gaps) == pytest.approx(np.mean(extreme))


def test_permutation_on_many_pairs_agrees_with_scipy() -> None:
    gaps = np.random.default_rng(2).normal(0.1, 1, 300)
    theirs = stats.permutation_test(
        (gaps, np.zeros(300)), lambda a, b, axis: (a - b).mean(axis=axis), permutation_type="samples",
        vectorized=True, n_resamples=9999, rng=3,
    )  # fmt: skip
    assert paired_permutation(gaps) == pytest.approx(theirs.pvalue, abs=0.02)
    assert paired_permutation(np.ones(300)) == pytest.approx(1 / 10_001)


def test_equal_systems_are_rarely_called_different() -> None:
    rng = np.random.default_rng(11)
    p = [paired_permutation(rng.normal(0, 1, 40), samples=300, seed=i) for i in range(300)]
    assert 0.02 < np.mean(np.array(p) < 0.05) < 0.09


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_calibration_by_hand() -> None:
    found = calibrate([0.95, 0.85, 0.85, 0.15], [1, 1, 0, 0], unanswered=1)
    assert found.ece == pytest.approx((0.05 + 2 * 0.35 + 0.15) / 4)
    assert found.brier == pytest.approx((0.05**2 + 0.15**2 + 0.85**2 + 0.15**2) / 4)
    assert [(b.n, b.accuracy) for b in found.bins] == [(1, 0), (2, 0.5), (1, 1)]
    assert found.coverage == pytest.approx((1 / 5, 3 / 5, 4 / 5))
    assert found.risk == pytest.approx((0, 1 / 3, 1 / 2))
    assert found.aurc == pytest.approx((0.4 * (1 / 6) + 0.2 * (5 / 12)) / 0.8)
    assert calibrate([1.0], [1]).ece == 0
    nobody = calibrate([], [], unanswered=3)
    assert (nobody.n, nobody.aurc, nobody.coverage) == (0, None, ())
    with pytest.raises(InputError, match=r"expected numbers in \[0, 1\]"):
        calibrate([1.2], [1])
    with pytest.raises(InputError, match="2 confidences for 1"):
        calibrate([0.2, 0.3], [1])


def test_binomial_tail_closed_form() -> None:
    assert mcnemar(2, 8) == pytest.approx(2 * sum(comb(10, k) for k in range(3)) / 2**10)
