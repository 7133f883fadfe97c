"""Totals without a model's assumption: what the design of the labels implies, the proxy only lending precision."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from howsure.counts.cell_levels import hypergeometric_interval
from howsure.counts.draw import PSEUDO, Draw
from howsure.counts.units import Bools, Lumps, share_of_lumps
from howsure.inputs.pairs import Floats
from howsure.stats.clusters import kish
from howsure.stats.proportions import normal_quantile, t_quantile, wilson_interval

MOST_GAIN = 2.0  # by given chances, the effective number of labels per one that is drawn with equal weight
EQUAL = Lumps()
FEW = 20  # positives or negatives; a total with fewer is estimated by the labels alone


@dataclass(frozen=True, slots=True)
class DesignTotal:
    """A total of a domain, its interval, and the variance that the design gives it."""

    value: float
    low: float
    high: float
    variance: float


def difference_total(
    draw: Draw,
    labels: Floats,
    fitted: Floats,
    inside: Bools,
    *,
    units: int,
    expected: float,
    level: float,
    lumps: Lumps = EQUAL,
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
    return _wilson(draw, total, variance, units, labels[inside], draw.weight * seen, level, lumps)


def labels_total(
    draw: Draw, labels: Floats, inside: Bools, *, units: int, level: float, lumps: Lumps = EQUAL, bounded: bool = False
) -> DesignTotal:
    """The total by the labels alone, N times their weighted share within the domain.

    Its interval is Wilson's; the hypergeometric one (mid-p) where single units were drawn at random from all; and
    Gaffke's where what was drawn differs in what it stands for (`howsure.counts.units`).
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
    n, k = int(inside.sum()), int(positives.sum())
    if bounded or lumps.matter(draw):
        ends = share_of_lumps(draw, positives, seen, lumps, unread=1.0 - n / units, level=level)
        value, low, high = np.clip(np.array([share, *ends]) * units, k, units - (n - k)).tolist()
        return DesignTotal(value, low, high, variance)
    found = _wilson(draw, units * share, variance, units, labels[inside], weight * seen, level, lumps)
    if not draw.is_simple:
        return found
    low, high = hypergeometric_interval(units, n, k, level=level)
    return replace(found, value=units * share, low=low, high=high)


def _wilson(
    draw: Draw, total: float, variance: float, units: int, labels: Floats, stand_for: Floats, level: float, lumps: Lumps
) -> DesignTotal:
    """labels: those of the domain. stand_for: how many units of the domain each drawn element stands for.

    The spread p (1 - p) is at least that of half a positive among the labels, so that a total near 0 has nearly the
    interval of a total of 0. By given chances, V comes from few units that stand for many, and misses what these have
    not shown: the effective number is at most twice Kish's. The variance of unequal elements is that of few, so that
    Student's t takes the place of the normal law.
    """
    n, k = len(labels), float(labels.sum())
    if units == 0:
        return DesignTotal(0.0, 0.0, 0.0, 0.0)
    if n == units:
        return DesignTotal(k, k, k, 0.0)
    share = min(max(total / units, 0.0), 1.0)
    equal = kish(stand_for) if n else 0.0  # elements of equal weight
    least = PSEUDO / (equal + 2 * PSEUDO)
    spread = max(share * (1.0 - share), least * (1.0 - least))
    of_binomial = max(equal, 1e-9) / (1.0 - n / units)
    effective_n = spread * units**2 / variance if variance > 0 else of_binomial
    if draw.inclusion is not None:
        effective_n = min(effective_n, MOST_GAIN * of_binomial)
    if k in (0, n):
        effective_n = min(effective_n, of_binomial)
    if lumps.matter(draw) and n:
        degrees = max(min(lumps.alike, kish(stand_for**2)) - 1.0, 1.0)
        effective_n *= (normal_quantile(level) / t_quantile(level, degrees)) ** 2
    low, high = wilson_interval(np.array([share]), np.array([effective_n]), level=level)
    value, first, last = np.clip([total, float(low[0]) * units, float(high[0]) * units], k, units - (n - k))
    return DesignTotal(float(value), float(first), float(last), variance)
