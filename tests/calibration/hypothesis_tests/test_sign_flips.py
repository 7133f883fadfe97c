"""The clustered p-value: its moments against all signs of all clusters, its rate of error on simulated documents."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import chi2

from howsure.calibration.bins import bin_pairs
from howsure.calibration.calibration_errors import squared_error
from howsure.calibration.clusters import _traces_of_bins, _traces_of_clusters
from howsure.inputs.pairs import Pairs


def p_and_lower_end(y: np.ndarray, q: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
    pairs = Pairs(y.astype(np.uint8), q, clusters=clusters)
    found = squared_error(pairs, bin_pairs(pairs))
    return found.p_value, found.interval(0.95)[0]


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
    shared, own = rng.standard_normal(number)[clusters], rng.standard_normal(n)
    return np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own < ndtri(q), q, clusters


@pytest.mark.parametrize(("number", "runs"), [(10, 200), (30, 100)])
def test_ten_unequal_documents_are_enough(number: int, runs: int) -> None:
    rng = np.random.default_rng(4)
    found = [p_and_lower_end(*documents(number, 0.5, rng)) for _ in range(runs)]
    p, low = np.array(found).T
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
    # takes them to: then it is careful with few documents. Over all signs, 10 such documents have .046.
    least = 0.04 if correlation else {10: 0.02, 20: 0.03}.get(number, 0.04)
    assert np.mean(p <= 0.05) >= least - 2 * np.sqrt(least / runs)


def test_a_rare_label_that_never_occurs_in_two_hundred_documents_is_no_surprise() -> None:
    """One of 1,000 pairs was expected; that all documents look alike proves nothing."""
    p, low = p_and_lower_end(np.zeros(1_000), np.full(1_000, 0.001), np.arange(1_000) // 5)
    assert p > 0.1
    assert low <= 0.0


def test_miscalibration_is_seen() -> None:
    y, q, clusters = documents(40, 0.1, np.random.default_rng(6))
    assert p_and_lower_end(y, q**3, clusters)[0] < 1e-3
