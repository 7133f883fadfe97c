"""Sums by cluster and bin, and products of them, against loops over rows and matrices of all clusters."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from tests.calibration.samples import Small, pairs_of, small_pairs

from howsure.calibration import clustered_error as kernels
from howsure.calibration import squared_error
from howsure.calibration.bins import bin_pairs, bins_of_rows
from howsure.calibration.squared_error import ClusterSums, cluster_sums
from howsure.inputs.pairs import Floats, Pairs


def clustered_pairs(n: int, n_clusters: int, *, weighted: bool = False, seed: int = 0) -> Pairs:
    """Pairs in clusters, predictions of two decimals among them 0 and 1; weights differ by factors of up to 10¹⁵."""
    rng = np.random.default_rng(seed)
    q = np.where(rng.random(n) < 0.5, rng.beta(0.3, 0.7, n), rng.random(n).round(2))
    weights = np.exp(6 * rng.normal(size=n)) if weighted else None
    labels = (rng.random(n) < q**1.5).astype(np.uint8)
    return Pairs(labels, q, weights, clusters=rng.integers(n_clusters, size=n)).with_positive_weight()


def entries(cells: ClusterSums, name: str) -> Any:
    """An array with one entry per cluster and bin."""
    if name == "cluster":
        return cells.column(lambda block: np.repeat(block.code, block.length))
    return cells.column(attrgetter(name))


@given(small_pairs(max_size=20))
def test_sums_match_a_loop(small: Small) -> None:
    pairs = pairs_of(small, clusters=True)
    bins, n_bins = bins_of_rows(pairs, bin_size=small.bin_size)
    cells = cluster_sums(pairs, bins, n_bins)
    assert pairs.clusters is not None
    w = np.ones(len(pairs)) if pairs.weights is None else pairs.weights
    rows: dict[tuple[int, int], list[int]] = {}
    for row, place in enumerate(zip(pairs.clusters.tolist(), bins.tolist(), strict=True)):
        rows.setdefault(place, []).append(row)
    assert list(zip(*(entries(cells, name).tolist() for name in ("cluster", "bin")), strict=True)) == sorted(rows)
    columns = {"n": w**0, "w": w, "ww": w * w, "u": w * (pairs.probabilities - pairs.labels), "y": w * pairs.labels}
    for name, column in columns.items():
        sums = [math.fsum(column[rows[place]]) for place in sorted(rows)]
        assert entries(cells, name).tolist() == pytest.approx(sums, rel=1e-14, abs=1e-14), name
    assert cells.by_cluster(lambda block: block.w).tolist() == pytest.approx(np.bincount(pairs.clusters, w), rel=1e-14)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_order_of_rows_changes_no_digit(weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(squared_error, "BLOCK_ROWS", 150)
    pairs = clustered_pairs(2_000, 60, weighted=weighted)
    bins, n_bins = bins_of_rows(pairs)
    cells = cluster_sums(pairs, bins, n_bins)
    shuffled = np.random.default_rng(1).permutation(len(pairs))
    again = cluster_sums(pairs.select(shuffled), bins[shuffled], n_bins)
    for name in ("bin", "cluster", "n", "w", "ww", "u", "y"):
        np.testing.assert_array_equal(entries(cells, name), entries(again, name))


@pytest.mark.parametrize("options", [{}, {"n_bins": 7}, {"bin_size": 1_000}, {"binning": "uniform", "n_bins": 60}])
@pytest.mark.parametrize("n", [1, 500, 50_000])
def test_bins_of_rows_match_bin_pairs(n: int, options: dict[str, int]) -> None:
    pairs = clustered_pairs(n, n)
    binned = bin_pairs(pairs, **options)  # type: ignore[arg-type]
    bins, n_bins = bins_of_rows(pairs, **options)  # type: ignore[arg-type]
    assert n_bins == len(binned.sums)
    np.testing.assert_array_equal(bins, np.searchsorted(binned.inner, pairs.probabilities))
    np.testing.assert_array_equal(bins, binned.assign_bins(pairs.probabilities))


def traces(cells: ClusterSums, values: Floats) -> tuple[float, float]:
    """tr A² and tr A³ from A itself."""
    matrix = np.zeros((cells.n_codes, cells.n_bins))
    matrix[entries(cells, "cluster"), entries(cells, "bin")] = values
    products = matrix @ matrix.T
    np.fill_diagonal(products, 0.0)
    return float(np.trace(products @ products)), float(np.trace(products @ products @ products))


@pytest.mark.parametrize(("n_clusters", "n_bins"), [(2, 40), (30, 40), (200, 12), (500, 3), (1, 4)])
@pytest.mark.parametrize("dense", [True, False])
def test_traces_match_all_products(n_clusters: int, n_bins: int, dense: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "DENSE_FASTER", math.inf if dense else 0.0)
    monkeypatch.setattr(kernels, "ROWS", 64)
    monkeypatch.setattr(squared_error, "BLOCK_ROWS", 1_500)
    pairs = clustered_pairs(4_000, n_clusters)
    cells = cluster_sums(pairs, *bins_of_rows(pairs, n_bins=n_bins))
    size = math.sqrt(float(cells.squared_u.sum()))
    expected = pytest.approx(traces(cells, entries(cells, "u") / size), abs=1e-12)
    assert kernels._traces(cells, lambda block: block.u / size) == expected
    monkeypatch.setattr(kernels, "MAX_DENSE", 1)
    assert kernels._traces(cells, lambda block: block.u / size) == expected
    noise = kernels._noise_terms(cells, np.ones(cells.n_bins, dtype=bool))
    monkeypatch.setattr(kernels, "MAX_DENSE", 2048)
    assert kernels._noise_terms(cells, np.ones(cells.n_bins, dtype=bool)) == pytest.approx(noise, rel=1e-12)
