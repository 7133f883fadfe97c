"""Posterior quantiles: ranks by counting, intervals of the right size, and a test with the right size and power."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from howsure import InputError, quantile_calibration, read
from howsure.calibration.quantiles import critical_distance, distance_tail, largest_distance


@given(st.integers(2, 12), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_ranks_are_counts_of_the_draws_below(n: int, s: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    draws, truth = rng.normal(size=(n, s)), rng.normal(size=n)
    result = quantile_calibration(truth, draws, n_bins=min(2, s + 1))
    assert result.ranks.tolist() == [sum(d < t for d in row) for row, t in zip(draws, truth, strict=True)]
    assert result.counts.sum() == n
    assert result.expected.sum() == pytest.approx(n)
    assert result.cumulative[0] == 0.0
    assert result.cumulative[-1] == 1.0
    assert result.tied == 0


def test_the_test_is_scipys_chi_square() -> None:
    rng = np.random.default_rng(1)
    result = quantile_calibration(rng.normal(size=300), rng.normal(size=(300, 19)), n_bins=20)
    by_rank = np.bincount(result.ranks, minlength=20)
    statistic, p = chisquare(by_rank)
    assert result.counts.tolist() == by_rank.tolist()
    assert result.statistic == pytest.approx(statistic, rel=1e-12)
    assert result.p_value == pytest.approx(p, rel=1e-9)


def test_ties_get_any_of_their_ranks_alike() -> None:
    """Whole numbers are tied all the time; the ranks are uniform all the same."""
    rng = np.random.default_rng(2)
    draws, truth = rng.integers(0, 3, size=(4_000, 9)), rng.integers(0, 3, size=4_000)
    result = quantile_calibration(truth, draws, rng=0)
    assert result.tied > 3_000
    assert result.p_value > 0.001
    assert np.abs(np.bincount(result.ranks, minlength=10) / 4_000 - 0.1).max() < 0.03


def test_uneven_bars_of_whole_ranks_are_expected_to_be_uneven() -> None:
    rng = np.random.default_rng(3)
    result = quantile_calibration(rng.normal(size=500), rng.normal(size=(500, 9)), n_bins=4)
    np.testing.assert_allclose(result.expected, 500 * np.diff(result.bin_edges))
    assert len(set(np.diff(result.bin_edges).round(9))) > 1


def test_p_values_of_calibrated_draws_are_uniform_and_the_bands_hold() -> None:
    rng = np.random.default_rng(4)
    p_values, inside, in_band = [], [], 0
    for _ in range(250):
        result = quantile_calibration(rng.normal(size=200), rng.normal(size=(200, 39)), n_bins=8)
        p_values.append(result.p_value)
        inside.append(np.mean((result.counts >= result.low) & (result.counts <= result.high)))
        in_band += bool(((result.cumulative >= result.band_low) & (result.cumulative <= result.band_high)).all())
    assert 0.02 < np.mean(np.array(p_values) < 0.05) < 0.09
    assert np.mean(inside) > 0.94
    assert in_band / 250 > 0.93


def in_clusters(sizes: np.ndarray, correlation: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The cluster of each quantity, and standard normal truths that are correlated within clusters."""
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    shared = np.sqrt(correlation) * rng.normal(size=len(sizes))[clusters]
    return clusters, shared + np.sqrt(1 - correlation) * rng.normal(size=len(clusters))


@pytest.mark.parametrize("number", [10, 40])
def test_clusters_are_known_to_both_tests_the_band_and_the_bars(number: int) -> None:
    """Groups of 20 with ρ = .5: a test that does not know of them rejects nearly half of calibrated posteriors."""
    rng = np.random.default_rng(7)
    rejected, ignorant, inside, in_band = {"chi-square": 0, "band": 0}, 0, [], 0
    for _ in range(150):
        clusters, truth = in_clusters(np.full(number, 20), 0.5, rng)
        draws = rng.normal(size=(len(truth), 19))
        calibration = quantile_calibration(truth, draws, clusters=clusters, n_simulations=199, rng=rng)
        for method, p in calibration.p_values.items():
            rejected[method] += p <= 0.05
        inside.append(np.mean((calibration.counts >= calibration.low) & (calibration.counts <= calibration.high)))
        within = bool(
            ((calibration.cumulative >= calibration.band_low) & (calibration.cumulative <= calibration.band_high)).all()
        )
        assert within == (calibration.p_values["band"] > 0.05)
        in_band += within
        ignorant += quantile_calibration(truth, draws).p_value <= 0.05
    assert max(rejected.values()) / 150 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)
    assert ignorant / 150 > 0.35
    assert np.mean(inside) > 0.93
    assert in_band / 150 > 0.89


