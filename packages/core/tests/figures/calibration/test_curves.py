"""What is drawn is what is in the curve."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import StepPatch
from tests.figures.made_up import ANY_CURVE, curve_with, many_curves

from howsure import CalibrationCurve, calibration_curve, pairs_from_classes
from howsure.calibration.curve_text import verdict
from howsure.calibration.quantiles import quantile_calibration
from howsure.figures.calibration import curve_html
from howsure.figures.curves import CORNER, STRIP, Scale, axis_words, choose_scale, curve_figure, draw_curves, grid_width
from howsure.figures.distributions import draw_quantiles, histogram_figure, quantile_figure
from howsure.figures.files import figure_bytes

Q = [0.1, 0.3, 0.5, 0.7, 0.9]
OVER = [0.05, 0.2, 0.35, 0.5, 0.7]


def curves_drawn(ax: Axes) -> list[Line2D]:
    """The lines of bins: not the diagonal, not the middle of the strip."""
    return [line for line in ax.lines if len(line.get_xdata()) not in (2,) or line.get_marker() != "None"]


def texts_of(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def with_many_bins(n: int) -> CalibrationCurve:
    q = (np.arange(n) + 0.5) / n
    return curve_with(list(q), list(q**1.3))


def test_the_strip_names_the_label_as_the_axes_do() -> None:
    drawn = draw_curves([calibration_curve(["ja", "nein"], [0.8, 0.3], pos_label="ja", bin_size=1)])
    assert {"“ja”", "other"} <= set(texts_of(drawn))
    assert {"label 1", "label 0"} <= set(texts_of(draw_curves([curve_with(Q, OVER)])))


def test_underconfident_is_above_the_diagonal_and_overconfident_below() -> None:
    ax = draw_curves([curve_with(Q, OVER)])
    places = {text.get_text(): text.get_position() for text in ax.texts}
    assert places["underconfident"][1] > places["underconfident"][0]
    assert places["overconfident"][1] < places["overconfident"][0]


@pytest.mark.parametrize(("frequency", "above"), [(OVER, True), ([0.3, 0.5, 0.65, 0.8, 0.95], False)])
def test_the_error_is_printed_on_the_empty_side(frequency: list[float], above: bool) -> None:
    ax = draw_curves([curve_with(Q, frequency, error=(0.123, 0.1, 0.15))])
    (printed,) = [text for text in ax.texts if "error" in text.get_text()]
    assert printed.get_text() == "error 0.123 [0.100, 0.150]\nn = 2,000 in 5 bins"
    x, y = printed.get_position()
    assert (y > x) is above


def test_an_undefined_error_is_printed_as_such() -> None:
    curve = calibration_curve([0, 1], [0.2, 0.7], bin_size=1)
    assert any("error undefined" in text for text in texts_of(draw_curves([curve])))


def test_many_bins_are_a_line_with_a_band() -> None:
    curve = with_many_bins(2000)
    ax = draw_curves([curve])
    (line,) = curves_drawn(ax)
    assert len(line.get_ydata()) == 2000
    assert line.get_marker() == "None"
    assert [isinstance(c, PolyCollection) for c in ax.collections] == [True]


def test_the_strip_shows_where_the_predictions_of_each_label_lie() -> None:
    curve = calibration_curve([0] * 90 + [1] * 10, [0.1] * 90 + [0.9] * 10)
    ones, zero = [patch for patch in draw_curves([curve]).patches if isinstance(patch, StepPatch)]
    middle = sum(STRIP) / 2
    up, down = np.asarray(ones.get_data().values) - middle, middle - np.asarray(zero.get_data().values)
    assert np.flatnonzero(up > 1e-12).tolist() == [57]
    assert np.flatnonzero(down > 1e-12).tolist() == [6]
    assert up.max() / down.max() == pytest.approx(np.sqrt(10 / 90))
    assert down.max() == pytest.approx((STRIP[1] - STRIP[0]) / 2)


def test_labels_replace_names() -> None:
    assert draw_curves([ANY_CURVE], labels=["mine"]).get_title() == "mine"
    assert draw_curves([ANY_CURVE]).get_title() == ""
    legend = draw_curves([ANY_CURVE, ANY_CURVE]).get_legend()
    assert legend.get_texts()[1].get_text().startswith("curve 2\n")


# Few curves share a panel, many get one each.


def test_up_to_eight_curves_share_a_panel() -> None:
    assert len(curve_figure(many_curves(8)).axes) == 1


@pytest.mark.parametrize("n", [9, pytest.param(14, marks=pytest.mark.long)])
def test_more_curves_get_a_panel_each(n: int) -> None:
    curves = many_curves(n)
    shown = [ax for ax in curve_figure(curves, title="All").axes if ax.axison]
    assert [ax.get_title() for ax in shown] == [curve.name for curve in curves]
    for ax, curve in zip(shown, curves, strict=True):
        assert any(np.array_equal(line.get_ydata(), curve.bins.frequency) for line in ax.lines)
        assert any(f"n = {curve.n:,}" in text.get_text() for text in ax.texts)


def test_panels_can_be_requested() -> None:
    assert len([ax for ax in curve_figure(many_curves(3), panels=True).axes if ax.axison]) == 3


@given(st.integers(1, 200))
def test_the_grid_holds_all_panels_and_is_never_narrow(n: int) -> None:
    columns = grid_width(n)
    rows = -(-n // columns)
    assert rows * columns >= n
    assert rows <= columns <= rows + 3
    assert (rows - 1) * columns < n


# What the axes show: everything, a corner, or log-odds; round ticks apart; a rule that says which.


RARE = curve_with([0.004, 0.01, 0.03], [0.002, 0.012, 0.05])
SURE = curve_with([0.9, 0.98], [0.85, 0.99])
WIDE = curve_with([0.01, 0.5], [0.02, 0.4])


def test_a_corner_is_drawn_alone_by_itself() -> None:
    assert choose_scale([WIDE]) == Scale()
    assert choose_scale([WIDE, RARE]) == Scale()
    assert (choose_scale([RARE]).low, choose_scale([RARE]).high) == (0.0, 0.06)
    assert (choose_scale([SURE]).low, choose_scale([SURE]).high) == (0.8, 1.0)
    assert choose_scale([RARE], "linear") == Scale()
    assert choose_scale([WIDE], "zoom").high < 1.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.lists(st.floats(0, 1), min_size=8, max_size=8))
def test_every_bin_lies_within(q: list[float], p: list[float]) -> None:
    curve = curve_with(sorted(q), p[: len(q)])
    for axis in ("auto", "zoom"):
        scale = choose_scale([curve], axis)
        points = np.concatenate([curve.bins.mean_prob, curve.bins.frequency])
        assert 0.0 <= scale.low <= points.min() <= points.max() <= scale.high <= 1.0
        cornered = points.max() <= CORNER or points.min() >= 1 - CORNER
        assert axis == "zoom" or (scale == Scale()) is not cornered


@given(st.sampled_from([Scale(), Scale(0, 0.06), Scale(0.8, 1), Scale(0.001, 0.9, logit=True)]), st.floats(0.001, 0.9))
def test_a_share_and_its_probability_are_the_same_place(scale: Scale, probability: float) -> None:
    assert float(scale.at(scale.share(probability))) == pytest.approx(probability, abs=1e-9)


@given(st.floats(1e-6, 0.5), st.floats(0.5001, 1 - 1e-6), st.floats(0.1, 0.4))
def test_ticks_of_log_odds_lie_apart(low: float, high: float, apart: float) -> None:
    scale = Scale(low, high, logit=True)
    ticks = scale.ticks(apart)
    assert all(low <= tick <= high for tick in ticks)
    assert np.all(np.diff([scale.share(tick) for tick in ticks]) >= apart)


def test_log_odds_show_a_frequency_of_one_at_the_edge() -> None:
    ax = draw_curves([curve_with([0.6, 0.99], [0.7, 1.0])], axis="logit")
    assert (ax.get_xscale(), ax.get_yscale()) == ("logit", "logit")
    (hollow,) = [line for line in ax.lines if line.get_markerfacecolor() == "white"]
    assert list(hollow.get_xdata()) == [0.99]
    assert 0.99 < float(hollow.get_ydata()[0]) < 1.0
    assert ax.get_xlabel() == "predicted probability (log-odds scale)"


def test_the_axes_name_what_they_show() -> None:
    probs = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
    gold = ["a", "b", "c"] * 20
    curves = {
        reduce: calibration_curve(pairs_from_classes(gold, probs, classes=["a", "b", "c"], reduce=reduce))
        for reduce in ("top-label", "class-wise", "b")
    }
    assert axis_words([curves["top-label"]]) == ("predicted probability of the first choice", "accuracy")
    assert axis_words([curves["class-wise"]]) == ("predicted probability of the class", "frequency of the class")
    assert axis_words([curves["b"]]) == ("predicted probability of “b”", "frequency of “b”")
    spam = calibration_curve(["spam", "ham"] * 10, np.linspace(0.1, 0.9, 20), pos_label="spam")
    assert axis_words([spam])[1] == "frequency of “spam”"
    assert axis_words([spam, curves["b"]])[1] == "frequency of label 1"
    ax = draw_curves([curves["top-label"]], ax=Figure().add_subplot())
    assert {"right", "wrong"} <= {text.get_text() for text in ax.texts}


# What a notebook shows.


def test_the_table_and_the_picture_are_one_valid_element() -> None:
    curve = replace(curve_with([0.2, 0.8], [0.1, 0.6], name="<script>x</script>"), notes=("a < b & c",))
    html = curve_html(curve)
    tree = ElementTree.fromstring(html)
    assert tree.find(".//svg") is not None
    assert "<script" not in html
    text = "".join(tree.itertext())
    assert verdict(curve) in text
    assert "Note: a < b & c" in text
    assert str(curve.error) in text
    assert html == curve._repr_html_()


def test_two_curves_in_one_notebook_do_not_share_names() -> None:
    first, second = (curve_html(curve_with([0.2, 0.8], [0.1, p])) for p in (0.6, 0.7))
    names = [
        {node.attrib["id"] for node in ElementTree.fromstring(html).iter() if "id" in node.attrib}
        for html in (first, second)
    ]
    assert names[0]
    assert not names[0] & names[1]


# The two panels of posterior quantiles.


RNG = np.random.default_rng(8)
NARROW = quantile_calibration(1.5 * RNG.normal(size=2000), RNG.normal(size=(2000, 99)))
CALIBRATED = quantile_calibration(RNG.normal(size=2000), RNG.normal(size=(2000, 99)))


def test_bars_are_the_counts_and_those_outside_are_hatched() -> None:
    ax = draw_quantiles(NARROW)
    bars = ax.containers[0].patches
    assert [bar.get_height() for bar in bars] == NARROW.counts.tolist()
    outside = ((NARROW.counts < NARROW.low) | (NARROW.counts > NARROW.high)).tolist()
    assert any(outside)
    assert [bar.get_hatch() is not None for bar in bars] == outside
    assert f"{sum(outside)} of 20 bars outside their 95% interval" in ax.texts[0].get_text()


def test_the_cumulative_curve_is_drawn_minus_the_diagonal() -> None:
    _, ax = quantile_figure(CALIBRATED, title="T").axes
    drawn = ax.lines[-1]
    assert np.allclose(drawn.get_ydata(), CALIBRATED.cumulative - CALIBRATED.points)
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert np.isclose(band.max(), (CALIBRATED.band_high - CALIBRATED.points).max())
    assert np.isclose(band.min(), (CALIBRATED.band_low - CALIBRATED.points).min())


# Each class's histogram adds up to one by itself.


def shares(curve: CalibrationCurve) -> tuple[np.ndarray, np.ndarray]:
    zero, ones = [patch for patch in histogram_figure(curve).axes[0].patches if isinstance(patch, StepPatch)]
    return np.asarray(zero.get_data().values), np.asarray(ones.get_data().values)


def test_label_1_points_up_and_label_0_down_each_adding_up_to_1() -> None:
    rng = np.random.default_rng(3)
    q = rng.beta(0.5, 2, 5000)
    curve = calibration_curve(rng.random(5000) < q, q)
    zero, ones = shares(curve)
    assert ones.sum() == pytest.approx(1.0)
    assert zero.sum() == pytest.approx(-1.0)
    assert np.allclose(ones, curve.histogram[1] / curve.histogram[1].sum())
    assert np.allclose(zero, -curve.histogram[0] / curve.histogram[0].sum())


def test_both_sides_are_named_with_their_share() -> None:
    figure = histogram_figure(calibration_curve([0] * 30 + [1] * 10, [0.1] * 30 + [0.9] * 10), title="T$")
    ax = figure.axes[0]
    assert [text.get_text() for text in ax.texts] == ["label 0\n75 % of all", "label 1\n25 % of all"]
    assert ax.get_title() == "T$"
    low, high = ax.get_ylim()
    assert low < -1 < 1 < high


def test_a_missing_class_is_reported_to_be_missing() -> None:
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
    assert {ax.yaxis.get_major_formatter()(tick) for tick in ticks} <= {"0%", "0.1%", "1%", "2%", "5%", "10%"}
