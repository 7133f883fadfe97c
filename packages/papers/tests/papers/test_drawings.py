"""Figures of the reproductions: lines with bands, names of points, paths of a setting, labels side by side."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from howsure.figures.files import figure_bytes
from howsure.figures.style import new_figure, use_style
from howsure.result import Estimate
from howsure_papers.drawings import (
    SPREAD,
    Series,
    Setting,
    name_points,
    path_figure,
    power_of_ten,
    series_figure,
    side_by_side_figure,
)

X = [1, 10, 100, 1000]
NEAR = [[(0.5 + 0.012 * np.cos(t), 0.5 + 0.02 * np.sin(t), f"0.00{i}") for i, t in enumerate(np.arange(4) * 1.6)]]
EDGES = [[(0.0, 0.0, "0.001"), (0.7, 0.88, "0.003"), (0.0, 1.0, "0.01"), (1.0, 0.0, "0.03")]]


def estimate(value: float, reach: float | None = 0.1) -> Estimate:
    low, high = (None, None) if reach is None else (value - reach, value + reach)
    return Estimate(value, low, high, 0.95, "debiased", 10)


def test_lines_and_bands_are_the_numbers_given() -> None:
    series = [Series("a", X, [4, 3, 2, 1], [3, 2, 1, 0], [5, 4, 3, 2]), Series("_b$", X, [1, 1, 1, 1])]
    (ax,) = series_figure([("T", series)], x_label="bin size β", y_label="error $", log_x=True).axes
    assert [line.get_ydata().tolist() for line in ax.lines] == [[4, 3, 2, 1], [1, 1, 1, 1]]
    (band,) = ax.collections
    assert {tuple(vertex) for vertex in band.get_paths()[0].vertices} == {
        *zip(X, [3, 2, 1, 0], strict=True),
        *zip(X, [5, 4, 3, 2], strict=True),
    }
    legend = ax.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["a", "_b$"]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("bin size β", "error $", "T")
    assert ax.get_xscale() == "log"
    assert ax.get_yscale() == "linear"


def test_ticks_of_logarithmic_axes_are_text() -> None:
    (ax,) = series_figure([("", [Series("a", X, X)])], x_label="x", y_label="y", log_x=True, log_y=True).axes
    svg = figure_bytes(ax.figure, ".svg").decode()
    assert ">1,000<" in svg
    assert "mathdefault" not in svg
    assert ax.get_legend() is None


@pytest.mark.parametrize("value", [10.0**k for k in range(-12, 13)] + [5e-7, 2e9])
def test_every_tick_reads_as_its_value(value: float) -> None:
    plain = power_of_ten(value).translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")).replace(",", "")
    factor, times, power = plain.partition("·")
    if abs(np.log10(value)) < 3.5 or 1e3 <= value < 1e5:
        assert float(plain) == pytest.approx(value)
    elif times:
        assert float(factor) * 10.0 ** float(power[2:]) == pytest.approx(value)
    else:
        assert 10.0 ** float(factor[2:]) == pytest.approx(value)


def test_panels_share_their_axis() -> None:
    panels = [("one", [Series("a", X, [1, 2, 3, 4])]), ("two", [Series("a", X, [5, 6, 7, 8])])]
    first, second = series_figure(panels, x_label="x", y_label="y").axes
    assert first.get_ylim() == second.get_ylim()
    assert [ax.get_title() for ax in (first, second)] == ["one", "two"]


def test_one_legend_is_next_to_the_panels() -> None:
    panels = [(name, [Series("a", X, X), Series("b", X, X)]) for name in ("one", "two")]
    legends = [ax.get_legend() for ax in series_figure(panels, x_label="x", y_label="y", legend_outside=True).axes]
    assert [legend is None for legend in legends] == [True, False]


def test_a_third_panel_is_below_with_the_legend_next_to_it() -> None:
    panels = [(name, [Series("a", X, X), Series("b", X, X)]) for name in ("one", "two", "three")]
    figure = series_figure(panels, x_label="x", y_label="y", legend_outside=True)
    figure.draw_without_rendering()
    first, second, third = (ax.get_window_extent() for ax in figure.axes)
    assert third.y1 < first.y0 == second.y0
    legend = figure.axes[-1].get_legend().get_window_extent()
    assert third.x1 <= legend.x0 < legend.x1 <= figure.bbox.x1
    assert legend.y1 < second.y0


def test_large_numbers_have_commas() -> None:
    (ax,) = series_figure([("", [Series("a", [10_000, 50_000], [0.1, 0.2])])], x_label="n", y_label="y").axes
    svg = figure_bytes(ax.figure, ".svg").decode()
    assert ">50,000<" in svg
    assert len(ax.get_xticks()) <= 8


def named(lines: list[list[tuple[float, float, str]]]) -> tuple[Axes, list[Bbox]]:
    with use_style():
        ax = new_figure(5, 4).add_subplot()
        ax.set(xlim=(0, 1), ylim=(0, 1))
        ax.plot([], [], label="a line")
        ax.legend(loc="upper right")
        name_points(ax, lines, ["black"] * len(lines))
    ax.figure.draw_without_rendering()
    return ax, [text.get_window_extent() for text in ax.texts]


def test_names_keep_off_one_another_and_the_points() -> None:
    ax, boxes = named(NEAR)
    assert [text.get_text() for text in ax.texts] == ["0.000", "0.001", "0.002", "0.003"]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    places = ax.transData.transform([(x, y) for x, y, _ in NEAR[0]])
    assert not any(box.count_contains(places) for box in boxes)


def test_names_stay_inside_and_off_the_legend() -> None:
    ax, boxes = named(EDGES)
    legend = ax.get_legend()
    assert not any(box.overlaps(legend.get_window_extent()) for box in boxes)
    assert all(ax.bbox.contains(*corner) for box in boxes for corner in box.corners())


def test_a_dollar_sign_is_a_dollar_sign() -> None:
    ax, _ = named([[(0.5, 0.5, "$_")]])
    assert [(text.get_text(), text.get_parse_math()) for text in ax.texts] == [("$_", False)]


def test_a_path_is_the_numbers_given() -> None:
    paths = [
        ("HMM", [Setting("0.1", 0.7, estimate(0.05, 0.01)), Setting("1", 0.75, estimate(0.02, 0.01), chosen=True)]),
        ("$CRF_", [Setting("2", 0.8, estimate(0.01, None))]),
    ]
    figure = path_figure(paths, x_label="accuracy", y_label="error", setting="strength", root_y=True)
    (ax,) = figure.axes
    lines = [
        (line.get_xdata().tolist(), line.get_ydata().tolist()) for line in ax.lines if line.get_linestyle() != "None"
    ]
    assert lines == [([0.7, 0.75], [0.05, 0.02]), ([0.8], [0.01])]
    assert [text.get_text() for text in ax.texts] == ["0.1", "1", "2"]
    rings = [line for line in ax.lines if line.get_linestyle() == "None"]
    assert [(ring.get_xdata()[0], ring.get_ydata()[0]) for ring in rings] == [(0.75, 0.02)]
    assert [[tuple(end) for end in segment] for segment in ax.collections[0].get_segments()] == [
        [(0.7, pytest.approx(0.04)), (0.7, pytest.approx(0.06))],
        [(0.75, pytest.approx(0.01)), (0.75, pytest.approx(0.03))],
    ]
    legend = ax.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["HMM", "$CRF_"]
    assert ax.transScale.transform([(0.0, 0.04)])[0][1] == pytest.approx(0.2)
    assert b"<svg" in figure_bytes(figure, ".svg")


LABELS = ["NN", "$_a^", "mean"]


def test_every_estimate_stands_at_its_label() -> None:
    a, b = [estimate(0.2), estimate(math.nan, None), estimate(0.4)], [estimate(0.3), estimate(0.1), estimate(0.5)]
    figure = side_by_side_figure(LABELS, [("HMM", a), ("CRF_$", b)], averages=1, y_label="error")
    (axes,) = figure.axes
    first, second = (line for line in axes.lines if line.get_marker() not in ("None", ""))
    np.testing.assert_allclose(first.get_xdata(), np.array([0, 1, 2.6]) - SPREAD / 2)
    np.testing.assert_allclose(second.get_xdata(), np.array([0, 1, 2.6]) + SPREAD / 2)
    np.testing.assert_array_equal(first.get_ydata(), [0.2, math.nan, 0.4])
    segments = axes.collections[1].get_segments()
    np.testing.assert_allclose([segment[:, 1] for segment in segments], [[0.2, 0.4], [0.0, 0.2], [0.4, 0.6]])
    assert [tick.get_text() for tick in axes.get_xticklabels()] == LABELS
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["HMM", "CRF_$"]
    figure.draw_without_rendering()


def test_one_model_stands_in_the_middle() -> None:
    figure = side_by_side_figure(["NN"], [("HMM", [estimate(0.2)])], y_label="error")
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_xdata(), [0.0])
