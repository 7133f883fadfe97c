"""The two panels of posterior quantiles."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch

from howsure import CalibrationCurve, calibration_curve
from howsure.calibration.quantiles import posterior_quantiles
from howsure.figures.distributions import draw_quantiles, histogram_figure, quantile_figure
from howsure.figures.files import figure_bytes

RNG = np.random.default_rng(8)
NARROW = posterior_quantiles(1.5 * RNG.normal(size=2000), RNG.normal(size=(2000, 99)))
CALIBRATED = posterior_quantiles(RNG.normal(size=2000), RNG.normal(size=(2000, 99)))


def test_bars_are_the_counts_and_those_outside_are_hatched() -> None:
    ax = draw_quantiles(NARROW)
    bars = ax.containers[0].patches
    assert [bar.get_height() for bar in bars] == NARROW.counts.tolist()
    outside = ((NARROW.counts < NARROW.low) | (NARROW.counts > NARROW.high)).tolist()
    assert any(outside)
    assert [bar.get_hatch() is not None for bar in bars] == outside
    assert f"{sum(outside)} of 20 bars outside their 95 % interval" in ax.texts[0].get_text()


def test_the_cumulative_curve_is_drawn_minus_the_diagonal() -> None:
    _, ax = quantile_figure(CALIBRATED, title="T").axes
    drawn = ax.lines[-1]
    assert np.allclose(drawn.get_ydata(), CALIBRATED.cumulative - CALIBRATED.points)
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert np.isclose(band.max(), (CALIBRATED.band_high - CALIBRATED.points).max())
    assert np.isclose(band.min(), (CALIBRATED.band_low - CALIBRATED.points).min())


def test_given_axes_get_the_histogram() -> None:
    ax = Figure().add_subplot()
    assert draw_quantiles(NARROW, ax) is ax
    assert NARROW.plot(ax) is ax
    figure = NARROW.plot().figure
    assert isinstance(figure, Figure)
    assert len(figure.axes) == 1
    assert len(NARROW.figure().axes) == 2
    assert figure_bytes(NARROW.figure(), ".svg") == figure_bytes(quantile_figure(NARROW), ".svg")


# Each class's histogram adds up to one by itself.


def shares(curve: CalibrationCurve) -> tuple[np.ndarray, np.ndarray]:
    zero, one = [patch for patch in histogram_figure(curve).axes[0].patches if isinstance(patch, StepPatch)]
    return np.asarray(zero.get_data().values), np.asarray(one.get_data().values)


def test_label_1_points_up_and_label_0_down_each_adding_up_to_1() -> None:
    rng = np.random.default_rng(3)
    q = rng.beta(0.5, 2, 5000)
    curve = calibration_curve(rng.random(5000) < q, q)
    zero, one = shares(curve)
    assert one.sum() == pytest.approx(1.0)
    assert zero.sum() == pytest.approx(-1.0)
    assert np.allclose(one, curve.histogram[1] / curve.histogram[1].sum())
    assert np.allclose(zero, -curve.histogram[0] / curve.histogram[0].sum())


def test_both_sides_are_named_with_their_share() -> None:
    figure = histogram_figure(calibration_curve([0] * 30 + [1] * 10, [0.1] * 30 + [0.9] * 10), title="T$")
    ax = figure.axes[0]
    assert [text.get_text() for text in ax.texts] == ["label 0\n75 % of all", "label 1\n25 % of all"]
    assert ax.get_title() == "T$"
    low, high = ax.get_ylim()
    assert low < -1 < 1 < high


def test_a_missing_class_is_said_to_be_missing() -> None:
    curve = calibration_curve([1] * 40, np.linspace(0.1, 0.9, 40))
    ax = histogram_figure(curve).axes[0]
    assert ax.texts[0].get_text() == "no pair has\nlabel 0"
    assert (ax.get_yticks() >= 0).all()
    assert figure_bytes(ax.figure, ".svg")


def test_ticks_are_shares_within_what_is_shown() -> None:
    rng = np.random.default_rng(3)
    q = rng.random(5000)
    ax = histogram_figure(calibration_curve(rng.random(5000) < q, q)).axes[0]
    ticks = ax.get_yticks()
    assert 0.0 in ticks
    assert {ax.yaxis.get_major_formatter()(tick) for tick in ticks} <= {"0 %", "0.1 %", "1 %", "2 %", "5 %", "10 %"}
