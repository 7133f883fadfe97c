"""Totals without a model's assumption: what the design of the labels implies, the proxy only lending precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.stats.proportions import normal_quantile, wilson_interval

Bools = np.ndarray[Any, np.dtype[np.bool_]]
PSEUDO = 0.5  # positives and negatives added where labels are all alike, for their variance only
FEW_POSITIVES = 20  # below it a total is estimated by the labels alone


@dataclass(frozen=True, slots=True)
class Draw:
    """What was drawn for labels: units or whole clusters, without replacement within strata, or with given chances.

    element: of each unit, the number of what was drawn with it. drawn: the elements whose labels are known. stratum: of
    each element; size: how many elements each stratum has. inclusion: of each drawn element, where chances were given
    instead of strata.
    """

    element: Integers
    drawn: Integers
    stratum: Integers
    size: Integers
    inclusion: Floats | None

    @property
    def is_simple(self) -> bool:
        """Whether single units were drawn at random from all."""
        return self.inclusion is None and len(self.size) == 1 and len(self.stratum) == len(self.element)

    @property
    def weight(self) -> Floats:
        """How many elements each drawn one stands for."""
        if self.inclusion is not None:
            return np.asarray(1.0 / self.inclusion)
        labelled = np.bincount(self.stratum[self.drawn], minlength=len(self.size))
        return np.asarray((self.size / np.maximum(labelled, 1))[self.stratum[self.drawn]])

    def per_drawn(self, values: Floats, units: Integers) -> Floats:
        """Sums of values of labelled units by drawn element."""
        place = np.full(len(self.stratum), -1)
        place[self.drawn] = np.arange(len(self.drawn))
        found = np.bincount(place[self.element[units]], weights=values, minlength=len(self.drawn))
        return found.astype(np.float64, copy=False)

    def variance(self, values: Floats) -> float:
        """The variance of Σ weight · value over drawn elements.

        Strata: Σ N_h² (1 - n_h/N_h) s²_h / n_h. Chances: n/(n - 1) Σ (1 - π_i) (v_i/π_i - c)², with c the mean of
        v/π weighted by 1 - π (Hájek 1964).
        """
        if self.inclusion is not None:
            kept = 1.0 - self.inclusion
            if kept.sum() <= 0 or len(values) < 2:
                return 0.0
            expanded = values / self.inclusion
            centre = float((kept * expanded).sum() / kept.sum())
            return float(len(values) / (len(values) - 1) * (kept * (expanded - centre) ** 2).sum())
        of_drawn = self.stratum[self.drawn]
        n = np.bincount(of_drawn, minlength=len(self.size)).astype(np.float64)
        mean = np.bincount(of_drawn, weights=values, minlength=len(self.size)) / np.maximum(n, 1)
        squares = np.bincount(of_drawn, weights=(values - mean[of_drawn]) ** 2, minlength=len(self.size))
        spread = squares / np.maximum(n - 1, 1)
        return float((self.size**2 * (1.0 - n / self.size) * spread / np.maximum(n, 1))[n > 0].sum())

    def variance_of_alike(self, positives: Floats, seen: Floats) -> float:
        """What `variance` leaves out: the variance of strata whose labels in a domain are all 0, or all 1.

        positives, seen: of each drawn element, its positive and its labelled units in the domain. Where n elements are
        all 0 in such strata together, Σ N_h² (1 - f_h) p (1 - p) / n_h with p = (1/2) / (n + 1); the same of all 1.
        """
        if self.inclusion is not None:
            return 0.0
        of_drawn = self.stratum[self.drawn]
        columns = (np.ones(len(of_drawn)), seen > 0, seen, positives, self.weight * seen)
        drawn, n, labelled, found, size = (
            np.bincount(of_drawn, weights=one, minlength=len(self.size)) for one in columns
        )
        total = 0.0
        for alike in ((n > 0) & (found == 0), (n > 0) & (found == labelled)):
            p = PSEUDO / (n[alike].sum() + 2 * PSEUDO)
            unread = 1.0 - drawn[alike] / self.size[alike]
            total += float((size[alike] ** 2 * unread / n[alike]).sum() * p * (1.0 - p))
        return total


@dataclass(frozen=True, slots=True)
class DesignTotal:
    """A total of a domain of `units` units, its interval, and the variance that the design gives it."""

    value: float
    low: float
    high: float
    variance: float


def difference_total(
    draw: Draw, proxy: Floats, labelled: Integers, labels: Floats, member: Bools, *, level: float
) -> DesignTotal:
    """Σ m over the domain + Σ_h N_h mean(y - m): the difference estimator of survey sampling.

    The same as prediction-powered inference with known units. Its interval is Wilson's with the effective number
    n = p (1 - p) N² / V, so that it never leaves [positives, N - negatives], nor has no width where all labels agree.
    V is at least the variance of the strata whose labels are all alike (`Draw.variance_of_alike`).
    """
    inside = member[labelled]
    residual = draw.per_drawn(np.where(inside, labels - proxy[labelled], 0.0), labelled)
    total = float(proxy[member].sum() + (draw.weight * residual).sum())
    seen = draw.per_drawn(inside.astype(np.float64), labelled)
    positives = draw.per_drawn(np.where(inside, labels, 0.0), labelled)
    variance = max(draw.variance(residual), draw.variance_of_alike(positives, seen))
    return _wilson(total, variance, member, labelled, labels, draw.weight * seen, level)


def labels_total(draw: Draw, labelled: Integers, labels: Floats, member: Bools, *, level: float) -> DesignTotal:
    """The total by the labels alone, N times their weighted share within the domain, with Wilson's interval."""
    inside = member[labelled]
    units = int(member.sum())
    weight = draw.weight
    positives = draw.per_drawn(np.where(inside, labels, 0.0), labelled)
    seen = draw.per_drawn(inside.astype(np.float64), labelled)
    denominator = float((weight * seen).sum())
    if denominator == 0:
        return DesignTotal(float("nan"), 0.0, float(units), float("inf"))
    share = float((weight * positives).sum()) / denominator
    variance = max(draw.variance(positives - share * seen), draw.variance_of_alike(positives, seen))
    variance *= (units / denominator) ** 2
    return _wilson(units * share, variance, member, labelled, labels, weight * seen, level)


