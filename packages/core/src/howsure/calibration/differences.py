"""The interval of a difference between two models: a jackknife over rows or clusters; their mean scores."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from howsure.calibration.bins import bin_pairs
from howsure.calibration.clusters import NOTHING, clustered_mse, without_each_cluster
from howsure.calibration.error import SquaredError, cluster_sums, debiased_mse, exact_interval, mean_gaps
from howsure.calibration.scores import LOG, ProperLoss, is_certain, multiclass_losses
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.result import Estimate
from howsure.stats.clusters import jackknife_error
from howsure.stats.proportions import t_quantile

# The interval of a difference between two models: a jackknife over rows or clusters, and its minimum extent.


@dataclass(frozen=True, slots=True)
class Units:
    """The units that the jackknife leaves out one at a time.

    code (n,): the row or cluster of each pair. weight: w of each pair. degrees_of_freedom: infinite for rows; for
    clusters (Σ W_c²)² / Σ W_c⁴ - 1, at least 1: Satterthwaite's for the variance of parts that vary as W_c² (Carter,
    Schnepel & Steigerwald 2017), which is their number minus 1 if all have equal weight, and less if a few are large.
    """

    code: Integers
    weight: Floats
    clustered: bool

    @classmethod
    def of(cls, a: Pairs, b: Pairs) -> Self:
        """Those of two models on the same rows: a cluster, or a row, numbered by content rather than position."""
        w = np.ones(len(a)) if a.weights is None else a.weights
        if a.clusters is not None:
            return cls(a.clusters, w, clustered=True)
        rows = np.empty(len(a), dtype=np.int64)
        rows[np.lexsort((w, b.labels, a.labels, b.probabilities, a.probabilities))] = np.arange(len(a))
        return cls(rows, w, clustered=False)

    @property
    def degrees_of_freedom(self) -> float:
        """The degrees of freedom of Student's t."""
        if not self.clustered:
            return math.inf
        of_cluster = self.sums(self.weight)
        shares = np.sort(of_cluster / of_cluster.max()) ** 2
        return max(float(shares.sum() ** 2 / (shares**2).sum()) - 1, 1.0)

    def sums(self, values: Floats) -> Floats:
        """The values added up by unit, in an order that does not depend on that of the rows."""
        order = np.lexsort((values, self.code))
        return np.bincount(self.code[order], weights=values[order]).astype(np.float64)


def left_one_out(pairs: Pairs, units: Units, **how: Any) -> tuple[SquaredError, Floats, Floats]:
    """The squared error in bins made as `how` says, its leave-one-out values, and the gap of each pair's bin."""
    binned = bin_pairs(pairs, **how)
    bins = binned.bins_of(pairs.probabilities)
    cells = cluster_sums(replace(pairs, clusters=units.code), bins, len(binned.sums))
    squared = debiased_mse(binned.sums) if pairs.clusters is None else clustered_mse(cells)
    return squared, without_each_cluster(cells), mean_gaps(binned.sums)[bins]


def jackknifed(
    value: float,
    without: Floats,
    *,
    level: float,
    n: int,
    units: Units,
    reach: tuple[float, float] = (0.0, 0.0),
    extra_variance: float = 0.0,
) -> Estimate:
    """The estimate with the standard error of its leave-one-out values, and at least a `reach` (down, up).

    extra_variance: a variance to add, of what leaving one out does not show.
    """
    estimates = np.sort(without[~np.isnan(without)])
    if len(estimates) < 2 or math.isnan(value):
        return Estimate(math.nan, None, None, level, "jackknife", n)
    quantile = t_quantile(level, units.degrees_of_freedom)
    half_width = quantile * math.sqrt(float(jackknife_error(estimates)) ** 2 + extra_variance)
    return Estimate(value, value - max(half_width, reach[0]), value + max(half_width, reach[1]), level, "jackknife", n)


