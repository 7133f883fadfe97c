"""Tests of calibration with clusters: statistics by hand, laws, and what an ignorant test would say."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.special import logit, ndtr, ndtri
from scipy.stats import chi2
from tests.calibration.samples import Small, small_pairs

from howsure.calibration.bins import bin_pairs
from howsure.calibration.calibration_errors import squared_error
from howsure.calibration.calibration_tests import METHODS, calibration_test
from howsure.calibration.clustered_error import _traces_of_bins, _traces_of_clusters
from howsure.errors import InputError
from howsure.inputs.pairs import Pairs

RNG = np.random.default_rng(0)
C = np.repeat(np.arange(40), 5)
Q = RNG.random(200)
Y = RNG.random(200) < Q
W = RNG.exponential(size=200)


def test_the_statistics_match_independent_pairs() -> None:
    """But for that of "cox", the score in place of the likelihood ratio; without weights they are close."""
    for method in METHODS:
        for weight in (None, W):
            options = {"method": method, "sample_weight": weight, "n_simulations": 19, "rng": 0}
            alone, together = (calibration_test(Y, Q, clusters=c, **options) for c in (None, C))
            assert together.estimates == alone.estimates
            if method != "cox":
                assert together.statistic == pytest.approx(alone.statistic, rel=1e-9)
            elif weight is None:
                assert together.statistic == pytest.approx(alone.statistic, rel=0.15)


def test_the_score_is_its_formula() -> None:
    z = np.stack([np.ones(200), logit(Q)], axis=1)
    score = z.T @ (W * (Y - Q))
    variance = (z.T * (W**2 * Q * (1 - Q))) @ z
    test = calibration_test(Y, Q, method="cox", sample_weight=W, clusters=C, rng=0)
    assert test.statistic == pytest.approx(score @ np.linalg.solve(variance, score), rel=1e-9)


@settings(max_examples=20)
@given(small_pairs())
def test_any_pairs_have_a_p_value_that_no_order_changes(small: Small) -> None:
    y, q, c = np.array(small.y), np.array(small.q), np.array(small.clusters)
    w = None if small.w is None else np.array(small.w)
    back = slice(None, None, -1)
    if len(set(small.clusters)) == 1 < len(small):
        with pytest.raises(InputError, match="at least 2 clusters are needed"):
            calibration_test(y, q, clusters=c)
        return
    for method in METHODS:
        options = {"method": method, "n_simulations": 31, "rng": 0, "bin_size": small.bin_size}
        test = calibration_test(y, q, sample_weight=w, clusters=c, **options)
        assert 0.0 <= test.p_value <= 1.0
        turned = calibration_test(
            y[back], q[back], sample_weight=None if w is None else w[back], clusters=c[back], **options
        )
        assert turned.p_value == test.p_value
        np.testing.assert_array_equal(
            [turned.statistic, *turned.estimates.values()], [test.statistic, *test.estimates.values()]
        )


def test_clusters_of_one_pair_change_nothing() -> None:
    for method in METHODS:
        options = {"method": method, "n_simulations": 50, "rng": 0}
        assert calibration_test(Y, Q, clusters=np.arange(200), **options) == calibration_test(Y, Q, **options)


@pytest.mark.parametrize("method", METHODS)
def test_pairs_that_are_repeated_add_no_evidence(method: str) -> None:
    """Each pair 20 times: 60 clusters say what 60 pairs say; a test that does not know of clusters rejects."""
    rng = np.random.default_rng(1)
    q = rng.uniform(0.2, 0.8, 60)
    y = rng.random(60) < q + 0.1
    repeated = np.repeat(np.arange(60), 20)
    alone = calibration_test(y, q, method=method, rng=0, n_simulations=2_000, n_bins=2)
    clustered = calibration_test(
        y[repeated], q[repeated], method=method, clusters=repeated, rng=0, n_simulations=2_000, n_bins=2
    )
    unknown = calibration_test(y[repeated], q[repeated], method=method, rng=0, n_simulations=2_000, n_bins=2)
    assert clustered.p_value == pytest.approx(alone.p_value, abs=0.12)
    assert unknown.p_value < 0.01 < clustered.p_value


@pytest.mark.long
@pytest.mark.parametrize("weighted", [pytest.param(False, marks=pytest.mark.long), True])
def test_calibrated_clusters_are_rejected_as_often_as_the_level_says(weighted: bool) -> None:
    """20 pairs per cluster with ρ = .5; a test that takes the pairs for independent rejects a third or more."""
    rng = np.random.default_rng(2)
    rejected = dict.fromkeys(METHODS, 0)
    ignorant = 0
    for _ in range(80):
        c = np.repeat(np.arange(12), 20)
        q = rng.random(240)
        y = ndtr(np.sqrt(0.5) * rng.normal(size=12)[c] + np.sqrt(0.5) * rng.normal(size=240)) < q
        w = rng.exponential(size=240) if weighted else None
        for method in METHODS:
            options = {"method": method, "sample_weight": w, "rng": rng, "n_simulations": 99}
            rejected[method] += calibration_test(y, q, clusters=c, **options).p_value <= 0.05
        ignorant += calibration_test(y, q, method="cox", sample_weight=w).p_value <= 0.05
    assert max(rejected.values()) / 80 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 80)
    assert ignorant / 80 > 0.2


def test_few_clusters_can_say_little() -> None:
    """Five clusters whose errors all have the same sign: one of 16 ways."""
    q, clusters = np.full(100, 0.5), np.repeat(np.arange(5), 20)
    for method in METHODS:
        if method == "spiegelhalter":
            continue  # blind at one half
        test = calibration_test(np.ones(100, int), q, method=method, clusters=clusters, rng=0)
        assert test.p_value == pytest.approx(1 / 16)
        assert test.p_error == 0.0


def test_labels_that_hardly_vary_prove_nothing() -> None:
    """No positive label in 10 clusters of 20 where 4 are expected: likely, if those of a cluster go together."""
    q, clusters = np.full(200, 0.02), np.repeat(np.arange(10), 20)
    for method in METHODS:
        assert calibration_test(np.zeros(200, int), q, method=method, clusters=clusters, rng=0).p_value > 0.05


def test_the_recipe_says_what_was_done() -> None:
    recipe = calibration_test(Y, Q, method="cumulative", clusters=C, sample_weight=W, rng=3).recipe
    assert {key: recipe[key] for key in ("weighted", "clustered", "n_simulations", "seed")} == {
        "weighted": True,
        "clustered": True,
        "n_simulations": 999,
        "seed": 3,
    }


@pytest.mark.parametrize("method", METHODS)
def test_certain_predictions_that_are_wrong_refute_calibration_in_clusters_too(method: str) -> None:
    """A bin of certain predictions has no variance to divide by, and must not count as nothing."""
    q = np.tile([0.0, 1.0, 1.0, 0.0], 50)
    y = np.where(np.arange(200) % 9 == 0, 1 - q, q)
    alone, together = (calibration_test(y, q, method=method, clusters=c, n_simulations=999, rng=0) for c in (None, C))
    assert together.statistic == pytest.approx(alone.statistic)
    assert alone.p_value <= 0.001
    assert together.p_value <= (0.06 if method == "cumulative" else 0.001)  # errors to both sides
    right = calibration_test(q, q, method=method, clusters=C, n_simulations=99, rng=0)
    assert (right.statistic, right.p_value) == (0.0, 1.0)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("tiny", [5e-324, 1e-310, 1e-200])
def test_predictions_near_0_overflow_nowhere(method: str, tiny: float) -> None:
    """What warns is an error here: 1 / variance was infinite, and infinity times a sum of 0 no number."""
    q, y = np.full(200, tiny), np.arange(200) < 1
    for weights in (None, np.where(np.arange(200) % 2, 1.0, 1e-160)):
        with warnings.catch_warnings(action="error"):
            test = calibration_test(y, q, method=method, clusters=np.arange(200) // 5, sample_weight=weights, rng=0)
        assert 0.0 <= test.p_value <= 1.0
        assert not np.isnan(test.statistic)


def test_predictions_next_to_0_that_leave_one_direction_have_a_p_value() -> None:
    for q, weights in (([0.0, 5e-324, 2.0**-30], None), ([0.0, 5e-324, 1.0], [1.0, 0.1, 1.0])):
        test = calibration_test(
            [0, 0, 1], q, clusters=[0, 0, 1], sample_weight=weights, method="cox", n_simulations=31, rng=0
        )
        assert test.p_value >= 0.5  # two clusters


def p_and_lower_end(y: np.ndarray, q: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
    pairs = Pairs(y.astype(np.uint8), q, clusters=clusters)
    error = squared_error(pairs, bin_pairs(pairs))
    return error.p_value, error.interval(0.95)[0]


@pytest.mark.parametrize("traces", [_traces_of_bins, _traces_of_clusters])
def test_the_moments_are_those_over_all_signs(traces: object) -> None:
    from scipy.sparse import csr_array

    rows = np.random.default_rng(1).normal(size=(9, 3)) * (np.random.default_rng(2).random((9, 3)) < 0.7)
    a = rows @ rows.T
    np.fill_diagonal(a, 0.0)
    signs = np.array(list(product((-1.0, 1.0), repeat=9)))
    values = np.einsum("si,ij,sj->s", signs, a, signs)
    squares, cubes = traces(csr_array(rows))  # type: ignore[operator]
    assert values.mean() == pytest.approx(0.0, abs=1e-12)
    assert 2 * squares == pytest.approx((values**2).mean(), rel=1e-12)
    assert 8 * cubes == pytest.approx((values**3).mean(), rel=1e-12)


def test_one_bin_and_many_clusters_are_a_chi_square() -> None:
    """Σ_c≠c' U U' = S² - ΣU²: for many clusters alike, a shifted chi-square with one degree of freedom."""
    rng = np.random.default_rng(3)
    clusters = np.arange(4_000) // 10
    y = rng.random(4_000) < 0.52
    p, _ = p_and_lower_end(y, np.full(4_000, 0.5), clusters)
    sums = np.bincount(clusters, 0.5 - y)
    assert p == pytest.approx(chi2.sf(sums.sum() ** 2 / (sums**2).sum(), 1), abs=0.01)


def documents(number: int, correlation: float, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Calibrated pairs in documents of very different sizes, whose labels share a normal part."""
    sizes = np.maximum(2, rng.lognormal(2.5, 1.0, number)).astype(int)
    clusters = np.repeat(np.arange(number), sizes)
    n = len(clusters)
    q = np.where(rng.random(n) < 0.5, rng.beta(0.5, 0.5, number)[clusters], rng.beta(0.5, 0.5, n))
    shared, individual = rng.standard_normal(number)[clusters], rng.standard_normal(n)
    return np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * individual < ndtri(q), q, clusters


