"""Intervals of a measure of ranked answers from the influence of each answer on it."""

from __future__ import annotations

import math

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.selective.ranked import Ranked
from howsure.stats.estimate import Estimate


def variance_of(ranks: Ranked, influence: Floats) -> float:
    """The variance of a measure from `influence` (K, 2): by how much a wrong and a right answer at each place moves it.

    The sum of squares over independent answers, n / (n - 1) Σ i²; with clusters, of their sums: C / (C - 1) Σ_c (Σ i)².
    """
    sums = np.sort(ranks.by_cluster(influence[ranks.place, ranks.correct]))
    many = len(sums)
    return float(many / (many - 1) * (sums @ sums)) if many > 1 else math.nan


def logit_interval(
    value: float, variance: float, *, level: float, degrees_of_freedom: float
) -> tuple[float, float] | tuple[None, None]:
    """Both ends of an interval by Student's t on the logit scale, where a measure near 0 or 1 is less skewed.

    logit(value) ± t · √variance / (value (1 - value)); (None, None) at 0 and 1, or without a variance.
    """
    from scipy.special import expit, logit, stdtrit

    if not (0.0 < value < 1.0 and variance > 0.0):
        return None, None
    t = float(stdtrit(min(max(degrees_of_freedom, 1.0), 1e12), 0.5 + level / 2))
    reach = t * math.sqrt(variance) / (value * (1 - value))
    middle = float(logit(value))
    return float(expit(middle - reach)), float(expit(middle + reach))


def undefined(level: float, method: str, n: int) -> Estimate:
    """A measure that the answers do not determine."""
    return Estimate(math.nan, None, None, level, method, n)
