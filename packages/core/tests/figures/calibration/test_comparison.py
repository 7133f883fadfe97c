"""Two models on one figure: their curves, and by how much they differ."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from tests.figures.made_up import curve_with, many_curves

import howsure
from howsure import find_miscalibrated_groups
from howsure.calibration.miscalibrated_groups import MiscalibratedGroups
from howsure.calibration.table import GroupCalibration
from howsure.figures.calibration import groups_figure
from howsure.figures.groups import error_figure
from howsure.figures.width import figure_width
from howsure.result import Estimate

RNG = np.random.default_rng(3)
PROBS = RNG.dirichlet([0.6, 0.5, 0.4], 400)
GOLD = np.array([RNG.choice(3, p=0.8 * row + 0.2 / 3) for row in PROBS])
OTHER = 0.7 * PROBS + 0.1
RESULT = howsure.compare_calibration(GOLD, PROBS, against=OTHER, names=("$large$", "small"))


def test_matrices_are_compared_by_their_own_first_choices() -> None:
    a, b = (howsure.pairs_from_classes(GOLD, probs) for probs in (PROBS, OTHER))
    fields = howsure.compare_calibration(a, against=b, names=("$large$", "small")).to_dict()
    assert RESULT.to_dict() == fields
    assert RESULT.reduction == "top-label"
    assert RESULT.recipe["own_labels"] is True
    for reduce in ("class-wise", "1"):
        comparison = howsure.compare_calibration(GOLD, howsure.Probabilities("probs", PROBS, reduce), against=OTHER)
        assert comparison.recipe["own_labels"] is False
        assert "class_wise_brier_difference" in comparison.to_dict()


def test_the_curves_match_each_model() -> None:
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


# Errors by group: sorted, with their intervals.


def dots(ax: Axes) -> list[tuple[float, float]]:
    return [(float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in ax.lines]


def test_rows_are_sorted_and_carry_their_intervals() -> None:
    curves = many_curves(50)
    ax = error_figure(curves, title="Fifty").axes[0]
    values = sorted((curve.error.value for curve in curves), reverse=True)
    assert [x for x, _ in dots(ax)] == values
    assert [y for _, y in dots(ax)] == list(range(50))
    assert [tick.get_text() for tick in ax.get_yticklabels()][:2] == ["g50", "g49"]
    whiskers = [c.get_segments()[0] for c in ax.collections if isinstance(c, LineCollection)]
    assert np.allclose([segment[:, 0] for segment in whiskers], [[value - 0.02, value + 0.02] for value in values])
    top, bottom = ax.get_ylim()[1], ax.get_ylim()[0]
    assert top < 0 < bottom


def test_rows_of_a_table_are_drawn_too() -> None:
    row = GroupCalibration("NN", 100, 0.5, 0.5, Estimate(0.2, 0.1, 0.3, 0.95, "debiased", 100), 0.2, 0.01, 0.02)
    ax = error_figure([row, *many_curves(1)], labels=["$a_1$", "_b"]).axes[0]
    assert dots(ax) == [(0.2, 0.0), (0.1, 1.0)]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["$a_1$", "_b"]
    assert not any(tick.get_parse_math() for tick in ax.get_yticklabels())
    assert [text.get_text() for text in ax.texts] == ["n = 100", "n = 2,000"]


def test_undefined_errors_come_last_and_are_reported() -> None:
    undefined = curve_with([0.5], [0.5], error=(math.nan, None, None), name="none")
    ax = error_figure([undefined, *many_curves(2)]).axes[0]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["g2", "g1", "none"]
    assert len(dots(ax)) == 2
    assert "undefined" in [text.get_text() for text in ax.texts]


# Groups found: a row each, their gap, its interval, and the gap of the whole at the same predictions.


@cache
def miscalibrated_groups(against: str) -> MiscalibratedGroups:
    rng = np.random.default_rng(0)
    kind, q = rng.choice(["a", "$b_1$"], 4000), rng.random(4000)
    labels = rng.random(4000) < np.where(kind == "$b_1$", q**2, q)
    return find_miscalibrated_groups(labels, q, features={"kind": kind}, against=against)


def test_against_the_diagonal_the_whole_is_not_drawn() -> None:
    result = miscalibrated_groups("diagonal")
    assert len(groups_figure(result).axes[0].lines) == 2 + len(result)


def test_in_a_narrow_figure_conditions_are_stacked() -> None:
    rng = np.random.default_rng(1)
    kind, sort, q = rng.choice(["a", "b"], 6000), rng.choice(["k", "l"], 6000), rng.random(6000)
    labels = rng.random(6000) < np.where((kind == "b") & (sort == "k"), q**3, q)
    result = find_miscalibrated_groups(labels, q, features={"kind": kind, "sort": sort})
    with figure_width(3.3):
        names = [tick.get_text() for tick in groups_figure(result).axes[0].get_yticklabels()]
    assert "kind = b\nand sort = k" in names