def least_reach(
    labels: Floats, per_label: Floats, predicted: Floats, units: Units, *, level: float
) -> tuple[float, float]:
    """How far down and up the interval of a mean Σ w (constant + per_label · y) / Σ w must reach, allowing for rare
    labels that did not occur.

    An event is the label that is `predicted` to be the rarer one. The pairs whose event raises the mean, and those
    whose event lowers it, each have a frequency of events with an exact one-sided interval, for the effective number of
    pairs if events occurred as predicted; the correlation within a cluster is taken as 1 / (1 + K), K the number of
    events. An ordinary standard error is larger; where events are rare, this is the rule of three.
    """
    turned = predicted > 0.5
    events, per_event = np.where(turned, 1 - labels, labels), np.where(turned, -per_label, per_label)
    rare = np.maximum(np.minimum(predicted, 1 - predicted), np.finfo(float).tiny)
    total, number = units.weight.sum(), float(events.sum())
    down = up = 0.0
    for sign in (1.0, -1.0):
        part = units.weight * np.maximum(sign * per_event, 0.0) / total
        whole, squares = float(np.sort(part).sum()), float(np.sort(part**2).sum())
        if squares <= 0.0:
            continue
        together = float((units.sums(part) ** 2).sum()) - squares
        expected, varying = float(np.sort(part * rare).sum()) / whole, float(np.sort(part**2 * rare * (1 - rare)).sum())
        effective = whole**2 * expected * (1 - expected) / varying / (1 + max(together, 0.0) / squares / (1 + number))
        frequency = min(float(np.sort(part * events).sum()) / whole, 1.0)
        (low,), (high,) = exact_interval(np.array([frequency]), np.array([effective]), tail=min(1 - level, 0.5))
        fewer, more = whole * max(frequency - low, 0.0), whole * max(high - frequency, 0.0)
        down, up = (max(down, fewer), max(up, more)) if sign > 0 else (max(down, more), max(up, fewer))
    return down, up


# The difference of two models' mean scores on the same pairs, with a paired jackknife interval.


def label_shifts(a: Pairs, b: Pairs, loss: ProperLoss) -> Floats:
    """By how much each label shifts the difference of two losses."""
    with np.errstate(invalid="ignore"):
        of_one, of_zero = (
            loss.expected(a.probabilities, label) - loss.expected(b.probabilities, label)
            for label in (np.ones(len(a)), np.zeros(len(a)))
        )
        return of_one - of_zero


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


def certain_pairs(pairs: Pairs) -> int:
    """The number of pairs of some weight that are predicted with exactly 0 or 1: the log loss of one that is wrong is
    infinite, and so may be the expected loss although none is wrong here."""
    return int((is_certain(pairs.probabilities) & _weighs(pairs)).sum())


def certain_classes(pairs: Pairs) -> int:
    """The number of pairs of rows that give the label's class probability 1, or 0."""
    scores = pairs.class_scores
    return 0 if scores is None else int((is_certain(scores.label_probability) & _weighs(pairs)).sum())


def _weighs(pairs: Pairs) -> npt.NDArray[np.bool_]:
    return np.ones(len(pairs), dtype=np.bool_) if pairs.weights is None else pairs.weights > 0


def zero_classes(*models: Pairs) -> Iterator[str]:
    """The note about class probabilities of 0: an interval of the log loss does not allow for them."""
    scores = [pairs.class_scores for pairs in models if pairs.class_scores is not None]
    if not any(map(certain_classes, models)) and any(one.has_zero.any() for one in scores):
        yield (
            "some classes have probability 0: the interval of the multi-class log loss assumes that such a class is "
            "never the label"
        )


def no_difference(n: int, level: float) -> Estimate:
    """A difference of which nothing can be told."""
    return Estimate(math.nan, None, None, level, "jackknife", n)


def score_difference(a: Pairs, b: Pairs, units: Units, loss: ProperLoss, level: float, *, own_labels: bool) -> Estimate:
    """The difference of mean losses, a - b; undefined where either may be infinite."""
    if loss is LOG and (certain_pairs(a) or certain_pairs(b)):
        return no_difference(len(a), level)
    with np.errstate(invalid="ignore"):
        difference = losses(a, loss) - losses(b, loss)
    far = (0.0, 0.0) if own_labels else reach(a, b, label_shifts(a, b, loss), units, level)
    return mean_difference(difference, units, level, far)


def class_differences(a: Pairs, b: Pairs, units: Units, level: float) -> list[Estimate]:
    """The differences of the scores of all classes, where both models' class probabilities are known."""
    of_a, of_b = multiclass_losses(a), multiclass_losses(b)
    if of_a is None or of_b is None:
        return []
    with np.errstate(invalid="ignore"):
        brier, log = (first - second for first, second in zip(of_a, of_b, strict=True))
    may_be_infinite = certain_classes(a) or certain_classes(b)
    of_log = no_difference(len(a), level) if may_be_infinite else mean_difference(log, units, level)
    return [mean_difference(brier, units, level), of_log]


def mean_difference(
    difference: Floats,
    units: Units,
    level: float,
    reach: tuple[float, float] = (0.0, 0.0),
    *,
    extra_variance: float = 0.0,
) -> Estimate:
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
    n = len(difference)
    return jackknifed(
        float(total / total_w), without, level=level, n=n, units=units, reach=reach, extra_variance=extra_variance
    )
