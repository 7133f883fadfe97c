"""The band of the error: against brute force, and how often it holds."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.monitoring import REGIMES, THRESHOLD, bands, highest, nights_until
from howsure.monitoring.bets import (
    EDGES,
    MEMORIES,
    N_CELLS,
    NAMES,
    WEIGHTS,
    CellSums,
    EProcess,
    Tolerated,
    assign_cells,
    log_gains,
    waiting,
)
from howsure.monitoring.error_sequence import MIXING_ROWS, _parts, error_sequence, period_error


def drawn(rng: np.random.Generator, n: int, gap: float) -> CellSums:
    q = rng.uniform(0.2, 1.0, n)
    return CellSums.of((rng.random(n) < q - gap).astype(np.uint8), q, None)


def test_cells_are_half_open() -> None:
    assert assign_cells(EDGES).tolist() == [*range(N_CELLS), N_CELLS - 1]


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
    vectors = np.array(
        [np.bincount(assign_cells(q[clusters == c]), (y - q)[clusters == c], N_CELLS) for c in range(30)]
    )
    assert np.linalg.eigvalsh(np.diag(sums.dominating) - vectors.T @ vectors).min() > -1e-9


def test_the_band_is_the_range_of_the_error_in_the_ellipsoid() -> None:
    """No gap of 200,000 random ones on the ellipsoid has an error outside, and some come near both ends."""
    rng = np.random.default_rng(2)
    sums = drawn(rng, 3000, 0.1)
    nonempty = sums.n > 0
    gaps, share, _, _, floor = _parts(sums)
    n = sums.n[nonempty]
    variance = np.maximum(sums.dominating[nonempty], n * floor)
    prior = MIXING_ROWS * share * variance / n
    radius = 2 * math.log(20) + np.log1p(variance / prior).sum()
    directions = rng.normal(size=(200_000, len(gaps)))
    directions[:1000] = gaps + 0.1 * directions[:1000] * np.abs(gaps)
    directions[1000:2000] = -directions[:1000]
    axes = n**2 / (variance + prior)
    e = directions * np.sqrt(radius / (axes * directions**2).sum(axis=1))[:, None]
    errors = np.sqrt((share * (gaps + e) ** 2).sum(axis=1))
    band = error_sequence(sums)
    assert band.low <= errors.min() + 1e-9
    assert band.high >= errors.max() - 1e-9
    assert errors.min() - band.low < 0.02
    assert band.high - errors.max() < 0.02


def test_a_period_holds_the_true_error_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    for gap in (0.0, 0.05, 0.15):
        covered = 0
        for _ in range(200):
            band = period_error(drawn(rng, 400, gap))
            covered += band.low <= gap <= band.high
        assert covered >= 180


def test_the_band_of_all_times_holds_at_all_of_them() -> None:
    rng = np.random.default_rng(4)
    missed = 0
    for _ in range(20):
        total = CellSums.zero()
        always = True
        for _ in range(20):
            total += drawn(rng, 200, 0.05)
            band = error_sequence(total)
            always &= band.low <= 0.05 <= band.high
        missed += not always
    assert missed <= 2


def test_without_rows_errors_are_nan() -> None:
    assert math.isnan(error_sequence(CellSums.zero()).value)
    assert math.isnan(period_error(CellSums.zero()).value)


def test_one_row_is_not_evidence() -> None:
    single_row = CellSums.of(np.array([0], np.uint8), np.array([0.9]), None)
    for band in (error_sequence(single_row), period_error(single_row)):
        assert 0.0 <= band.low <= band.value <= band.high <= 1.0
    assert error_sequence(single_row).low == 0.0


def test_gaps_smaller_than_noise_prove_nothing() -> None:
    """Frequencies that agree with the probabilities to the last row: the error may still be some."""
    q = np.repeat([0.25, 0.75], 200)
    y = (np.arange(400) % 4 < np.where(q > 0.5, 3, 1)).astype(np.uint8)
    band = period_error(CellSums.of(y, q, None))
    assert (band.value, band.low) == (0.0, 0.0)
    assert band.high > 0.04


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


# The mixture of bets over dates of a change: against its definition, and how often it is wrong.


def test_the_weights_of_changes_sum_to_one() -> None:
    weights = [waiting(r) - waiting(r + 1) for r in range(1, 2000)]
    assert min(weights) > 0
    assert sum(weights) + waiting(2000) == pytest.approx(1.0)


def test_the_e_value_is_the_mean_over_bets_and_changes() -> None:
    """By brute force: every bet, begun at every period."""
    rng = np.random.default_rng(3)
    gains = rng.normal(0, 0.3, (12, len(NAMES)))
    process = EProcess()
    for period in range(12):
        process.take(gains[period], f"day {period:02}")
        wealth = sum(
            (waiting(r + 1) - waiting(r + 2)) * np.exp(gains[r : period + 1].sum(axis=0)) for r in range(period + 1)
        )
        assert math.exp(process.log_e) == pytest.approx(float(WEIGHTS @ wealth) + waiting(period + 2))
    sums = [gains[r:].sum(axis=0) for r in range(12)]
    best = int(np.argmax(np.max(sums, axis=0) + np.log(WEIGHTS)))
    start = int(np.argmax([sums_at_start[best] for sums_at_start in sums]))
    assert process.suspected == (f"day {start:02}", NAMES[best])


def test_a_state_comes_back_as_it_was() -> None:
    process = EProcess()
    process.take(np.linspace(-1, 1, len(NAMES)), "2026-11-22")
    back = EProcess.from_dict(process.to_dict())
    assert (back.log_e, back.suspected, back.highest) == (process.log_e, process.suspected, process.highest)


@pytest.mark.parametrize("name", REGIMES)
def test_a_calibrated_model_rarely_alarms(name: str) -> None:
    """100 models with 40 looks each: the e-value exceeds 4 in at most a quarter of them, whenever one stops."""
    log_e_values = highest(**REGIMES[name], runs=100, looks=40, rows=10, seed=5)
    assert (log_e_values >= math.log(4)).mean() <= 0.25
    assert log_e_values.max() > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", REGIMES)
def test_a_calibrated_model_alarms_in_five_of_a_hundred_runs_at_most(name: str) -> None:
    """200 models with 10,000 looks each: of at most 10 alarms expected, more than 17 are seen once in a hundred."""
    log_e_values = highest(**REGIMES[name], runs=200, looks=10_000, rows=10, seed=1)
    assert (log_e_values >= THRESHOLD).sum() <= 17


@pytest.mark.slow
def test_a_model_that_gets_worse_is_found_within_weeks() -> None:
    nights = nights_until(100, runs=50, tolerance=0.0, seed=7)
    assert (nights <= 0).sum() <= 7
    assert np.median(nights) <= 30


# Bets: what they may gain if the forecasts are calibrated, and what clusters may change about it.


NOTHING_LEARNED = np.zeros((len(MEMORIES), N_CELLS))
PROBABILITIES = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0, 1e-17, 1 - 1e-16, 0.5, 0.05]))


def gains(labels, probabilities, *, clusters=None, tolerance=0.0, learned=NOTHING_LEARNED, correlation=0.3):
    logs = log_gains(
        np.array(labels, np.uint8),
        np.array(probabilities, float),
        clusters,
        tolerated=Tolerated.everywhere(tolerance),
        learned=learned,
        correlation=correlation,
    )
    return np.exp(logs)


def test_weights_are_a_distribution() -> None:
    assert len(WEIGHTS) == len(NAMES) == len(set(NAMES))
    assert WEIGHTS.sum() == pytest.approx(1.0)


@given(PROBABILITIES, st.sampled_from([0.0, 0.02, 0.2]), st.floats(0, 1), st.floats(-0.5, 0.5))
def test_no_bet_has_a_mean_above_one_within_the_tolerance(q: float, tolerance: float, place: float, gap: float) -> None:
    """Exactly, over both labels, for every probability that the hypothesis allows."""
    low, high = max(0.0, q - tolerance), min(1.0, q + tolerance)
    p = low + place * (high - low)
    learned = np.full((len(MEMORIES), N_CELLS), gap)
    at = [gains([y], [q], tolerance=tolerance, learned=learned) for y in (0, 1)]
    mean = (1 - p) * at[0] + p * at[1]
    assert mean.max() <= 1 + 1e-9
    assert min(at[0].min(), at[1].min()) >= 0


@settings(max_examples=15)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=4), st.floats(0, 1))
def test_clusters_of_any_dependence_gain_nothing_on_average(qs: list[float], correlation: float) -> None:
    """By brute force, under two joint laws of the same probabilities: independent rows, and one uniform for all."""
    q, clusters = np.array(qs), np.zeros(len(qs), np.int64)
    independent = sum(
        np.prod(np.where(labels, q, 1 - q)) * gains(labels, q, clusters=clusters, correlation=correlation)
        for labels in itertools.product((0, 1), repeat=len(q))
    )
    ends = np.concatenate([[0.0], np.sort(q), [1.0]])
    together = sum(
        (b - a) * gains((a + b) / 2 < q, q, clusters=clusters, correlation=correlation)
        for a, b in itertools.pairwise(ends)
    )
    assert independent.max() <= 1 + 1e-9
    assert together.max() <= 1 + 1e-9


def test_rows_multiply_and_their_order_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    q, y = rng.random(40), rng.integers(0, 2, 40)
    whole = gains(y, q, tolerance=0.02)
    assert whole == pytest.approx(gains(y[:15], q[:15], tolerance=0.02) * gains(y[15:], q[15:], tolerance=0.02))
    order = rng.permutation(40)
    assert whole == pytest.approx(gains(y[order], q[order], tolerance=0.02))


def test_a_cluster_of_one_is_a_row() -> None:
    rng = np.random.default_rng(1)
    q, y = rng.random(30), rng.integers(0, 2, 30)
    assert gains(y, q, clusters=np.arange(30)) == pytest.approx(gains(y, q))


def test_a_bet_is_a_likelihood_ratio() -> None:
    """Of the shifted forecast, by the formula."""
    q, y = np.array([0.3, 0.6, 0.6]), np.array([1, 0, 1])
    gains_by_name = dict(zip(NAMES, gains(y, q), strict=True))
    more = (0.33 / 0.3) * (0.37 / 0.4) * (0.63 / 0.6)
    assert gains_by_name["more by 0.03 everywhere"] == pytest.approx(more)
    odds = 1.5 * 0.3 / (1.5 * 0.3 + 0.7)
    other = 1.5 * 0.6 / (1.5 * 0.6 + 0.4)
    assert gains_by_name["odds times 1.5"] == pytest.approx(odds / 0.3 * (1 - other) / 0.4 * other / 0.6)


def test_within_the_tolerance_no_evidence_is_gained() -> None:
    """Rows that are exactly at the edge of what is tolerated: the wealth of no bet grows."""
    q = np.full(1000, 0.5)
    y = np.arange(1000) < 520
    assert gains(y, q, tolerance=0.02).max() <= 1.0
    assert gains(np.arange(1000) < 560, q, tolerance=0.02).max() > 3.0
