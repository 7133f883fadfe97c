"""The figure of differences shows what the comparison holds."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.figures.significance import difference_figure, draw_differences
from howsure.figures.style import new_figure
from howsure.significance import compare
from tests.significance.made_systems import labels


def test_dots_and_intervals_are_those_of_the_rows() -> None:
    targets, a, b = labels(200, 3, 1, accuracy=(0.5, 0.9))
    result = compare(targets, a, {"$large$": b, "same": a}, metrics=["accuracy", "macro_f1"], rng=0, n_resamples=200)
    figure = difference_figure(result)
    assert [ax.get_title() for ax in figure.axes] == ["accuracy", "macro F1"]
    for ax, metric in zip(figure.axes, ("accuracy", "macro_f1"), strict=True):
        dots = [line for line in ax.lines if line.get_marker() == "o"]
        rows = [row for row in result if row.metric == metric]
        assert [dot.get_xdata()[0] for dot in dots] == [row.difference for row in rows]
        segments = [one.get_segments()[0][:, 0].tolist() for one in ax.collections]
        assert segments == [[row.low, row.high] for row in rows]
        assert [dot.get_markerfacecolor() != "white" for dot in dots] == [row.p_adjusted <= 0.05 for row in rows]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["$large$", "same"]
    assert figure.axes[0].get_xlabel() == "difference from baseline (higher is better)"


def test_what_is_undefined_has_no_dot() -> None:
    even = np.full((20, 2), 0.5)
    targets = np.random.default_rng(0).dirichlet([1, 1], 20)
    result = compare(targets, targets, even, metrics="entropy_correlation", rng=0, n_resamples=20)
    ax = difference_figure(result).axes[0]
    assert [line for line in ax.lines if line.get_marker() == "o"] == []
    assert "undefined" in ax.texts[0].get_text()


def test_one_panel_is_of_one_metric() -> None:
    targets, a, b = labels(50, 2, 1)
    rows = list(compare(targets, a, b, rng=0, n_resamples=20))
    ax = new_figure(3, 2).add_subplot()
    with pytest.raises(InputError, match="one metric"):
        draw_differences(rows, ax=ax)
    with pytest.raises(InputError, match="1 to 60 models"):
        draw_differences([], ax=ax)


def test_pairs_with_several_baselines_are_named_by_both() -> None:
    scores = {"a": [0, 1, 1, 0, 1], "b": [1, 1, 1, 0, 1], "c": [0, 0, 1, 0, 1]}
    ax = compare(score=scores, all_pairs=True).plot()
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["a − b", "c − b", "c − a"]
    assert ax.get_xlabel() == "difference (higher is better)"
