"""The distribution of a count: known labelled positives plus a mixture of sums of unlabelled units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.stats.logistic import sigmoid

# Exact distributions of sums with a small variance. The distribution at one level gives those at other levels, by
# exponential tilting.

REACH = 12.0  # number of standard deviations beyond which the probability of a small sum is 0
MAX_TILT = 500.0  # largest exponent of a tilting factor: e^500 is far below the largest float
MIN_TILT = 2.0  # logits; so that no tilted distribution is longer than 250
Alike = tuple[Floats, Integers]  # units with equal logits are of one kind: logits (draws, kinds), and numbers of units


def mixed_small_sums(alike: Alike, levels: Floats, weight: Floats, mean: Floats, variance: Floats) -> Floats:
    """Return Σ weight · P(U = u), u = 0 … units, over draws of the logits and levels that are added to the logits.

    U is the number of positives. weight, mean, variance: (draws, levels); components of weight 0 are left out. For
    levels θ and ϑ, P(U = u; θ) ∝ P(U = u; ϑ) e^((θ - ϑ) u). Therefore, one distribution is computed for all levels for
    which this factor is moderate.
    """
    law = np.zeros(int(alike[1].sum()) + 1)
    reach = REACH * np.maximum(np.sqrt(variance), 1.0)
    low = np.maximum(np.where(weight > 0, mean - reach, np.inf).min(axis=0), 0.0)
    high = np.where(weight > 0, mean + reach, -np.inf).max(axis=0)
    left = np.flatnonzero(weight.any(axis=0))
    left = left[np.argsort(-levels[left], kind="stable")]
    while len(left):
        top = left[0]
        tilt = np.maximum(levels[top] - levels[left], MIN_TILT) * (mean[:, top].max() - low[left])
        end = max(int(np.argmax(np.append(tilt, np.inf) > MAX_TILT)), 1)
        near, left = left[:end], left[end:]
        first, last = int(low[near].min()), min(int(np.ceil(high[near].max())), len(law) - 1)
        law[first : last + 1] += _tilted(alike, levels[near], weight[:, near], first, last)
    return law


def _tilted(alike: Alike, levels: Floats, weight: Floats, first: int, last: int) -> Floats:
    """Return the mixed distribution at counts first … last, by exponential tilting of the distribution of the first
    level.

    For groups of units that are mostly positive, the negatives are counted instead, so that all sums are small. If the
    draws differ too much for this, each draw is computed separately.
    """
    weighted = weight.any(axis=1)
    value, count, weight = alike[0][weighted], alike[1], weight[weighted]
    least, most = (
        reduce(np.where(weight > 0, levels, end), axis=1) for reduce, end in ((np.min, np.inf), (np.max, -np.inf))
    )
    low, high = sigmoid(value + least[:, None]), sigmoid(value + most[:, None])
    falling = np.asarray((low + high).mean(axis=0) > 1.0, dtype=np.bool_)
    width, mostly = last - first + 1, int(count[falling].sum())
    p = np.where(falling, 1.0 - low, high)  # largest probability of a counted unit
    spread = np.where(p > 0.5, 0.25, p * (1.0 - p))
    reach = 1
    for counted in (np.where(falling, 0, count), np.where(falling, count, 0)):
        ends = p @ counted + REACH * np.sqrt(np.maximum(spread @ counted, 1.0))
        reach = max(reach, int(np.ceil(np.minimum(ends, counted.sum()).max())) + 1)
    if reach > width and len(value) > 1:
        each = zip(value, weight, strict=True)
        return sum((_tilted((v[None], count), levels, w[None], first, last) for v, w in each), np.zeros(width))
    value = value + levels[0]
    rises = sums_of_kinds(sigmoid(value[:, ~falling]), count[~falling], max(width, reach))
    falls = sums_of_kinds(sigmoid(-value[:, falling]), count[falling], max(width, reach))
    start = first - mostly + falls.shape[1] - 1  # index in `law`, which begins at the largest fall
    law = np.zeros((len(value), width))
    for row, up, down in zip(law, rises, falls, strict=True):
        both = np.convolve(up, down[::-1])[max(start, 0) : max(start + width, 0)]
        row[max(-start, 0) :][: len(both)] = both
    tilts = np.exp(np.outer(levels - levels[0], np.arange(width)))
    scale = np.divide(weight, law @ tilts.T, out=np.zeros_like(weight), where=weight > 0)
    mixed: Floats = (law * (scale @ tilts)).sum(axis=0)
    return mixed


def sums_of_kinds(p: Floats, count: Integers, width: int) -> Floats:
    """Return P(U = u), u < width, (draws, u), for a sum U of count[k] units with probability p[d, k] of each kind k.

    The distribution for 2^l units of a kind is the convolution of the distribution for half as many units with itself.
    The distributions for the powers of 2 in a count are convolved in pairs. No term is negative, so no digits cancel.

    >>> sums_of_kinds(np.array([[0.5]]), np.array([3]), 3)
    array([[0.125, 0.375, 0.375]])
    """
    power = np.stack([1.0 - p, p], axis=-1)[..., :width]
    sums = power[:, :0]
    while len(count):
        sums = np.concatenate([sums, power[:, count % 2 == 1]], axis=1)
        more = count > 1
        power, count = power[:, more], count[more] // 2
        if len(count):
            sums, power = _convolve_pairs(sums, width), _convolved(power, power, width)
    while sums.shape[1] > 1:
        sums = _convolve_pairs(sums, width)
    return sums[:, 0] if sums.shape[1] else np.ones((len(p), 1))


def _convolve_pairs(laws: Floats, width: int) -> Floats:
    """Convolve consecutive pairs of distributions (draws, ·, u); if their number is odd, the last one is unchanged."""
    if laws.shape[1] % 2:
        nothing = np.zeros_like(laws[:, :1])
        nothing[..., 0] = 1.0
        laws = np.concatenate([laws, nothing], axis=1)
    return _convolved(laws[:, ::2], laws[:, 1::2], width)


def _convolved(a: Floats, b: Floats, width: int) -> Floats:
    """Return the first `width` probabilities of the sums of two independent variables."""
    length = a.shape[-1]
    padded = np.zeros((*b.shape[:-1], min(2 * length - 1, width) + length - 1))
    padded[..., length - 1 :][..., :length] = b
    shape = (*b.shape[:-1], padded.shape[-1] - length + 1, length)
    windows: Floats = np.ndarray(shape, buffer=padded, strides=(*padded.strides, padded.itemsize))
    convolved: Floats = np.matmul(windows, a[..., ::-1, None])[..., 0]
    return convolved


SMALL_VARIANCE = 16.0  # exact distributions below this variance, Edgeworth's approximation above
MAX_SINGLE_UNITS = 4_096  # cells with more units are computed from a histogram of logits
BIN_WIDTH = 0.02  # width of a bin in logits
BINS = 3_000  # on either side of 0; no logit is farther from it
MIN_WEIGHT = 1e-7  # smallest weight of a component
MAX_LAW_LENGTH = 20_000  # longest distribution that is tabulated
NEGLIGIBLE = 1e-12  # probability beyond a tabulated distribution


@dataclass(frozen=True, slots=True)
class CountLaw:
    """The distribution of a count T: labelled positives, plus the number U of positives among units without a label.

    U is a mixture of components, each of which is a sum of independent units. weight, mean, deviation, skewness: those
    of the components with a large variance. small: the sum of the other components, small[u] = Σ weight · P(U = u).
    unread: the expected value of U.
    """

    labelled_positives: int
    units: int
    unread: float
    weight: Floats
    mean: Floats
    deviation: Floats
    skewness: Floats
    small: Floats

    @property
    def expected(self) -> float:
        return self.labelled_positives + self.unread

    def cdf(self, counts: Floats) -> Floats:
        """Return P(T ≤ t) for each t."""
        at = np.asarray(counts, dtype=np.float64) - self.labelled_positives
        total = np.zeros(at.shape)
        if len(self.weight):
            mean, deviation, skewness = np.stack([self.mean, self.deviation, self.skewness])[..., None]
            total += self.weight @ edgeworth(at, mean, deviation, skewness, self.units)
        if len(self.small):
            summed = np.cumsum(self.small)
            place = np.clip(np.floor(at).astype(np.int64), -1, len(summed) - 1)
            total += np.where(place < 0, 0.0, summed[np.maximum(place, 0)])
        return np.minimum(total, 1.0)

    def quantile(self, share: float) -> int:
        """Return the smallest t with P(T ≤ t) ≥ share."""
        return self.quantiles(share)[0]

    def quantiles(self, *shares: float) -> list[int]:
        """Return several quantiles; see `quantile`."""
        least = np.array(shares) - 1e-12
        low = np.full(len(shares), self.labelled_positives - 1.0)
        high = np.full(len(shares), float(self.labelled_positives + self.units))
        while (high - low).max() > 1:
            middle = np.ceil((low + high) / 2)  # converged ends no longer change
            reached = self.cdf(middle) >= least
            low, high = np.where(reached, low, middle), np.where(reached, middle, high)
        return [int(count) for count in high]

    def interval(self, level: float) -> tuple[int, int]:
        tail = (1.0 - level) / 2
        low, high = self.quantiles(tail, 1.0 - tail)
        return low, high

    def more_than(self, other: CountLaw) -> float:
        """Return P(T > T′) + P(T = T′) / 2 for an independent count T′."""
        low, high = (
            min(self.labelled_positives, other.labelled_positives),
            max(self.labelled_positives + self.units, other.labelled_positives + other.units),
        )
        points = np.unique(np.linspace(low - 1, high, min(high - low + 2, MAX_LAW_LENGTH)).round())
        mine, others = self.cdf(points), other.cdf(points)
        middle = (others[1:] + others[:-1]) / 2
        return float(np.diff(mine) @ middle + mine[0] * others[0] / 2)

    def minus(self, other: CountLaw, level: float) -> tuple[int, int]:
        """Return the equal-tailed interval of T - T′ for an independent count T′."""
        return self.against(other, level)[2:]

    def against(self, other: CountLaw, level: float) -> tuple[float, float, int, int]:
        """Return P(T > T′) and P(T = T′) for an independent count T′, and the equal-tailed interval of T - T′."""
        tail = (1.0 - level) / 2
        points = self._points()
        mass = np.diff(self.cdf(points), prepend=0.0)
        below = other._cumulative_probability()
        more = float(mass @ below(points - 1.0))

        def at_most(difference: int) -> float:  # P(T - T′ ≤ d) = Σ P(T = t) P(T′ ≥ t - d)
            return float(mass @ (1.0 - below(points - difference - 1)))

        def least(share: float) -> int:
            low, high = (
                self.labelled_positives - other.labelled_positives - other.units - 1,
                self.labelled_positives + self.units - other.labelled_positives,
            )
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if at_most(middle) >= share - 1e-12 else (middle, high)
            return high

        return more, float(mass @ below(points)) - more, least(tail), least(1.0 - tail)

    def _cumulative_probability(self) -> Callable[[Floats], Floats]:
        """Return the function P(T ≤ t) of integers t; it is tabulated once if the distribution is short."""
        first, last = self.quantiles(NEGLIGIBLE, 1.0 - NEGLIGIBLE)
        first -= 1
        if last - first >= MAX_LAW_LENGTH:
            return self.cdf
        below = self.cdf(np.arange(first, last + 1.0))
        below[0] = 0.0
        return lambda counts: below[np.clip(counts.astype(np.int64) - first, 0, last - first)]

    def _points(self) -> Floats:
        """Return the possible counts; of more than 20,000, return 20,000 evenly spaced ones."""
        first, last = self.quantiles(1e-9, 1.0 - 1e-9)
        return np.unique(np.linspace(first, last, min(last - first + 1, MAX_LAW_LENGTH)).round())


def edgeworth(at: Floats, mean: Floats, deviation: Floats, skewness: Floats, units: int | Floats) -> Floats:
    """Return the probability that a count is at most `at`, by the normal distribution with corrections for skewness and
    continuity. mean, deviation, skewness: of the count. units: the largest possible count. Arguments broadcast."""
    from scipy.special import ndtr

    z = (np.floor(at) + 0.5 - mean) / deviation
    cdf = ndtr(z) - skewness * (z * z - 1.0) * np.exp(-0.5 * z * z) / (6.0 * np.sqrt(2.0 * np.pi))
    cdf = np.clip(cdf, 0.0, 1.0)
    return np.where(at < 0, 0.0, np.where(at >= units, 1.0, cdf))


@dataclass(slots=True)
class LogitCounts:
    """A histogram of the logits of a large cell: for bins of width 0.02, the number of units and the sum of logits."""

    number: Floats
    total: Floats

    @classmethod
    def empty(cls) -> LogitCounts:
        return cls(np.zeros(2 * BINS + 1), np.zeros(2 * BINS + 1))

    def add(self, logits: Floats) -> None:
        place = np.clip(np.floor(logits / BIN_WIDTH), -BINS, BINS).astype(np.int64) + BINS
        self.number += np.bincount(place, minlength=len(self.number))
        self.total += np.bincount(place, weights=logits, minlength=len(self.total))

    def alike(self) -> Alike:
        """Return the mean logit of each bin with units (1, bins), and the number of units in it."""
        filled = self.number > 0
        return (self.total[filled] / self.number[filled])[None], self.number[filled].astype(np.int64)


def count_law(
    known_positives: int, draws: Sequence[Floats] | Sequence[LogitCounts], levels: Floats, weights: Sequence[Floats]
) -> CountLaw:
    """Return the distribution of a count: known positives, plus unlabelled units with P(y = 1) = σ(logit + level).

    draws: equally likely draws of the logits of the units. levels: the possible values of a shift that is common to all
    units. weights: for each draw, the weight of every level. If there are more than 4,096 units, units whose logits
    differ by less than 0.02 get a common logit.
    """
    weight = np.stack(weights)
    weight[weight <= MIN_WEIGHT * weight.max(axis=1, keepdims=True)] = 0.0
    weight /= len(draws) * weight.sum(axis=1, keepdims=True)
    mean, variance, third = np.zeros((3, *weight.shape))
    small = np.zeros(1)
    first = 0
    for alike in _group_equal_draws(draws):
        rows = slice(first, first + len(alike[0]))
        mean[rows], variance[rows], third[rows] = _moments(alike, levels, weight[rows])
        few = np.where(variance[rows] < SMALL_VARIANCE, weight[rows], 0.0)
        small = small + mixed_small_sums(alike, levels, few, mean[rows], variance[rows])
        first = rows.stop
    many = (variance >= SMALL_VARIANCE) & (weight > 0)
    deviation = np.sqrt(variance[many])
    skewness = third[many] / deviation**3
    unread = float((weight * mean).sum())
    return CountLaw(known_positives, len(small) - 1, unread, weight[many], mean[many], deviation, skewness, small)


def _group_equal_draws(draws: Sequence[Floats] | Sequence[LogitCounts]) -> list[Alike]:
    """Group units into kinds; units of a kind have equal logits in all draws."""
    if isinstance(draws[0], LogitCounts) or len(draws[0]) > MAX_SINGLE_UNITS:
        return [_binned(draw) for draw in draws]
    logits = np.stack([draw for draw in draws if not isinstance(draw, LogitCounts)])
    logits = logits[:, np.argsort(logits[0])]
    starts = np.append(True, (logits[:, 1:] != logits[:, :-1]).any(axis=0))[: logits.shape[1]]
    return [(logits[:, starts], np.diff(np.flatnonzero(np.append(starts, True))))]


def _binned(logits: Floats | LogitCounts) -> Alike:
    if not isinstance(logits, LogitCounts):
        counts = LogitCounts.empty()
        counts.add(logits)
        logits = counts
    return logits.alike()


def _moments(alike: Alike, levels: Floats, weight: Floats) -> Floats:
    """Return mean, variance and third central moment of the sums, (3, draws, levels); 0 at levels without weight."""
    value, count = alike
    moments = np.zeros((3, *weight.shape))
    used = weight.any(axis=0)
    p = sigmoid(value[:, None] + levels[used, None])
    spread = p * (1.0 - p)
    moments[0][:, used], moments[1][:, used] = p @ count, spread @ count
    moments[2][:, used] = moments[1][:, used] - 2.0 * ((spread * p) @ count)
    return moments
