"""The sign test of sums over clusters: against all signs written out, and its rate of error."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.calibration.clustered_tests import SignTest, sign_test


def largest(sums: np.ndarray) -> np.ndarray:
    return np.abs(sums).max(axis=1)


@given(st.integers(1, 7), st.integers(1, 4), st.integers(0, 2**32 - 1), st.floats(1.0, 3.0))
def test_few_clusters_try_all_signs(clusters: int, columns: int, seed: int, stretch: float) -> None:
    by_cluster = np.random.default_rng(seed).normal(size=(clusters, columns))
    value = np.abs(by_cluster.sum(axis=0)).max()
    all_signs = [np.abs(np.array(signs) @ by_cluster).max() for signs in product((-1, 1), repeat=clusters)]
    found = sign_test(by_cluster, largest, stretch=stretch, times=99, rng=np.random.default_rng(0))
    assert found.value == pytest.approx(value)
    assert found.p_value == np.mean(stretch * np.array(all_signs) >= value * (1 - 1e-9))
    assert found.p_error == 0.0


def test_many_clusters_draw_signs() -> None:
    """The law of the sum of 400 standard normal variables, known beforehand."""
    by_cluster = np.random.default_rng(1).normal(size=(400, 1))
    found = sign_test(by_cluster, largest, times=20_000, rng=np.random.default_rng(2))
    value, p, error = found.value, found.p_value, found.p_error
    assert error == pytest.approx(math.sqrt(p * (1 - p) / 20_001))
    assert p == pytest.approx(math.erfc(value / math.sqrt(2 * float((by_cluster**2).sum()))), abs=4 * error)


def test_draws_in_parts_are_the_same_test(monkeypatch: pytest.MonkeyPatch) -> None:
    by_cluster = np.random.default_rng(3).normal(size=(30, 5))
    whole = sign_test(by_cluster, largest, times=500, rng=np.random.default_rng(4))
    monkeypatch.setattr("howsure.calibration.clustered_tests.NUMBERS_AT_ONCE", 200)
    parts = sign_test(by_cluster, largest, times=500, rng=np.random.default_rng(4))
    np.testing.assert_allclose(parts.drawn, whole.drawn)


def test_the_rate_of_error_is_the_level() -> None:
    rng = np.random.default_rng(5)
    scale = rng.exponential(size=(12, 1))
    p_values = [sign_test(scale * rng.normal(size=(12, 3)), largest, times=99, rng=rng).p_value for _ in range(600)]
    for level in (0.05, 0.2, 0.5):
        assert np.mean(np.array(p_values) <= level) == pytest.approx(level, abs=4 * math.sqrt(level / 600))


@pytest.mark.parametrize("clusters", [4, 8, 30])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_what_exceeds_the_critical_value_has_a_p_value_of_at_most_the_rest(clusters: int, level: float) -> None:
    rng = np.random.default_rng(6)
    for _ in range(20):
        found = sign_test(rng.normal(size=(clusters, 2)), largest, times=199, rng=rng)
        for value in (*found.drawn[:40] * (1 + 1e-6), *found.drawn[:40] * (1 - 1e-6)):
            other = SignTest(float(value), found.drawn, found.exact)
            assert (value > found.critical(level)) == (other.p_value <= 1 - level + 1e-12)
