"""The interval of the ECE: its parts by brute force, and what it covers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from benchmarks.coverage import AMPLITUDES, DESIGNS
from benchmarks.ece_coverage import BINNINGS, ece_coverage
from howsure import calibration_curve
from howsure.calibration.calibration_errors import FAR, LARGEST_FACTOR, cautious_gaps
from howsure.calibration.curve import curve_of
from howsure.calibration.slots import slots_of
from howsure.inputs.pairs import Pairs
from tests.calibration.samples import language_pairs


def moments(gap: float, s: float) -> tuple[float, float]:
    """Mean and variance of the cautious gap of an estimate that is Normal(gap, s²), by numerical integration."""
    grid = np.linspace(-9, 9, 20_001)
    density = np.exp(-(grid**2) / 2)
    found = cautious_gaps(gap + s * grid, np.full_like(grid, s))
    mean = float(np.average(found, weights=density))
    return mean, float(np.average((found - mean) ** 2, weights=density))


def test_a_cautious_gap_is_the_mean_over_halves() -> None:
    rng = np.random.default_rng(1)
    for gap, s in ((0.0, 0.1), (0.05, 0.1), (-0.2, 0.1)):
        shift = rng.normal(0, s, 2_000_000)
        expected = (np.sign(gap + shift) * (gap - shift)).mean()
        assert cautious_gaps(np.array([gap]), np.array([s]))[0] == pytest.approx(expected, abs=5e-4)
    assert cautious_gaps(np.array([0.3, 0.0]), np.array([0.0, 0.0])).tolist() == [0.3, 0.0]


@pytest.mark.parametrize("gap", np.linspace(0, 0.6, 25).tolist())
def test_on_average_it_is_not_above_the_gap(gap: float) -> None:
    mean, variance = moments(gap, 0.1)
    assert mean == pytest.approx(gap * (2 * ndtr(gap / (0.1 * np.sqrt(2))) - 1), abs=1e-6)
    assert mean <= gap + 1e-9
    assert variance <= LARGEST_FACTOR * 0.01 * (1 + 1e-3)
    if gap > (FAR + 1.0) * 0.1:
        assert variance == pytest.approx(0.01, rel=0.02)


def test_the_value_lies_inside_and_is_the_mean_absolute_gap() -> None:
    y, q = language_pairs(500, np.random.default_rng(2))
    curve = calibration_curve(y, q)
    bins = curve.bins
    assert curve.ece.value == pytest.approx(np.average(np.abs(bins.mean_prob - bins.frequency), weights=bins.count))
    assert curve.ece.low is not None
    assert curve.ece.high is not None
    assert 0 <= curve.ece.low <= curve.ece.value <= curve.ece.high <= 1
    assert curve.to_dict()["ece"] == curve.ece.to_dict()


def test_sums_have_the_same_interval() -> None:
    y, q = language_pairs(3000, np.random.default_rng(3))
    pairs = Pairs(y.astype(np.uint8), q.round(3))
    whole, sums = curve_of(pairs, bin_size=100), curve_of(slots_of(pairs), bin_size=100)
    assert (sums.ece.low, sums.ece.high) == pytest.approx((whole.ece.low, whole.ece.high), rel=1e-9)


def test_copies_in_a_cluster_say_nothing_new() -> None:
    y, q = language_pairs(400, np.random.default_rng(4))
    alone = calibration_curve(y, q, n_bins=10)
    copied = calibration_curve(np.repeat(y, 5), np.repeat(q, 5), clusters=np.repeat(np.arange(400), 5), n_bins=10)
    assert copied.ece.value == pytest.approx(alone.ece.value)
    assert copied.ece.high == pytest.approx(alone.ece.high, abs=0.01)
    assert copied.ece.low <= alone.ece.low + 0.005


def test_no_event_is_no_certainty() -> None:
    """1,000 answers that are each wrong with probability .001, and none is: .0037 may be, by the rule of three."""
    found = calibration_curve(np.ones(1000), np.full(1000, 0.999)).ece
    assert found.value == pytest.approx(0.001)
    assert (found.low, round(found.high, 4)) == (0.0, 0.0027)


def test_one_cluster_has_no_interval() -> None:
    found = calibration_curve([0, 1, 1, 0], [0.1, 0.6, 0.7, 0.4], clusters=[1, 1, 1, 1], bin_size=2).ece
    assert (found.low, found.high) == (None, None)


def test_a_calibrated_model_is_covered_in_a_small_simulation() -> None:
    """The plug-in value ± z · sd, which others report, holds it in hardly any run."""
    found = ece_coverage("plain", "calibrated", 1000, runs=40, binning="15 uniform")
    assert found.covered > 0.9
    assert found.beside < 0.1
    assert found.truth == pytest.approx(0.0, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("binning", BINNINGS)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("model", AMPLITUDES)
@pytest.mark.parametrize("n", [200, 1_000, 5_000, 20_000])
def test_the_interval_covers(design: str, model: str, n: int, binning: str) -> None:
    """Nominal .95, at least .93 less two standard errors of the runs."""
    runs = 400 if n < 20_000 else 150
    found = ece_coverage(design, model, n, runs=runs, binning=binning, seed=5)
    assert found.covered >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / runs)
