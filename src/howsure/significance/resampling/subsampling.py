"""BooStSa's rule: how often is the difference in a sub-sample more than twice that in the test set?"""

from __future__ import annotations

import math

import numpy as np

from howsure.errors import InputError
from howsure.inputs.numbers import is_number
from howsure.significance.metrics.metric import Floats, Metric

SMALLEST, USUAL, LARGEST = 0.05, 0.1, 0.5  # shares of the test set
TURNED = ("jensen_shannon_distance", "jensen_shannon_divergence", "cross_entropy", "clipped_cross_entropy")
DIGITS = 4  # to which BooStSa rounds the metrics of labels, and their differences


def check_sample_size(sample_size: float | None, n: int) -> int:
    """The rows of a sub-sample.

    Raises InputError if the share lies outside [0.05, 0.5] or if no items remain.
    """
    if sample_size is None or not is_number(sample_size) or not SMALLEST <= sample_size <= LARGEST:
        raise InputError(f"sample_size must lie in [{SMALLEST}, {LARGEST}]; it is {sample_size!r}.")
    rows = int(n * sample_size)
    if rows == 0:
        raise InputError(f"sample_size {sample_size} of {n} rows leaves none; give a larger share.")
    return rows


def boostsa_p_value(
    metric: Metric, replicates: tuple[Floats, Floats], observed: tuple[float, float], *, bug_compatible: bool
) -> float:
    """The share of sub-samples whose difference exceeds twice the observed one; 1 if that is 0, NaN if undefined.

    `replicates` and `observed` are the values of the baseline and of the model.

    `bug_compatible` counts as BooStSa 0.2.13 does: label metrics rounded to 4 digits, the wrong direction for metrics
    where lower is better, and 0 where the observed difference is 0 or undefined.
    """
    rounded = bug_compatible and metric.task == "hard"
    difference = _difference(np.array(observed[0]), np.array(observed[1]), rounded).item()
    drawn = _difference(*replicates, rounded)
    if not bug_compatible:
        if not math.isfinite(difference):
            return math.nan
        if abs(difference) < 1e-12:
            return 1.0
        return float(np.mean(~(metric.sign * drawn <= 2 * metric.sign * difference)))
    if metric.name in TURNED:
        return float(np.mean(drawn > -2 * difference))
    return float(np.mean(drawn > 2 * difference))


def _difference(baseline: Floats, model: Floats, rounded: bool) -> Floats:
    if not rounded:
        return np.asarray(model - baseline)
    return np.asarray(np.round(np.round(model, DIGITS) - np.round(baseline, DIGITS), DIGITS))
