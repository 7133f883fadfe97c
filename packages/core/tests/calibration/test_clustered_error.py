"""Clusters: the value and its jackknife against loops that really leave clusters out."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import chi2
from scipy.stats import t as student
from tests.calibration import reference
from tests.calibration.samples import Small, pairs_of, small_pairs

from benchmarks.regimes.calibration import REGIMES
from benchmarks.regimes.regime import rates_of
from howsure.calibration.bins import bin_pairs
from howsure.calibration.calibration_errors import calibration_error
from howsure.calibration.clustered_error import (
    clustered_mse,
    clustered_standard_errors,
    clustered_value,
    effective_numbers,
)
from howsure.calibration.curve import calibration_curve
from howsure.calibration.curve_text import verdict
from howsure.calibration.differences import Units
from howsure.calibration.squared_error import ClusterSums, SquaredError, cluster_sums, debiased_mse
from howsure.inputs.pairs import Pairs


def cells_of(pairs: Pairs, bin_size: int) -> ClusterSums:
    binned = bin_pairs(pairs, bin_size=bin_size)
    return cluster_sums(pairs, binned.assign_bins(pairs.probabilities), len(binned.sums))


def clustered(pairs: Pairs, bin_size: int) -> SquaredError:
    return clustered_mse(cells_of(pairs, bin_size))


@given(small_pairs(max_size=18))
def test_value_and_variance_are_the_loops(small: Small) -> None:
    cells = cells_of(pairs_of(small, clusters=True), small.bin_size)
    estimate = clustered_mse(cells)
    np.testing.assert_equal(clustered_value(cells), estimate.value)
    assert not estimate.p_value > estimate.p_value_limit
    np.testing.assert_equal(estimate.interval(0.95), replace(estimate, p_value_limit=1.0).interval(0.95))
    bins = reference.adaptive_bins(reference.rows_of(small.y, small.q, small.w, small.clusters), small.bin_size)
    worth = [rows for rows in bins if reference.worth_two(rows)]
    value, spread = reference.clustered_value(worth), reference.jackknife(bins)
    if value is None:
        assert math.isnan(estimate.value)
        return
    least, noise, slope_below = reference.cluster_noise(bins)
    assert estimate.value == pytest.approx(float(value), abs=1e-12)
    assert estimate.least == pytest.approx(float(least), abs=1e-12)
    assert estimate.variance == pytest.approx(float(max(spread - least, least)), abs=1e-12)
    assert estimate.slope_below == pytest.approx(float(slope_below), abs=1e-12)
    assert estimate.slope_above == pytest.approx(float(2 * least / noise) if noise else 0.0, abs=1e-9)
    assert estimate.degrees_of_freedom == len(set(small.clusters)) - 1


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
    estimate = calibration_curve([0, 1, 1, 0], [0.1, 0.6, 0.7, 0.3], clusters=[5, 5, 5, 5], bin_size=2).error
    assert math.isnan(estimate.value)
    assert estimate.low is None
    assert estimate.high is None


def test_one_cluster_is_the_reason_given_not_the_bins() -> None:
    y, q = np.tile([0, 1], 50), np.linspace(0.01, 0.99, 100)
    curve = calibration_curve(y, q, clusters=np.zeros(100))
    assert verdict(curve) == "too little data: no bin has pairs of two clusters (n = 100)"
    assert [note for note in curve.notes if "cluster" in note or "alone" in note] == [
        "all rows are in one cluster, so the variation between clusters is unknown; at least 2 clusters are needed, "
        "better 40 or more"
    ]
    apart = calibration_curve(y, q, clusters=q > 0.5, bin_size=50)  # each of two bins is a cluster
    assert "100 pairs are left out of the debiased error: if a bin has only pairs of one cluster" in "".join(
        apart.notes
    )
    assert not any("alone" in note for note in apart.notes)


def test_two_clusters_that_need_each_other() -> None:
    """Without either of them there is no pair of different clusters left: a long interval, and no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        curve = calibration_curve([0, 1, 1, 0], [0.1, 0.6, 0.7, 0.3], clusters=["a", "a", "b", "b"], bin_size=4)
    low, high = curve.error.low, curve.error.high
    assert low is not None
    assert low == 0.0
    assert high > 0.5


