"""Errors of differences of macro averages, which resampling underestimates if a class has few items."""

from __future__ import annotations

import numpy as np

from howsure.significance.metrics.labels import MIN_FOR_INTERVAL
from howsure.significance.metrics.metric import Floats, Metric, combination, ratio
from howsure.significance.resampling_units import Units


def rare_class_error(units: Units, metric: Metric) -> tuple[float, float] | None:
    """The variance that classes with few items add to the difference of a macro average, and its degrees of freedom.

    None if the metric is not a macro average over K classes, if no class has fewer than 5 items, if the systems do not
    differ, or if no variance is added.

    If the systems agree on the few items of a class, or one of them is right on all, the jackknife variance v_c of the
    difference in the class is 0, although the difference is hardly known. Therefore the variance is at least
    p_c / (n_c + 1), with p_c = (n_c r_c + 1) / (n_c + 2). Here, r_c is the proportion of the class on which the systems
    differ, and n_c is the denominator of the ratio as a number of correct items (mean of both systems), but at most
    Kish's effective number of units in it. The degrees of freedom are Satterthwaite's, with n_c + 2 for each class.

    Source: Satterthwaite (1946). The lower limit is ours, like that of the values of single models.
    """
    if metric.class_ratio is None:
        return None
    part, counts = units.parts[metric.rows], units.counts.astype(np.float64)
    systems = [
        statistics.reshape(len(units), count, -1).mean(axis=1)[:, part].reshape(len(units), 3, -1)
        for statistics, count in zip((units.first, units.second), units.runs, strict=True)
    ]
    if (systems[0] == systems[1]).all():
        return None
    above, below = (
        [combination(each, way) for each in systems] for way in (metric.class_ratio.above, metric.class_ratio.below)
    )
    totals = [counts @ each for each in below]
    true = counts @ systems[0][:, 2]
    values = [np.nan_to_num(ratio(counts @ a, total)) for a, total in zip(above, totals, strict=True)]
    pooled = below[0] + below[1]
    total = counts @ pooled
    n = np.minimum(np.nan_to_num(ratio(total**2, counts @ pooled**2)), total / (2 * sum(metric.class_ratio.below)))
    items = np.nan_to_num(ratio(true**2, counts @ systems[0][:, 2] ** 2))
    few = (true > 0) & (np.minimum(n, items) < MIN_FOR_INTERVAL)
    if not few.any():
        return None
    middle = (values[0] + values[1]) / 2
    uncentred, centred = (_moves(above, below, totals, centres) for centres in ((middle, middle), values))
    r = np.minimum(counts @ np.abs(uncentred), 1.0)
    m = counts.sum()
    jackknife = counts @ centred**2 * (m / max(m - 1, 1))
    p = (n * r + 1) / (n + 2)
    variances = np.where(few, np.maximum(jackknife, p / (n + 1)), jackknife)
    added = float((variances - jackknife).sum()) / len(true) ** 2
    if not added > 0.0:
        return None
    return added, float(variances.sum() ** 2 / (variances**2 / (n + 2)).sum())


def _moves(
    above: list[Floats], below: list[Floats], totals: list[Floats], centres: tuple[Floats, ...] | list[Floats]
) -> Floats:
    """The effect of each unit on the difference of each class (units, classes), linearised at `centres`."""
    first, second = (
        np.nan_to_num(ratio(a - centre * b, np.broadcast_to(total, b.shape)))
        for a, b, total, centre in zip(above, below, totals, centres, strict=True)
    )
    return np.asarray(second - first)
