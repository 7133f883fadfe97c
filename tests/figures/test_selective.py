"""Risk–coverage figures show the numbers of their results."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from benchmarks.selective import answers
from howsure import InputError, threshold_for
from howsure.figures.selective import draw_risk_coverage, draw_threshold, risk_coverage_figure
from howsure.selective.curve import selective_of


def test_the_line_goes_through_the_points() -> None:
    for law in ("different", "ties"):
        curve = selective_of(answers(law, "overconfident", 500, np.random.default_rng(1)))
        ax = draw_risk_coverage([curve], ax=Figure().add_subplot())
        drawn = {tuple(np.round(point, 9)) for line in ax.lines for point in line.get_xydata()}
        points = zip(curve.points.coverage, curve.points.risk, strict=True)
        assert {tuple(np.round(point, 9)) for point in points} <= drawn
        assert any("AUROC" in text.get_text() for text in ax.texts)


def test_names_stand_as_they_are_and_too_many_curves_are_refused() -> None:
    pairs = answers("ties", "sharp", 100, np.random.default_rng(2))
    curves = [selective_of(pairs, name=name) for name in ("_a$b$", "<b>")]
    figure = risk_coverage_figure(curves, title="$x")
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert [text.get_text().split(":")[0] for text in legend.get_texts()] == ["_a$b$", "<b>"]
    for refused in ([], curves * 5):
        with pytest.raises(InputError, match="1 to 8 curves"):
            draw_risk_coverage(refused)


def test_a_threshold_shows_which_tests_passed() -> None:
    pairs = answers("ties", "sharp", 2000, np.random.default_rng(3))
    found = threshold_for(pairs, risk=0.05)
    ax = draw_threshold(found, ax=Figure().add_subplot())
    marked = [len(line.get_xydata()) for line in ax.lines if line.get_marker() == "o"]
    assert marked == [int(found.candidates.passed.sum()), int((~found.candidates.passed).sum())]
    assert any("keeps" in text.get_text() for text in ax.texts)
    none = draw_threshold(threshold_for([1, 0, 1], [0.9, 0.5, 0.7], risk=0.05))
    assert any("no threshold can be promised" in text.get_text() for text in none.texts)
