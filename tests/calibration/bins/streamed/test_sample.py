"""The sample that steers the reading: even, bounded, and it knows ties."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.calibration.bins.streamed.sample import EVERY, HEAVY, Sample


def sampled(q: np.ndarray) -> Sample:
    sample = Sample()
    for start in range(0, len(q), 50_000):
        sample.add(q[start : start + 50_000])
    sample.finish()
    return sample


def test_it_is_even_and_no_larger_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.calibration.bins.streamed.sample.MOST_HELD", 1_000)
    sample = sampled(np.arange(400_000) / 400_000)
    assert 250 <= len(sample.values) <= 1_000
    assert sample.every > EVERY
    counts, _ = np.histogram(sample.values, bins=4, range=(0, 1))
    assert counts.min() > len(sample.values) / 4 - 5 * np.sqrt(len(sample.values) / 4)
    assert sample.tied_with(np.array([0.0, 0.5, 1.0])).tolist() == [0.0, 0.0, 0.0]


def test_masses_are_heavy_and_other_ties_are_measured_where_they_are() -> None:
    rng = np.random.default_rng(40)
    ties = np.repeat(rng.random(100_000) / 2, 10)  # below one half each pair is tied with nine others
    masses = np.append(np.zeros(50_000), np.full(EVERY * HEAVY * 4, 0.25))
    q = rng.permutation(np.concatenate([ties, 0.5 + rng.random(500_000) / 2, masses]))
    sample = sampled(q)
    assert sample.heavy.tolist() == [0.0, 0.25]
    np.testing.assert_allclose(sample.tied_with(np.linspace(0.05, 0.45, 9)), 9, atol=4)
    np.testing.assert_array_equal(sample.tied_with(np.linspace(0.55, 1, 9)), 0)


def test_nothing_drawn_says_nothing() -> None:
    sample = sampled(np.full(EVERY - 1, 0.5))
    assert len(sample.values) == len(sample.heavy) == 0
    assert sample.tied_with(np.array([0.0, 1.0])).tolist() == [0.0, 0.0]
