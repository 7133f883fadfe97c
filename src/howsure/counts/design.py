"""Totals without a model's assumption: what the design of the labels implies, the proxy only lending precision."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.counts.hypergeometric import hypergeometric_interval
from howsure.counts.population.draw import PSEUDO, Draw
from howsure.inputs.pairs import Floats
from howsure.stats.proportions import wilson_interval

Bools = np.ndarray[Any, np.dtype[np.bool_]]
MOST_GAIN = 2.0  # by given chances, the effective number of labels per one that is drawn with equal weight
FEW = 20  # positives or negatives; a total with fewer is estimated by the labels alone


@dataclass(frozen=True, slots=True)
class DesignTotal:
    """A total of a domain, its interval, and the variance that the design gives it."""

    value: float
    low: float
    high: float
    variance: float


def difference_total(
    draw: Draw, labels: Floats, fitted: Floats, inside: Bools, *, units: int, expected: float, level: float
) -> DesignTotal:
    """Σ m over a domain + Σ_h N_h mean(y - m): the difference estimator of survey sampling.

    labels, fitted: y and m of the labelled units; inside: whether each lies in the domain, which has so many `units`
    and Σ m = `expected`. The same as prediction-powered inference with known units. Its interval is Wilson's with the
    effective number n = p (1 - p) N² / V, so that it never leaves [positives, N - negatives], nor has no width where
    all labels agree. V is at least the variance of the strata whose labels are all alike (`Draw.variance_of_alike`).
    """
    residual = draw.per_drawn(np.where(inside, labels - fitted, 0.0))
    total = expected + float((draw.weight * residual).sum())
    seen = draw.per_drawn(inside.astype(np.float64))
    positives = draw.per_drawn(np.where(inside, labels, 0.0))
    variance = max(draw.variance(residual), draw.variance_of_alike(positives, seen))
    return _wilson(draw, total, variance, units, labels[inside], draw.weight * seen, level)


def labels_total(draw: Draw, labels: Floats, inside: Bools, *, units: int, level: float) -> DesignTotal:
    """The total by the labels alone, N times their weighted share within the domain.

    Its interval is Wilson's, or the hypergeometric one where single units were drawn at random from all.
    """
    weight = draw.weight
    positives = draw.per_drawn(np.where(inside, labels, 0.0))
    seen = draw.per_drawn(inside.astype(np.float64))
    denominator = float((weight * seen).sum())
    if denominator == 0:
        return DesignTotal(float("nan"), 0.0, float(units), float("inf"))
    share = float((weight * positives).sum()) / denominator
    variance = max(draw.variance(positives - share * seen), draw.variance_of_alike(positives, seen))
    variance *= (units / denominator) ** 2
    found = _wilson(draw, units * share, variance, units, labels[inside], weight * seen, level)
    if not draw.is_simple:
        return found
    low, high = hypergeometric_interval(units, int(inside.sum()), int(positives.sum()), level=level)
    return replace(found, value=units * share, low=low, high=high)


def _wilson(
    draw: Draw, total: float, variance: float, units: int, labels: Floats, stand_for: Floats, level: float
) -> DesignTotal:
    """labels: those of the domain. stand_for: how many units of the domain each drawn element stands for.

    The spread p (1 - p) is at least that of half a positive among the labels, so that a total near 0 has nearly the
    interval of a total of 0. By given chances, V comes from few units that stand for many, and misses what these have
    not shown: the effective number is at most twice Kish's.
    """
    n, k = len(labels), float(labels.sum())
    if units == 0:
        return DesignTotal(0.0, 0.0, 0.0, 0.0)
    if n == units:
        return DesignTotal(k, k, k, 0.0)
    share = min(max(total / units, 0.0), 1.0)
    equal = float(stand_for.sum() ** 2 / (stand_for**2).sum()) if n else 0.0  # elements of equal weight (Kish 1965)
    least = PSEUDO / (equal + 2 * PSEUDO)
    spread = max(share * (1.0 - share), least * (1.0 - least))
    of_binomial = max(equal, 1e-9) / (1.0 - n / units)
    effective = spread * units**2 / variance if variance > 0 else of_binomial
    if draw.inclusion is not None:
        effective = min(effective, MOST_GAIN * of_binomial)
    if k in (0, n):
        effective = min(effective, of_binomial)
    low, high = wilson_interval(np.array([share]), np.array([effective]), level=level)
    value, first, last = np.clip([total, float(low[0]) * units, float(high[0]) * units], k, units - (n - k))
    return DesignTotal(float(value), float(first), float(last), variance)
