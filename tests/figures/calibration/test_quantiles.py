"""The two panels of posterior quantiles."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from howsure.calibration.quantiles import posterior_quantiles
from howsure.figures.distributions import draw_quantiles, quantile_figure
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
