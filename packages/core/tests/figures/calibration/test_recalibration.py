"""Curves before and after recalibration, and rows of improvements."""

from __future__ import annotations

import numpy as np

import howsure
from howsure.figures.compared_curves import recalibration_figure

RNG = np.random.default_rng(5)
Q = RNG.uniform(0.02, 0.98, 300)
Y = RNG.random(300) < Q
SHARP = 1 / (1 + (1 / Q - 1) ** 2)
RESULT = howsure.evaluate_recalibration(Y, SHARP, method="temperature", repeats=1)
TABLE = howsure.recalibration_table(Y, SHARP, methods=["temperature", "platt"], repeats=1)


def test_the_figure_shows_both_curves_with_the_errors_of_the_result_and_the_improvements() -> None:
    above, below = recalibration_figure(RESULT).axes
    legend = above.get_legend()
    legend_texts = [text.get_text() for text in legend.get_texts()]
    for when, error, text in zip(
        ("before", "after"), (RESULT.error_before, RESULT.error_after), legend_texts, strict=True
    ):
        assert text.startswith(when)
        assert f"{error.value:.3f}" in text
    assert [tick.get_text() for tick in below.get_yticklabels()] == ["squared error", "Brier score"]
    points = [line.get_xdata()[0] for line in below.lines if len(line.get_xdata()) == 1]
    assert points == [RESULT.squared_error.improvement.value, RESULT.brier.improvement.value]
    assert {text.get_text() for text in below.texts} == {"← worse", "recalibration is better →"}
