"""Decomposition of mean scores as miscalibration - discrimination + uncertainty, with intervals.

Let S be the mean score of the predictions, S_C the mean score of the isotonic curve's values, and S_R the mean score if
the base rate is always predicted. Then
miscalibration = S - S_C, discrimination = S_R - S_C and uncertainty = S_R (Dimitriadis, Gneiting & Jordan 2021).
Because the curve is fitted to the labels, S_C is too small. For each step of the curve, this gain is about 1.43 times
the variance of the step's frequency. (The constant comes from simulations of increasing curves; it is 1 where the true
curve is flat.) Intervals are corrected for the gain. Their variance is the sum of the variance of the mean difference
of losses (with clusters, by a jackknife with Satterthwaite's degrees of freedom) and the variance of the gain. With
clusters, the gain also depends on the correlation between steps, so the upper end subtracts only half of the gain. If
one label has too few rows to estimate the variance, there is no interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howsure.calibration.differences import Units
from howsure.calibration.isotonic import Ordered
from howsure.calibration.scores import BRIER, LOG, ProperLoss, is_certain, wrong_extremes
from howsure.inputs.pairs import Floats, Integers
from howsure.result import Estimate, Result, plain
from howsure.show.table import NUMBER, WORDS, Column
from howsure.stats.clusters import kish
from howsure.stats.proportions import normal_quantile, t_quantile

GAIN = 1.43  # reduction of the score by fitting a step, as a multiple of the variance of its frequency
MIN_ROWS = 20  # an interval needs this many rows, or clusters, of the rarer label (docs/coverage.md)
PARTS = ("score", "miscalibration", "discrimination", "uncertainty")


@dataclass(frozen=True, slots=True, repr=False)
class ScoreDecomposition(Result):
    """A mean score (a loss) and its parts: score = miscalibration - discrimination + uncertainty, exactly.

    miscalibration: the reduction of the score if the isotonic curve's values replaced the predictions. discrimination:
    the reduction of the score from always predicting the base rate to the curve's values. uncertainty: the score of the
    base rate. Each value describes the data. Its interval [low, high] is for the value in the population and is
    corrected for the gain by fitting, so it may not contain the value of the data. A score is infinite if a prediction
    of 0 or 1 is wrong; `infinite_rows` counts such predictions. recipe: the recipe of the curve.
    """

    score: Estimate
    miscalibration: Estimate
    discrimination: Estimate
    uncertainty: Estimate
    infinite_rows: int = 0
    recipe: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON: the recipe, and each part with its value and interval."""
        parts = [{name: plain(getattr(part, name)) for name in ("value", "low", "high")} for part in self.table_rows()]
        named = dict(zip(PARTS, parts, strict=True))
        return {"recipe": dict(self.recipe), **named, "infinite_rows": self.infinite_rows}

    def table_rows(self) -> Sequence[object]:
        """The parts."""
        return [getattr(self, name) for name in PARTS]

    def columns(self) -> Sequence[Column]:
        """The columns of a table with one row per part."""
        return [Column("part", WORDS, values=PARTS), *(Column(name, NUMBER) for name in ("value", "low", "high"))]

    @property
    def description(self) -> str:
        """Return a sentence with the score as the sum of its components."""
        kept = [f"discrimination {self.discrimination.value:.5f}", f"uncertainty {self.uncertainty.value:.5f}"]
        if not math.isfinite(self.score.value):
            return f"infinite ({wrong_extremes(self.infinite_rows)}); {', '.join(kept)}"
        return f"{self.score.value:.5f} = miscalibration {self.miscalibration.value:.5f} - {' + '.join(kept)}"


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted curve. weight, frequency, effective number of pairs: (steps,). of_row (rows,): the curve's values."""

    weight: Floats
    frequency: Floats
    effective: Floats
    of_row: Floats


def decomposed(pairs: Ordered, fit: Fit, *, level: float, recipe: Mapping[str, Any]) -> list[ScoreDecomposition]:
    """Return the decompositions of the Brier score and of the log loss, in this order."""
    spread = (share := (fit.effective * fit.frequency + 0.5) / (fit.effective + 1)) * (1 - share)
    gains = spread / fit.effective, 0.5 / fit.effective
    exact = (BRIER, pairs.brier, 0), (LOG, pairs.log_loss, pairs.infinite_rows)
    return [
        _decomposed(pairs, fit, loss, score, infinite, gain, level, recipe)
        for (loss, score, infinite), gain in zip(exact, gains, strict=True)
    ]