def test_the_statistics_of_clusters_match_independent_quantities() -> None:
    rng = np.random.default_rng(8)
    clusters, truth = in_clusters(rng.geometric(0.1, 30), 0.5, rng)
    draws = rng.normal(size=(len(truth), 9))
    alone, together = (quantile_calibration(truth, draws, clusters=c, n_bins=5, rng=0) for c in (None, clusters))
    assert together.statistics == pytest.approx(alone.statistics)
    assert (together.clusters, alone.clusters) == (30, None)
    assert max(alone.p_errors.values()) == 0.0 < min(together.p_errors.values())


def test_clusters_of_one_quantity_change_nothing() -> None:
    rng = np.random.default_rng(9)
    draws, truth = rng.normal(size=(50, 9)), rng.normal(size=50)
    clustered = quantile_calibration(truth, draws, clusters=np.arange(50), rng=0)
    assert clustered.to_dict() == quantile_calibration(truth, draws, rng=0).to_dict()


@pytest.mark.parametrize(("n", "draws"), [(40, 4), (200, 19), (500, 99)])
def test_the_band_is_left_if_and_only_if_its_p_value_is_small(n: int, draws: int) -> None:
    rng = np.random.default_rng(10)
    left, p_values = 0, []
    for _ in range(100):
        calibration = quantile_calibration(
            0.1 + rng.normal(size=n), rng.normal(size=(n, draws)), method="band", level=0.9
        )
        inside = bool(
            ((calibration.cumulative >= calibration.band_low) & (calibration.cumulative <= calibration.band_high)).all()
        )
        assert inside == (calibration.p_value > 0.1 * (1 + 1e-9))
        left += not inside
        p_values.append(calibration.p_value)
    assert 0 < left < 100


@pytest.mark.parametrize("level", [0.05, 0.2])
def test_the_p_value_of_the_band_is_exact(level: float) -> None:
    """But for steps where ranks are few: its rate of error is the largest below the level that there can be."""
    rng = np.random.default_rng(11)
    small = [distance_tail(largest_distance(rng.integers(0, 10, 150), 10), 150, 10) <= level for _ in range(2_000)]
    size = distance_tail(critical_distance(1 - level, 150, 10) + 1, 150, 10)
    assert np.mean(small) == pytest.approx(size, abs=4 * np.sqrt(size * (1 - size) / 2_000))
    assert 0.7 * level < size <= level


def test_the_band_finds_shifts_and_the_chi_square_finds_spreads() -> None:
    """Measured with 400 truths (benchmarks/calibration_tests.py): .73 against .35, and .56 against .83."""
    rng = np.random.default_rng(12)
    power = {
        ("band", "shift"): 0.0,
        ("band", "spread"): 0.0,
        ("chi-square", "shift"): 0.0,
        ("chi-square", "spread"): 0.0,
    }
    for _ in range(80):
        z = rng.normal(size=400)
        for name, truth in (("shift", z + 0.15), ("spread", 1.2 * z)):
            calibration = quantile_calibration(truth, rng.normal(size=(400, 99)))
            for method, p in calibration.p_values.items():
                power[method, name] += (p <= 0.05) / 80
    assert power["band", "shift"] > 1.5 * power["chi-square", "shift"]
    assert power["chi-square", "spread"] > 1.2 * power["band", "spread"]


def test_the_requested_method_comes_first() -> None:
    rng = np.random.default_rng(13)
    draws, truth = rng.normal(size=(100, 19)), rng.normal(size=100) + 0.2
    by_bars, by_band = (quantile_calibration(truth, draws, method=method) for method in ("chi-square", "band"))
    assert by_bars.p_values == by_band.p_values
    assert (by_bars.p_value, by_band.p_value) == (by_bars.p_values["chi-square"], by_bars.p_values["band"])
    assert "is detected (chi-square" in repr(by_bars)
    assert "By the other test: band" in repr(by_bars)
    assert "(band, largest distance" in repr(by_band)
    saved = by_band.to_dict()
    assert saved["p_value"] == saved["tests"]["band"]["p_value"] == by_band.p_value
    frame = by_band.to_frame()
    assert frame["counts"].sum() == 100
    assert list(frame.columns) == ["start", "end", "counts", "expected", "low", "high"]


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_too_wide_and_too_narrow_posteriors_are_found(scale: float) -> None:
    rng = np.random.default_rng(5)
    result = quantile_calibration(scale * rng.normal(size=500), rng.normal(size=(500, 99)))
    assert result.p_value < 1e-6
    outer = result.counts[0] + result.counts[-1]
    assert (outer > 2 * result.expected[0]) == (scale > 1)