def _wilson(
    total: float, variance: float, member: Bools, labelled: Integers, labels: Floats, stand_for: Floats, level: float
) -> DesignTotal:
    """stand_for: how many units of the domain each drawn element stands for."""
    units = int(member.sum())
    inside = member[labelled]
    n, k = int(inside.sum()), float(labels[inside].sum())
    if units == 0:
        return DesignTotal(0.0, 0.0, 0.0, 0.0)
    if n == units:
        return DesignTotal(k, k, k, 0.0)
    share = min(max(total / units, 0.0), 1.0)
    equal = float(stand_for.sum() ** 2 / (stand_for**2).sum()) if n else 0.0  # elements of equal weight (Kish 1965)
    smoothed = (equal * k / max(n, 1) + PSEUDO) / (equal + 2 * PSEUDO)
    spread = smoothed * (1.0 - smoothed) if share in (0.0, 1.0) else share * (1.0 - share)
    of_binomial = max(equal, 1e-9) / (1.0 - n / units)
    effective = spread * units**2 / variance if variance > 0 else of_binomial
    if share in (0.0, 1.0):
        effective = min(effective, of_binomial)
    low, high = wilson_interval(np.array([share]), np.array([effective]), level=level)
    value, first, last = np.clip([total, float(low[0]) * units, float(high[0]) * units], k, units - (n - k))
    return DesignTotal(float(value), float(first), float(last), variance)


def hypergeometric_interval(units: int, n: int, positives: int, *, level: float) -> tuple[int, int]:
    """The totals of `units` units that a simple random sample does not rule out: both mid-p tails exceed (1 - level)/2.

    >>> hypergeometric_interval(1000, 50, 0, level=0.95)
    (0, 56)
    """
    from scipy.stats import hypergeom

    tail = (1.0 - level) / 2
    totals = np.arange(positives, units - n + positives + 1)
    if n == 0:
        return 0, units
    at = hypergeom.pmf(positives, units, totals, n)
    below = hypergeom.cdf(positives, units, totals, n) - at / 2
    kept = np.flatnonzero((below > tail) & (1.0 - below > tail))
    if len(kept) == 0:
        best = int(totals[np.argmax(at)])
        return best, best
    return int(totals[kept[0]]), int(totals[kept[-1]])


def sample_size(variance_per_element: float, elements: int, half_width: float, *, level: float) -> int:
    """How many elements a simple random sample needs for a total within ± half_width."""
    z = normal_quantile(level)
    plain = variance_per_element * (z * elements / half_width) ** 2
    return int(np.ceil(plain / (1.0 + plain / elements)))
