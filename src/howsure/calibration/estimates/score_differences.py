"""The difference of two models' mean scores on the same pairs, with a paired jackknife interval."""

from __future__ import annotations

import math

import numpy as np

from howsure.calibration.estimates.clusters import NOTHING
from howsure.calibration.estimates.paired_jackknife import Units, jackknifed, least_reach
from howsure.calibration.scores.multiclass import multiclass_losses
from howsure.calibration.scores.score_parts import ProperLoss
from howsure.inputs.pairs import Floats, Pairs
from howsure.stats.estimate import Estimate


def reach(a: Pairs, b: Pairs, per_label: Floats, units: Units, level: float) -> tuple[float, float]:
    """How far the interval of a difference must reach where labels hardly vary; each label shifts it by `per_label`.

    Pairs with a label that would make the loss infinite are excluded; the others represent them.
    """
    per_label = np.where(np.isfinite(per_label), per_label, 0.0)
    predicted = (a.probabilities + b.probabilities) / 2
    return least_reach(a.labels.astype(np.float64), per_label, predicted, units, level=level)


def losses(pairs: Pairs, loss: ProperLoss) -> Floats:
    with np.errstate(invalid="ignore"):
        return loss.expected(pairs.probabilities, pairs.labels.astype(np.float64))


def score_difference(a: Pairs, b: Pairs, units: Units, loss: ProperLoss, level: float, *, own_labels: bool) -> Estimate:
    with np.errstate(invalid="ignore"):
        difference = losses(a, loss) - losses(b, loss)
        of_one, of_zero = (
            loss.expected(a.probabilities, label) - loss.expected(b.probabilities, label)
            for label in (np.ones(len(a)), np.zeros(len(a)))
        )
        per_label = of_one - of_zero
    far = (0.0, 0.0) if own_labels else reach(a, b, per_label, units, level)
    return _mean_difference(difference, units, level, far)


def class_differences(a: Pairs, b: Pairs, units: Units, level: float) -> list[Estimate]:
    """The differences of the scores of all classes, where both models' class probabilities are known."""
    of_a, of_b = multiclass_losses(a), multiclass_losses(b)
    if of_a is None or of_b is None:
        return []
    with np.errstate(invalid="ignore"):
        differences = [one - other for one, other in zip(of_a, of_b, strict=True)]
    return [_mean_difference(difference, units, level, (0.0, 0.0)) for difference in differences]


def _mean_difference(difference: Floats, units: Units, level: float, reach: tuple[float, float]) -> Estimate:
    """The weighted mean of the differences of the pairs, with its jackknife interval."""
    undefined = Estimate(math.nan, None, None, level, "jackknife", len(difference))
    if not np.isfinite(difference).all():
        return undefined
    by_w, by_u = units.sums(units.weight), units.sums(units.weight * difference)
    total_w, total = by_w.sum(), by_u.sum()
    if by_w.max() >= (1 - NOTHING) * total_w:  # what one alone says has no error to be seen
        return undefined
    rest = np.where((by_w > 0) & (by_w < total_w), total_w - by_w, np.nan)
    without = (total - by_u) / rest
    return jackknifed(float(total / total_w), without, level=level, n=len(difference), units=units, reach=reach)
