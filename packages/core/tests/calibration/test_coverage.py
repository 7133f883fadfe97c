"""Coverage of the intervals and error rates of the tests (docs/coverage.md)."""

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
from benchmarks.coverage import AMPLITUDES, DESIGNS, LIMIT, Population, coverage, draw
from benchmarks.rare_coverage import LABELS, PREDICTIONS, RATES, rare_coverage
from howsure import CalibrationSummary, calibration_error
from howsure.calibration.calibration_tests import METHODS

RUNS = {1_000: 1_000, 10_000: 300, 100_000: 100}
RARE_RUNS = {50: 500, 1_000: 500, 10_000: 200, 100_000: 60}


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("model", AMPLITUDES)
@pytest.mark.parametrize("n", RUNS)
def test_the_default_interval_covers(design: str, model: str, n: int) -> None:
    runs = RUNS[n]
    allowed = LIMIT - 2 * math.sqrt(LIMIT * (1 - LIMIT) / runs)
    for cell in coverage(design, model, n, runs=runs, seed=1):
        assert cell.covered >= allowed, cell


@pytest.mark.slow
@pytest.mark.parametrize("design", ["plain", "masses", "weights"])
@pytest.mark.parametrize("model", AMPLITUDES)
def test_the_interval_of_bins_of_whole_cells_covers(design: str, model: str) -> None:
    """Above the number of pairs from which on cells are ties."""
    [cell] = coverage(design, model, 200_000, runs=300, bin_sizes=("auto",), seed=5)
    assert cell.covered >= LIMIT - 2 * math.sqrt(LIMIT * (1 - LIMIT) / 300), cell


def test_it_covers_in_a_few_runs_of_whole_cells() -> None:
    population, covered = Population("plain", "mild"), 0
    for seed in range(60):
        sample = draw("plain", "mild", 3_000, np.random.default_rng([6, seed]))
        summary = CalibrationSummary()
        summary.add(sample.y, sample.q)
        error = summary.error()
        covered += error.low <= population.error <= error.high
    assert covered >= 52


@pytest.mark.slow
def test_the_interval_that_knows_nothing_of_clusters_does_not_cover() -> None:
    for cell in coverage("clusters", "mild", 10_000, runs=100, alternative_runs=100, seed=1):
        assert cell.covered > 0.9 > (cell.alternative or 0.0), cell


@pytest.mark.slow
def test_algorithm_2_does_not_cover() -> None:
    for cell in coverage("plain", "calibrated", 10_000, runs=50, alternative_runs=50, seed=1):
        assert cell.covered > 0.9
        assert cell.alternative == 0.0


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("model", AMPLITUDES)
def test_the_truth_matches_a_large_sample(design: str, model: str) -> None:
    """Frequencies of a large sample in the population's bins: the same error."""
    sample = draw(design, model, 250_000, np.random.default_rng(2))
    population = Population(design, model)
    upper = np.array([0.001, 0.05, 0.3, 0.5, 0.9, 0.999, 1.0])
    bins = np.searchsorted(upper[:-1], sample.q)
    w = np.ones(len(sample.q)) if sample.weights is None else sample.weights
    weight, gap = (np.bincount(bins, weights=column) for column in (w, w * (sample.q - sample.y)))
    assert population.binned_error(upper) == pytest.approx(math.sqrt((gap**2 / weight).sum() / w.sum()), abs=0.006)
    assert population.binned_error(np.linspace(0, 1, 1_001)[1:]) == pytest.approx(population.error, abs=1e-3)


def test_a_calibrated_population_has_no_error() -> None:
    for design in DESIGNS:
        assert Population(design, "calibrated").error == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("predictions", PREDICTIONS)
@pytest.mark.parametrize("rate", RATES)
def test_the_default_interval_covers_where_labels_are_rare(rate: float, predictions: str, labels: str) -> None:
    for n, runs in RARE_RUNS.items():
        cell = rare_coverage(rate, n, predictions, labels, runs=runs, seed=1)
        assert cell.covered >= LIMIT - 2.5 * math.sqrt(LIMIT * (1 - LIMIT) / runs), cell


@pytest.mark.parametrize(("predictions", "labels"), [("Beta(1, ·)", "calibrated"), ("even", "among the largest")])
def test_a_cell_of_rare_labels(predictions: str, labels: str) -> None:
    """Without bounds for rare labels the interval held the truth in two of three of these runs."""
    cell = rare_coverage(0.001, 1_000, predictions, labels, runs=150, seed=2)
    assert cell.covered >= LIMIT - 2 * math.sqrt(LIMIT * (1 - LIMIT) / 150), cell


@pytest.mark.parametrize(("weight", "note"), [(1, None), (10, None), (100, "so the error is unknown")])
def test_a_pair_with_most_of_the_weight_is_noted(weight: int, note: str | None) -> None:
    rng = np.random.default_rng(0)
    q = rng.random(60)
    error = calibration_error(rng.random(60) < q**3, q, sample_weight=np.append(np.ones(59), weight))
    assert any("one pair outweighs" in text for text in error.notes) is (note is not None)
    assert note is None or note in str(error.notes[0])


ERROR_RATES_RUNS = 300
ALLOWED = 0.06 + 3 * math.sqrt(0.06 * 0.94 / ERROR_RATES_RUNS)
CHECKED = [cell for cell in cells() if cell.truth == "calibrated" and cell.clusters in (0, 10, 100)]


@pytest.mark.slow
@pytest.mark.parametrize("cell", CHECKED, ids=str)
def test_calibrated_predictions(cell: Cell) -> None:
    rejected = rates(cell, once=p_values_of_tests, runs=ERROR_RATES_RUNS, seed=1)
    assert (rejected <= ALLOWED).all(), dict(zip(METHODS, rejected, strict=True))
    assert rejected.mean() > 0.015


@pytest.mark.slow
@pytest.mark.parametrize("cell", [cell for cell in quantile_cells() if cell.truth == "calibrated"], ids=str)
def test_calibrated_draws(cell: Cell) -> None:
    rejected = rates(cell, once=p_values_of_quantiles, runs=ERROR_RATES_RUNS, seed=1)
    assert (rejected <= ALLOWED).all(), rejected
    assert rejected.mean() > 0.015


@pytest.mark.slow
def test_cox_and_cumulative_find_a_shift_and_cox_finds_a_timid_model() -> None:
    """Power at n = 1,000: twice that of bins."""
    shifted, timid = (
        dict(zip(METHODS, rates(Cell(truth), once=p_values_of_tests, runs=ERROR_RATES_RUNS, seed=1), strict=True))
        for truth in ("shifted", "timid")
    )
    print(shifted, timid)
    assert min(shifted["cox"], shifted["cumulative"]) > 1.4 * shifted["binned"] > 0.25
    assert timid["cox"] > 2 * timid["binned"]


@pytest.mark.slow
def test_the_band_finds_a_shift_and_the_chi_square_a_spread() -> None:
    shifted, spread = (
        rates(Cell(truth, n=400), once=p_values_of_quantiles, runs=ERROR_RATES_RUNS, seed=1)
        for truth in ("shifted", "spread")
    )
    print(shifted, spread)
    assert shifted[1] > 1.5 * shifted[0]
    assert spread[0] > 1.3 * spread[1]


def test_the_draws_of_a_cluster_have_the_stated_correlation() -> None:
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
