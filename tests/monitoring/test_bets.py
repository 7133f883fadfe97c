"""Bets: what they may gain if the forecasts are calibrated, and what clusters may change about it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.monitoring.bets import MEMORIES, N_CELLS, NAMES, WEIGHTS, Tolerated, log_gains

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


@settings(max_examples=40)
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
    found = dict(zip(NAMES, gains(y, q), strict=True))
    more = (0.33 / 0.3) * (0.37 / 0.4) * (0.63 / 0.6)
    assert found["more by 0.03 everywhere"] == pytest.approx(more)
    odds = 1.5 * 0.3 / (1.5 * 0.3 + 0.7)
    other = 1.5 * 0.6 / (1.5 * 0.6 + 0.4)
    assert found["odds times 1.5"] == pytest.approx(odds / 0.3 * (1 - other) / 0.4 * other / 0.6)


def test_within_the_tolerance_nothing_is_gained() -> None:
    """Rows that are exactly at the edge of what is tolerated: the wealth of no bet grows."""
    q = np.full(1000, 0.5)
    y = np.arange(1000) < 520
    assert gains(y, q, tolerance=0.02).max() <= 1.0
    assert gains(np.arange(1000) < 560, q, tolerance=0.02).max() > 3.0
