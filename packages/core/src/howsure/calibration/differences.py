"""Jackknife intervals for differences between two models, over rows or clusters, and differences of mean scores."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from howsure.calibration.bins import bin_pairs
from howsure.calibration.clustered_error import ROUNDING, clustered_mse, without_each_cluster
from howsure.calibration.scores import LOG, ProperLoss, is_certain, multiclass_losses
from howsure.calibration.squared_error import SquaredError, cluster_sums, debiased_mse, exact_interval, mean_gaps
from howsure.inputs.pairs import Bools, Floats, Integers, Pairs
from howsure.result import Estimate
from howsure.stats.clusters import jackknife_error
from howsure.stats.proportions import t_quantile

# The interval of a difference between two models: a jackknife over rows or clusters, and its minimum extent.


@dataclass(frozen=True, slots=True)
class Units:
    """The units that the jackknife leaves out one at a time.

    code (n,): the row or cluster of each pair. weight (n,): the weight w of each pair. clustered: whether the units are
    clusters. degrees_of_freedom: infinite for rows; for clusters of weight W_c, (Σ W_c²)² / Σ W_c⁴ - 1, at least 1.
    This is Satterthwaite's number if variances are proportional to W_c² (Carter, Schnepel & Steigerwald 2017). It
    equals the number of clusters minus 1 if all have equal weight, and is smaller if a few clusters are large.
    """

    code: Integers
    weight: Floats
    clustered: bool

    @classmethod
    def of(cls, a: Pairs, b: Pairs) -> Self:
        """Return the units of two models evaluated on the same rows: the clusters or, without clusters, the rows.

        Rows are numbered after sorting them by probabilities, labels and weights, so that the order in which the rows
        are given does not change the units.
        """
        weights = np.ones(len(a)) if a.weights is None else a.weights
        if a.clusters is not None:
            return cls(a.clusters, weights, clustered=True)
        row_numbers = np.empty(len(a), dtype=np.int64)
        row_numbers[np.lexsort((weights, b.labels, a.labels, b.probabilities, a.probabilities))] = np.arange(len(a))
        return cls(row_numbers, weights, clustered=False)

    @property
    def degrees_of_freedom(self) -> float:
        """The degrees of freedom of Student's t."""
        if not self.clustered:
            return math.inf
        of_cluster = self.sums(self.weight)
        shares = np.sort(of_cluster / of_cluster.max()) ** 2
        return max(float(shares.sum() ** 2 / (shares**2).sum()) - 1, 1.0)

    def sums(self, values: Floats) -> Floats:
        """Add up the values by unit; the result does not depend on the order of the rows."""
        order = np.lexsort((values, self.code))
        return np.bincount(self.code[order], weights=values[order]).astype(np.float64)


def left_one_out(pairs: Pairs, units: Units, **how: Any) -> tuple[SquaredError, Floats, Floats]:
    """Return the squared error, its values with each unit left out (units,), and the gap of each pair's bin (n,).

    how: the options of `bin_pairs`.
    """
    binned = bin_pairs(pairs, **how)
    bins = binned.assign_bins(pairs.probabilities)
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
    """Return an estimate whose jackknife interval extends by at least `reach` (down, up).

    without: the values with each unit left out; NaN values are ignored. extra_variance: a variance to add because the
    jackknife does not include it.
    """
    estimates = np.sort(without[~np.isnan(without)])
    if len(estimates) < 2 or math.isnan(value):
        return Estimate(math.nan, None, None, level, "jackknife", n)
    quantile = t_quantile(level, units.degrees_of_freedom)
    half_width = quantile * math.sqrt(float(jackknife_error(estimates)) ** 2 + extra_variance)
    return Estimate(value, value - max(half_width, reach[0]), value + max(half_width, reach[1]), level, "jackknife", n)


