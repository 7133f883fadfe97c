"""The paired jackknife: standard error of a difference from leaving out each unit, with Student's t."""

from __future__ import annotations

import math

import numpy as np

from howsure.significance.bootstrap import jackknife_values, observed_values
from howsure.significance.class_differences import rare_class_error
from howsure.significance.metrics.metric import Floats, Metric
from howsure.significance.resampling_units import Units
from howsure.stats.clusters import degrees_of_freedom
from howsure.stats.jackknife_value import MIN_EFFECTIVE_UNITS
from howsure.stats.mean_score import VOTES, MeanScore


def paired_jackknife(units: Units, metric: Metric, *, level: float) -> MeanScore:
    """The difference of a metric, second system minus first, with a jackknife standard error and Student's t.

    A unit is an item or a cluster. Let θ₋ᵤ be the difference without unit u, one of m units in its stratum. The
    influence of u is -(m - 1)/m (θ₋ᵤ - mean of θ₋ in the stratum), and the squared standard error is s² = Σ m/(m - 1)
    influence². Tests use the error √(s² + d²), where d is the root mean square influence of the units in which the
    systems differ, as if one more unit differed in an unknown direction. This error is at least 2d, or 16d/m if there
    are more than 8 units (see `mean_difference`). The degrees of freedom follow from the effective number of units, (Σ
    size)² / Σ size². If no unit differs, `unseen` is the possible effect of units that were not drawn: a proportion of
    up to 1 - (1 - level)^(1 / effective number) may differ, by the range of the metric (by 1 for an error rate).

    Source: Miller (1974); Kish (1965).
    """
    first, second = observed_values(units, [metric])[0]
    difference = second - first
    counts = units.counts.astype(np.float64)
    number = float(counts.sum())
    if not math.isfinite(difference) or number == 1:
        return MeanScore(difference, math.nan, 0.0, 0.0, int(units.rows @ units.counts))
    left_out = jackknife_values(units, [metric])[0][0]
    m = units.stratum_sizes
    means = np.add.reduceat(counts * left_out, units.starts) / np.add.reduceat(counts, units.starts)
    centre = np.repeat(means, np.diff(units.starts, append=len(units)))
    moves = -(m - 1) / m * (left_out - centre)
    error = math.sqrt(float((counts * m / (m - 1) * moves**2).sum()))
    differing = (units.first != units.second).any(axis=1)
    added = np.where(differing, moves + difference / number, 0.0)
    one_more = math.sqrt(float(counts @ added**2) / max(float(counts @ differing), 1.0))
    sizes = _sizes(units, metric)
    by_stratum = (np.add.reduceat(counts * sizes**power, units.starts) for power in (1, 2))
    rows, squares = (np.where(part > 0, part, 1.0) for part in by_stratum)
    # the error is undefined if the metric is undefined without one of the units
    degrees = degrees_of_freedom(rows, squares) if math.isfinite(error) else 0.0
    effective = float(counts @ sizes) ** 2 / max(float(counts @ sizes**2), 1e-300)
    rare = rare_class_error(units, metric)
    safe = max(math.hypot(error, one_more), min(2.0, VOTES / number) * one_more) if differing.any() else 0.0
    if rare is not None:
        safe, degrees = math.hypot(safe, math.sqrt(rare[0])), min(degrees, rare[1])
    return MeanScore(
        difference,
        safe,
        0.0,
        degrees,
        int(units.rows @ units.counts),
        error,
        unseen=_spread(metric) * (1 - (1 - level) ** (1 / max(effective, 1.0))),
        method="jackknife",
        units=number if effective >= MIN_EFFECTIVE_UNITS else effective,
    )


def _sizes(units: Units, metric: Metric) -> Floats:
    """The size of each unit (units,): its number of rows, unless the metric defines sizes, summed over both systems."""
    if metric.sizes is None:
        return units.rows.astype(np.float64)
    part = units.parts[metric.rows]
    return metric.sizes(units.first[:, part]) + metric.sizes(units.second[:, part])


def _spread(metric: Metric) -> float:
    """The range of a metric: highest minus lowest possible value or, if the highest is infinite, the value of entirely
    wrong rows minus the lowest; NaN if unknown."""
    if metric.bounds is None:
        return math.nan
    low, high = metric.bounds
    if math.isfinite(high - low):
        return high - low
    return math.nan if metric.worst is None else metric.worst - low
