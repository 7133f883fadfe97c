"""Means of the means of groups, intervals that combine two kinds of sampling, and notes on missing intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Floats, Integers
from howsure.notes import WARNING, Note, marked_note
from howsure.result import Estimate
from howsure.scores.label_scores import LABELS
from howsure.significance.metrics.metric import Metric
from howsure.stats.clusters import ItemGroups, kish, ratio_error
from howsure.stats.gaffke import UnitSums
from howsure.stats.jackknife_value import JackknifeValue, units_needed
from howsure.stats.mean_score import STUDENT_NOTE, BoundedMean, Bounds, MeanScore


def mean_of_groups(groups: Sequence[tuple[Floats, Integers | None]], *, bounds: Bounds | None = None) -> MeanScore:
    """Return the mean of the means of G groups, each given by its n_g values and the codes of their clusters.

    A cluster may be in several groups. The result is Σ values / (G n_g), as a mean of clusters whose sizes are Σ 1 / (G
    n_g). Without bounds, its standard error is √(C/(C - 1) Σ_c (Σ_c (value - mean of means) / (G n_g))²), where the
    inner sum is over the values of cluster c. This error includes differences between groups, so that it is not too
    small even if a group has a single item.

    >>> round(mean_of_groups([(np.array([1.0, 0.0]), None), (np.array([1.0, 1.0, 1.0]), None)]).value, 3)
    0.75
    """
    values = np.concatenate([group_values for group_values, _ in groups])
    unit, weights = _group_weights(groups)
    sums, sizes = (np.bincount(unit, addends).astype(np.float64) for addends in (weights * values, weights))
    m = len(sizes)
    error = ratio_error(sums, sizes) if m > 1 else 0.0
    degrees = max(kish(sizes) - 1, 1.0) if m > 1 else 0.0
    mean = MeanScore(float(sums.sum()), error, 0.0, degrees, len(values), error, units=float(m))
    if bounds is None:
        return mean
    cluster_sums = UnitSums.of(sums, sizes)
    return BoundedMean.of(mean, sums=cluster_sums, ends=bounds, clustered=groups[0][1] is not None, within=bounds)


def value_of_groups(
    metric: Metric, groups: Sequence[tuple[Floats, Integers | None]], sizes: Sequence[Floats]
) -> JackknifeValue:
    """Return the mean of the values of a document metric in G groups, computed as in `mean_of_groups`, within the range
    of the metric. sizes: the sizes of the items of each group.
    """
    unit, weights = _group_weights(groups)
    values = np.concatenate([group_values for group_values, _ in groups])
    value = float(weights @ values)
    shares = np.concatenate([size / size.sum() if size.any() else size for size in sizes])
    jackknife = JackknifeValue.of(
        value,
        np.bincount(unit, weights * (values - value)).astype(np.float64),
        np.bincount(unit, shares).astype(np.float64),
        within=metric.possible_range,
        higher_is_better=metric.higher_is_better,
        worst=metric.worst,
        two_sided=metric.task == LABELS,
    )
    return jackknife.with_unseen_units() if metric.task == LABELS and metric.pooled_ratio is None else jackknife


def _group_weights(groups: Sequence[tuple[Floats, Integers | None]]) -> tuple[Integers, Floats]:
    """The cluster of each value of G groups (without clusters, each value is a cluster), and its weight 1 / (G n_g)."""
    weights = np.concatenate(
        [np.full(len(group_values), 1 / (len(groups) * len(group_values))) for group_values, _ in groups]
    )
    codes = [units for _, units in groups if units is not None]
    return (np.unique(np.concatenate(codes), return_inverse=True)[1] if codes else np.arange(len(weights))), weights


def add_reaches(estimates: Sequence[Estimate], bounds: Bounds | None) -> Estimate:
    """Return the first estimate with an interval for all sources of error together, within the bounds.

    estimates: the same value, each with the interval for one of several independent sources of error (such as items and
    groups). The distance from the value to an end is the root of the sum of the squared distances (Zou & Donner 2008).
    The result has no interval if one of the estimates has none.
    """
    first = estimates[0]
    if any(estimate.low is None or estimate.high is None for estimate in estimates):
        return replace(first, low=None, high=None)
    lowest, highest = (-math.inf, math.inf) if bounds is None else bounds
    low = first.value - math.hypot(*(first.value - estimate.low for estimate in estimates if estimate.low is not None))
    high = first.value + math.hypot(
        *(estimate.high - first.value for estimate in estimates if estimate.high is not None)
    )
    return replace(first, low=max(low, lowest), high=min(high, highest), method="two-way")


MAX_SENTINELS = 0.1  # proportion of the scores


def notes_on_sentinels(values: Floats) -> Iterator[Note]:
    """Yield a note if all scores are 0 or 1 but for a few with one other value, such as -1 or 99."""
    others = np.unique(values[(values != 0.0) & (values != 1.0)])
    if len(others) != 1 or 0.0 <= others[0] <= 1.0:
        return
    few, number = int(np.count_nonzero(values == others[0])), f"{others[0]:g}"
    if few <= MAX_SENTINELS * len(values):
        is_or_are = "score is" if few == 1 else "scores are"
        yield marked_note(
            f"{few:,} {is_or_are} {number} and all others 0 or 1. If {number} marks a missing score, leave it out: "
            f"`missing_values={number}` and `skip_missing=True`.",
            WARNING,
        )


def interval_note(values: Floats, groups: ItemGroups, level: float, *, tail: float) -> str:
    """Return the note on a mean without bounds: the limits of Student's t, or why there is no interval.

    tail: the probability beyond each end of the interval.
    """
    needed = units_needed(tail)
    if np.ptp(values) > 0 and groups.units >= needed:
        return STUDENT_NOTE
    if len(values) == 1:
        reason = "there is a single item, so variation is unknown"
    elif np.ptp(values) == 0:
        reason = f"all scores are {values[0]:g}, so variation is unknown"
    else:
        units = counted(groups.units, "item" if groups.units == len(values) else "cluster")
        reason = f"{units}; at least {needed} are needed at level {level:g}"
    return Note(f"No interval: {reason}.", WARNING)
