"""Each class's histogram adds up to one by itself."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.patches import StepPatch

from howsure import CalibrationCurve, calibration_curve
from howsure.figures.distributions import histogram_figure
from howsure.figures.files import figure_bytes


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
