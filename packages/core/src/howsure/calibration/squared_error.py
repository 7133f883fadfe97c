"""The squared calibration error of bins: Algorithm 1's plug-in value, and a debiased estimate with an interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.calibration.bins import Sums
from howsure.inputs.pairs import Bools, Floats, Integers, Labels, Pairs
from howsure.stats.clusters import ENOUGH_CONTRIBUTORS, ends_with_added_cluster, kish
from howsure.stats.proportions import t_quantile

# Sums by bin and cluster, from which clustered estimates are computed.

BLOCK_ROWS = 1 << 16
WholeNumbers = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class ClusterBlock:
    """Sums over the pairs of each cluster in each bin, for some of the clusters.

    There is an entry for each nonempty (cluster, bin), sorted by cluster and bin. code, start (clusters,): the code and
    the first entry of each cluster. bin, n, u, y (entries,): the bin, the number of pairs, Σw(q - y) and Σwy. weights
    (2, entries): Σw and Σw², or None if the pairs have no weights. Integers have the smallest type that suffices.
    """

    code: Integers
    start: Integers
    bin: WholeNumbers
    n: WholeNumbers
    u: Floats
    y: Floats | WholeNumbers
    weights: Floats | None

    @property
    def w(self) -> Floats:
        """Σw."""
        return self.n.astype(np.float64) if self.weights is None else self.weights[0]

    @property
    def ww(self) -> Floats:
        """Σw²."""
        return self.n.astype(np.float64) if self.weights is None else self.weights[1]

    @property
    def length(self) -> Integers:
        return np.diff(self.start, append=len(self.bin))

    def by_cluster(self, values: Floats) -> Floats:
        return np.add.reduceat(values, self.start)


Column = Callable[[ClusterBlock], Any]  # values of the entries of a block


@dataclass(frozen=True)
class ClusterSums:
    """The sums of all clusters, in blocks that fit the cache, so that computations need little memory."""

    blocks: list[ClusterBlock]
    n_bins: int
    n_codes: int

    def column(self, values: Column) -> Any:
        return np.concatenate([values(block) for block in self.blocks])

    def by_bin(self, values: Column) -> Floats:
        sums = np.zeros(self.n_bins)
        for block in self.blocks:
            sums += np.bincount(block.bin, values(block), self.n_bins)
        return sums

    def by_cluster(self, values: Column) -> Floats:
        """Add up the values by cluster; 0 for a code that does not occur."""
        sums = np.zeros(self.n_codes)
        for block in self.blocks:
            sums[block.code] = block.by_cluster(values(block))
        return sums

    @cached_property
    def n_clusters(self) -> int:
        return sum(len(block.code) for block in self.blocks)

    @cached_property
    def total_w(self) -> Floats:
        """Σw of each bin."""
        return self.by_bin(lambda block: block.w)

    @cached_property
    def total_ww(self) -> Floats:
        """Σw² of each bin."""
        return self.by_bin(lambda block: block.ww)

    @cached_property
    def total_u(self) -> Floats:
        """Σw(q - y) of each bin."""
        return self.by_bin(lambda block: block.u)

    @cached_property
    def total_y(self) -> Floats:
        """Σwy of each bin."""
        return self.by_bin(lambda block: block.y)

    @cached_property
    def squared_w(self) -> Floats:
        """Σ_c (Σw)² of each bin, over its clusters c."""
        return self.by_bin(lambda block: block.w**2)

    @cached_property
    def squared_u(self) -> Floats:
        """Σ_c (Σw(q - y))² of each bin, over its clusters c."""
        return self.by_bin(lambda block: block.u**2)

    @cached_property
    def entries(self) -> Floats:
        """The number of clusters with pairs in each bin."""
        return self.by_bin(lambda block: np.ones(len(block.bin)))


def cluster_sums(pairs: Pairs, bins: Integers, n_bins: int) -> ClusterSums:
    """Add up the pairs by bin and cluster; the result does not depend on the order of rows.

    Gaps without weights are added up as integers, in units so small that the sum of a cluster in a bin just fits in 64
    bits. Weighted rows are added up in the order of prediction, label and weight.
    """
    q, y, w, clusters, by_content = pairs.probabilities, pairs.labels, pairs.weights, pairs.clusters, None
    if clusters is None or w is not None:
        by_content = np.lexsort((y, q) if w is None else (w, y, q))
    if clusters is None:  # every row is a cluster, numbered in the order of content
        clusters = np.empty(len(pairs), dtype=np.int64)
        clusters[by_content] = np.arange(len(pairs))
    small_bins, counts = _smallest_type(bins), np.bincount(clusters)
    order = _sorted_by_code(clusters, len(counts), _sorted_by_code(small_bins, n_bins, by_content))
    codes = np.flatnonzero(counts)
    starts = np.append(0, np.cumsum(counts[codes]))
    borders = np.unique(np.append(starts.searchsorted(np.arange(0, len(order), max(BLOCK_ROWS, n_bins))), len(codes)))
    blocks = []
    for i, j in pairwise(borders.tolist()):
        rows = order[starts[i] : starts[j]].astype(np.int64)  # numpy indexes faster by 64-bit integers
        columns = q[rows], y[rows], None if w is None else w[rows], small_bins[rows]
        blocks.append(_sum_block(*columns, codes[i:j], starts[i:j] - starts[i]))
    return ClusterSums(blocks, n_bins, len(counts))


def _sum_block(
    q: Floats, y: Labels, w: Floats | None, bins: WholeNumbers, code: Integers, firsts: Integers
) -> ClusterBlock:
    """Add up rows sorted by cluster and bin; code, firsts (clusters,): the code and first row of each cluster."""
    is_first = np.append(True, bins[1:] != bins[:-1])
    is_first[firsts] = True
    starts = np.flatnonzero(is_first)
    n = _smallest_type(np.diff(starts, append=len(q)))
    entry_columns = code, starts.searchsorted(firsts), bins[starts], n
    if w is None:
        unit = 2.0 ** (61 - int(n.max()).bit_length())
        u = np.add.reduceat(np.rint((q - y) * unit).astype(np.int64), starts) / unit
        return ClusterBlock(*entry_columns, u, np.add.reduceat(y, starts, dtype=n.dtype), None)
    u, wy, w1, w2 = (np.add.reduceat(column, starts) for column in (w * (q - y), w * y, w, w * w))
    return ClusterBlock(*entry_columns, u, wy, np.stack([w1, w2]))


def _smallest_type(values: Integers) -> WholeNumbers:
    return values.astype(np.min_scalar_type(values.max()))


def _sorted_by_code(codes: WholeNumbers, n_codes: int, rows: WholeNumbers | None) -> WholeNumbers:
    """Sort rows by their codes with a stable counting sort; `rows` is their order before."""
    from scipy.sparse import csr_array

    shape = len(codes), n_codes
    codes = codes.astype(np.min_scalar_type(-max(shape) - 1))
    codes = codes if rows is None else codes[rows]
    entries = np.ones(len(codes), dtype=np.bool_), codes, np.arange(len(codes) + 1, dtype=codes.dtype)
    order: WholeNumbers = csr_array(entries, shape=shape).tocsc().indices
    return order if rows is None else rows[order]


# If labels hardly vary, their variance cannot be estimated. This part computes how far the interval must then extend.

HALVINGS = 50


@dataclass(frozen=True, slots=True)
class RareLabels:
    """Values of the bins that do not depend on the observed variance of labels; arrays (bins,).

    share: the proportion p of the weight in each bin. squared_gap: the unbiased estimate θ of the squared gap. gap,
    frequency: q̂ - p̂ and p̂. effective: the effective number of independent pairs. noise, product: 2 Σ p² v² and 4 Σ
    p² θ v, where v is the variance of a bin's mean gap under calibration, computed from q (1 - q).
    """

    share: Floats
    squared_gap: Floats
    gap: Floats
    frequency: Floats
    effective: Floats
    noise: float
    product: float

    def lower_end(self, value: float, level: float, z: float, noise_at: Callable[[float], float]) -> float:
        """Return the squared error to which the interval must extend downwards: the smallest of three limits.

        The first limit concerns all bins together. On a path from calibration (λ = 0) to the observed data (λ = 1),
        gaps are proportional to λ, so the squared error is λ² · value. Its variance is (1 - λ) times the variance
        computed from q (1 - q) plus λ times `noise_at`. The limit is the smallest λ² · value from which the estimate
        differs by at most z standard errors. The second limit concerns a single bin: the squared error if the bin's
        frequency is at the end of its exact (Clopper–Pearson) interval that is nearer to the prediction. The third
        limit is for few labels of one kind in all bins together, such as bins of two pairs whose labels are equal.
        """
        one_bin = self.one_bin_nearer(value, level)
        return min(self._along_the_path(value, z, noise_at), one_bin, self._all_bins_nearer(value, level))

    def upper_end(self, value: float, level: float) -> float:
        """Return the squared error to which the interval must extend upwards, by the rule of three.

        One bin's frequency is moved to the farther end of its exact interval. Moving one bin suffices: among the models
        that are compatible with no event in any bin, the error is largest if all events are in one bin.
        """
        low, high = exact_interval(self.frequency, self.effective, tail=(1 - level) / 2)
        predicted = self.frequency + self.gap
        farthest = np.maximum(high - predicted, predicted - low) ** 2
        return max(value, 0.0) + float(np.maximum(self.share * (farthest - self.squared_gap), 0.0).max())

    def _along_the_path(self, value: float, z: float, noise_at: Callable[[float], float]) -> float:
        def is_compatible(fraction: float) -> bool:
            squared = fraction**2 * value
            variance_if_calibrated = max(fraction**2 * self.product, 0.0) + self.noise
            variance = (1 - fraction) * variance_if_calibrated + fraction * max(noise_at(squared), 0.0)
            return (value - squared) ** 2 <= z * z * variance

        if value <= 0.0 or is_compatible(0.0):
            return min(value, 0.0)
        outside, inside = 0.0, 1.0
        for _ in range(HALVINGS):
            middle = (outside + inside) / 2
            outside, inside = (outside, middle) if is_compatible(middle) else (middle, inside)
        return inside**2 * value

    def _all_bins_nearer(self, value: float, level: float) -> float:
        """Return the squared error if the labels of all bins are at the end of an exact interval nearer to predictions.

        Hits are labels of the kind that brings a bin nearer to its prediction. Bins count in proportion to their
        squared gaps, as they do in the variance of the error e = √value, and e decreases as much as the proportion of
        hits increases. This proportion varies at most like that of equally probable hits (Hoeffding 1956), and less in
        proportion to the variance within bins, which counts if there are at least four hits and four other labels. With
        20 of each, the normal distribution suffices.
        """
        size = self.share * self.gap**2
        if value <= 0.0 or not size.any():
            return value
        weight, predicted = size / size.sum(), self.frequency + self.gap
        hits = float(weight @ np.where(self.gap > 0.0, self.frequency, 1 - self.frequency))
        spread = float(weight @ np.maximum(self.frequency * (1 - self.frequency), predicted * (1 - predicted)))
        n = 1 / float(weight @ (self.share / self.effective))
        if spread > 0.0:
            n *= min(max(hits * (1 - hits) / spread, 1.0), max(n * hits * (1 - hits) / 4, 1.0))
        if n * min(hits, 1 - hits) >= ENOUGH_CONTRIBUTORS:
            return value
        end = exact_end(np.array([hits]), np.array([n]), tail=(1 - level) / 2, above=np.array([True]))
        return max(math.sqrt(value) - float(end[0] - hits), 0.0) ** 2

    def one_bin_nearer(self, value: float, level: float) -> float:
        """Return the squared error if one bin is at the end of its exact interval nearer to its prediction."""
        above = self.gap > 0.0
        end = exact_end(self.frequency, self.effective, tail=min(1 - level, 0.5), above=above)
        predicted = self.frequency + self.gap
        nearest = np.maximum(np.where(above, predicted - end, end - predicted), 0.0) ** 2
        return value - float(np.maximum(self.share * (self.squared_gap - nearest), 0.0).max())


def exact_interval(frequency: Floats, n: Floats, *, tail: float) -> tuple[Floats, Floats]:
    """Compute Clopper and Pearson's (1934) exact interval for a proportion among n trials; n may be fractional.

    tail: the error probability on each side.

    >>> low, high = exact_interval(np.array([0.0, 0.5]), np.array([20.0, 20.0]), tail=0.025)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.272], [0.168, 0.728])
    """
    low, high = (exact_end(frequency, n, tail=tail, above=np.asarray(above)) for above in (False, True))
    return low, high


def exact_end(frequency: Floats, n: Floats, *, tail: float, above: Bools) -> Floats:
    """Return one end of each exact interval: the upper end if `above`, otherwise the lower end."""
    from scipy.special import betaincinv

    positives = np.clip(frequency, 0.0, 1.0) * n
    others = n - positives
    inside = np.where(above, others, positives) > 0
    first_shape = np.where(above, positives + 1, np.where(inside, positives, 1.0))
    other = np.where(above, np.where(inside, others, 1.0), others + 1)
    return np.where(inside, betaincinv(first_shape, other, np.where(above, 1 - tail, tail)), np.where(above, 1.0, 0.0))


@dataclass(frozen=True, slots=True)
class RareClusters:
    """The contributions of clusters to the calibration error e, the root of the squared error.

    Let g_b be the gap of bin b and |g| the root mean square of the gaps. Cluster c contributes z_c = Σ_b g_b Σ w u /
    (|g| Σ w), where Σ w u is over the cluster's pairs in bin b; the z_c add up to |g|. variance: the variance of Σ z_c.
    cluster: the proportion of the weight in one cluster, 1 / (effective number of clusters). farthest: the mean of
    max(q, 1 - q), the largest gap that a further cluster could have.
    """

    variance: float
    cluster: float
    farthest: float

    @classmethod
    def of(cls, cells: ClusterSums, gap: Floats) -> RareClusters:
        """Build from the sums by bin and cluster, and the mean gap of each bin (bins,)."""
        in_bins, weight = cells.total_w, cells.by_cluster(lambda block: block.w)
        total = float(in_bins.sum())
        size = math.sqrt(float(in_bins @ gap**2) / total)
        direction = gap / size if size > 0.0 else np.ones_like(gap)
        has_weight = weight > 0
        n, added = int(has_weight.sum()), cells.by_cluster(lambda block: direction[block.bin] * block.u) - size * weight
        predicted = np.clip((cells.total_u + cells.total_y) / in_bins, 0.0, 1.0)
        return cls(
            n / max(n - 1, 1) * float(np.sort(added[has_weight] ** 2).sum()) / total**2,
            1 / kish(weight[has_weight]),
            float(in_bins @ np.maximum(predicted, 1 - predicted)) / total,
        )

    def upper_end(self, squared: float, level: float) -> float:
        """Return the squared error to which the interval must extend upwards, by Fay and Feuer's extra cluster."""
        value = math.sqrt(max(squared, 0.0))
        contributors = squared / self.variance if squared > 0.0 and self.variance > 0.0 else 0.0
        size = self.farthest * self.cluster
        return ends_with_added_cluster(value, self.variance, size, contributors, level=level)[1] ** 2


