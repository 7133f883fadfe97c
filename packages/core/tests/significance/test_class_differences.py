"""Differences of macro averages if a class has few items."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.significance.bootstrap import jackknife_variance, observed_values
from howsure.significance.class_differences import rare_class_error
from howsure.significance.comparison import compare
from howsure.significance.jackknife import paired_jackknife
from howsure.significance.metrics.metric import find_metric
from howsure.significance.resampling_units import Units, build_units
from howsure.significance.systems import Problem

TRUE = np.array([0] * 3 + [1] * 57)


def units_of(baseline: np.ndarray, model: np.ndarray, metric: str, true: np.ndarray = TRUE) -> Units:
    problem = Problem("hard", true, baseline[None], model[None], ("rare", "common"))
    return build_units(problem, [find_metric(metric, "hard")])


def test_the_variance_of_a_class_of_three_by_hand() -> None:
    model = TRUE.copy()
    baseline = np.where(np.arange(60) < 3, 1, 0) * (np.arange(60) < 3) + TRUE * (np.arange(60) >= 3)
    rare = rare_class_error(units_of(baseline, model, "balanced_accuracy"), find_metric("balanced_accuracy", "hard"))
    assert rare is not None
    p = (3 + 1) / 5  # the systems differ on all 3 items
    assert rare == pytest.approx((p / 4 / 2**2, 5), rel=1e-12)  # of 2 classes; only this one varies


@pytest.mark.parametrize("metric", ["macro_f1", "macro_precision", "macro_recall", "balanced_accuracy"])
def test_nothing_is_added_without_few_items_or_differences(metric: str) -> None:
    measure = find_metric(metric, "hard")
    assert rare_class_error(units_of(TRUE, TRUE, metric), measure) is None
    many = np.array([0, 1] * 30)
    assert rare_class_error(units_of(1 - many, many, metric, many), measure) is None
    accuracy = find_metric("accuracy", "hard")
    assert rare_class_error(units_of(TRUE, 1 - TRUE, "accuracy"), accuracy) is None


@pytest.mark.parametrize("metric", ["macro_f1", "macro_precision", "balanced_accuracy"])
def test_exchanged_systems_have_the_same_error(metric: str) -> None:
    rng = np.random.default_rng(0)
    a, b = (np.where(rng.random(60) < 0.7, TRUE, 1 - TRUE) for _ in "ab")
    measure = find_metric(metric, "hard")
    assert rare_class_error(units_of(a, b, metric), measure) == pytest.approx(
        rare_class_error(units_of(b, a, metric), measure), rel=1e-12
    )


def test_three_items_show_no_difference_in_any_method() -> None:
    baseline = np.where(np.arange(60) < 3, 1, TRUE)
    for method in ("permutation", "bootstrap", "jackknife"):
        row = compare(TRUE, baseline, TRUE, metrics="balanced_accuracy", method=method, rng=0)[0]
        assert row.difference == 0.5
        assert (row.low <= 0.0 <= row.high) == (row.p_value > 0.05)
        assert row.p_value > 0.05


def test_the_error_of_the_jackknife_is_its_variance_and_that_of_the_classes() -> None:
    rng = np.random.default_rng(1)
    a, b = (np.where(rng.random(60) < 0.7, TRUE, 1 - TRUE) for _ in "ab")
    metric = find_metric("macro_f1", "hard")
    units = units_of(a, b, "macro_f1")
    first, second = observed_values(units, [metric])[0]
    rare = rare_class_error(units, metric)
    assert rare is not None
    test = paired_jackknife(units, metric, level=0.95)
    assert test.error**2 >= jackknife_variance(units, metric, second - first) * 0.98 + rare[0]
    assert test.degrees_of_freedom <= rare[1]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["permutation", "jackknife"])
def test_coverage_with_a_class_of_two_or_three_items(method: str) -> None:
    rng, runs, covered, rejected = np.random.default_rng(3), 300, 0, 0
    right = np.array([[0.5, 0.95], [0.9, 0.97]])  # of the baseline and of the model, for the rare and the common class
    for _ in range(runs):
        true = rng.permutation(np.arange(40) >= rng.integers(2, 4)).astype(int)
        systems = [np.where(rng.random(40) < shares[true], true, 1 - true) for shares in right]
        row = compare(true, systems[0], systems[1], metrics="balanced_accuracy", method=method, n_resamples=300, rng=0)[
            0
        ]
        covered += row.low <= 0.21 <= row.high
        equal = np.where(rng.random(40) < right[0][true], true, 1 - true)
        same = compare(true, systems[0], equal, metrics="balanced_accuracy", method=method, n_resamples=300, rng=0)[0]
        rejected += same.p_value <= 0.05
    assert covered / runs >= 0.93
    assert rejected / runs <= 0.06