def _decomposed(
    pairs: Ordered,
    fit: Fit,
    loss: ProperLoss,
    score: float,
    infinite: int,
    gain: Floats,
    level: float,
    recipe: Mapping[str, Any],
) -> ScoreDecomposition:
    share = fit.weight / fit.weight.sum()
    rate = np.array([np.clip(share @ fit.frequency, 0.0, 1.0)])
    label = pairs.y.astype(np.float64)
    rowwise, curve, constant = (loss.expected(q, label) for q in (pairs.q, fit.of_row, np.full(len(label), rate[0])))
    if loss is LOG:  # a further row may have an infinite loss, so no interval is valid
        rowwise = np.where(is_certain(pairs.q), math.inf, rowwise)
    recalibrated = float(share @ loss.expected(fit.frequency, fit.frequency))
    uncertainty = float(loss.expected(rate, rate)[0])
    each = share * gain
    optimism, noise = GAIN * float(each.sum()), float((each**2).sum())
    n, most = int(pairs.times.sum()), float(loss.expected(np.array([0.5]), np.array([0.5]))[0])
    unknown = has_rare_label(pairs)

    def part(value: float, losses: Floats, *, gained: bool = False, most: float = math.inf) -> Estimate:
        if unknown or not math.isfinite(value) or not np.isfinite(losses).all():
            return Estimate(value, None, None, level, "CORP", n)
        error = standard_error(pairs, losses)
        if error is None:
            return Estimate(value, None, None, level, "CORP", n)
        corrected, error = (value - optimism, math.hypot(error, math.sqrt(noise))) if gained else (value, error)
        reach = _quantile(pairs, level) * error
        least = corrected if pairs.clusters is None else (value + corrected) / 2
        low, high = max(corrected - reach, 0.0), min(max(least + reach, 0.0), most)
        return Estimate(value, low, high, level, "CORP", n)

    with np.errstate(invalid="ignore"):
        return ScoreDecomposition(
            score=part(score, rowwise),
            miscalibration=part(score - recalibrated, rowwise - curve, gained=True),
            discrimination=part(uncertainty - recalibrated, constant - curve, gained=True),
            uncertainty=part(uncertainty, constant, most=most),
            infinite_rows=infinite,
            recipe=recipe,
        )


def has_rare_label(pairs: Ordered) -> bool:
    """Whether a label has too few rows or clusters for an interval; the numbers are effective numbers.

    Too few are fewer than 20 rows, or fewer than 20 clusters if these are also fewer than half of all clusters.
    """
    clusters = None if pairs.clusters is None else _cluster_weights(pairs, pairs.weight)
    for label in (0, 1):
        class_weight = np.where(pairs.y == label, pairs.weight, 0.0)
        if not class_weight.any() or float(class_weight.sum()) ** 2 < MIN_ROWS * float(class_weight @ pairs.w) * (
            1 - 1e-9
        ):
            return True
        if clusters is not None and kish(_cluster_weights(pairs, class_weight)) < min(MIN_ROWS, kish(clusters) / 2):
            return True
    return False


def _cluster_weights(pairs: Ordered, weight: Floats) -> Floats:
    sums: Floats = np.bincount(pairs.clusters, weights=weight).astype(np.float64)  # type: ignore[arg-type]
    return sums[sums > 0]


def standard_error(pairs: Ordered, losses: Floats) -> float | None:
    """Return the standard error of the weighted mean of losses (rows,); None for a single row or cluster.

    With clusters, the jackknife is used, which allows for the influence of large clusters on the mean.
    """
    total = float(pairs.weight.sum())
    residual = pairs.w * (losses - float(pairs.weight @ losses) / total)
    if pairs.clusters is None:
        n = int(pairs.times.sum())
        squares = float(pairs.times @ residual**2)
    else:
        share = np.bincount(pairs.clusters, weights=pairs.weight) / total
        left_out = np.bincount(pairs.clusters, weights=residual) / np.maximum(1 - share, 1e-9)
        n = len(np.unique(pairs.clusters))
        squares = ((n - 1) / n) ** 2 * float(left_out @ left_out)
    return None if n < 2 else math.sqrt(n / (n - 1) * squares) / total


def _quantile(pairs: Ordered, level: float) -> float:
    """Return the two-sided quantile: Student's t with the clusters' degrees of freedom, normal without clusters."""
    if pairs.clusters is None:
        return normal_quantile(level)
    return t_quantile(level, Units(pairs.clusters, pairs.w, clustered=True).degrees_of_freedom)


def rows_of_steps(steps: Integers, rows: int) -> Integers:
    """Return the step of each row, given the first row of each step."""
    return np.repeat(np.arange(len(steps)), np.diff(np.append(steps, rows)))
