"""Figures of scores: leaderboards of more models than fit, and pass@k by k."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

import howsure

RUNS = 5


def passes(m: int, **asked: object) -> howsure.ScoreTable:
    right = np.random.default_rng(0).random((m, 20, RUNS)) < np.linspace(0.2, 0.8, m)[:, None, None]
    models, items = np.repeat([f"m{i}" for i in range(m)], 20 * RUNS), np.tile(np.repeat(np.arange(20), RUNS), m)
    runs = np.tile(np.arange(RUNS), 20 * m)
    return howsure.score_table(right.ravel(), model=models, id=items, run=runs, rng=0, **asked)  # type: ignore[arg-type]


def said(figure: Figure) -> list[str]:
    legend = figure.axes[0].get_legend()
    return [text.get_text() for text in legend.get_texts()]


def test_pass_at_k_is_drawn_by_k_with_the_intervals_of_the_table() -> None:
    table = passes(2, pass_at=(1, 3), pass_hat=2)
    figure = table.figure()
    lines = {tuple(line.get_xydata()[:, 1]) for line in figure.axes[0].lines if len(line.get_xdata())}
    means = {(row.model, row.score): row.mean.value for row in table}
    for model in ("m0", "m1"):
        assert (means[model, "score pass@1"], means[model, "score pass@3"]) in lines
        assert (means[model, "score pass^2"],) in lines
    assert said(figure) == ["m1", "m0", "pass@k", "pass^k"]


def test_the_best_of_many_models_are_named() -> None:
    figure = passes(12, pass_at=(1, 2)).figure()
    assert len(said(figure)) == 8
    assert said(figure)[0] == "m11"
    assert "the best 8 of 12" in figure.axes[0].get_legend().get_title().get_text()
    assert len(figure.axes[0].lines) == 12


def test_a_single_k_is_a_leaderboard() -> None:
    assert "pass@2" in passes(3, pass_at=2).figure().axes[0].get_xlabel()


@pytest.mark.parametrize(
    ("models", "groups", "rows", "how"),
    [(61, 1, 60, "60 of 61 rows: the best"), (10, 7, 56, "56 of 70 rows: the best 8 of each group")],
)
def test_of_too_many_rows_the_best_are_drawn(models: int, groups: int, rows: int, how: str) -> None:
    n = models * groups
    right, model = np.tile([0, 1, 1], n), np.repeat([f"m{i}" for i in range(models)], 3 * groups)
    axes = howsure.score_table(right, model=model, groups=np.tile(np.repeat(np.arange(groups), 3), models)).plot()
    assert axes.get_xlabel().endswith(how)
    assert len(axes.get_yticks()) == rows
