"""What the axes show: everything, a corner, or log-odds; round ticks apart; a rule that says which."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from howsure import calibration_curve, pairs_from_classes
from howsure.errors import InputError
from howsure.figures.curves import CORNER, Scale, axis_words, draw_curves, scale_of
from tests.figures.made_up import curve_with

RARE = curve_with([0.004, 0.01, 0.03], [0.002, 0.012, 0.05])
SURE = curve_with([0.9, 0.98], [0.85, 0.99])
WIDE = curve_with([0.01, 0.5], [0.02, 0.4])


def test_a_corner_is_drawn_alone_by_itself() -> None:
    assert scale_of([WIDE]) == Scale()
    assert scale_of([WIDE, RARE]) == Scale()
    assert (scale_of([RARE]).low, scale_of([RARE]).high) == (0.0, 0.06)
    assert (scale_of([SURE]).low, scale_of([SURE]).high) == (0.8, 1.0)
    assert scale_of([RARE], "linear") == Scale()
    assert scale_of([WIDE], "zoom").high < 1.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.lists(st.floats(0, 1), min_size=8, max_size=8))
def test_every_bin_lies_within(q: list[float], p: list[float]) -> None:
    curve = curve_with(sorted(q), p[: len(q)])
    for axis in ("auto", "zoom"):
        scale = scale_of([curve], axis)
        points = np.concatenate([curve.bins.mean_prob, curve.bins.frequency])
        assert 0.0 <= scale.low <= points.min() <= points.max() <= scale.high <= 1.0
        cornered = points.max() <= CORNER or points.min() >= 1 - CORNER
        assert axis == "zoom" or (scale == Scale()) is not cornered


@given(st.sampled_from([Scale(), Scale(0, 0.06), Scale(0.8, 1), Scale(0.001, 0.9, logit=True)]), st.floats(0.001, 0.9))
def test_a_share_and_its_probability_are_the_same_place(scale: Scale, probability: float) -> None:
    assert float(scale.at(scale.share(probability))) == pytest.approx(probability, abs=1e-9)


@settings(max_examples=25)
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


@pytest.mark.parametrize("wrong", [0.0, 1.0])
def test_log_odds_of_a_certain_prediction_are_refused(wrong: float) -> None:
    q = sorted([0.5, wrong])
    said = rf"that of bin {1 + q.index(wrong)} of made is {wrong:g}\. Choose axis='linear' or axis='zoom'"
    with pytest.raises(InputError, match=said):
        draw_curves([curve_with(q, [0.4, 0.6], name="made")], axis="logit")
    with pytest.raises(InputError, match="axis must be one of 'auto', 'linear', 'zoom', 'logit', not 'log'"):
        draw_curves([WIDE], axis="log")


def test_the_axes_name_what_they_show() -> None:
    probs = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
    gold = ["a", "b", "c"] * 20
    made = {
        reduce: calibration_curve(pairs_from_classes(gold, probs, classes=["a", "b", "c"], reduce=reduce))
        for reduce in ("top-label", "class-wise", "b")
    }
    assert axis_words([made["top-label"]]) == ("predicted probability of the first choice", "accuracy")
    assert axis_words([made["class-wise"]]) == ("predicted probability of the class", "frequency of the class")
    assert axis_words([made["b"]]) == ("predicted probability of “b”", "frequency of “b”")
    spam = calibration_curve(["spam", "ham"] * 10, np.linspace(0.1, 0.9, 20), pos_label="spam")
    assert axis_words([spam])[1] == "frequency of “spam”"
    assert axis_words([spam, made["b"]])[1] == "frequency of label 1"
    ax = draw_curves([made["top-label"]], ax=Figure().add_subplot())
    assert {"right", "wrong"} <= {text.get_text() for text in ax.texts}
