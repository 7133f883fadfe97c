"""Decomposition of mean scores by label: the likelihood-base rate factorisation of Murphy & Winkler (1987).

P(q, y) = P(q) P(y | q) leads to calibration and refinement (`decompose_score`). P(q, y) = P(y) P(q | y) leads to the
parts in this module: how often each label occurs, and what the model predicts for the pairs with this label.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howsure import __version__
from howsure.calibration.scores import LOSSES, ProperLoss
from howsure.errors import InputError
from howsure.inputs.arguments import check_arguments
from howsure.inputs.frames import Source
from howsure.inputs.pairs import Pairs, Probabilities
from howsure.inputs.pairs_from import pairs_from
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.result import Rows
from howsure.show.table import COUNT, NUMBER, Column

ROUNDING = 1e-12  # rounding error of the spread, relative to the score


@dataclass(frozen=True, slots=True)
class LabelScore:
    """The predictions for pairs with one label, 1 or 0, and their mean score: score = of_mean + spread, exactly.

    base_rate: the frequency of this label. mean_prediction: the mean probability of label 1 over these pairs. of_mean:
    the score of the mean prediction; for the Brier score, its squared distance from the label. spread: the score minus
    of_mean; for the Brier score, the variance of the predictions.
    """

    label: int
    n: int
    base_rate: float
    mean_prediction: float
    score: float
    of_mean: float
    spread: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ScoreByLabel(Rows[LabelScore]):
    """The result of `decompose_score_by_label`: iterate over the rows of labels 1 and 0.

    score: the mean score, which is the mean of the scores of the labels, weighted by base rate. discrimination: the
    mean prediction for label 1 minus the mean prediction for label 0; NaN if a label does not occur.
    """

    score: float
    discrimination: float
    rows: tuple[LabelScore, ...]
    recipe: Mapping[str, Any] = field(default_factory=dict, compare=False)

    named = ""
    title = "Mean score by label"

    def columns(self) -> Sequence[Column]:
        """One row a label."""
        return [
            Column("label", COUNT),
            Column("n", COUNT),
            Column("base_rate", NUMBER, legend="share of the label"),
            Column("mean_prediction", NUMBER, legend="mean probability of label 1"),
            Column("score", NUMBER, legend="of_mean + spread"),
            Column("of_mean", NUMBER, legend="score of the mean prediction"),
            Column("spread", NUMBER, legend="loss because predictions vary"),
        ]

    @property
    def answer(self) -> str:
        """The score, and the difference between the mean predictions of the labels."""
        score = f"The mean score is {self.score:.4f}"
        if math.isnan(self.discrimination):
            return f"{score}; only label {self.rows[0].label} occurs, so discrimination is unknown."
        return f"{score}; the mean prediction differs by {self.discrimination:.4f} between labels 1 and 0."

    def footnotes(self) -> Sequence[str]:
        """The score, written as a weighted mean over labels."""
        terms = " + ".join(f"{row.base_rate:.4f} · {row.score:.4f}" for row in self.rows)
        return [f"Mean score: {self.score:.4f} = {terms}.", *self.recipe_notes]


def decompose_score_by_label(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    score: str | ProperLoss = "brier",
    data: Source | IntoFrame | None = None,
    sample_weight: ArrayLike | str | None = None,
    pos_label: Hashable = None,
) -> ScoreByLabel:
    """Split a proper score by the true label: how often each label occurs, and what the model then predicts.

    The arguments are those of `decompose_score`. The score is a mean over the two labels, weighted by their
    frequencies. Each label contributes the score of its mean prediction plus the cost of the predictions' spread. No
    bins are needed. These parts describe how well predictions separate the labels; `decompose_score` shows whether
    probabilities can be trusted. Source: the likelihood-base rate factorisation of Murphy & Winkler (1987).

    >>> by_label = decompose_score_by_label([1, 1, 0, 0], [0.9, 0.7, 0.4, 0.2])
    >>> [(row.label, round(row.mean_prediction, 3), round(row.of_mean, 3), round(row.spread, 3)) for row in by_label]
    [(1, 0.8, 0.04, 0.01), (0, 0.3, 0.09, 0.01)]

    Raises InputError for invalid labels or probabilities, or an unknown score.
    """
    check_arguments(decompose_score_by_label, locals())
    loss = LOSSES.get(score) if isinstance(score, str) else score
    if not isinstance(loss, ProperLoss):
        raise InputError(f"score must be 'brier', 'log' or a ProperLoss, not {score!r}")
    pairs = pairs_from(
        y_true, y_prob, data=data, sample_weight=sample_weight, pos_label=pos_label
    ).with_positive_weight()
    weights = np.ones(len(pairs)) if pairs.weights is None else pairs.weights
    rows = []
    for label in (1, 0):
        has_label = pairs.labels == label
        if not has_label.any():
            continue
        q, w = pairs.probabilities[has_label], weights[has_label]
        share = w / w.sum()
        mean = min(float(share @ q), 1.0)
        losses = loss.expected(np.append(q, mean), np.full(len(q) + 1, float(label)))
        mean_loss, of_mean = float(share @ losses[:-1]), float(losses[-1])
        spread = mean_loss - of_mean if math.isfinite(of_mean) else math.nan
        if abs(spread) <= ROUNDING * abs(mean_loss):
            spread = 0.0
        base_rate = float(w.sum() / weights.sum())
        rows.append(LabelScore(label, len(q), base_rate, mean, mean_loss, of_mean, spread))
    discrimination = rows[0].mean_prediction - rows[1].mean_prediction if len(rows) == 2 else math.nan
    recipe = {"howsure": __version__, **pairs.described, "score": loss.name, "n": len(pairs)}
    recipe |= {"weighted": pairs.weights is not None}
    mean_score = sum(row.base_rate * row.score for row in rows)
    return ScoreByLabel(score=mean_score, discrimination=discrimination, rows=tuple(rows), recipe=recipe)
