"""The calibration error of bins: Algorithm 1's plug-in value, and an unbiased estimate."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from howsure.calibration.bins.sums import Sums
from howsure.calibration.estimates.rare_clusters import RareClusters
from howsure.calibration.estimates.rare_labels import RareLabels
from howsure.inputs.pairs import Floats


def mean_gaps(sums: Sums) -> Floats:
    """q̂ - p̂ of each bin: positive where predictions are too high."""
    return sums.u / sums.w1


def plugin_mse(sums: Sums) -> float:
    """Σ (w_b / w) (q̂_b - p̂_b)²: the square of Algorithm 1's calibration error."""
    return float(np.average(mean_gaps(sums) ** 2, weights=sums.w1))


@dataclass(frozen=True, slots=True)
class SquaredError:
    """An estimate of the squared calibration error of the bins, and the parts of its sampling error.

    The variance of the estimate, if the squared error were t, is `variance` plus (t - value) times `slope_above` or
    `slope_below`, and never less than `least`.
    """

    value: float
    variance: float
    slope_above: float
    slope_below: float
    least: float
    left_out: int  # pairs in bins that one pair (or cluster) is, or outweighs: they say nothing
    degrees_of_freedom: float = math.inf
    rare: RareLabels | None = None
    p_value: float = math.nan  # of no error at all, for clusters
    clusters: RareClusters | None = None

    def interval(self, level: float) -> tuple[float, float]:
        """The values t that a test of size 1 - level does not reject: (t - value)² ≤ z² variance(t).

        A value below zero counts as zero at the upper end: a lucky sample does not justify more certainty. Where labels
        hardly vary, the ends extend as far as `rare` requires, and where few clusters are off, the upper end as far as
        `clusters` does; the interval contains zero if `p_value`, where given, is above 1 - level.
        """
        from scipy.special import stdtrit

        if math.isnan(self.value):
            return math.nan, math.nan
        z, one_sided = (float(stdtrit(min(self.degrees_of_freedom, 1e12), tail)) for tail in (0.5 + level / 2, level))
        shortest = z * math.sqrt(self.least)
        down, up = (max(self._furthest(slope, z), shortest) for slope in (-self.slope_below, self.slope_above))
        low, high = self.value - down, max(self.value, 0.0) + up
        if self.p_value > 1 - level:
            low = min(low, 0.0)
        if self.clusters is not None:
            further = self.clusters.upper_end(self.value, level) - max(self.value, 0.0)
            if further > 0.0:
                high = max(high, max(self.value, 0.0) + math.hypot(further, shortest))
        if self.rare is None:
            return low, high
        return (
            min(low, self.rare.lower_end(self.value, level, max(one_sided, 0.0), self.variance_below)),
            max(high, self.rare.upper_end(self.value, level)),
        )

    def variance_below(self, squared: float) -> float:
        """The variance of the estimate if the squared error were `squared`, below the estimate."""
        return max(self.variance - self.slope_below * (self.value - squared), self.least)

    def _furthest(self, slope: float, z: float) -> float:
        """The largest d with d² ≤ z² (variance + slope d); zero if there is none."""
        middle = z * z * slope / 2
        squared = middle**2 + z * z * self.variance
        return middle + math.sqrt(squared) if squared >= 0 else 0.0


UNDEFINED = (math.nan,) * 5
LEAST_EFFECTIVE = 2 - 1e-9  # the effective number of pairs that a bin needs


