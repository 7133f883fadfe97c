"""Intervals for a proportion, and the distribution of the number of successes in trials of different probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from howsure.errors import InputError
from howsure.inputs.checks import check_probabilities
from howsure.inputs.numbers_and_names import check_level
from howsure.inputs.pairs import Floats, Integers
from howsure.result import Estimate

# Intervals for a proportion.


def normal_quantile(level: float) -> float:
    """The two-sided normal quantile: the z with P(|Z| ≤ z) = level.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2))


def t_quantile(level: float, degrees: float) -> float:
    """The two-sided quantile of Student's t: the t with P(|T| ≤ t) = level; normal for infinite degrees of freedom.

    >>> round(t_quantile(0.95, 9), 4), round(t_quantile(0.95, float("inf")), 4)
    (2.2622, 1.96)
    """
    from scipy.special import stdtrit

    return float(stdtrit(min(degrees, 1e12), 0.5 + level / 2))


def wilson_interval(frequency: Floats, n: Floats, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Wilson's (1927) interval for a proportion among n trials: valid also at 0 and 1, and always within [0, 1].

    It contains all proportions f with |frequency - f| ≤ z √(f (1 - f) / n). n may be an effective, fractional number.

    >>> low, high = wilson_interval(np.array([0.0]), np.array([20.0]))
    >>> round(low.item(), 3), round(high.item(), 3)
    (0.0, 0.161)
    """
    z = normal_quantile(level)
    share = z * z / n
    centre = (frequency + share / 2) / (1 + share)
    reach = z / (1 + share) * np.sqrt(frequency * (1 - frequency) / n + share / (4 * n))
    low = np.where(frequency == 0.0, 0.0, np.maximum(centre - reach, 0.0))
    return low, np.where(frequency == 1.0, 1.0, np.minimum(centre + reach, 1.0))


def normal_interval(frequency: Floats, standard_error: Floats, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """The normal interval frequency ± z · standard_error, not clipped to [0, 1]; for comparison with published work."""
    z = normal_quantile(level)
    return frequency - z * standard_error, frequency + z * standard_error


# The number of successes among independent trials, each with its own probability.

NEGLIGIBLE = 1e-300  # below it floating point loses digits and time
WIDEST_TABLE = 33  # distributions of at most this length are convolved many at a time


@dataclass(frozen=True, slots=True)
class CountDistribution:
    """The distribution of a count: `pmf[k]` = P(count = k) for k = 0 … n, its mean and its variance."""

    pmf: Floats = field(repr=False)
    mean: float
    variance: float

    def interval(self, level: float = 0.95) -> tuple[int, int]:
        """The shortest low … high with P(count < low) ≤ (1 - level)/2 and P(count > high) ≤ (1 - level)/2.

        >>> poisson_binomial([0.5] * 10).interval(0.95)
        (2, 8)
        """
        tail = (1.0 - check_level(level)) / 2
        below, above = np.cumsum(self.pmf), np.cumsum(self.pmf[::-1])  # P(count ≤ k), P(count ≥ n - k)
        low = int(np.searchsorted(below, tail, side="right"))
        high = len(self.pmf) - 1 - int(np.searchsorted(above, tail, side="right"))
        return min(low, high), max(low, high)

    def quantile(self, share: float) -> int:
        """Return the smallest k with P(count ≤ k) ≥ share.

        >>> poisson_binomial([0.5, 0.5]).quantile(0.5)
        1
        """
        if not 0.0 <= share <= 1.0:
            raise InputError(f"share must be between 0 and 1; it is {share!r}")
        possible = np.flatnonzero(self.pmf)
        if share <= 0.5:
            return max(int(np.searchsorted(np.cumsum(self.pmf), share)), int(possible[0]))
        above = np.cumsum(self.pmf[::-1])  # P(count ≥ n - k)
        return len(self.pmf) - 1 - int(np.searchsorted(above, 1.0 - share, side="right"))

    def estimate(self, level: float = 0.95) -> Estimate:
        """The mean with the central interval of the count.

        >>> print(poisson_binomial([0.5] * 10).estimate())
        5.0000 [2.0000, 8.0000]
        """
        low, high = self.interval(level)
        return Estimate(self.mean, low, high, level=level, method="exact count", n=len(self.pmf) - 1)


def poisson_binomial(probabilities: object) -> CountDistribution:
    """The distribution of the number of successes among n independent trials with probabilities p_1 … p_n.

    pmf = (1 - p_1, p_1) ∗ … ∗ (1 - p_n, p_n), mean Σ p, variance Σ p (1 - p). Computed by recursive convolution of
    halves, using only sums of products of non-negative numbers, so that the tails have as many correct digits as the
    middle (a Fourier transform leaves them at 1e-16). Values below 1e-300 count as 0.

    >>> poisson_binomial([0.5, 0.1]).pmf.round(3).tolist()
    [0.45, 0.5, 0.05]
    >>> poisson_binomial([]).pmf.tolist()
    [1.0]

    Raises InputError if a probability is missing or outside [0, 1].
    Source: Hong (2013), for the distribution; the halving is that used for products of polynomials.
    """
    p = check_probabilities(probabilities, name="probabilities") if np.size(probabilities) else np.empty(0)  # type: ignore[arg-type]
    pmf = _sum_of_counts(_short_laws(np.column_stack([1.0 - p, p]), np.array([len(p)]))[0], len(p))
    return CountDistribution(pmf, float(p.sum()), float((p * (1.0 - p)).sum()))


def sums_of_counts(groups: Sequence[Floats]) -> list[CountDistribution]:
    """Return the distributions of several sums of independent counts, computed together.

    groups: for each sum, the distributions (U, K) of its U counts, laws[u, k] = P(count u = k); U and K may differ
    between sums. Counts of at most 1 are convolved first, as in `poisson_binomial`.

    >>> [one.pmf.tolist() for one in sums_of_counts([np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]), np.ones((0, 2))])]
    [[0.0, 0.0, 0.5, 0.5], [1.0]]
    """
    sizes = np.array([len(laws) for laws in groups], dtype=np.int64)
    width = max((laws.shape[1] for laws in groups if len(laws)), default=2)
    every = np.concatenate([np.zeros((0, width)), *(_pad_laws(laws, width) for laws in groups)])
    off = np.flatnonzero(~(np.abs(every.sum(axis=1) - 1.0) <= 1e-6) | (every < -1e-9).any(axis=1))
    ends = np.cumsum(sizes)
    if len(off):
        number = int(np.searchsorted(ends, off[0], side="right"))
        position = off[0] - ends[number] + sizes[number]
        raise InputError(
            f"the distribution of a count must contain probabilities that sum to 1; distribution {position} of sum "
            f"{number} does not."
        )
    values = np.arange(width)
    means = every @ values
    variances = (every * (values - means[:, np.newaxis]) ** 2).sum(axis=1)
    few = ~every[:, 2:].any(axis=1)
    group = np.repeat(np.arange(len(groups)), sizes)
    every[few, 1] = np.clip(every[few, 1], 0.0, 1.0)
    every[few, 0] = 1.0 - every[few, 1]
    n_few, n_others = (np.bincount(group[is_in_group], minlength=len(groups)) for is_in_group in (few, ~few))
    mean, variance = (np.bincount(group, moments, len(groups)).tolist() for moments in (means, variances))
    short, others = _short_laws(every[few, :2], n_few), _short_laws(every[~few], n_others)
    most = (n_few + n_others * [laws.shape[1] - 1 for laws in groups]).tolist()
    parts = zip(short, others, most, mean, variance, strict=True)
    return [CountDistribution(_sum_of_counts([*few, *more], longest), m, v) for few, more, longest, m, v in parts]


def _pad_laws(laws: Floats, width: int) -> Floats:
    return laws if laws.shape[1] == width else np.pad(laws, ((0, 0), (0, width - laws.shape[1])))


def _short_laws(laws: Floats, sizes: Integers) -> list[list[Floats]]:
    """Convolve neighbouring distributions up to a length of 33, for several sums at once.

    laws (counts, K): sizes[0] distributions that belong to the first sum, sizes[1] that belong to the second, and so
    on. For each sum, returns the distributions of the sums of blocks of neighbours; the last block is padded with
    counts that are always 0.
    """
    width, length = laws.shape[1], 1
    while (width - 1) * length * 2 < WIDEST_TABLE:
        length *= 2
    blocks = -(-sizes // length)
    table = np.zeros((int(blocks.sum()) * length, width))
    table[:, 0] = 1.0
    moved = length * (np.cumsum(blocks) - blocks) - (np.cumsum(sizes) - sizes)
    table[np.arange(len(laws)) + np.repeat(moved, sizes)] = laws
    while len(table) > blocks.sum():
        left, right = table[::2], table[1::2]
        width = table.shape[1]
        table = np.zeros((len(left), 2 * width - 1))
        for k in range(width):
            table[:, k : k + width] += left[:, k : k + 1] * right
    rows = iter(table)
    return [list(islice(rows, n)) for n in blocks.tolist()]


def _sum_of_counts(laws: list[Floats], most: int) -> Floats:
    """The distribution (most + 1,) of the sum of independent counts with the given distributions."""
    pmf = np.zeros(most + 1)
    law, offset = _convolved(laws)
    pmf[offset : offset + len(law)] = law[: len(pmf) - offset]
    return pmf


def _convolved(laws: list[Floats]) -> tuple[Floats, int]:
    """The convolution of all distributions, computed in pairs of neighbours, and the position of its first entry."""
    remaining = [_trimmed(law, 0) for law in laws]
    while len(remaining) > 1:
        pairs = zip(remaining[::2], remaining[1::2], strict=False)
        merged = [_trimmed(np.convolve(a, b), i + j) for (a, i), (b, j) in pairs]
        remaining = merged + remaining[len(merged) * 2 :]
    return remaining[0] if remaining else (np.ones(1), 0)


def _trimmed(law: Floats, offset: int) -> tuple[Floats, int]:
    if law[0] >= NEGLIGIBLE and law[-1] >= NEGLIGIBLE:
        return law, offset
    worth = np.flatnonzero(law >= NEGLIGIBLE)
    return law[worth[0] : worth[-1] + 1], offset + int(worth[0])
