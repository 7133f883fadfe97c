"""Errors side by side: every estimate where it belongs, and what cannot be drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from howsure_papers.figures.side_by_side import SPREAD, side_by_side_figure

from howsure.errors import InputError
from howsure.stats.estimate import Estimate


def estimate(value: float, reach: float | None = 0.1) -> Estimate:
    low, high = (None, None) if reach is None else (value - reach, value + reach)
    return Estimate(value, low, high, 0.95, "debiased", 10)


LABELS = ["NN", "$_a^", "mean"]


def test_every_estimate_stands_at_its_label() -> None:
    a, b = [estimate(0.2), estimate(math.nan, None), estimate(0.4)], [estimate(0.3), estimate(0.1), estimate(0.5)]
    figure = side_by_side_figure(LABELS, [("HMM", a), ("CRF_$", b)], averages=1, y_label="error", title="ünï $")
    (axes,) = figure.axes
    first, second = (line for line in axes.lines if line.get_marker() not in ("None", ""))
    np.testing.assert_allclose(first.get_xdata(), np.array([0, 1, 2.6]) - SPREAD / 2)
    np.testing.assert_allclose(second.get_xdata(), np.array([0, 1, 2.6]) + SPREAD / 2)
    np.testing.assert_array_equal(first.get_ydata(), [0.2, math.nan, 0.4])
    segments = axes.collections[1].get_segments()
    np.testing.assert_allclose([segment[:, 1] for segment in segments], [[0.2, 0.4], [0.0, 0.2], [0.4, 0.6]])
    assert [tick.get_text() for tick in axes.get_xticklabels()] == LABELS
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["HMM", "CRF_$"]
    assert axes.get_title() == "ünï $"
    figure.draw_without_rendering()


def test_one_model_stands_in_the_middle() -> None:
    figure = side_by_side_figure(["NN"], [("HMM", [estimate(0.2)])], y_label="error")
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_xdata(), [0.0])


@pytest.mark.parametrize(
    ("labels", "models", "complaint"),
    [
        ([], [("a", [])], "at least one"),
        (["NN"], [], "at least one"),
        (["NN", "VB"], [("HMM", [estimate(0.1)])], "HMM has 1 of 2"),
    ],
)
def test_what_cannot_be_drawn(labels, models, complaint) -> None:
    with pytest.raises(InputError, match=complaint):
        side_by_side_figure(labels, models, y_label="error")
