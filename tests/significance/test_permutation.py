"""The permutation test against the enumeration of all swaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from howsure.significance import compare, permutation
from howsure.significance.units import build_units
from tests.significance.systems import distributions, labels, problem_of, slow_permutation_p


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "weighted_f1"])
@pytest.mark.parametrize("alternative", ["two-sided", "better"])
@pytest.mark.parametrize("classes", [2, 3])
def test_exact_p_is_that_of_all_swaps_of_labels(metric: str, alternative: str, classes: int) -> None:
    for seed in range(3):
        targets, a, b = labels(6, classes, seed, accuracy=(0.3, 0.8))
        row = compare(targets, a, b, metrics=metric, alternative=alternative, interval=None, rng=0)[0]
        assert row.exact
        assert row.p_error == 0
        assert row.p_value == pytest.approx(slow_permutation_p(targets, a, b, metric, alternative), abs=1e-12)


@pytest.mark.parametrize("metric", ["cross_entropy", "entropy_correlation"])
def test_exact_p_is_that_of_all_swaps_of_distributions(metric: str) -> None:
    targets, a, b = distributions(8, 3, 4)
    row = compare(targets, a, b, metrics=metric, interval=None, rng=0)[0]
    assert row.exact
    assert row.p_value == pytest.approx(slow_permutation_p(targets, a, b, metric), abs=1e-12)


def test_sampling_agrees_with_enumeration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts above and below 64, so that both ways to draw a binomial are used."""
    rng = np.random.default_rng(3)
    targets = rng.integers(0, 2, 1500)
    a = np.where(rng.random(1500) < 0.8, targets, 1 - targets)
    b = np.where(rng.random(1500) < 0.81, targets, 1 - targets)
    names = ["accuracy", "macro_f1", "mcc"]
    exact = compare(targets, a, b, metrics=names, interval=None, rng=1)
    monkeypatch.setattr(permutation, "OUTCOMES", 0)
    sampled = compare(targets, a, b, metrics=names, interval=None, rng=1, n_resamples=20_000)
    for one, other in zip(exact, sampled, strict=True):
        assert one.exact
        assert not other.exact
        assert other.p_error == pytest.approx(np.sqrt(one.p_value * (1 - one.p_value) / 20_000), rel=0.1)
        assert abs(one.p_value - other.p_value) < 4 * other.p_error + 1 / 20_000


@pytest.mark.parametrize("counts", [[1, 1, 1], [3, 7, 20], [64, 33, 65], [200, 1, 90]])
def test_swaps_are_binomial(counts: list[int]) -> None:
    targets = np.repeat([0, 1, 2], counts)
    problem, metrics = problem_of(targets, targets, (targets + 1) % 3, ["accuracy"])
    units = build_units(problem, metrics)
    drawn = np.concatenate(list(permutation._swaps(units, 4000, np.random.default_rng(0))))
    for column, count in zip(drawn.T, units.counts, strict=True):
        expected = 4000 * stats.binom(count, 0.5).pmf(np.arange(count + 1))
        observed = np.bincount(column.astype(int), minlength=count + 1)
        rare = expected < 5
        observed, expected = (np.append(one[~rare], one[rare].sum()) for one in (observed, expected))
        assert stats.chisquare(observed[expected > 0], expected[expected > 0]).pvalue > 1e-4


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_p_is_valid_and_never_zero(seed: int, classes: int) -> None:
    targets, a, b = labels(25, classes, seed)
    for row in compare(targets, a, b, n_resamples=99, interval=None, rng=seed):
        assert 0 < row.p_value <= 1
        assert row.p_value <= row.p_adjusted <= 1
