"""The band of the error: against brute force, and how often it holds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.monitoring import bands
from howsure.monitoring.bets import EDGES, N_CELLS, CellSums, cells_of
from howsure.monitoring.error_sequence import MIXED, _parts, error_sequence, period_error


def drawn(rng: np.random.Generator, n: int, gap: float) -> CellSums:
    q = rng.uniform(0.2, 1.0, n)
    return CellSums.of((rng.random(n) < q - gap).astype(np.uint8), q, None)


def test_cells_are_half_open() -> None:
    assert cells_of(EDGES).tolist() == [*range(N_CELLS), N_CELLS - 1]


def test_sums_add_up_and_clusters_of_one_are_rows() -> None:
    rng = np.random.default_rng(0)
    q, y = rng.random(50), rng.integers(0, 2, 50).astype(np.uint8)
    whole, parts = CellSums.of(y, q, None), CellSums.of(y[:20], q[:20], None) + CellSums.of(y[20:], q[20:], None)
    assert whole.values == pytest.approx(parts.values)
    assert whole.values == pytest.approx(CellSums.of(y, q, np.arange(50)).values)


def test_the_dominating_sums_lie_above_the_covariance() -> None:
    """The diagonal matrix minus the sum of outer products has no negative eigenvalue."""
    rng = np.random.default_rng(1)
    q, clusters = rng.random(200), rng.integers(0, 30, 200)
    y = (rng.random(30)[clusters] < q).astype(np.uint8)
    sums = CellSums.of(y, q, clusters)
    vectors = np.array([np.bincount(cells_of(q[clusters == c]), (y - q)[clusters == c], N_CELLS) for c in range(30)])
    assert np.linalg.eigvalsh(np.diag(sums.dominating) - vectors.T @ vectors).min() > -1e-9


def test_the_band_is_the_range_of_the_error_in_the_ellipsoid() -> None:
    """No gap of 200,000 random ones on the ellipsoid has an error outside, and some come near both ends."""
    rng = np.random.default_rng(2)
    sums = drawn(rng, 3000, 0.1)
    held = sums.n > 0
    gaps, share, _, _, floor = _parts(sums)
    n = sums.n[held]
    variance = np.maximum(sums.dominating[held], n * floor)
    prior = MIXED * share * variance / n
    radius = 2 * math.log(20) + np.log1p(variance / prior).sum()
    directions = rng.normal(size=(200_000, len(gaps)))
    directions[:1000] = gaps + 0.1 * directions[:1000] * np.abs(gaps)
    directions[1000:2000] = -directions[:1000]
    axes = n**2 / (variance + prior)
    e = directions * np.sqrt(radius / (axes * directions**2).sum(axis=1))[:, None]
    errors = np.sqrt((share * (gaps + e) ** 2).sum(axis=1))
    found = error_sequence(sums)
    assert found.low <= errors.min() + 1e-9
    assert found.high >= errors.max() - 1e-9
    assert errors.min() - found.low < 0.02
    assert found.high - errors.max() < 0.02


def test_a_period_holds_the_true_error_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    for gap in (0.0, 0.05, 0.15):
        held = 0
        for _ in range(200):
            found = period_error(drawn(rng, 400, gap))
            held += found.low <= gap <= found.high
        assert held >= 180


def test_the_band_of_all_times_holds_at_all_of_them() -> None:
    rng = np.random.default_rng(4)
    missed = 0
    for _ in range(20):
        total = CellSums.zero()
        always = True
        for _ in range(20):
            total += drawn(rng, 200, 0.05)
            found = error_sequence(total)
            always &= found.low <= 0.05 <= found.high
        missed += not always
    assert missed <= 2


def test_of_nothing_nothing_is_said() -> None:
    assert math.isnan(error_sequence(CellSums.zero()).value)
    assert math.isnan(period_error(CellSums.zero()).value)


def test_one_row_is_no_evidence() -> None:
    one = CellSums.of(np.array([0], np.uint8), np.array([0.9]), None)
    for found in (error_sequence(one), period_error(one)):
        assert 0.0 <= found.low <= found.value <= found.high <= 1.0
    assert error_sequence(one).low == 0.0


def test_gaps_smaller_than_noise_prove_nothing() -> None:
    """Frequencies that agree with the probabilities to the last row: the error may still be some."""
    q = np.repeat([0.25, 0.75], 200)
    y = (np.arange(400) % 4 < np.where(q > 0.5, 3, 1)).astype(np.uint8)
    found = period_error(CellSums.of(y, q, None))
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high > 0.04


def test_few_clusters_do_not_narrow_the_bands() -> None:
    """Twenty clusters a period in nine cells: in one cell there are too few to show how they vary."""
    always, alone = bands(0.0, runs=20, looks=10, rows=100, size=5, seed=6)
    assert always >= 0.9
    assert alone >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 5])
@pytest.mark.parametrize("gap", [0.0, 0.05, 0.15])
def test_bands_hold_as_often_as_they_say(gap: float, size: int) -> None:
    always, alone = bands(gap, runs=100, looks=60, rows=200, size=size, seed=8)
    assert always >= 0.9
    assert alone >= 0.94