def debiased_mse(sums: Sums) -> SquaredError:
    """The squared calibration error, corrected for the bias due to noise in the label frequencies.

    Over the ordered pairs of different rows of a bin, the weighted mean of u_i u_j estimates the squared gap g²: θ_b =
    ((Σwu)² - Σw²u²) / ((Σw)² - Σw²), unweighted (S² - Q) / (m (m - 1)). The value is Σ p_b θ_b, p_b = w_b / w. With σ²
    the variance of u in a bin and e = Σw² / (Σw)² (unweighted 1/m), the variance of the value is Σ p_b² (4 g² σ² e + 2
    σ⁴ e²) + (Σ p_b g⁴ - value²) / n, where g²σ² and g⁴ are estimated without bias from three and four different rows:
    in small bins, θ_b and the variance of the same bin are dependent. If the true value were larger by d, most likely
    in the bins that are known least precisely (g² larger in proportion to v = σ²e), the variance would be larger by 4 d
    Σ p_b² v² / Σ p_b v; if it were smaller by d equally in all bins, smaller by 4 d Σ p_b² v. These two slopes keep the
    interval valid near zero, where an interval using only the variance of the estimate is not. Bins with an effective
    number below two pairs, (Σw)² < 2 Σw², are left out: there, one pair outweighs the others.
    """
    couples = sums.w1**2 - sums.w2
    known = (sums.count > 1) & (sums.w1**2 >= LEAST_EFFECTIVE * sums.w2)
    left_out = int(sums.count[~known].sum())
    if not known.any():
        return SquaredError(*UNDEFINED, left_out)
    s, couples = sums.only(np.flatnonzero(known)), couples[known]
    share = s.w1 / s.w1.sum()
    theta = (s.u**2 - s.u2) / couples
    gap = mean_gaps(s)
    v = np.maximum(s.u2 - 2 * gap * s.wwu + gap**2 * s.w2, 0.0) / couples  # σ² e, the variance of the bin's mean gap
    gap_times_spread, fourth_power = _products(s, theta, v)
    value = float(share @ theta)
    least = float(2 * (share**2 @ v**2))
    between = max(float(share @ fourth_power) - value**2, 0.0) * float(s.w2.sum() / s.w1.sum() ** 2)
    variance = 4 * float(share**2 @ gap_times_spread) + least + between
    noise = float(share @ v)
    slope_above = 2 * least / noise if noise > 0 else 0.0
    return SquaredError(
        value, variance, slope_above, 4 * float(share**2 @ v), least, left_out, rare=_rare(s, share, theta, couples)
    )


def _rare(s: Sums, share: Floats, theta: Floats, couples: Floats) -> RareLabels:
    spread = np.maximum(s.q - s.qq, 0.0) / s.w1  # the mean of q (1 - q)
    v = spread * s.w2 / couples
    noise, product = 2 * float(share**2 @ v**2), 4 * float(share**2 @ (theta * v))
    frequency, predicted, n = s.y / s.w1, s.q / s.w1, s.w1**2 / s.w2
    # A bin of different predictions knows its mean better than equal ones would, but not better than three in n.
    sharper = np.divide(predicted * (1 - predicted), spread, out=np.ones_like(spread), where=spread > 0)
    effective = n * np.clip(sharper, 1.0, np.maximum(n * frequency * (1 - frequency) / 4, 1.0))
    return RareLabels(share, theta, mean_gaps(s), frequency, effective, noise, product)


def _products(s: Sums, theta: Floats, v: Floats) -> tuple[Floats, Floats]:
    """Unbiased g² σ² e and g⁴ of each bin from triples and quadruples of different rows; plain ones below four rows."""
    triples = s.w1**2 * s.w2 - 2 * s.w1 * s.w3 - s.w2**2 + 2 * s.w4
    quadruples = (s.w1**2) ** 2 - 6 * s.w1**2 * s.w2 + 8 * s.w1 * s.w3 + 3 * s.w2**2 - 6 * s.w4
    enough = (s.count >= 4) & (triples > 0) & (quadruples > 0)
    gap2_u2 = s.u**2 * s.u2 - 2 * s.u * s.u3 - s.u2**2 + 2 * s.u4
    gap4 = (s.u**2) ** 2 - 6 * s.u**2 * s.u2 + 8 * s.u * s.u3 + 3 * s.u2**2 - 6 * s.u4
    plain = np.maximum(theta, 0.0)
    fourth_power = np.divide(gap4, quadruples, out=plain**2, where=enough)
    product = np.divide(gap2_u2, triples, out=np.zeros_like(theta), where=enough) - fourth_power
    return np.where(enough, product * s.w2 / s.w1**2, plain * v), fourth_power


def root(value: float) -> float:
    """The square root, on the scale of the error; estimates below zero become zero."""
    return math.nan if math.isnan(value) else math.sqrt(max(value, 0.0))
