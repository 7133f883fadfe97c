"""The mean human grade, estimated from a judge's grades of all items and human grades of a few."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.result import Estimate
from howsure.stats.clusters import ItemGroups, kish, ratio_error
from howsure.stats.gaffke import UnitSums, find_zero
from howsure.stats.mean_score import BoundedMean, Bounds, MeanScore, mean_score, sum_of_cubes
from howsure.stats.p_values import LARGEST, SMALLEST, smallest_size

MIN_CONTRIBUTORS, PER_UNIT = 20.0, 6.0  # Student's t needs 20 units that contribute to the variance, or a 6th of all
ROUNDING = 1e-9  # relative to the range of grades
MIN_LEFT = 0.1  # lower limit of the divisor of an item's residual, for an item with nearly all the weight
# minimum effective number of items, and maximum proportion of answers beyond the graded range
MIN_EFFECTIVE_ITEMS, MAX_UNREAD = 5.0, 0.1
PER_CONTRIBUTOR = 1.5  # units per unit that carries the variance; close to its value for normal data
DISTINCT = 50  # number of a judge's grades up to which the interval of their mean is Gaffke's
STEPS = 24  # bisections when searching for p; its relative error is then 2e-6
PRECISION = 1e-9  # tolerance of the normal quantile of p
UNKNOWN = "cannot tell"
MIN_GRADES = 10  # minimum number of human grades for an estimate


def undetermined_estimate(level: float, n: int, value: float = math.nan) -> Estimate:
    """Return an estimate for n items without an interval, because the data do not determine one."""
    return Estimate(value, None, None, level=level, method=UNKNOWN, n=n)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedMean:
    """The estimate of the mean human grade, as the sum of two means (g and e - ē_h in the formulas of `Graded.mean`).

    of_all: the mean over all items of the part that a judge's grade predicts (g). rest: the mean residual of the
    human-graded items (e - ē_h). constant: whether g is the same for all items. correlation: the correlation of the two
    means over clusters. few: whether few items contribute most of the variance, so that no interval is valid. bounds:
    the lowest and the highest possible grade, if known.
    """

    value: float
    n: int
    rest: MeanScore
    of_all: MeanScore
    constant: bool
    correlation: float
    few: bool
    bounds: Bounds | None

    def estimate(self, level: float) -> Estimate:
        """Return the mean human grade with its interval."""
        value, low, high = self.value, *(self.end((1 - level) / 2, upper=upper) for upper in (False, True))
        if not (math.isfinite(low) and math.isfinite(high)):
            return undetermined_estimate(level, self.n, value)
        if self.bounds is not None:
            low, high = max(low, self.bounds[0]), min(high, self.bounds[1])
            value = min(max(value, low), high)
        return Estimate(value, low, high, level=level, method=self.rest.method, n=self.n)

    def end(self, size: float, *, upper: bool) -> float:
        """Return one end of the interval; NaN if there is no interval. size: the probability that the end is wrong."""
        if self.few:
            return math.nan
        a = abs(self.rest.bound(size, upper=upper) - self.rest.value)
        b = 0.0 if self.constant else abs(self.of_all.bound(size, upper=upper) - self.of_all.value)
        distance = math.sqrt(a * a + b * b + 2 * self.correlation * a * b)
        return self.value + distance if upper else self.value - distance


@dataclass(frozen=True, slots=True)
class Graded:
    """N items that a judge graded, of which n were drawn with known probabilities and graded by humans.

    judged (N,): the judge's grades. labelled (n,): the indices of the items with a human grade. grades (n,): these
    human grades. weight (n,): the number of items that each human-graded item represents. stratum (n,): the code of the
    stratum in which it was drawn. units (N,): codes of clusters. bounds: the lowest and the highest possible human
    grade, if known. stratum_of_all (N,): the stratum of every item, if known.
    """

    judged: Floats
    labelled: Integers
    grades: Floats
    weight: Floats
    stratum: Integers
    units: Integers | None = None
    bounds: Bounds | None = None
    stratum_of_all: Integers | None = None

    def slope(self) -> float:
        """The λ that minimises the variance of the corrected mean.

        λ = Cov(y, f) / Var(f), with the covariance of the graded items (divisor n) and the variance of all items
        (divisor N - 1), as in Angelopoulos, Duchi & Zrnic (2023). With strata, λ = Σ_h (W_h/n_h)² Σ (y - ȳ)(f - f̄) /
        Σ_h (W_h/n_h)² Σ (f - f̄)².
        """
        f, y, w = self.judged[self.labelled], self.grades, self.weight
        total = np.bincount(self.stratum, w)
        e_f, e_y = (values - (np.bincount(self.stratum, w * values) / total)[self.stratum] for values in (f, y))
        if len(total) == 1:
            shared, spread = float(np.average(e_f * e_y, weights=w)), float(self.judged.var(ddof=1))
            scale = 1.0
        else:
            shared, spread, scale = float((w**2) @ (e_f * e_y)), float((w**2) @ e_f**2), float((w**2).sum())
        rounding = scale * (ROUNDING * float(np.abs(self.judged).max())) ** 2
        return shared / spread if spread > rounding else 0.0

    def mean(self, level: float, *, slope: float, of_rest: bool = False) -> Estimate:
        """θ = λ · mean of f + Σ w (y - λ f) / Σ w, with its interval; for λ = 0, the mean of the human grades alone.

        The items count as a sample from a population. Let e = y - λ f, and ē_h its mean in stratum h. Then θ is the
        mean of g = λ f + ē_h over all items plus the mean of e - ē_h over the graded items. At the best λ, both means
        are uncorrelated, and their intervals are combined: low = θ - √(a² + b² + 2 r a b), where a and b are the
        distances from each mean to its lower end, and r is the correlation of both means over clusters, if positive.
        ē_h is moved from e to g only if the stratum of every item is known and there are no clusters; otherwise, g is
        λ f. The interval of e is Gaffke's if grades have bounds; else Student's, and there is none if few items carry
        the variance of e. The interval of g is Gaffke's between its smallest and largest value if g has 2 to 50
        different values; else Student's. of_rest: use the interval of e only.
        """
        return self.corrected_mean(slope, of_rest=of_rest).estimate(level)

    def corrected_mean(self, slope: float, *, of_rest: bool = False) -> CorrectedMean:
        """Return the corrected mean as a sum of two means, neither of which depends on the level of the interval.

        of_rest: return only the mean residual of the human-graded items.
        """
        stratum_means = self._by_stratum(slope)
        rest = self._mean_residual(slope, stratum_means)
        judge_parts = np.zeros(len(self.judged)) if of_rest or slope == 0.0 else slope * self.judged
        if stratum_means is not None and self.stratum_of_all is not None:
            judge_parts = judge_parts + stratum_means[self.stratum_of_all]
        return CorrectedMean(
            value=rest.value + (0.0 if of_rest else slope * float(self.judged.mean())),
            n=len(self.grades),
            rest=rest,
            of_all=self._item_mean(judge_parts),
            constant=bool(np.ptp(judge_parts) <= ROUNDING),
            correlation=self._correlation(judge_parts, slope),
            few=bool(self.lacking) or (not isinstance(rest, BoundedMean) and self._few_items_dominate(rest, slope)),
            bounds=None if of_rest else self.bounds,
        )

    def p_value(self, slope: float) -> float:
        """Return the two-sided p-value of "the mean is 0": 1 minus the highest level at which the interval excludes 0.

        The level is searched on the scale of normal quantiles, on which the ends of the interval are nearly linear.
        """
        from scipy.special import ndtr, ndtri

        corrected = self.corrected_mean(slope)
        upper = corrected.value < 0.0  # only the end between the estimate and 0 can cross 0

        def margin(size: float) -> float:
            end = corrected.end(size, upper=upper)
            return -end if upper else end

        if not margin(LARGEST) > 0.0:
            return 1.0
        smallest = margin(SMALLEST)
        if math.isnan(smallest):  # with few units, an interval exists only at lower levels
            return 2 * smallest_size(lambda size: margin(size) > 0.0, steps=STEPS)
        if smallest > 0.0:
            return 2 * SMALLEST
        quantiles = (float(ndtri(size)) for size in (LARGEST, SMALLEST))
        return 2 * float(ndtr(find_zero(lambda quantile: margin(float(ndtr(quantile))), *quantiles, within=PRECISION)))

    def judge(self, level: float) -> Estimate:
        """The mean of the judge's grades, as if they were human grades."""
        mean = self._item_mean(self.judged)
        ends = mean.interval(level)
        low, high = (end if all(map(math.isfinite, ends)) else None for end in ends)
        return Estimate(mean.value, low, high, level=level, method=mean.method, n=len(self.judged))

    def bias(self, level: float) -> Estimate:
        """The mean difference between the judge's grades and human grades: the mean of f - y."""
        negative_bias = self.mean(level, slope=1.0, of_rest=True)
        low, high = (None if end is None else 0.0 - end for end in (negative_bias.high, negative_bias.low))
        value = 0.0 - negative_bias.value
        return Estimate(value, low, high, level=level, method=negative_bias.method, n=negative_bias.n)

    def _item_mean(self, values: Floats) -> MeanScore:
        distinct = np.unique(values)
        bounds = (float(distinct[0]), float(distinct[-1])) if 1 < len(distinct) <= DISTINCT else None
        return mean_score(values, ItemGroups.of(len(values), clusters=self.units), bounds=bounds)

    def _by_stratum(self, slope: float) -> Floats | None:
        """Return the weighted mean residual of each stratum.

        Returns None if some item's stratum is unknown, or if there are clusters, which may be in several strata.
        """
        if self.stratum_of_all is None or self.units is not None or not self.stratum.any():
            return None
        residuals, weights = self.grades - slope * self.judged[self.labelled], np.bincount(self.stratum, self.weight)
        return np.asarray(np.bincount(self.stratum, self.weight * residuals) / weights)

    def _correlation(self, judge_parts: Floats, slope: float) -> float:
        """Return the correlation over clusters between the sums of `judge_parts` and the sums of weighted residuals.

        judge_parts (N,): what each item's judge grade contributes to the estimate. The residual of a human-graded item
        is its human grade minus slope times its judge's grade. Returns 0 without clusters, and if the correlation is
        negative, because a negative one would make intervals narrower.
        """
        if self.units is None or np.ptp(judge_parts) <= ROUNDING:
            return 0.0
        residuals, weights = self.grades - slope * self.judged[self.labelled], self.weight
        n_clusters = int(self.units.max()) + 1
        judge_sums = np.bincount(self.units, judge_parts - judge_parts.mean(), minlength=n_clusters)
        deviations = weights * (residuals - np.average(residuals, weights=weights))
        residual_sums = np.bincount(self.units[self.labelled], deviations, minlength=n_clusters)
        scale = math.sqrt(float(judge_sums @ judge_sums) * float(residual_sums @ residual_sums))
        return max(float(judge_sums @ residual_sums) / scale, 0.0) if scale > 0.0 else 0.0

    def _mean_residual(self, slope: float, stratum_means: Floats | None) -> MeanScore:
        """Return the weighted mean residual of the graded items, with its variance by clusters or within strata.

        A residual is a human grade minus slope times the judge's grade.
        """
        f, weights = slope * self.judged, self.weight / self.weight.mean()
        residuals, bounds = self.grades - f[self.labelled], self.bounds
        if bounds is not None:
            bounds = (bounds[0] - float(f.max()), bounds[1] - float(f.min()))
        value = float(np.average(residuals, weights=weights))
        if stratum_means is not None:  # values with the variation within strata, around the common mean
            times = np.bincount(self.stratum)
            wider = np.sqrt(times / np.maximum(times - 1, 1))
            residuals = value + wider[self.stratum] * (residuals - stratum_means[self.stratum])
            if bounds is not None:
                reach = [value + wider * (end - stratum_means) for end in bounds]
                bounds = (float(reach[0].min()), float(reach[1].max()))
        sums, sizes = self._by_unit(weights * residuals), self._by_unit(weights)
        error = ratio_error(sums, sizes) if len(sizes) > 1 else 0.0
        deviations = sums - value * sizes
        skewness = sum_of_cubes(deviations) / (float(sizes.sum()) * error) ** 3 if error > 0.0 else 0.0
        degrees = max(kish(sizes) - 1, 1.0) if len(sizes) > 1 else 0.0
        mean = MeanScore(value, error, skewness, degrees, len(residuals), error, units=float(len(sizes)))
        if bounds is None:
            return self._by_leverage(mean, residuals, slope) if stratum_means is None and self._unequal else mean
        return BoundedMean.of(
            mean, sums=UnitSums.of(sums, sizes), ends=bounds, clustered=self.units is not None, within=bounds
        )

    def _by_leverage(self, mean: MeanScore, residuals: Floats, slope: float) -> MeanScore:
        """Return the weighted mean for items drawn with unequal probabilities, a few of which may have most of the
        weight.

        Each residual is computed as if its item were left out of the mean and of the slope. The degrees of freedom
        follow from the squared weights or the squared weighted residuals.
        """
        weights, judged = self.weight, self.judged[self.labelled]
        weight_share, deviations = weights / weights.sum(), judged - np.average(judged, weights=weights)
        spread = float(weights @ deviations**2) if slope else 0.0
        leverage = weight_share + (weights * deviations**2 / spread if spread > 0.0 else 0.0)
        sums = self._by_unit(weight_share * (residuals - mean.value) / np.maximum(1.0 - leverage, MIN_LEFT))
        effective_contributors = PER_CONTRIBUTOR * kish(sums**2) if sums.any() else 1.0
        degrees = min(kish(self._by_unit(weights) ** 2), effective_contributors) - 1 if len(sums) > 1 else 0.0
        return replace(mean, error=math.sqrt(float(sums @ sums)), skewness=0.0, degrees_of_freedom=max(degrees, 1.0))

    @property
    def _unequal(self) -> bool:
        """Whether the labelled items have unequal weights."""
        return bool(np.ptp(self.weight) > ROUNDING * self.weight.mean())

    def _by_unit(self, values: Floats) -> Floats:
        """Return the sums over clusters of values (n,) of the graded items; the values themselves without clusters."""
        if self.units is None:
            return values
        return np.asarray(np.bincount(np.unique(self.units[self.labelled], return_inverse=True)[1], values))

    @property
    def lacking(self) -> str:
        """Return why items drawn with unequal probabilities do not represent all items, with advice; "" if they do.

        Answers with a judge's grade outside the range of the human-graded answers count as a single answer with twice
        their weight, because their human grades are unknown.
        """
        if not self._unequal:
            return ""
        f, w = self.judged[self.labelled], self._by_unit(self.weight)
        beyond = float(((self.judged < f.min()) | (self.judged > f.max())).mean())
        beyond_text = f"{beyond:.0%} of the answers have judge grades outside the range of the human-graded answers"
        if beyond > MAX_UNREAD:
            return f"{beyond_text}. Have some of these graded"
        if self.bounds is None and kish(np.append(w, 2 * beyond * len(self.judged)) ** 2) < MIN_EFFECTIVE_ITEMS:
            return (
                "inclusion probabilities differ widely: a few answers represent most of the others, and "
                f"{beyond_text}. Have more answers with small probabilities graded, or give the lowest and the highest "
                "grade, `bounds=...`"
            )
        return ""

    def _few_items_dominate(self, rest: MeanScore, slope: float) -> bool:
        """Whether few items contribute most of the variance of the residuals, so that unobserved rare residuals may
        contribute more. This happens, for example, if a judge is nearly always right.

        The residuals of a least-squares regression of human grades on the judge's grades are examined too.
        """
        judged, grades = self.judged[self.labelled], self.grades
        residuals = [grades - slope * judged - rest.value]
        if slope and np.ptp(judged) > 0.0:
            deviations = judged - judged.mean()
            residuals.append(
                grades - grades.mean() - float(deviations @ grades / (deviations @ deviations)) * deviations
            )
        return any(self._by_few(e, float(np.ptp(grades))) for e in residuals)

    def _by_few(self, residuals: Floats, scale: float) -> bool:
        squares = self._by_unit(np.where(np.abs(residuals) > ROUNDING * scale, residuals, 0.0) ** 2)
        return not squares.any() or kish(squares) < min(MIN_CONTRIBUTORS, len(squares) / PER_UNIT)
