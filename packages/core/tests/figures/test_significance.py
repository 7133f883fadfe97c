"""The figure of differences shows what the comparison holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import howsure
from benchmarks.selective import answers
from howsure.errors import InputError
from howsure.figures.monitoring import trend_figure
from howsure.figures.selective import draw_risk_coverage
from howsure.figures.significance import difference_figure
from howsure.scores.score_table import score_table
from howsure.selective.curve import build_selective_curve
from howsure.significance.comparison import compare
from howsure.significance.trend import Trend, TrendPoint
from howsure_text.figures import MAX_NAMED_MENTIONS, pair_figure


def test_what_is_undefined_has_no_dot() -> None:
    even = np.full((20, 2), 0.5)
    targets = np.random.default_rng(0).dirichlet([1, 1], 20)
    result = compare(targets, targets, even, metrics="entropy_correlation", rng=0, n_resamples=20)
    ax = difference_figure(result).axes[0]
    assert [line for line in ax.lines if line.get_marker() == "o"] == []
    assert "undefined" in ax.texts[0].get_text()


def test_pairs_with_several_baselines_are_named_by_both() -> None:
    scores = {"a": [0, 1, 1, 0, 1], "b": [1, 1, 1, 0, 1], "c": [0, 0, 1, 0, 1]}
    ax = compare(score=scores, all_pairs=True).plot()
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["a − b", "c − b", "c − a"]
    assert ax.get_xlabel() == "difference (higher is better)"


# Figures of trends show the numbers of their points.


POINT = TrendPoint("2026-11-20", "dev", "mean > 0.8", "$fi_", 100, 0.85, 0.79, 0.91, 0.8, "cannot tell")
POINTS = (
    POINT,
    replace(POINT, date="2026-11-21", estimate=0.9, outcome="pass"),
    replace(POINT, date="2026-11-22", estimate=0.7, outcome="fail"),
    replace(POINT, group=None),
)


def test_a_panel_for_each_rule() -> None:
    trend = Trend(rows=(*POINTS, replace(POINT, rule="error < 0.1")), recipe={"source": "x"})
    figure = trend_figure(trend)
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["mean > 0.8", "error < 0.1"]
    with pytest.raises(
        InputError, match=r"rule must be one of 'mean > 0.8', 'error < 0.1'. To draw all of them, use figure\(\)"
    ):
        trend.plot()
    assert trend.plot(rule="error < 0.1").get_title(loc="left") == "error < 0.1"


# Risk–coverage figures show the numbers of their results.


def test_names_are_shown_verbatim_and_too_many_curves_are_refused() -> None:
    pairs = answers("ties", "sharp", 100, np.random.default_rng(2))
    curves = [build_selective_curve(pairs, name=name) for name in ("_a$b$", "<b>")]
    legend = draw_risk_coverage(curves).get_legend()
    assert [text.get_text().split(":")[0] for text in legend.get_texts()] == ["_a$b$", "<b>"]
    for refused in ([], curves * 5):
        with pytest.raises(InputError, match="1 to 8 curves"):
            draw_risk_coverage(refused)


# The square of pair probabilities: its colours, its frames, its words.


TOGETHER = np.array([[1.0, 0.8, 0.1], [0.8, 1.0, 0.2], [0.1, 0.2, 1.0]])


def test_it_shows_the_probabilities_and_frames_the_entities() -> None:
    figure = pair_figure(TOGETHER, ["Ann", "she", "the $doctor$"], entities=[0, 0, 2], title="$x$")
    axes = figure.axes[0]
    np.testing.assert_array_equal(np.asarray(axes.images[0].get_array()), TOGETHER)
    assert axes.images[0].get_clim() == (0.0, 1.0)
    frames = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    assert [(frame.get_xy(), frame.get_width()) for frame in frames] == [((-0.5, -0.5), 2)]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["Ann", "she", "the $doctor$"]
    assert axes.get_title() == "$x$"
    figure.canvas.draw()  # no dollar sign starts a formula


def test_many_mentions_have_no_room_for_words() -> None:
    n = MAX_NAMED_MENTIONS + 1
    axes = pair_figure(np.eye(n), ["x"] * n, entities=range(n)).axes[0]
    assert list(axes.get_xticks()) == []
    assert axes.get_xlabel() == f"{n} mentions"
    assert not axes.patches


# Figures of scores: leaderboards of more models than fit, and pass@k by k.


RUNS = 5


def passes(m: int, **options: object) -> howsure.ScoreTable:
    right = np.random.default_rng(0).random((m, 20, RUNS)) < np.linspace(0.2, 0.8, m)[:, None, None]
    models, items = np.repeat([f"m{i}" for i in range(m)], 20 * RUNS), np.tile(np.repeat(np.arange(20), RUNS), m)
    runs = np.tile(np.arange(RUNS), 20 * m)
    return score_table(right.ravel(), model=models, id=items, run=runs, rng=0, **options)  # type: ignore[arg-type]


def legend_labels(figure: Figure) -> list[str]:
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
    assert legend_labels(figure) == ["m1", "m0", "pass@k", "pass^k"]


def test_the_best_of_many_models_are_named() -> None:
    figure = passes(12, pass_at=(1, 2)).figure()
    assert len(legend_labels(figure)) == 8
    assert legend_labels(figure)[0] == "m11"
    assert "the best 8 of 12" in figure.axes[0].get_legend().get_title().get_text()
    assert len(figure.axes[0].lines) == 12


def test_a_single_k_is_a_leaderboard() -> None:
    assert "pass@2" in passes(3, pass_at=2).figure().axes[0].get_xlabel()


@pytest.mark.long
@pytest.mark.parametrize(
    ("models", "groups", "rows", "how"),
    [(61, 1, 60, "60 of 61 rows: the best"), (10, 7, 56, "56 of 80 rows: the best 7 of each group")],
)
def test_of_too_many_rows_the_best_are_drawn(models: int, groups: int, rows: int, how: str) -> None:
    n = models * groups
    right, model = np.tile([0, 1, 1], n), np.repeat([f"m{i}" for i in range(models)], 3 * groups)
    axes = howsure.mean_scores(right, model=model, groups=np.tile(np.repeat(np.arange(groups), 3), models)).plot()
    assert axes.get_xlabel().endswith(how)
    assert len(axes.get_yticks()) == rows