def mean_gaps(sums: Sums) -> Floats:
    """Return the gap q̂ - p̂ of each bin, which is positive if predictions are too high."""
    return sums.u / sums.w1


def plugin_mse(sums: Sums) -> float:
    """Return Σ (w_b / w) (q̂_b - p̂_b)², the square of Algorithm 1's calibration error."""
    return float(np.average(mean_gaps(sums) ** 2, weights=sums.w1))


@dataclass(frozen=True)
class SquaredError:
    """An estimate of the squared calibration error of the bins, and its variance as a function of the true value.

    If the true squared error were t, the variance would be variance + (t - value) · slope, with slope_above for
    t > value and slope_below otherwise, but at least `least`.
    """

    value: float
    variance: float
    slope_above: float
    slope_below: float
    least: float
    left_out: int  # pairs in bins with a single or dominating pair (or cluster)
    degrees_of_freedom: float = math.inf
    rare: RareLabels | None = None
    clusters: RareClusters | None = None
    test: Callable[[], float] | None = field(default=None, repr=False, compare=False)
    p_value_limit: float = 1.0  # p_value is at most this
    unknown: float = 0.0  # the proportion of the weight in bins that one pair outweighs
    farthest: float = 0.0  # the largest squared error that these bins could add

    @cached_property
    def p_value(self) -> float:
        """The p-value of calibration, which tables show; NaN without a test. It is computed on first use."""
        return math.nan if self.test is None else self.test()

    def interval(self, level: float) -> tuple[float, float]:
        """Return the interval of all t that a test of size 1 - level does not reject: (t - value)² ≤ z² variance(t).

        The interval is then widened by five rules:

        - For the upper end, a negative value counts as zero, because a lucky sample does not justify more certainty.
        - The upper end is at least value⁺ + √(added² + z² least), where value⁺ + added is the end that `clusters`
          requires (few miscalibrated clusters).
        - Both ends extend at least as far as `rare` requires (labels that hardly vary).
        - If `p_value` is above 1 - level, the interval contains zero: a table never shows an error above 0 that the
          test does not detect.
        - The proportion `unknown` of the weight may have any error, from 0 to `farthest`.
        """
        if math.isnan(self.value):
            return math.nan, math.nan
        z, one_sided_z = (t_quantile(confidence, self.degrees_of_freedom) for confidence in (level, 2 * level - 1))
        shortest = z * math.sqrt(self.least)
        down, up = (max(self._distance_limit(slope, z), shortest) for slope in (-self.slope_below, self.slope_above))
        low, high = self.value - down, max(self.value, 0.0) + up
        if self.clusters is not None:
            added = self.clusters.upper_end(self.value, level) - max(self.value, 0.0)
            if added > 0.0:
                high = max(high, max(self.value, 0.0) + math.hypot(added, shortest))
        if self.rare is not None:
            low = min(low, self.rare.lower_end(self.value, level, max(one_sided_z, 0.0), self.variance_below))
            high = max(high, self.rare.upper_end(self.value, level))
        low = 0.0 if low > 0.0 and self.p_value_limit > 1 - level and self.p_value > 1 - level else low
        weight_known = 1 - self.unknown
        upper = max(weight_known * high + self.farthest, self.value) if self.unknown else high
        return min(low, weight_known * low), upper

    def variance_below(self, squared: float) -> float:
        """Return the variance of the estimate if the true squared error were `squared`, which is below the estimate."""
        return max(self.variance - self.slope_below * (self.value - squared), self.least)

    def _distance_limit(self, slope: float, z: float) -> float:
        """Return the largest d with d² ≤ z² (variance + slope · d); 0 if there is none."""
        middle = z * z * slope / 2
        squared = middle**2 + z * z * self.variance
        return middle + math.sqrt(squared) if squared >= 0 else 0.0