def test_columns_of_frames_and_files_are_arrays(tmp_path: Path) -> None:
    """Draws in several columns or in one of lists: the result is that of arrays, and says what was read."""
    rng = np.random.default_rng(1)
    y, draws, clusters = rng.normal(size=60), rng.normal(size=(60, 4)), np.arange(60) // 3
    names = ["a", "b", "c", "d"]
    frame = pandas.DataFrame({"y": y, **dict(zip(names, draws.T, strict=True)), "g": clusters, "all": list(draws)})
    frame.drop(columns="all").to_csv(tmp_path / "draws.csv", index=False)
    frame[["y", "all", "g"]].to_json(tmp_path / "draws.jsonl", orient="records", lines=True, double_precision=15)
    expected = quantile_calibration(y, draws, clusters=clusters, rng=3)
    for data, columns in (
        (frame, names),
        (frame, "all"),
        (read(tmp_path / "draws.csv"), names),
        (read(tmp_path / "draws.jsonl"), "all"),
    ):
        calibration = quantile_calibration("y", columns, clusters="g", rng=3, data=data)
        assert calibration.p_values == expected.p_values
        assert calibration.ranks.tolist() == expected.ranks.tolist()
    assert calibration.recipe["rows"] == 60
    assert "60 true values, 1 draw each." in repr(quantile_calibration(y, draws[:, :1]))
    with pytest.raises(InputError, match="must name each column once"):
        quantile_calibration("y", ["a", "y"], data=frame)


@pytest.mark.parametrize(("n", "possible"), [(1, 6), (3, 3), (4, 5), (5, 4), (6, 3), (8, 2)])
def test_the_law_matches_all_ranks(n: int, possible: int) -> None:
    distances = np.array([largest_distance(np.array(ranks), possible) for ranks in product(range(possible), repeat=n)])
    for distance in range(int(distances.max()) + 3):
        assert distance_tail(distance, n, possible) == pytest.approx(np.mean(distances >= distance), abs=1e-10)


def test_the_distance_is_its_definition() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        n, possible = rng.integers(1, 30), rng.integers(2, 12)
        ranks = rng.integers(0, possible, n)
        below = [int((ranks < k).sum()) for k in range(possible + 1)]
        assert largest_distance(ranks, possible) == max(abs(possible * b - n * k) for k, b in enumerate(below))


@pytest.mark.parametrize(("n", "possible"), [(60, 4), (150, 20), (2_000, 100)])
def test_the_law_matches_draws(n: int, possible: int) -> None:
    rng = np.random.default_rng(1)
    distances = np.array([largest_distance(rng.integers(0, possible, n), possible) for _ in range(3_000)])
    for share in (0.5, 0.1, 0.05):
        distance = int(np.quantile(distances, 1 - share))
        p = float(np.mean(distances >= distance))
        assert distance_tail(distance, n, possible) == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 3_000))


@pytest.mark.parametrize(("n", "possible"), [(1, 2), (30, 5), (400, 100), (10**6, 1_000)])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_critical_distance_is_the_least(n: int, possible: int, level: float) -> None:
    distance = critical_distance(level, n, possible)
    assert distance_tail(distance + 1, n, possible) <= 1 - level
    assert distance == 0 or distance_tail(distance, n, possible) > 1 - level


def test_the_bound_is_never_passed_and_what_is_too_small_to_count_is_the_bound() -> None:
    for distance in range(1, 2_000, 50):
        bound = min(1.0, 2 * math.exp(-2 * (distance / 20) ** 2 / 100))
        assert 0.0 <= distance_tail(distance, 100, 20) <= bound
    assert distance_tail(100 * 20, 100, 20) == pytest.approx(2 * math.exp(-200))
