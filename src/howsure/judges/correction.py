"""The mean grade that people would give, from a judge's grades of all items and people's grades of a few."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.result import Estimate
from howsure.stats.clusters import ItemGroups, kish, ratio_error
from howsure.stats.gaffke import Sums
from howsure.stats.mean_score import BoundedMean, Bounds, MeanScore, mean_score

CARRIERS, PER_UNIT = 20.0, 6.0  # units that carry the variance, below which, or below a 6th of all, t is not trusted
ROUNDING = 1e-9  # of the range of grades
DISTINCT = 50  # grades of a judge, up to which the interval of their mean is Gaffke's
UNKNOWN = "cannot tell"


@dataclass(frozen=True, slots=True)
class Graded:
    """N items that a judge graded; people graded n of them, drawn with known chances.

    judged (N,): the judge's grades. read (n,): the places of the items with a grade of people, and grades (n,); weight
    (n,): how many items each stands for. stratum (n,): the stratum in which it was drawn, as a code. units (N,): codes
    of clusters. bounds: the lowest and the highest grade that a person can give, if known.
    """

    judged: Floats
    read: Integers
    grades: Floats
    weight: Floats
    stratum: Integers
    units: Integers | None = None
    bounds: Bounds | None = None

    def slope(self) -> float:
        """The λ that makes the variance of the corrected mean least.

        Cov(y, f) / Var(f), the covariance of the graded items (divisor n), the variance of all (divisor N - 1), as in
        Angelopoulos, Duchi & Zrnic (2023). Within strata Σ_h (W_h/n_h)² Σ (y - ȳ)(f - f̄) / Σ_h (W_h/n_h)² Σ (f - f̄)².
        """
        f, y, w = self.judged[self.read], self.grades, self.weight
        total = np.bincount(self.stratum, w)
        e_f, e_y = (one - (np.bincount(self.stratum, w * one) / total)[self.stratum] for one in (f, y))
        if len(total) == 1:
            shared, spread = float(np.average(e_f * e_y, weights=w)), float(self.judged.var(ddof=1))
        else:
            shared, spread = float((w**2) @ (e_f * e_y)), float((w**2) @ e_f**2)
        return shared / spread if spread > 0.0 else 0.0

    def mean(self, level: float, *, slope: float, of_rest: bool = False) -> Estimate:
        """θ = λ · mean of f + Σ w (y - λ f) / Σ w, with its interval; the grades of people alone where λ is 0.

        The items count as drawn from all such items. At the best λ, f and e = y - λ f are uncorrelated, and the
        interval joins those of both: low = θ - √((mean e - low of e)² + λ² (mean f - low of f)²). They are Gaffke's
        where grades have bounds; else Student's, but none where few items carry the variance of e. of_rest: e alone.
        """
        rest, judge, n = self._rest(slope), self.judge(), len(self.grades)
        value = rest.value if of_rest else slope * judge.value + rest.value
        ends = None if not isinstance(rest, BoundedMean) and self._few(rest, slope) else rest.interval(level)
        if ends is None or not all(map(math.isfinite, ends)):
            return Estimate(value, None, None, level=level, method=UNKNOWN, n=n)
        if of_rest:
            return Estimate(value, ends[0], ends[1], level=level, method=rest.method, n=n)
        below, above = sorted((abs(slope) * (judge.value - one) for one in judge.interval(level)), reverse=True)
        if slope == 0.0 or not self.judged.min() < self.judged.max():
            below = above = 0.0
        elif slope < 0.0:
            below, above = -above, -below
        low, high = value - math.hypot(rest.value - ends[0], below), value + math.hypot(ends[1] - rest.value, above)
        if self.bounds is not None:
            low, high = max(low, self.bounds[0]), min(high, self.bounds[1])
            value = min(max(value, low), high)
        return Estimate(value, low, high, level=level, method=rest.method, n=n)

    def judge(self) -> MeanScore:
        """The mean of the judge's grades, as if these were people's."""
        grades = np.unique(self.judged)
        bounds = (float(grades[0]), float(grades[-1])) if 1 < len(grades) <= DISTINCT else None
        return mean_score(self.judged, ItemGroups.of(len(self.judged), clusters=self.units), bounds=bounds)

    def bias(self, level: float) -> Estimate:
        """How much more a judge gives than people: the mean of f - y."""
        turned = self.mean(level, slope=1.0, of_rest=True)
        low, high = (None if end is None else -end for end in (turned.high, turned.low))
        return Estimate(-turned.value, low, high, level=level, method=turned.method, n=turned.n)

    def _rest(self, slope: float) -> MeanScore:
        """The weighted mean of y - λ f over the graded items, in clusters and strata."""
        f, w = slope * self.judged, self.weight / self.weight.mean()
        e, ends = self.grades - f[self.read], self.bounds
        if ends is not None:
            ends = (ends[0] - float(f.max()), ends[1] - float(f.min()))
        unit: Integers = np.arange(len(e))
        if self.units is not None:
            unit = np.unique(self.units[self.read], return_inverse=True)[1]
        value, strata = float(np.average(e, weights=w)), np.bincount(self.stratum)
        if len(strata) > 1:  # values that vary as they do within strata, around the common mean
            own = np.bincount(self.stratum, w * e) / np.bincount(self.stratum, w)
            wider = np.sqrt(strata / np.maximum(strata - 1, 1))
            e = value + wider[self.stratum] * (e - own[self.stratum])
            if ends is not None:
                reach = [value + wider * (one - own) for one in ends]
                ends = (float(reach[0].min()), float(reach[1].max()))
        sums, sizes = (np.bincount(unit, one).astype(np.float64) for one in (w * e, w))
        error = ratio_error(sums, sizes) if len(sizes) > 1 else 0.0
        apart = sums - value * sizes
        lean = float((apart**3).sum()) / (float(sizes.sum()) * error) ** 3 if error > 0.0 else 0.0
        degrees = max(kish(sizes) - 1, 1.0) if len(sizes) > 1 else 0.0
        mean = MeanScore(value, error, lean, degrees, len(e), error, units=float(len(sizes)))
        if ends is None:
            return mean
        return BoundedMean.of(mean, sums=Sums.of(sums, sizes), ends=ends, clustered=self.units is not None, within=ends)

    def _few(self, rest: MeanScore, slope: float) -> bool:
        """Whether few items carry the variance, so that rarer values may have more of it: that of y - λ f, or of what f
        leaves open of y, as where a judge is nearly always right."""
        f, y = self.judged[self.read], self.grades
        held = [y - slope * f - rest.value]
        if slope and np.ptp(f) > 0.0:
            apart = f - f.mean()
            held.append(y - y.mean() - float(apart @ y / (apart @ apart)) * apart)
        return any(self._by_few(e, float(np.ptp(y))) for e in held)

    def _by_few(self, e: Floats, scale: float) -> bool:
        squares = np.where(np.abs(e) > ROUNDING * scale, e, 0.0) ** 2
        if self.units is not None:
            squares = np.bincount(np.unique(self.units[self.read], return_inverse=True)[1], squares)
        return not squares.any() or kish(squares) < min(CARRIERS, len(squares) / PER_UNIT)
