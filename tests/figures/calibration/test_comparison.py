"""Two models on one figure: their curves, and by how much they differ."""

from __future__ import annotations

import numpy as np
import pytest

import howsure
from howsure.errors import InputError
from howsure.figures.calibration import comparison_figure

RNG = np.random.default_rng(3)
PROBS = RNG.dirichlet([0.6, 0.5, 0.4], 400)
GOLD = np.array([RNG.choice(3, p=0.8 * row + 0.2 / 3) for row in PROBS])
OTHER = 0.7 * PROBS + 0.1
RESULT = howsure.compare_calibration(GOLD, PROBS, against=OTHER, names=("$large$", "small"))


def test_matrices_are_compared_by_their_own_first_choices() -> None:
    a, b = (howsure.pairs_from_classes(GOLD, probs) for probs in (PROBS, OTHER))
    wanted = howsure.compare_calibration(a, against=b, names=("$large$", "small")).to_dict()
    assert RESULT.to_dict() == wanted
    assert RESULT.reduction == "top-label"
    assert RESULT.recipe["own_labels"] is True
    for reduce in ("class-wise", "1"):
        found = howsure.compare_calibration(GOLD, PROBS, against=OTHER, reduce=reduce)
        assert found.recipe["own_labels"] is False
        assert "class_wise_brier_difference" in found.to_dict()
    with pytest.raises(InputError, match="y_true_against must not be given with the probabilities of several classes"):
        howsure.compare_calibration(GOLD, PROBS, against=OTHER, y_true_against=GOLD)
    with pytest.raises(InputError, match="names must be two different ones"):
        howsure.compare_calibration(GOLD, PROBS, against=OTHER, names="ab")


def test_the_curves_are_those_of_each_model() -> None:
    for curve, probs, name in zip(RESULT.curves, (PROBS, OTHER), ("$large$", "small"), strict=True):
        alone = howsure.calibration_curve(howsure.pairs_from_classes(GOLD, probs))
        assert curve.name == name
        assert curve.bins.frequency.tolist() == alone.bins.frequency.tolist()
    assert RESULT.error_a == RESULT.curves[0].error
    assert "error of $large$" in str(RESULT.table())
    assert RESULT.verdict().startswith("No difference in calibration detected")
    sharper = howsure.compare_calibration(
        GOLD == 0, np.clip(PROBS[:, 0] * 3, 0, 1), against=PROBS[:, 0], names=("a", "b")
    )
    assert sharper.verdict() == "b is better calibrated than a."


def test_the_figure_shows_curves_and_differences_with_intervals() -> None:
    above, below = comparison_figure(RESULT).axes
    lines = [line for line in above.lines if len(line.get_xdata()) == len(RESULT.curves[0].bins)]
    assert any(np.array_equal(line.get_ydata(), RESULT.curves[0].bins.frequency) for line in lines)
    legend = above.get_legend()
    assert legend is not None
    assert legend.get_texts()[0].get_text().startswith("$large$\n")
    names = [tick.get_text() for tick in below.get_yticklabels()]
    assert names == ["squared errors", "top-label Brier scores", "multi-class Brier scores"]
    drawn = [collection.get_segments()[0][:, 0].tolist() for collection in below.collections]
    shown = (RESULT.squared_error_difference, RESULT.brier_difference, RESULT.multiclass_brier_difference)
    for row, e in zip(drawn, shown, strict=True):
        assert e is not None
        assert row == [e.low, e.high]
    assert {text.get_text() for text in below.texts} == {"← $large$ is better", "small is better →"}
    with pytest.raises(InputError, match="labels must name both models; there are 1"):
        comparison_figure(RESULT, labels=["one"])


def test_one_panel_says_the_difference() -> None:
    ax = RESULT.plot()
    e = RESULT.squared_error_difference
    assert f"{e.value:+.5f} [" in ax.get_title()