def test_standard_error_of_a_bin_matches_means_of_clusters() -> None:
    """For clusters of one size: the standard error of the mean of the clusters' means."""
    rng = np.random.default_rng(11)
    y = (rng.random(200) < 0.4).astype(np.uint8)
    pairs = Pairs(y, np.full(200, 0.3), clusters=np.arange(200) // 10)
    cells = cluster_sums(pairs, np.zeros(200, dtype=np.int64), 1)
    error = clustered_standard_errors(cells)
    means = y.reshape(20, 10).mean(axis=1)
    assert error.item() == pytest.approx(means.std(ddof=1) / math.sqrt(20), abs=1e-14)


def numbers_of(pairs: Pairs, bins: np.typing.NDArray[np.int64]) -> np.typing.NDArray[np.float64]:
    """`effective_numbers` of pairs in bins given."""
    w = np.ones(len(pairs)) if pairs.weights is None else pairs.weights
    cells = cluster_sums(pairs, bins, int(bins.max()) + 1)
    squares, total, positive = (np.bincount(bins, weights=column) for column in (w**2, w, w * pairs.labels))
    return effective_numbers(cells, squares, positive / total, clustered_standard_errors(cells))


def test_a_bin_of_equal_labels_takes_the_correlation_of_the_others() -> None:
    """Clusters of four pairs per bin, all alike in the bins that tell: there a cluster counts once, and so here."""
    alike = np.array([0, 0, 0, 0, 1, 1, 1, 1] * 10, dtype=np.uint8)
    clusters = np.tile(np.arange(80) // 4, 2)
    bins = np.repeat([0, 1], 80)
    labels = np.append(np.zeros(80, dtype=np.uint8), alike)
    pairs = Pairs(labels, np.full(160, 0.3), clusters=clusters)
    assert numbers_of(pairs, bins)[0] == pytest.approx(20)
    differing = np.append(np.zeros(80), [1, 1, 0, 1] + [0, 1] * 38).astype(np.uint8)
    mixed = Pairs(differing, pairs.probabilities, clusters=clusters)
    assert numbers_of(mixed, bins)[0] == 80  # labels that repel each other never make pairs count for more
    weights = np.append(np.arange(1.0, 81.0), np.ones(80))
    weighted = Pairs(labels, pairs.probabilities, weights, clusters=clusters)
    of_clusters = weights[:80].reshape(20, 4).sum(axis=1)
    assert numbers_of(weighted, bins)[0] == pytest.approx(of_clusters.sum() ** 2 / (of_clusters**2).sum())


def test_a_cluster_counts_once_where_no_bin_is_informative() -> None:
    pairs = Pairs(np.zeros(60, dtype=np.uint8), np.full(60, 0.1), clusters=np.arange(60) // 3)
    assert numbers_of(pairs, np.zeros(60, dtype=np.int64)).tolist() == [20.0]
    alone = Pairs(pairs.labels, pairs.probabilities, clusters=np.arange(60))
    assert numbers_of(alone, np.zeros(60, dtype=np.int64)).tolist() == [60.0]


def test_clusters_that_mean_nothing_do_not_lengthen_the_interval_of_equal_labels() -> None:
    rng = np.random.default_rng(3)
    q = np.repeat([0.001, 0.2, 0.5, 0.8], 500)
    y = np.append(np.zeros(500, dtype=np.int64), rng.random(1_500) < q[500:])
    plain, clustered = (calibration_curve(y, q, clusters=c).bins.high[0] for c in (None, rng.integers(30, size=2_000)))
    assert plain <= clustered < 1.5 * plain


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.6])
def test_intervals_of_bins_of_equal_labels_cover(correlation: float) -> None:
    """Labels of a cluster share a normal part: a rare label is absent in many bins, and its true frequency is held."""
    from scipy.special import ndtri

    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(60), 20)
    covered = []
    for _ in range(60):
        q = rng.choice([0.002, 0.005, 0.02, 0.1, 0.5, 0.98], size=1_200)
        shared, individual = rng.standard_normal(60)[clusters], rng.standard_normal(1_200)
        y = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * individual < ndtri(q)
        bins = calibration_curve(y, q, clusters=clusters, bin_size=2).bins
        equal = (bins.frequency == 0) | (bins.frequency == 1)
        covered += ((bins.low <= bins.mean_prob) & (bins.mean_prob <= bins.high))[equal].tolist()
    assert len(covered) > 60
    assert np.mean(covered) >= 0.95


def test_correlated_labels_make_longer_intervals() -> None:
    rng = np.random.default_rng(12)
    clusters = np.repeat(np.arange(100), 20)
    q = rng.beta(0.3, 0.7, 2_000)
    y = rng.random(100)[clusters] < q
    naive, aware = (calibration_curve(y, q, bin_size=200, clusters=cluster_ids) for cluster_ids in (None, clusters))
    assert naive.algorithm1_error == aware.algorithm1_error
    assert (aware.bins.standard_error > naive.bins.standard_error).mean() > 0.7
    widths = [curve.error.high - curve.error.low for curve in (naive, aware)]  # type: ignore[operator]
    assert widths[1] > widths[0]


