"""Posterior quantiles: ranks by counting, intervals of the right size, and a test with the right size and power."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from howsure import InputError, posterior_quantiles


@given(st.integers(2, 12), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_ranks_are_counts_of_the_draws_below(n: int, s: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    draws, truth = rng.normal(size=(n, s)), rng.normal(size=n)
    result = posterior_quantiles(draws, truth, n_bins=min(2, s + 1))
    assert result.ranks.tolist() == [sum(d < t for d in row) for row, t in zip(draws, truth, strict=True)]
    assert result.counts.sum() == n
    assert result.expected.sum() == pytest.approx(n)
    assert result.cumulative[0] == 0.0
    assert result.cumulative[-1] == 1.0
    assert result.tied == 0


def test_the_test_is_scipys_chi_square() -> None:
    rng = np.random.default_rng(1)
    result = posterior_quantiles(rng.normal(size=(300, 19)), rng.normal(size=300), n_bins=20)
    by_rank = np.bincount(result.ranks, minlength=20)
    statistic, p = chisquare(by_rank)
    assert result.counts.tolist() == by_rank.tolist()
    assert result.statistic == pytest.approx(statistic, rel=1e-12)
    assert result.p_value == pytest.approx(p, rel=1e-9)


def test_ties_get_any_of_their_ranks_alike() -> None:
    """Whole numbers are tied all the time; the ranks are uniform all the same."""
    rng = np.random.default_rng(2)
    draws, truth = rng.integers(0, 3, size=(4_000, 9)), rng.integers(0, 3, size=4_000)
    result = posterior_quantiles(draws, truth, rng=0)
    assert result.tied > 3_000
    assert result.p_value > 0.001
    assert np.abs(np.bincount(result.ranks, minlength=10) / 4_000 - 0.1).max() < 0.03


def test_uneven_bars_of_whole_ranks_are_expected_to_be_uneven() -> None:
    rng = np.random.default_rng(3)
    result = posterior_quantiles(rng.normal(size=(500, 9)), rng.normal(size=500), n_bins=4)
    np.testing.assert_allclose(result.expected, 500 * np.diff(result.bin_edges))
    assert len(set(np.diff(result.bin_edges).round(9))) > 1


def test_p_values_of_calibrated_draws_are_uniform_and_the_bands_hold() -> None:
    rng = np.random.default_rng(4)
    p_values, inside, in_band = [], [], 0
    for _ in range(400):
        result = posterior_quantiles(rng.normal(size=(200, 39)), rng.normal(size=200), n_bins=8)
        p_values.append(result.p_value)
        inside.append(np.mean((result.counts >= result.low) & (result.counts <= result.high)))
        in_band += bool(((result.cumulative >= result.band_low) & (result.cumulative <= result.band_high)).all())
    assert 0.02 < np.mean(np.array(p_values) < 0.05) < 0.09
    assert np.mean(inside) > 0.94
    assert in_band / 400 > 0.93


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_too_wide_and_too_narrow_posteriors_are_found(scale: float) -> None:
    rng = np.random.default_rng(5)
    result = posterior_quantiles(rng.normal(size=(500, 99)), scale * rng.normal(size=500))
    assert result.p_value < 1e-6
    outer = result.counts[0] + result.counts[-1]
    assert (outer > 2 * result.expected[0]) == (scale > 1)


@pytest.mark.parametrize(
    ("draws", "truth", "options", "said"),
    [
        (np.zeros(3), np.zeros(3), {}, r"draws must have shape \(n, S\)"),
        (np.zeros((3, 4)), np.zeros(2), {}, r"truth must have shape \(3,\)"),
        ([[1.0, np.nan], [0.0, 1.0]], [0.0, 1.0], {}, "draws must be finite; row 0"),
        ([[1.0, 2.0], [0.0, 1.0]], [0.0, np.inf], {}, "truth must be finite; row 1"),
        ("x", [0.0, 1.0], {}, "draws must be numbers"),
        (np.ones((3, 4)), np.ones(3), {"n_bins": 9}, "n_bins must be a whole number from 2 to the number of ranks, 5"),
        (np.ones((3, 4)), np.ones(3), {"level": 95}, "level must lie strictly between 0 and 1"),
        (np.ones((3, 4)), np.ones(3), {"rng": "x"}, "rng must be a seed"),
    ],
)
def test_wrong_input_is_named(draws: object, truth: object, options: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        posterior_quantiles(draws, truth, **options)  # type: ignore[arg-type]
