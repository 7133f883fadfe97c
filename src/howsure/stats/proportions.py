"""Intervals for a proportion, and the number of successes among trials of different probabilities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from howsure.errors import InputError
from howsure.inputs.checks import check_probabilities
from howsure.inputs.numbers_and_names import check_level
from howsure.inputs.pairs import Floats
from howsure.result import Estimate

# Intervals for a proportion.


def normal_quantile(level: float) -> float:
    """z such that a standard normal variable lies within ± z with probability `level`.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2))


def t_quantile(level: float, degrees: float) -> float:
    """The quantile t of Student's distribution such that a t of these degrees of freedom lies within ±t with
    probability `level`; that of the normal distribution where they are infinite.

    >>> round(t_quantile(0.95, 9), 4), round(t_quantile(0.95, float("inf")), 4)
    (2.2622, 1.96)
    """
    from scipy.special import stdtrit

    return float(stdtrit(min(degrees, 1e12), 0.5 + level / 2))


def wilson_interval(frequency: Floats, n: Floats, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Wilson's (1927) interval for a proportion observed among n: valid also at 0 and 1, and always within [0, 1].

    The frequencies f with |frequency - f| ≤ z √(f (1 - f) / n). `n` may be an effective number, not necessarily whole.

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
    """The paper's interval for a proportion, frequency ± z · standard error: zero width at 0 and 1, and not clipped."""
    z = normal_quantile(level)
    return frequency - z * standard_error, frequency + z * standard_error


# The number of successes among independent trials, each with its own probability.

NEGLIGIBLE = 1e-300  # below it floating point loses digits and time
WIDEST_TABLE = 33  # laws this short are convolved many at a time


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

        Raises InputError unless 0 < level < 1.
        """
        tail = (1.0 - check_level(level)) / 2
        below, above = np.cumsum(self.pmf), np.cumsum(self.pmf[::-1])  # P(count ≤ k), P(count ≥ n - k)
        low = int(np.searchsorted(below, tail, side="right"))
        high = len(self.pmf) - 1 - int(np.searchsorted(above, tail, side="right"))
        return min(low, high), max(low, high)

    def quantile(self, share: float) -> int:
        """The least k with P(count ≤ k) ≥ share.

        >>> poisson_binomial([0.5, 0.5]).quantile(0.5)
        1

        Raises InputError unless 0 ≤ share ≤ 1.
        """
        if not 0.0 <= share <= 1.0:
            raise InputError(f"share must lie in [0, 1]; it is {share!r}")
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
    pmf = np.zeros(len(p) + 1)
    law, offset = _convolved(_short_laws(p))
    pmf[offset : offset + len(law)] = law[: len(pmf) - offset]
    return CountDistribution(pmf, float(p.sum()), float((p * (1.0 - p)).sum()))


def sum_of_counts(laws: Iterable[Floats]) -> CountDistribution:
    """The distribution of a sum of independent counts, each with its own pmf (k = 0, 1, …).

    >>> sum_of_counts([np.array([0.5, 0.5]), np.array([0.0, 0.0, 1.0])]).pmf.tolist()
    [0.0, 0.0, 0.5, 0.5]

    Raises InputError if a distribution contains an invalid probability, or does not sum to 1 within 1e-6.
    """
    checked = [check_probabilities(law, name="a law") for law in laws]
    for number, law in enumerate(checked):
        if abs(float(law.sum()) - 1.0) > 1e-6:
            raise InputError(f"a law of a count must sum to 1; law {number} sums to {float(law.sum()):.6g}")
    pmf = np.zeros(sum(len(law) - 1 for law in checked) + 1)
    law, offset = _convolved(checked)
    pmf[offset : offset + len(law)] = law
    means = [float(law @ np.arange(len(law))) for law in checked]
    seconds = [float(law @ (np.arange(len(law)) - mean) ** 2) for law, mean in zip(checked, means, strict=True)]
    return CountDistribution(pmf, sum(means), sum(seconds))


def _short_laws(p: Floats) -> list[Floats]:
    """The distributions of the successes among groups of 32 neighbours, all at once; the last group is padded with
    trials that never succeed."""
    rows = -(-len(p) // (WIDEST_TABLE - 1)) * (WIDEST_TABLE - 1)
    padded = np.zeros(rows)
    padded[: len(p)] = p
    laws = np.column_stack([1.0 - padded, padded])
    while laws.shape[1] < WIDEST_TABLE:
        left, right = laws[::2], laws[1::2]
        width = laws.shape[1]
        laws = np.zeros((len(left), 2 * width - 1))
        for k in range(width):
            laws[:, k : k + width] += left[:, k : k + 1] * right
    return list(laws)


def _convolved(laws: list[Floats]) -> tuple[Floats, int]:
    """The convolution of all distributions, neighbours first, and the number of zeros before it."""
    held = [_trimmed(law, 0) for law in laws]
    while len(held) > 1:
        pairs = zip(held[::2], held[1::2], strict=False)
        merged = [_trimmed(np.convolve(a, b), i + j) for (a, i), (b, j) in pairs]
        held = merged + held[len(merged) * 2 :]
    return held[0] if held else (np.ones(1), 0)


def _trimmed(law: Floats, offset: int) -> tuple[Floats, int]:
    worth = np.flatnonzero(law >= NEGLIGIBLE)
    return law[worth[0] : worth[-1] + 1], offset + int(worth[0])