UNDEFINED = (math.nan,) * 5
MIN_EFFECTIVE = 2 - 1e-9  # minimum effective number of pairs in a bin
MAX_UNKNOWN = 0.5  # proportion of the weight in bins with fewer; above this, the error is unknown


def debiased_mse(sums: Sums) -> SquaredError:
    """Estimate the squared calibration error, corrected for the bias due to noise in the label frequencies.

    In each bin, the weighted mean of u_i u_j over ordered pairs of different rows is an unbiased estimate of the
    squared gap g²: θ_b = ((Σwu)² - Σw²u²) / ((Σw)² - Σw²). The value is Σ p_b θ_b with p_b = w_b / w.

    Let σ² be the variance of u in a bin and e = Σw² / (Σw)² (1/m for m unweighted rows). The variance of the value is
    Σ p_b² (4 g² σ² e + 2 σ⁴ e²) + (Σ p_b g⁴ - value²) / n. Since θ_b and the estimated variance of a small bin are
    dependent, g²σ² and g⁴ are estimated without bias from three and four different rows.

    The variance depends on the true value. Let v = σ²e. If the true value were larger by d, with g² larger in
    proportion to v (mostly in the least precise bins), the variance would be larger by 4 d Σ p_b² v² / Σ p_b v. If the
    true value were smaller by d equally in all bins, the variance would be smaller by 4 d Σ p_b² v. These two slopes
    keep the interval valid near zero; an interval with a constant variance is not valid there. Bins with fewer than two
    effective pairs, (Σw)² < 2 Σw², are left out, because one pair outweighs the others. If such bins have more than
    half of the weight, and more weight than their pairs have on average, the error is unknown.
    """
    couples = sums.w1**2 - sums.w2
    is_estimable = (sums.count > 1) & (sums.w1**2 >= MIN_EFFECTIVE * sums.w2)
    left_out = int(sums.count[~is_estimable].sum())
    total = sums.w1.sum()
    outweighed = ~is_estimable & (sums.w1 * sums.count.sum() > (1 + 1e-9) * total * sums.count)
    unknown = float(sums.w1[outweighed].sum() / total)
    if not is_estimable.any() or unknown > MAX_UNKNOWN:
        return SquaredError(*UNDEFINED, left_out, unknown=unknown)
    predicted = sums.q / sums.w1
    farthest = float((sums.w1 * outweighed) @ np.maximum(predicted, 1 - predicted) ** 2 / total) if unknown else 0.0
    s, couples = sums if is_estimable.all() else sums.select(np.flatnonzero(is_estimable)), couples[is_estimable]
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
        value,
        variance,
        slope_above,
        4 * float(share**2 @ v),
        least,
        left_out,
        rare=_rare_labels(s, share, theta, couples),
        unknown=unknown,
        farthest=farthest,
    )


