"""Totals estimated from the sampling design; they are unbiased for any scores, which only improve the precision."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from howsure.counts.cell_levels import hypergeometric_interval
from howsure.counts.population import ElementSizes, gaffke_share
from howsure.counts.sampling_design import PSEUDO_COUNT, Draw
from howsure.inputs.pairs import Bools, Floats
from howsure.stats.clusters import kish
from howsure.stats.proportions import normal_quantile, t_quantile, wilson_interval

MAX_GAIN = 2.0  # with inclusion probabilities, the effective number of labels is at most this many times Kish's
EQUAL = ElementSizes()
MIN_DEGREES = 30  # with fewer degrees of freedom of the variance within strata, Student's t is used
MIN_MINORITY = 20  # minimum number of positive and of negative labels for using scores


@dataclass(frozen=True, slots=True)
class DesignTotal:
    """The total of a domain, its interval, and its design variance."""

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
    element_sizes: ElementSizes = EQUAL,
) -> DesignTotal:
    """Estimate a total by the difference estimator of survey sampling, Σ m over a domain + Σ_h N_h mean(y - m).

    labels, fitted: y and m of the labelled units. inside: whether each labelled unit is in the domain, which has N =
    `units` units and Σ m = `expected`. The estimator is prediction-powered inference for a finite population. The
    interval is Wilson's with the effective number n = p (1 - p) N² / V, where V is the variance. It is within
    [positives,
    N - negatives], and has a positive width even if all labels are equal, because V is at least the variance of strata
    with equal labels (`Draw.uniform_strata_variance`).
    """
    residual = draw.sum_by_element(np.where(inside, labels - fitted, 0.0))
    total = expected + float((draw.weight * residual).sum())
    labelled = draw.sum_by_element(inside.astype(np.float64))
    positives = draw.sum_by_element(np.where(inside, labels, 0.0))
    variance = max(draw.variance(residual), draw.uniform_strata_variance(positives, labelled))
    return _wilson(draw, total, variance, units, labels[inside], draw.weight * labelled, level, element_sizes)


def labels_total(
    draw: Draw,
    labels: Floats,
    inside: Bools,
    *,
    units: int,
    level: float,
    element_sizes: ElementSizes = EQUAL,
    bounded: bool = False,
) -> DesignTotal:
    """Estimate a total from labels without scores: N times the weighted proportion of positives in the domain.

    The interval is the hypergeometric mid-p interval if single units were drawn at random from all units, Gaffke's if
    drawn elements have unequal weights or sizes (`howsure.counts.population`), and otherwise Wilson's.
    """
    weight = draw.weight
    positives = draw.sum_by_element(np.where(inside, labels, 0.0))
    labelled = draw.sum_by_element(inside.astype(np.float64))
    denominator = float((weight * labelled).sum())
    if denominator == 0:
        return DesignTotal(float("nan"), 0.0, float(units), float("inf"))
    share = float((weight * positives).sum()) / denominator
    variance = max(draw.variance(positives - share * labelled), draw.uniform_strata_variance(positives, labelled))
    variance *= (units / denominator) ** 2
    n, k = int(inside.sum()), int(positives.sum())
    if bounded or element_sizes.are_unequal(draw):
        ends = gaffke_share(draw, positives, labelled, element_sizes, unread=1.0 - n / units, level=level)
        value, low, high = np.clip(np.array([share, *ends]) * units, k, units - (n - k)).tolist()
        return DesignTotal(value, low, high, variance)
    total = _wilson(draw, units * share, variance, units, labels[inside], weight * labelled, level, element_sizes)
    if not draw.is_simple:
        return total
    low, high = hypergeometric_interval(units, n, k, level=level)
    return replace(total, value=units * share, low=low, high=high)


def _wilson(
    draw: Draw,
    total: float,
    variance: float,
    units: int,
    labels: Floats,
    weights: Floats,
    level: float,
    element_sizes: ElementSizes,
) -> DesignTotal:
    """Return a total with Wilson's interval.

    labels: the labels in the domain. weights: the number of units of the domain that each drawn element represents.

    p (1 - p) is at least its value for half a positive label, so that a total near 0 has nearly the same interval as a
    total of 0. With inclusion probabilities, the variance depends on a few units with large weights and may be
    estimated too low, so the effective number of labels is at most twice Kish's. Student's t replaces the normal
    distribution if few elements determine the variance: if elements are unequal, or if strata have fewer than 30
    degrees of freedom (labels minus strata).
    """
    n, k = len(labels), float(labels.sum())
    if units == 0:
        return DesignTotal(0.0, 0.0, 0.0, 0.0)
    if n == units:
        return DesignTotal(k, k, k, 0.0)
    share = min(max(total / units, 0.0), 1.0)
    equal = kish(weights) if n else 0.0  # elements of equal weight
    min_share = PSEUDO_COUNT / (equal + 2 * PSEUDO_COUNT)
    spread = max(share * (1.0 - share), min_share * (1.0 - min_share))
    binomial_n = max(equal, 1e-9) / (1.0 - n / units)
    effective_n = spread * units**2 / variance if variance > 0 else binomial_n
    if draw.inclusion is not None:
        effective_n = min(effective_n, MAX_GAIN * binomial_n)
    if k in (0, n):
        effective_n = min(effective_n, binomial_n)
    if element_sizes.are_unequal(draw) and n:
        degrees = max(min(element_sizes.effective, kish(weights**2)) - 1.0, 1.0)
        effective_n *= (normal_quantile(level) / t_quantile(level, degrees)) ** 2
    elif draw.inclusion is None and not draw.is_simple and n:
        strata = np.unique(draw.stratum[weights > 0])
        degrees = max(float(np.count_nonzero(weights)) - len(strata), 1.0)
        if degrees < MIN_DEGREES:
            effective_n *= (normal_quantile(level) / t_quantile(level, degrees)) ** 2
    low, high = wilson_interval(np.array([share]), np.array([effective_n]), level=level)
    value, first, last = np.clip([total, float(low[0]) * units, float(high[0]) * units], k, units - (n - k))
    return DesignTotal(float(value), float(first), float(last), variance)
