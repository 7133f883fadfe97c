"""Figures of trends show the numbers of their points."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from howsure import InputError
from howsure.figures.monitoring import draw_trend, trend_figure
from howsure.significance.trend import Trend, TrendPoint

POINT = TrendPoint("2026-11-20", "dev", "mean > 0.8", "$fi_", 100, 0.85, 0.79, 0.91, 0.8, "cannot tell")
POINTS = (
    POINT,
    replace(POINT, date="2026-11-21", estimate=0.9, outcome="pass"),
    replace(POINT, date="2026-11-22", estimate=0.7, outcome="fail"),
    replace(POINT, group=None),
)


def test_estimates_intervals_and_the_limit_are_drawn() -> None:
    ax = draw_trend(POINTS, ax=Figure().add_subplot())
    drawn = {round(float(y), 9) for line in ax.lines for y in np.ravel(line.get_ydata())}
    assert {0.85, 0.9, 0.7, 0.8} <= drawn
    segments: Any = [segment for collection in ax.collections for segment in collection.get_segments()]  # type: ignore[attr-defined]
    assert all(sorted(segment[:, 1]) == [0.79, 0.91] for segment in segments)
    crosses = [line for line in ax.lines if line.get_marker() == "X" and line.get_linestyle() == "None"]
    assert [float(np.ravel(line.get_ydata())[0]) for line in crosses] == [0.7]
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["$fi_", "all"]


def test_a_panel_for_each_rule() -> None:
    trend = Trend((*POINTS, replace(POINT, rule="error < 0.1")), {"source": "x"})
    figure = trend_figure(trend)
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["mean > 0.8", "error < 0.1"]
    with pytest.raises(InputError, match=r"rule must name one of 'mean > 0.8', 'error < 0.1'; figure\(\) draws them"):
        trend.plot()
    assert trend.plot(rule="error < 0.1").get_title(loc="left") == "error < 0.1"


def test_too_many_groups_or_rules_are_refused() -> None:
    with pytest.raises(InputError, match="at most 8 groups; there are 9"):
        draw_trend([replace(POINT, group=str(k)) for k in range(9)])
    with pytest.raises(InputError, match="1 to 12 rules; there are 13"):
        trend_figure(Trend(tuple(replace(POINT, rule=str(k)) for k in range(13)), {}))