def test_the_quantile_matches_student() -> None:
    squared = SquaredError(0.02, 1e-6, 0.0, 0.0, 1e-9, 0, 7)
    assert squared.interval(0.9)[1] == pytest.approx(0.02 + 1e-3 * student.ppf(0.95, 7), abs=1e-12)


def coverage_of_unequal_clusters(kind: str, number: int, correlation: float, sets: int) -> tuple[float, float]:
    """How often the interval holds the true error of predictions .08 too high, and its mean width over what it would be
    with Satterthwaite's degrees of freedom."""
    from scipy.special import ndtri

    covered, widths = [], []
    for k in range(sets):
        rng = np.random.default_rng([92, k])
        lognormal = np.maximum(2, np.round(30 * np.exp(rng.normal(size=number)))).astype(int)
        sizes = {"lognormal": lognormal, "one large": np.array([15 * (number - 1), *[15] * (number - 1)])}[kind]
        clusters = np.repeat(np.arange(number), sizes)
        n = len(clusters)
        q = rng.choice([0.1, 0.3, 0.5, 0.7, 0.9], n)
        luck = np.sqrt(correlation) * rng.normal(size=number)[clusters] + np.sqrt(1 - correlation) * rng.normal(size=n)
        pairs = Pairs((luck < ndtri(q - 0.08)).astype(np.int8), q, clusters=clusters)
        free = Units(clusters, np.ones(n), clustered=True).degrees_of_freedom
        squared = clustered(pairs, 2)
        assert squared.degrees_of_freedom == number - 1
        ends = [
            np.sqrt(np.maximum(error.interval(0.95), 0))
            for error in (squared, replace(squared, degrees_of_freedom=free))
        ]
        covered.append(ends[0][0] <= 0.08 <= ends[0][1])
        widths.append([min(high, 1.0) - low for low, high in ends])
    own_width, other = np.mean(widths, axis=0)
    return float(np.mean(covered)), float(own_width / other)


@pytest.mark.parametrize("kind", ["lognormal", "one large"])
def test_unequal_clusters_cover_with_as_many_degrees_of_freedom_as_clusters_less_one(kind: str) -> None:
    rate, width = coverage_of_unequal_clusters(kind, 10, 0.4, 60)
    assert rate >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 60)
    assert width < 0.9


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["lognormal", "one large"])
@pytest.mark.parametrize("number", [6, 10, 20])
@pytest.mark.parametrize("correlation", [0.1, 0.4])
def test_unequal_clusters_cover(kind: str, number: int, correlation: float) -> None:
    assert coverage_of_unequal_clusters(kind, number, correlation, 400)[0] >= 0.95 - 2 * np.sqrt(0.95 * 0.05 / 400)


@pytest.mark.parametrize("proportion", [0.4, 0.8])
def test_the_ece_is_covered_if_one_cluster_dominates(proportion: float) -> None:
    """Labels of the large cluster share their luck, so that it looks miscalibrated although no prediction is."""
    codes = np.concatenate([np.zeros(int(200 * proportion)), np.arange(200 - int(200 * proportion)) + 1]).astype(int)
    covered = []
    for seed in range(40):
        rng = np.random.default_rng([66, seed])
        q, luck = rng.random(200), rng.random(200)[codes]
        for happens in (q, q**2):
            curve = calibration_curve(luck < happens, q, clusters=codes, n_bins=5)
            which = np.searchsorted(curve.bins.upper[:-1], q)
            truth = np.abs(np.bincount(which, q - happens)).sum() / 200
            assert curve.ece.low is not None
            assert curve.ece.high is not None
            covered.append(curve.ece.low <= truth + 1e-9 and truth - 1e-9 <= curve.ece.high)
    assert np.mean(covered) >= 0.95


def test_few_clusters_that_are_off_do_not_show_how_many_there_are() -> None:
    """Of 100 clusters that are always right, one more may be wrong: the upper end is that of no event in 100."""
    q, codes = np.full(2000, 0.98), np.repeat(np.arange(100), 20)
    for off in (0, 3):
        y = (codes >= off).astype(np.uint8)
        high = calibration_error(y, q, clusters=codes).high
        assert high > 0.98 * chi2.ppf(0.975, 2 * off + 2) / 200 - 0.02


@pytest.mark.long
def test_a_limit_at_the_true_error_is_not_passed_where_few_clusters_are_off() -> None:
    (regime,) = (
        candidate for candidate in REGIMES if candidate.name == "error at the limit: 60 of 50, a tenth off by .5"
    )
    rates = {rate.figure: rate.value for rate in rates_of(regime, runs=100, seed=1)}
    assert rates["false pass"] <= 0.09
    assert rates["error covers"] >= 0.93
