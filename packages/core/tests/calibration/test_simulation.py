"""Synthetic pairs: their distribution, and the facts of the thesis about them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.calibration.calibration_errors import calibration_error
from howsure.calibration.simulation import label_probability, simulate_pairs


@given(st.floats(0, 1), st.floats(0, 0.5))
def test_the_transform_moves_away_from_the_middle_by_k(q: float, k: float) -> None:
    p = float(label_probability(np.array([q]), transform=k)[0])
    assert 0.0 <= p <= 1.0
    assert p == (max(0.0, q - k) if q <= 0.5 else min(1.0, q + k))
    assert label_probability(np.array([q])).tolist() == [q]


@pytest.mark.parametrize("transform", ["identity", 0.1, 0.5])
def test_predictions_and_labels_have_their_distributions(transform: str | float) -> None:
    pairs = simulate_pairs(100_000, 2.0, 5.0, transform=transform, rng=0)
    y, q = pairs.labels, pairs.probabilities
    assert q.mean() == pytest.approx(2 / 7, abs=0.002)
    assert q.var() == pytest.approx(10 / (49 * 8), abs=0.001)
    p = label_probability(q, transform=transform)
    for low in (0.0, 0.2, 0.5, 0.6):
        rows = (q >= low) & (q < low + 0.1)
        m = int(rows.sum())
        assert y[rows].mean() == pytest.approx(p[rows].mean(), abs=4 * math.sqrt(0.25 / m))
    assert set(np.unique(y).tolist()) <= {0, 1}


def test_the_seed_decides() -> None:
    first, again, other = (simulate_pairs(50, 0.3, 0.7, rng=seed) for seed in (1, 1, 2))
    assert (first.probabilities == again.probabilities).all()
    assert (first.labels == again.labels).all()
    assert (first.probabilities != other.probabilities).any()


def test_with_bins_that_grow_the_error_goes_to_0_or_to_what_it_is() -> None:
    """Bin size √n: the plug-in error of calibrated pairs falls with n, that of others (k = 0.1) stays."""
    fine, off = [], []
    for n in (1_000, 10_000, 100_000):
        size = math.isqrt(n)
        for transform, errors in (("identity", fine), (0.1, off)):
            pairs = simulate_pairs(n, 0.5, 0.5, transform=transform, rng=3)
            errors.append(calibration_error(pairs, bin_size=size, estimator="plugin").value)
    assert fine[0] > 1.2 * fine[1]
    assert fine[1] > 1.2 * fine[2]
    assert off[2] == pytest.approx(off[1], rel=0.15)


def test_the_debiased_error_finds_k() -> None:
    """k = 0.1 in the middle of (0.1, 0.9), where nothing is cut off."""
    error = calibration_error(simulate_pairs(200_000, 8.0, 8.0, transform=0.1, rng=4))
    assert error.value == pytest.approx(0.1, abs=0.01)
