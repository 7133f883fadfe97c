"""Clusters: the value and its jackknife against loops that really leave clusters out."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import t as student

from howsure.calibration.binning import bin_pairs
from howsure.calibration.clusters import cluster_sums, clustered_mse, clustered_standard_errors
from howsure.calibration.error import SquaredError, debiased_mse
from howsure.calibration.judging import calibration_curve
from howsure.stats.pairs import Pairs
from tests.calibration import reference
from tests.calibration.samples import Small, pairs_of, small_pairs


def clustered(pairs: Pairs, bin_size: int) -> SquaredError:
    binned = bin_pairs(pairs, bin_size=bin_size)
    return clustered_mse(cluster_sums(pairs, binned.bins_of(pairs.probabilities), len(binned.sums)))


@given(small_pairs(max_size=18))
@settings(max_examples=80)
def test_value_and_variance_are_the_loops(small: Small) -> None:
    found = clustered(pairs_of(small, clusters=True), small.bin_size)
    bins = reference.adaptive_bins(reference.rows_of(small.y, small.q, small.w, small.clusters), small.bin_size)
    value, spread = reference.clustered_value(bins), reference.jackknife(bins)
    if value is None:
        assert math.isnan(found.value)
        return
    least, noise, slope_below = reference.cluster_noise(bins)
    assert found.value == pytest.approx(float(value), abs=1e-12)
    assert found.least == pytest.approx(float(least), abs=1e-12)
    assert found.variance == pytest.approx(float(max(spread - least, least)), abs=1e-12)
    assert found.slope_below == pytest.approx(float(slope_below), abs=1e-12)
    assert found.slope_above == pytest.approx(float(2 * least / noise) if noise else 0.0, abs=1e-9)
    assert found.degrees_of_freedom == len(set(small.clusters)) - 1


@given(small_pairs(max_size=20))
def test_clusters_of_one_pair_give_the_value_without_clusters(small: Small) -> None:
    pairs = pairs_of(small)
    alone = Pairs(pairs.labels, pairs.probabilities, pairs.weights, clusters=np.arange(len(small)))
    plain = debiased_mse(bin_pairs(pairs, bin_size=small.bin_size).sums)
    assert clustered(alone, small.bin_size).value == pytest.approx(plain.value, abs=1e-12, nan_ok=True)


def test_a_cluster_of_copies_counts_once() -> None:
    """Ten copies of every pair in one cluster: the same value, and an interval as if they were not there."""
    rng = np.random.default_rng(10)
    q = rng.random(60).round(1)
    y = (rng.random(60) < q**2).astype(np.uint8)
    once = clustered(Pairs(y, q, clusters=np.arange(60)), 6)
    copied = clustered(Pairs(np.repeat(y, 10), np.repeat(q, 10), clusters=np.repeat(np.arange(60), 10)), 60)
    assert copied.value == pytest.approx(once.value, abs=1e-12)
    assert copied.interval(0.95) == pytest.approx(once.interval(0.95), abs=1e-12)


def test_one_cluster_has_no_interval() -> None:
    estimate = calibration_curve([0, 1, 1, 0], [0.1, 0.6, 0.7, 0.3], clusters=[5, 5, 5, 5], bin_size=2).debiased_error
    assert math.isnan(estimate.value)
    assert estimate.low is None
    assert estimate.high is None


def test_two_clusters_that_need_each_other() -> None:
    """Without either of them there is no pair of different clusters left: a long interval, and no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        curve = calibration_curve([0, 1, 1, 0], [0.1, 0.6, 0.7, 0.3], clusters=["a", "a", "b", "b"], bin_size=4)
    low, high = curve.debiased_error.low, curve.debiased_error.high
    assert low is not None
    assert high is not None
    assert low == 0.0
    assert high > 0.5


def test_standard_error_of_a_bin_is_that_of_means_of_clusters() -> None:
    """For clusters of one size: the standard error of the mean of the clusters' means."""
    rng = np.random.default_rng(11)
    y = (rng.random(200) < 0.4).astype(np.uint8)
    pairs = Pairs(y, np.full(200, 0.3), clusters=np.arange(200) // 10)
    cells = cluster_sums(pairs, np.zeros(200, dtype=np.int64), 1)
    error, n = clustered_standard_errors(cells)
    means = y.reshape(20, 10).mean(axis=1)
    assert n.tolist() == [20]
    assert error.item() == pytest.approx(means.std(ddof=1) / math.sqrt(20), abs=1e-14)


def test_correlated_labels_make_longer_intervals() -> None:
    rng = np.random.default_rng(12)
    clusters = np.repeat(np.arange(100), 20)
    q = rng.beta(0.3, 0.7, 2_000)
    y = rng.random(100)[clusters] < q
    naive, aware = (calibration_curve(y, q, bin_size=200, clusters=held) for held in (None, clusters))
    assert naive.error == aware.error
    assert (aware.bins.standard_error > naive.bins.standard_error).mean() > 0.7
    widths = [curve.debiased_error.high - curve.debiased_error.low for curve in (naive, aware)]  # type: ignore[operator]
    assert widths[1] > widths[0]


def test_the_quantile_is_that_of_student() -> None:
    squared = SquaredError(0.02, 1e-6, 0.0, 0.0, 1e-9, 0, 7)
    assert squared.interval(0.9)[1] == pytest.approx(0.02 + 1e-3 * student.ppf(0.95, 7), abs=1e-12)
