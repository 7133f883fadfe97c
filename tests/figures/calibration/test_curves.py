"""What is drawn is what is in the curve."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import StepPatch

from howsure import CalibrationCurve, calibration_curve
from howsure.errors import InputError
from howsure.figures.curves import STRIP, draw_curves
from tests.figures.made_up import ANY_CURVE, curve_with, many_curves

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


def test_points_lie_at_mean_prediction_and_label_frequency() -> None:
    curve = curve_with(Q, OVER)
    ax = draw_curves([curve])
    (line,) = curves_drawn(ax)
    assert np.array_equal(line.get_xdata(), curve.bins.mean_prob)
    assert np.array_equal(line.get_ydata(), curve.bins.frequency)
    assert line.get_marker() == "o"
    (intervals,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    drawn = np.array([[path[0, 1], path[1, 1]] for path in intervals.get_segments()])
    assert np.allclose(drawn, np.stack([curve.bins.low, curve.bins.high], axis=1))


def test_axes_say_what_they_show() -> None:
    ax = draw_curves([curve_with(Q, OVER)], title="A title")
    assert ax.get_xlabel() == "predicted probability"
    assert ax.get_ylabel() == "frequency of label 1"
    assert ax.get_title() == "A title"
    assert ax.get_aspect() == 1.0
    assert {"underconfident", "overconfident"} <= set(texts_of(ax))
    diagonal = [line for line in ax.lines if list(line.get_xdata()) == [0, 1] == list(line.get_ydata())]
    assert len(diagonal) == 1


def test_the_strip_names_the_label_as_the_axes_do() -> None:
    drawn = draw_curves([calibration_curve(["ja", "nein"], [0.8, 0.3], pos_label="ja", bin_size=1)])
    assert {"“ja”", "other"} <= set(texts_of(drawn))
    assert {"label 1", "label 0"} <= set(texts_of(draw_curves([curve_with(Q, OVER)])))


def test_underconfident_stands_above_the_diagonal_and_overconfident_below() -> None:
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


def test_several_curves_differ_and_the_legend_tells_their_errors() -> None:
    curves = many_curves(8)
    ax = draw_curves(curves)
    drawn = curves_drawn(ax)
    assert len(drawn) == 8
    for line, curve in zip(drawn, curves, strict=True):
        assert np.array_equal(line.get_ydata(), curve.bins.frequency)
    assert len({(line.get_color(), line.get_marker()) for line in drawn}) == 8
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()][:2] == [
        "g1\n0.100 [0.080, 0.120]",
        "g2\n0.110 [0.090, 0.130]",
    ]
    assert legend.get_title().get_text() == "error [95 % interval]"


def test_the_strip_shows_where_the_predictions_of_each_label_lie() -> None:
    curve = calibration_curve([0] * 90 + [1] * 10, [0.1] * 90 + [0.9] * 10)
    one, zero = [patch for patch in draw_curves([curve]).patches if isinstance(patch, StepPatch)]
    middle = sum(STRIP) / 2
    up, down = np.asarray(one.get_data().values) - middle, middle - np.asarray(zero.get_data().values)
    assert np.flatnonzero(up > 1e-12).tolist() == [57]
    assert np.flatnonzero(down > 1e-12).tolist() == [6]
    assert up.max() / down.max() == pytest.approx(np.sqrt(10 / 90))
    assert down.max() == pytest.approx((STRIP[1] - STRIP[0]) / 2)


def test_it_draws_on_given_axes_and_returns_them() -> None:
    ax = Figure().add_subplot()
    assert draw_curves([ANY_CURVE], ax=ax) is ax
    assert ANY_CURVE.plot(ax) is ax
    assert isinstance(ANY_CURVE.plot().figure, Figure)


def test_labels_replace_names() -> None:
    assert draw_curves([ANY_CURVE], labels=["mine"]).get_title() == "mine"
    assert draw_curves([ANY_CURVE]).get_title() == ""
    legend = draw_curves([ANY_CURVE, ANY_CURVE]).get_legend()
    assert legend is not None
    assert legend.get_texts()[1].get_text().startswith("curve 2\n")


def test_wrong_input_is_refused() -> None:
    with pytest.raises(InputError, match="at least one calibration curve"):
        draw_curves([])
    with pytest.raises(InputError, match="2 labels for 1 curves"):
        draw_curves([ANY_CURVE], labels=["a", "b"])