def rare_label_reach(
    labels: Floats, per_label: Floats, predicted: Floats, units: Units, *, level: float
) -> tuple[float, float]:
    """Return how far (down, up) a mean's interval must extend to allow for rare labels that did not occur.

    The mean is Σ w (constant + per_label · y) / Σ w. For each pair, the event is the label with the smaller predicted
    probability. Pairs whose event raises the mean and pairs whose event lowers it are treated separately. The frequency
    of events in each set gets an exact one-sided interval, based on the effective number of pairs if events occurred as
    predicted. The correlation within a cluster is assumed to be 1 / (1 + K) for K events. The result matters only if
    events are rare, where it is the rule of three; otherwise the usual standard error is larger.
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
    """Return how much the difference of two models' losses changes if a pair's label is 1 instead of 0, (n,)."""
    with np.errstate(invalid="ignore"):
        of_one, of_zero = (
            loss.expected(a.probabilities, label) - loss.expected(b.probabilities, label)
            for label in (np.ones(len(a)), np.zeros(len(a)))
        )
        return of_one - of_zero


def reach(a: Pairs, b: Pairs, per_label: Floats, units: Units, level: float) -> tuple[float, float]:
    """Compute `rare_label_reach` of a difference between models; label 1 changes a pair's difference by `per_label`.

    Pairs for which some label would make the loss infinite are excluded; the other pairs represent them.
    """
    per_label = np.where(np.isfinite(per_label), per_label, 0.0)
    predicted = (a.probabilities + b.probabilities) / 2
    return rare_label_reach(a.labels.astype(np.float64), per_label, predicted, units, level=level)


def losses(pairs: Pairs, loss: ProperLoss) -> Floats:
    with np.errstate(invalid="ignore"):
        return loss.expected(pairs.probabilities, pairs.labels.astype(np.float64))


def certain_pairs(pairs: Pairs) -> int:
    """Count the pairs of positive weight with a prediction of exactly 0 or 1.

    If there are any, the expected log loss may be infinite, even if all these predictions are correct in the sample.
    """
    return int((is_certain(pairs.probabilities) & _positive_weight(pairs)).sum())


def certain_classes(pairs: Pairs) -> int:
    """Count the pairs of positive weight whose row gives the label's class probability 0 or 1."""
    scores = pairs.class_scores
    return 0 if scores is None else int((is_certain(scores.label_probability) & _positive_weight(pairs)).sum())


def _positive_weight(pairs: Pairs) -> Bools:
    return np.ones(len(pairs), dtype=np.bool_) if pairs.weights is None else pairs.weights > 0


def zero_classes(*models: Pairs) -> Iterator[str]:
    """Yield a note if some classes have probability 0, since the interval of the log loss does not allow for this."""
    scores = [pairs.class_scores for pairs in models if pairs.class_scores is not None]
    if not any(map(certain_classes, models)) and any(score.has_zero.any() for score in scores):
        yield (
            "some classes have probability 0: the interval of the multi-class log loss assumes that such a class is "
            "never the label"
        )


def undefined_difference(n: int, level: float) -> Estimate:
    """Return an undefined difference: value NaN, without an interval."""
    return Estimate(math.nan, None, None, level, "jackknife", n)


def score_difference(a: Pairs, b: Pairs, units: Units, loss: ProperLoss, level: float, *, own_labels: bool) -> Estimate:
    """Return the difference of mean losses, a - b, with its interval; undefined if a log loss may be infinite."""
    if loss is LOG and (certain_pairs(a) or certain_pairs(b)):
        return undefined_difference(len(a), level)
    with np.errstate(invalid="ignore"):
        difference = losses(a, loss) - losses(b, loss)
    far = (0.0, 0.0) if own_labels else reach(a, b, label_shifts(a, b, loss), units, level)
    return mean_difference(difference, units, level, far)


def class_differences(a: Pairs, b: Pairs, units: Units, level: float) -> list[Estimate]:
    """Return the differences of multi-class Brier score and log loss; [] if class probabilities are unknown."""
    of_a, of_b = multiclass_losses(a), multiclass_losses(b)
    if of_a is None or of_b is None:
        return []
    with np.errstate(invalid="ignore"):
        brier, log = (first - second for first, second in zip(of_a, of_b, strict=True))
    may_be_infinite = certain_classes(a) or certain_classes(b)
    of_log = undefined_difference(len(a), level) if may_be_infinite else mean_difference(log, units, level)
    return [mean_difference(brier, units, level), of_log]


def mean_difference(
    difference: Floats,
    units: Units,
    level: float,
    reach: tuple[float, float] = (0.0, 0.0),
    *,
    extra_variance: float = 0.0,
) -> Estimate:
    """Return the weighted mean of the pairs' differences (n,), with its jackknife interval.

    It is undefined if a difference is infinite or if one unit has all the weight.
    """
    undefined = Estimate(math.nan, None, None, level, "jackknife", len(difference))
    if not np.isfinite(difference).all():
        return undefined
    by_w, by_u = units.sums(units.weight), units.sums(units.weight * difference)
    total_w, total = by_w.sum(), by_u.sum()
    if by_w.max() >= (1 - ROUNDING) * total_w:  # a single unit does not show sampling error
        return undefined
    rest = np.where((by_w > 0) & (by_w < total_w), total_w - by_w, np.nan)
    without = (total - by_u) / rest
    n = len(difference)
    return jackknifed(
        float(total / total_w), without, level=level, n=n, units=units, reach=reach, extra_variance=extra_variance
    )
