"""The permutation test against the enumeration of all swaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import f1_score, precision_score, recall_score

from howsure.significance import compare, metric_names, permutation
from howsure.significance import permutation as enumeration
from howsure.significance.metrics.metric import find_metric
from howsure.significance.permutation import exact_p_value, exchange_of, slopes_of
from howsure.significance.units import build_units, row_fingerprints
from tests.significance.made_systems import distributions, labels, problem_of
from tests.significance.plain import slow_permutation_p, studentised, weighted_value
from tests.significance.populations import equal_precision, over_and_under
from tests.significance.simulations import rejection_rates


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "macro_precision", "weighted_f1"])
@pytest.mark.parametrize("alternative", ["two-sided", "better"])
def test_exact_p_is_that_of_all_swaps_of_labels(metric: str, alternative: str) -> None:
    for classes in (2, 3):
        targets, a, b = labels(6, classes, classes, accuracy=(0.3, 0.8))
        row = compare(targets, a, b, metrics=metric, alternative=alternative, interval=None, rng=0)[0]
        assert row.exact
        assert row.p_error == 0
        assert row.p_value == pytest.approx(slow_permutation_p(targets, a, b, metric, alternative), abs=1e-12)


@pytest.mark.parametrize(
    "metric", ["cross_entropy", "entropy_similarity", pytest.param("entropy_correlation", marks=pytest.mark.long)]
)
def test_exact_p_is_that_of_all_swaps_of_distributions(metric: str) -> None:
    targets, a, b = distributions(5, 3, 4)
    row = compare(targets, a, b, metrics=metric, interval=None, rng=0)[0]
    assert row.exact
    assert row.p_value == pytest.approx(slow_permutation_p(targets, a, b, metric), abs=1e-12)


def test_exact_p_is_that_of_all_swaps_of_probabilities() -> None:
    """Enumerated, and then at least that of the normal law, since the metric is the estimate of a square."""
    rng = np.random.default_rng(2)
    targets, a, b = rng.integers(0, 2, 7), 0.02 + 0.12 * rng.random(7), 0.02 + 0.12 * rng.random(7)
    name = "squared_calibration_error"
    row = compare(targets, a, b, metrics=name, interval=None, rng=0)[0]
    tail = 2 * stats.norm.sf(abs(studentised(name, targets, a, b)))
    assert row.p_value == pytest.approx(max(slow_permutation_p(targets, a, b, name), tail), abs=1e-6)


def test_plain_metrics_are_those_of_scikit_learn() -> None:
    targets, a, _ = labels(80, 3, 1)
    weights = np.random.default_rng(1).random(80)
    for average in ("macro", "weighted"):
        for figure, function in (("precision", precision_score), ("recall", recall_score), ("f1", f1_score)):
            expected = function(targets, a, average=average, sample_weight=weights)
            assert weighted_value(f"{average}_{figure}", targets, a, weights) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("metric", ["macro_precision", "macro_recall", "macro_f1", "weighted_precision", "weighted_f1"])
def test_after_any_swap_the_difference_is_over_its_own_standard_error(metric: str) -> None:
    targets, a, b = labels(60, 3, 3, accuracy=(0.5, 0.8))
    problem, metrics = problem_of(targets, a, b, [metric], clusters=np.arange(60))
    units = build_units(problem, metrics)
    prints = row_fingerprints(problem)
    order = np.argsort(prints[units.swapped], kind="stable")
    first, second = (b[order], a[order]) if units.swapped else (a[order], b[order])
    drawn = np.concatenate(list(permutation._exchanged(units, 5, np.random.default_rng(1))))
    found = exchange_of(units, metrics[0]).statistics(drawn)
    for swap, statistic in zip(drawn.astype(bool), found, strict=True):
        one, other = np.where(swap, second, first), np.where(swap, first, second)
        assert statistic == pytest.approx(studentised(metric, targets[order], one, other), rel=1e-5)


@pytest.mark.parametrize("task", ["hard", "soft", "probabilistic"])
def test_the_derivatives_of_a_metric_are_its_differences(task: str) -> None:
    """Central differences, to which metrics without derivatives of their own fall back."""
    rng = np.random.default_rng(0)
    for name in metric_names(task):
        metric = find_metric(name, task)
        if metric.slopes is None:
            continue
        k = 60 if task == "probabilistic" else 12
        sums = 20 + 10 * rng.random((4, k))
        expected = slopes_of(replace(metric, slopes=None), sums, np.full(k, 20.0))
        assert metric.slopes(sums) == pytest.approx(expected, abs=1e-7), name


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.sampled_from(["two-sided", "better", "worse"]))
def test_a_mean_over_its_standard_error_has_the_p_of_the_mean(seed: int, alternative: str) -> None:
    """Why accuracy and losses keep their plain test: their studentised difference grows with the difference."""
    targets, a, b = labels(12, 2, seed, accuracy=(0.4, 0.8))
    problem, metrics = problem_of(targets, a, b, ["accuracy"])
    units = build_units(problem, metrics)
    plain = exchange_of(units, metrics[0])
    over = replace(plain, studentised=True)
    ps = [exact_p_value(one, float(one.statistics(np.zeros((1, len(units))))[0]), alternative) for one in (plain, over)]
    assert ps[0] == pytest.approx(ps[1], abs=1e-12)


@pytest.mark.parametrize(
    ("make", "sets", "data", "options"),
    [
        (over_and_under, 30, {"n": 1000}, {"metrics": "calibration_error"}),
        pytest.param(
            equal_precision, 250, {"n": 500}, {"metrics": "precision", "target_class": 1}, marks=pytest.mark.long
        ),
    ],
    ids=["one too extreme, one not extreme enough", "one predicts five times as often"],
)
def test_equal_values_of_unlike_systems_are_seldom_found_different(make, sets: int, data, options) -> None:
    """Tests of exchangeability reject .6 and .1 of these: the systems differ, the metric does not."""
    rates = rejection_rates(make, sets, data=data, n_resamples=299, **options)
    assert max(rates.values()) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / sets)


def test_sampling_agrees_with_enumeration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts above and below 64, so that both ways to draw a binomial are used."""
    rng = np.random.default_rng(3)
    targets = rng.integers(0, 2, 1500)
    a = np.where(rng.random(1500) < 0.8, targets, 1 - targets)
    b = np.where(rng.random(1500) < 0.81, targets, 1 - targets)
    names = ["accuracy", "macro_f1", "mcc"]
    exact = compare(targets, a, b, metrics=names, interval=None, rng=1)
    monkeypatch.setattr(enumeration, "OUTCOMES", 0)
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
    drawn = np.concatenate(list(permutation._exchanged(units, 4000, np.random.default_rng(0))))
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