@pytest.mark.long
@pytest.mark.parametrize(("number", "runs"), [(10, 200), (30, 100)])
def test_ten_unequal_documents_are_enough(number: int, runs: int) -> None:
    rng = np.random.default_rng(4)
    p_and_low = [p_and_lower_end(*documents(number, 0.5, rng)) for _ in range(runs)]
    p, low = np.array(p_and_low).T
    assert np.mean(p <= 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
    assert np.mean(p <= 0.001) <= 0.01
    assert np.mean(p <= 0.5) == pytest.approx(0.5, abs=4 * np.sqrt(0.25 / runs))
    assert (low[p > 0.05] <= 0.0).all()


@pytest.mark.slow
@pytest.mark.parametrize("number", [10, 20, 50, 200])
@pytest.mark.parametrize("correlation", [0.0, 0.1, 0.5])
def test_the_rates_of_error(number: int, correlation: float) -> None:
    rng, runs = np.random.default_rng([5, number]), 1_500
    p = np.array([p_and_lower_end(*documents(number, correlation, rng))[0] for _ in range(runs)])
    for level, limit in ((0.05, 0.06), (0.01, 0.015), (0.001, 0.003)):
        assert np.mean(p <= level) <= limit + 2 * np.sqrt(limit / runs), level
    # Labels of a document that are independent vary no more than calibration says, which is the least that the test
    # takes them to: then it is careful with few documents. Over all signs, 10 such documents have .046. 50 such
    # documents have .036 (standard error .002, two seeds of 4,000 runs).
    least = 0.04 if correlation else {10: 0.02, 20: 0.03, 50: 0.035}.get(number, 0.04)
    assert np.mean(p <= 0.05) >= least - 2 * np.sqrt(least / runs)


def test_a_rare_label_absent_from_two_hundred_documents_is_not_a_surprise() -> None:
    """One of 1,000 pairs was expected; that all documents look alike proves nothing."""
    p, low = p_and_lower_end(np.zeros(1_000), np.full(1_000, 0.001), np.arange(1_000) // 5)
    assert p > 0.1
    assert low <= 0.0


def test_miscalibration_is_seen() -> None:
    y, q, clusters = documents(40, 0.1, np.random.default_rng(6))
    assert p_and_lower_end(y, q**3, clusters)[0] < 1e-3
