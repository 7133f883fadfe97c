"""Tests of means: exact ones, the literature's formulas, and how often they err."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, ttest_1samp, ttest_ind

from howsure.check.mean_score import MeanScore, mean_difference, mean_score
from howsure.inputs.pairs import Floats

LIMITS = st.floats(0.05, 0.95)


@given(st.integers(0, 30), st.integers(1, 30), LIMITS)
def test_shares_have_the_exact_binomial_test(right: int, wrong: int, limit: float) -> None:
    values = np.repeat([1.0, 0.0], [right, wrong])
    test, n = mean_score(values, None), right + wrong
    above, below = binom.sf(right - 1, n, limit), binom.cdf(right, n, limit)
    assert test.p_above(limit) == pytest.approx(above if right / n > limit else 1.0)
    assert test.p_below(limit) == pytest.approx(below if right / n < limit else 1.0)


def test_without_skewness_it_is_the_t_test() -> None:
    values = np.array([1.0, 2.0, 4.0, 6.0, 7.0, 4.0])
    test = mean_score(values, None)
    assert test.lean == pytest.approx(0.0, abs=1e-12)
    assert test.p_above(3.0) == pytest.approx(ttest_1samp(values, 3.0, alternative="greater").pvalue)
    assert test.p_below(5.5) == pytest.approx(ttest_1samp(values, 5.5, alternative="less").pvalue)


def test_the_variance_over_clusters() -> None:
    rng = np.random.default_rng(1)
    clusters = rng.integers(0, 8, 50)
    values = rng.normal(size=50) + clusters
    residuals = np.array([(values[clusters == c] - values.mean()).sum() for c in range(8)])
    assert mean_score(values, clusters).variance == pytest.approx(8 / 7 * (residuals**2).sum() / 50**2, rel=1e-12)
    alone = mean_score(values, np.arange(50))
    assert alone.variance == pytest.approx(mean_score(values, None).variance, rel=1e-12)


def test_the_difference_of_two_runs_is_welch() -> None:
    a, b = np.array([3.0, 4.0, 5.0, 4.0]), np.array([1.0, 2.0, 3.0, 2.0, 2.0])
    test = mean_score(a, None).minus(mean_score(b, None))
    assert test.p_above(0.5) == pytest.approx(ttest_ind(a - 0.5, b, equal_var=False, alternative="greater").pvalue)


def test_bounds_and_p_values_are_the_same_test() -> None:
    rng = np.random.default_rng(3)
    for values, clusters in (
        (rng.exponential(1, 60), None),
        ((rng.random(80) < 0.9).astype(float), None),
        ((rng.random(80) < 0.7).astype(float), np.arange(80) // 4),
        (np.ones(20), None),
    ):
        test = mean_score(values, clusters)
        low, high = test.bounds(0.05)
        assert test.p_above(low - 1e-6) <= 0.05 <= test.p_above(low + 1e-6)
        if high < 1 or not set(values) <= {0.0, 1.0}:
            assert test.p_below(high + 1e-6) <= 0.05 <= test.p_below(high - 1e-6)


def test_scores_that_do_not_vary_say_nothing_but_of_shares() -> None:
    same = mean_score(np.full(50, 0.4), None)
    assert (same.p_above(0.1), same.p_below(0.9)) == (1.0, 1.0)
    assert np.isnan(same.bounds(0.05)).all()
    right = mean_score(np.ones(50), None)
    assert right.p_above(0.9) == pytest.approx(0.9**50)
    assert right.bounds(0.05)[0] == pytest.approx(0.05 ** (1 / 50), abs=1e-6)


def test_items_on_which_both_agree_are_no_certainty() -> None:
    values = np.repeat([1.0, 0.0], 10)
    assert mean_difference(values, values, None).p_above(-0.02) > 0.05
    many = np.repeat([1.0, 0.0], 1000)
    assert mean_difference(many, many, None).p_above(-0.02) < 0.001


def test_clusters_make_shares_less_certain() -> None:
    values = np.repeat((np.arange(40) % 10 != 0).astype(float), 5)
    clusters = np.repeat(np.arange(40), 5)
    assert mean_score(values, clusters).p_above(0.8) > mean_score(values, None).p_above(0.8)
    assert mean_score(values, clusters).effective == pytest.approx(39, abs=1e-9)


def test_the_rows_needed_give_a_verdict_as_often_as_they_should() -> None:
    needed = mean_score(np.repeat([1.0, 0.0], [85, 15]), None).rows_needed(0.8, 0.05)
    assert needed is not None
    k = np.arange(needed + 1)
    passing = k[binom.sf(k - 1, needed, 0.8) <= 0.05]
    assert 0.75 < binom.sf(passing.min() - 1, needed, 0.85) < 0.87
    assert mean_score(np.repeat([1.0, 0.0], [80, 20]), None).rows_needed(0.8, 0.05) is None


def skewed(rng: np.random.Generator) -> MeanScore:
    return mean_score(rng.exponential(1.0, 150), None)


def paired(rng: np.random.Generator) -> MeanScore:
    a, b = ((rng.random(100) < 0.8).astype(float) for _ in range(2))
    return mean_difference(a, b, None)


def clustered(rng: np.random.Generator) -> MeanScore:
    clusters = np.repeat(np.arange(40), 5)
    p: Floats = np.where(rng.random(40) < 0.5, 0.9, 0.7)[clusters]
    return mean_score((rng.random(200) < p).astype(float), clusters)


@pytest.mark.parametrize(("draw", "limit"), [(skewed, 1.0), (paired, 0.0), (clustered, 0.8)])
def test_the_type_1_error_at_the_limit(draw, limit: float) -> None:
    rng = np.random.default_rng(17)
    tests = [draw(rng) for _ in range(800)]
    assert np.mean([one.p_above(limit) <= 0.05 for one in tests]) <= 0.076  # .05 and 3.4 standard errors
    assert np.mean([one.p_below(limit) <= 0.05 for one in tests]) <= 0.076


@pytest.mark.parametrize("m", [3, 4, 5, 8])
@pytest.mark.parametrize("size", [1, 100])
def test_so_many_clusters_are_so_many_votes(m: int, size: int) -> None:
    """If one model is right everywhere and the other nowhere, p is about that of the sign test."""
    right, clusters = np.ones(m * size), np.repeat(np.arange(m), size)
    test = mean_difference(right, 1 - right, clusters if size > 1 else None)
    assert 0.6 < test.p_above(0.0) / 0.5**m < 1.3
    assert np.isnan(test.bounds(0.05)).all() == (m < 5)


def test_clusters_that_hardly_differ_are_no_more_than_so_many() -> None:
    scores = np.ones(300)
    scores[-1] = 0.5
    assert mean_difference(scores, np.zeros(300), np.repeat(np.arange(3), 100)).p_above(0.0) == pytest.approx(1 / 8)


def test_rounding_is_no_difference_and_no_variation() -> None:
    scores = np.random.default_rng(0).random(200).round(2)
    test = mean_difference(scores + 0.1, scores, None)
    assert (test.variance, test.p_above(0.0)) == (0.0, 1.0)