def _rare_labels(s: Sums, share: Floats, theta: Floats, couples: Floats) -> RareLabels:
    spread = np.maximum(s.q - s.qq, 0.0) / s.w1  # the mean of q (1 - q)
    v = spread * s.w2 / couples
    noise, product = 2 * float(share**2 @ v**2), 4 * float(share**2 @ (theta * v))
    frequency, predicted, n = s.y / s.w1, s.q / s.w1, s.w1**2 / s.w2
    # Varying predictions make a bin's mean frequency more precise than n equal predictions would, within a limit.
    sharper = np.divide(predicted * (1 - predicted), spread, out=np.ones_like(spread), where=spread > 0)
    effective = n * np.clip(sharper, 1.0, np.maximum(n * frequency * (1 - frequency) / 4, 1.0))
    return RareLabels(share, theta, mean_gaps(s), frequency, effective, noise, product)


def _products(s: Sums, theta: Floats, v: Floats) -> tuple[Floats, Floats]:
    """Estimate g² σ² e and g⁴ in each bin without bias, from triples and quadruples of different rows.

    Bins with fewer than four rows have plug-in estimates from θ and v.
    """
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
    """Return the square root, on the scale of the error; estimates below zero become zero."""
    return math.nan if math.isnan(value) else math.sqrt(max(value, 0.0))
