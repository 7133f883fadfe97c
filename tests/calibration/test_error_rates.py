"""Tests of calibration reject calibrated predictions in one of twenty samples (docs/calibration-tests.md)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.calibration_tests import (
    CORRELATION,
    Cell,
    cells,
    cluster_codes,
    normal,
    p_values_of_quantiles,
    p_values_of_tests,
    quantile_cells,
    rates,
)
from howsure.calibration.calibration_tests import METHODS

RUNS = 300
ALLOWED = 0.06 + 3 * math.sqrt(0.06 * 0.94 / RUNS)


CHECKED = [cell for cell in cells() if cell.truth == "calibrated" and cell.clusters in (0, 10, 100)]


@pytest.mark.slow
@pytest.mark.parametrize("cell", CHECKED, ids=str)
def test_calibrated_predictions(cell: Cell) -> None:
    found = rates(cell, once=p_values_of_tests, runs=RUNS, seed=1)
    assert (found <= ALLOWED).all(), dict(zip(METHODS, found, strict=True))
    assert found.mean() > 0.015


@pytest.mark.slow
@pytest.mark.parametrize("cell", [cell for cell in quantile_cells() if cell.truth == "calibrated"], ids=str)
def test_calibrated_draws(cell: Cell) -> None:
    found = rates(cell, once=p_values_of_quantiles, runs=RUNS, seed=1)
    assert (found <= ALLOWED).all(), found
    assert found.mean() > 0.015


@pytest.mark.slow
def test_cox_and_cumulative_find_a_shift_and_cox_finds_a_timid_model() -> None:
    """Power at n = 1,000: twice that of bins."""
    shifted, timid = (
        dict(zip(METHODS, rates(Cell(truth), once=p_values_of_tests, runs=RUNS, seed=1), strict=True))
        for truth in ("shifted", "timid")
    )
    print(shifted, timid)
    assert min(shifted["cox"], shifted["cumulative"]) > 1.4 * shifted["binned"] > 0.25
    assert timid["cox"] > 2 * timid["binned"]


@pytest.mark.slow
def test_the_band_finds_a_shift_and_the_chi_square_a_spread() -> None:
    shifted, spread = (
        rates(Cell(truth, n=400), once=p_values_of_quantiles, runs=RUNS, seed=1) for truth in ("shifted", "spread")
    )
    print(shifted, spread)
    assert shifted[1] > 1.5 * shifted[0]
    assert spread[0] > 1.3 * spread[1]


def test_the_draws_of_a_cluster_are_correlated_as_said() -> None:
    rng = np.random.default_rng(2)
    clusters = cluster_codes(Cell("calibrated", clusters=4_000), rng)
    pairs = normal(80_000, clusters, rng).reshape(4_000, 20)[:, :2]
    assert np.corrcoef(pairs.T)[0, 1] == pytest.approx(CORRELATION, abs=0.05)
    uneven = cluster_codes(Cell("calibrated", clusters=4_000, uneven=True), rng)
    assert uneven is not None
    assert np.bincount(uneven).mean() == pytest.approx(20, abs=1)


@pytest.mark.parametrize("once", [p_values_of_tests, p_values_of_quantiles])
def test_every_test_has_a_p_value_in_every_design(once: Callable[[Cell, np.random.Generator], list[float]]) -> None:
    rng = np.random.default_rng(3)
    for cell in (Cell("calibrated", n=60, weighted=True), Cell("shifted", clusters=12, uneven=True)):
        assert all(0.0 < p <= 1.0 for p in once(cell, rng))
