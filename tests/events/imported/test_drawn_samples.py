"""Samples drawn from probabilities: as near as can be, right on average, independent."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from howsure.events.extraction.import_events import drawn_samples


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5), st.integers(2, 40), st.integers(0, 2**32))
def test_shares_are_less_than_one_sample_off(probabilities: list[float], n: int, seed: int) -> None:
    drawn = drawn_samples(np.array(probabilities), n, rng=seed)
    assert drawn.shape == (len(probabilities), n)
    assert (np.abs(drawn.sum(axis=1) - n * np.array(probabilities)) < 1 + 1e-9).all()
    for p, row in zip(probabilities, drawn, strict=True):
        assert row.all() if p == 1 else row.any() <= (p > 0)


def test_small_probabilities_are_not_rounded_away() -> None:
    drawn = drawn_samples(np.full(20_000, 0.003), 100, rng=0)
    assert abs(drawn.mean() - 0.003) < 5 * np.sqrt(0.3 * 0.7 / 20_000) / 100  # 5 standard deviations


def test_events_are_independent_and_samples_exchangeable() -> None:
    pairs = np.stack([drawn_samples(np.array([0.3, 0.6]), 10, rng=seed) for seed in range(4_000)])
    assert np.abs(pairs.mean(axis=0) - [[0.3], [0.6]]).max() < 5 * np.sqrt(0.25 / 4_000)
    both = (pairs[:, 0] & pairs[:, 1]).mean()
    assert abs(both - 0.18) < 5 * np.sqrt(0.18 * 0.82 / 40_000)
