"""The posterior of one count: a sum over documents that may depend on each other, with its Monte Carlo error."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.proportions import CountDistribution, normal_quantile, sums_of_counts

# Dependence between documents: perfect within a story, and a correlation within a period if one is given.
#
# A document's own distribution is that of its samples. `laws` (U, K) are the distributions of units (documents, or
# stories of several), P(unit adds k), k = 0 … K - 1.

REACH, STEP = 6.0, 0.4  # of the grid over the common cause, in standard deviations
CAUSE_SHARES = 0.5, 0.999  # share of the common cause: tried first, and at most


def story_sums(samples: Integers, stories: Integers) -> Integers:
    """The contribution of each story in S samples: from (D, S) for documents, and the story of each, to (stories, S).

    The documents of a story are as dependent as their distributions allow (comonotone): their quantiles add up, so an
    uncertain mention is resolved in the same way in all of them. Means are unchanged, spreads add. A story of one
    document keeps its samples; one of several has the quantiles in an order drawn with its own seed.

    >>> story_sums(np.array([[0, 1, 0, 0], [1, 0, 0, 1], [1, 0, 0, 0]]), np.array([7, 8, 7]))[0].tolist().count(2)
    1
    """
    firsts, unit, members = np.unique(stories, return_inverse=True, return_counts=True)
    if len(firsts) == len(stories):
        return samples[np.argsort(stories)]
    shared = members[unit] > 1
    ordered = samples.copy()
    ordered[shared] = np.sort(samples[shared], axis=1)
    sums = np.zeros((len(firsts), samples.shape[1]), dtype=samples.dtype)
    np.add.at(sums, unit, ordered)
    for place in np.flatnonzero(members > 1).tolist():
        sums[place] = np.random.default_rng(int(firsts[place])).permutation(sums[place])
    return sums


def unit_laws(samples: Integers, *, size: int | None = None) -> Floats:
    """The distributions of units from their samples (U, S) of non-negative integers, with `size` values."""
    width = int(samples.max(initial=1)) + 1 if size is None else size
    places = samples + width * np.arange(len(samples))[:, np.newaxis]
    counts = np.bincount(places.ravel(), minlength=width * len(samples)).reshape(len(samples), width)
    return np.asarray(counts / samples.shape[1])


def sum_law(laws: Floats, *, overdispersion: float = 0.0) -> CountDistribution:
    """The distribution of the sum of units whose events have pairwise correlation `overdispersion`, 0 for none.

    Above 0, a common normal variable z affects all of them: P(X_u ≤ k | z) = Φ((Φ⁻¹(P(X_u ≤ k)) - √r z) / √(1 - r)),
    with the r at which the variance of the sum is that of units whose pairs all have that correlation, Σ v + ρ ((Σ √v)²
    - Σ v), or as close as distributions of different shape allow. Each unit keeps its distribution, and the sum its
    mean.

    Source: Vasicek (2002), The distribution of loan portfolio value, for the distribution of the sum.
    """
    if overdispersion == 0.0:
        return sums_of_counts([laws])[0]
    weights, conditional = zip(*laws_given_cause(laws, cause_share(laws, overdispersion)), strict=True)
    distributions = list(zip(weights, sums_of_counts(conditional), strict=True))
    if len(distributions) == 1:
        return distributions[0][1]
    pmf = np.zeros(max(len(distribution.pmf) for _, distribution in distributions))
    for weight, distribution in distributions:
        pmf[: len(distribution.pmf)] += weight * distribution.pmf
    values = np.arange(len(pmf))
    mean = float(pmf @ values)
    return CountDistribution(pmf, mean, float(pmf @ (values - mean) ** 2))


def laws_given_cause(laws: Floats, share: float) -> Iterator[tuple[float, Floats]]:
    """The distributions of units (…, U, K) given the common cause, for each of its values, with the value's weight."""
    if share == 0.0:
        yield 1.0, laws
        return
    edges = _edges(laws)
    for weight, value in _grid(share):
        yield weight, np.diff(_conditional_probabilities(edges, value, share), axis=-1, prepend=0.0, append=1.0)


def cause_share(laws: Floats, overdispersion: float) -> float:
    """The r of `sum_law`: how much of each unit's hidden variable is the common cause."""
    values = np.arange(laws.shape[1])
    means = laws @ values
    variances = np.maximum(laws @ values**2 - means**2, 0.0)
    pairs = float(np.sqrt(variances).sum()) ** 2 - float(variances.sum())
    if overdispersion == 0.0 or pairs <= 0.0:
        return 0.0
    from scipy.optimize import brentq

    edges = _edges(laws)

    def missing(share: float) -> float:
        """How far the covariance of all pairs falls short of its target."""
        if share == 0.0:
            return overdispersion * pairs
        within = 0.0
        for weight, value in _grid(share):
            moved = edges.shape[1] - _conditional_probabilities(edges, value, share).sum(axis=1) - means
            within += weight * (float(moved.sum()) ** 2 - float(moved @ moved))
        return overdispersion * pairs - within

    for most in CAUSE_SHARES:
        if missing(most) < 0.0:
            return float(brentq(missing, 0.0, most, xtol=1e-9))
    return CAUSE_SHARES[-1]


def _edges(laws: Floats) -> Floats:
    """Φ⁻¹(P(X ≤ k)) for all k except the last."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(np.cumsum(laws, axis=-1)[..., :-1], 0.0, 1.0)))


def _conditional_probabilities(edges: Floats, value: float, share: float) -> Floats:
    """P(X ≤ k) given a value of the common cause."""
    from scipy.special import ndtr

    return np.asarray(ndtr((edges - math.sqrt(share) * value) / math.sqrt(1.0 - share)))


def _grid(share: float) -> list[tuple[float, float]]:
    """Values of the common cause and their weights, on a finer grid if its influence is stronger."""
    step = min(STEP, 0.8 * math.sqrt((1.0 - share) / share))
    values = np.arange(-REACH, REACH + step / 2, step)
    weights = np.exp(-(values**2) / 2)
    return list(zip((weights / weights.sum()).tolist(), values.tolist(), strict=True))


def check_overdispersion(value: float) -> float:
    """A correlation, at least 0 and below 1.

    Raises InputError for other numbers.
    """
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0.0 <= value < 1.0:
        raise InputError(
            f"overdispersion must be a correlation from 0 to below 1; it is {value!r}. With 0, documents of "
            "different stories are independent."
        )
    return float(value)


# The Monte Carlo error of a probability of a sum, given that each unit's distribution is known from only S samples.

NEGLIGIBLE = 1e-15  # far below the precision of a standard error
Law = tuple[Floats, int]  # of a count, and its least value


def monte_carlo_errors(
    laws: Floats, least: int, most: int, *, n_samples: int, share: float = 0.0
) -> tuple[float, float]:
    """The standard errors of P(X_1 + … + X_U ≥ least) and of P(… ≤ most), each unit's law (U, K) from S samples.

    The delta method: g_u(k), the change in the probability if unit u adds k, has the variance Σ_k f_u(k) (g_u(k) -
    ḡ_u)² / S; units are drawn independently, so variances add. f_u has one additional sample, spread over the K values,
    so that a unit whose samples all agree does not count as certain. `share` is that of the common cause (see
    `sum_law`), taken as given.

    >>> round(monte_carlo_errors(np.array([[0.5, 0.5]]), 1, 0, n_samples=100)[0], 3)
    0.05
    """
    kinds, members = np.unique(laws, axis=0, return_counts=True)  # of one law there are many units
    width = laws.shape[1]
    gains = np.zeros((2, len(kinds), width))
    start = np.array([[least], [most + 1]]) - np.arange(width)  # the least sum of the others for each value of a unit
    step = 1.0 / n_samples
    moved = (1.0 - step) * kinds[:, np.newaxis] + step * np.eye(width)  # (·, K, K): one sample more in place k
    for (weight, conditional), (_, nudged) in zip(
        laws_given_cause(kinds, share), laws_given_cause(moved, share), strict=True
    ):
        groups = [[(law, 0)] * n for law, n in zip(conditional, members.tolist(), strict=True)]
        for kind, (rest, lowest) in enumerate(_leave_one_out_sums(groups)):
            above = np.concatenate([[0.0], np.cumsum(rest[::-1])])[::-1]  # P(rest ≥ lowest + place)
            reached = above.take(start - lowest, mode="clip")
            reached[1] = 1.0 - reached[1]
            gains[:, kind] += weight * (reached @ (nudged[kind] - conditional[kind]).T) / step
    smoothed = (n_samples * kinds + 1.0 / width) / (n_samples + 1)
    middle = (smoothed * gains).sum(axis=2, keepdims=True)
    variances = (smoothed * (gains - middle) ** 2).sum(axis=2) @ members / n_samples
    errors = np.sqrt(variances)
    return float(errors[0]), float(errors[1])


def error_interval(probability: float, error: float, *, level: float) -> tuple[float, float]:
    """The probability plus and minus the number of standard errors for the level, within [0, 1]."""
    reach = normal_quantile(level) * error
    return max(0.0, probability - reach), min(1.0, probability + reach)


def _leave_one_out_sums(groups: list[list[Law]]) -> Iterator[Law]:
    """For each group of equal distributions in turn, the distribution of the sum without one of them."""
    if not groups:
        return
    levels = [[_total(group) for group in groups]]
    while len(levels[-1]) > 1:
        levels.append(_sum_neighbours(levels[-1]))
    for group, outside in zip(groups, _outside(levels, 0, (np.ones(1), 0)), strict=True):
        yield _sum(outside, _total(group[1:])) if len(group) > 1 else outside


def _outside(levels: list[list[Law]], place: int, outside: Law) -> Iterator[Law]:
    """For each group below a place of the last level, the sum of all others: those outside and the other branches."""
    if len(levels) == 1:
        yield outside
        return
    below, first, other = levels[:-1], 2 * place, 2 * place + 1
    if other == len(below[-1]):
        yield from _outside(below, first, outside)
    else:
        yield from _outside(below, first, _sum(outside, below[-1][other]))
        yield from _outside(below, other, _sum(outside, below[-1][first]))


def _total(laws: list[Law]) -> Law:
    while len(laws) > 1:
        laws = _sum_neighbours(laws)
    return laws[0]


def _sum_neighbours(laws: list[Law]) -> list[Law]:
    """The sums of neighbours; the last of an odd number stays alone."""
    pairs = [_sum(first, other) for first, other in zip(laws[::2], laws[1::2], strict=False)]
    return pairs + laws[2 * len(pairs) :]


def _sum(first: Law, other: Law) -> Law:
    """The distribution of a sum, without negligible values."""
    law, lowest = np.convolve(first[0], other[0]), first[1] + other[1]
    if law[0] >= NEGLIGIBLE <= law[-1]:
        return law, lowest
    worth = np.flatnonzero(law >= NEGLIGIBLE)
    return law[worth[0] : worth[-1] + 1], lowest + int(worth[0])


# The posterior of one count: a sum over documents, from their probabilities or from their samples.

INTERVALS = ("exact", "normal", "samples")


@dataclass(frozen=True, slots=True)
class Count:
    """Mean, interval and variance of a count, and the Monte Carlo error of the mean (0 without samples)."""

    mean: float
    low: float
    high: float
    variance: float
    monte_carlo_error: float


@dataclass(frozen=True, slots=True)
class CountComparison:
    """The posterior of n_A - n_B: P(A has more, as many, fewer), the mean and the exact interval.

    more_interval, fewer_interval: where P(A has more) and P(A has fewer) may lie, at the given level, given that each
    document's distribution is known only from samples.
    """

    more: float
    equal: float
    fewer: float
    mean: float
    low: float
    high: float
    more_interval: tuple[float, float]
    fewer_interval: tuple[float, float]


def count_from_probabilities(
    probabilities: Floats,
    *,
    n_samples: int | None = None,
    level: float = 0.95,
    stories: Integers | None = None,
    overdispersion: float = 0.0,
) -> Count:
    """The Poisson-binomial count: exact mean, interval, and variance, made unbiased by the factor S/(S - 1) if the
    probabilities come from S samples.

    `stories` gives the story of each document, `overdispersion` the correlation of different ones: see
    `howsure_events.series.counts`.

    >>> count_from_probabilities(np.array([0.5, 0.25])).variance
    0.4375
    >>> count_from_probabilities(np.array([0.5, 0.5]), stories=np.array([4, 4])).variance
    1.0
    """
    return counts_from_probabilities(
        [(probabilities, stories)], n_samples=n_samples, level=level, overdispersion=overdispersion
    )[0]


def counts_from_probabilities(
    cells: Sequence[tuple[Floats, Integers | None]],
    *,
    n_samples: int | None = None,
    level: float = 0.95,
    overdispersion: float = 0.0,
) -> list[Count]:
    """The counts of many cells at once, each from probabilities and stories; see `count_from_probabilities`."""
    chosen, laws = [], []
    for probabilities, stories in cells:
        possible = probabilities > 0.0
        p = probabilities[possible]
        units = None if stories is None else _units(p, stories[possible])
        chosen.append(p)
        laws.append(np.column_stack([1.0 - p, p]) if units is None else units)
    if overdispersion == 0.0:
        sums = sums_of_counts(laws)
    else:
        sums = [sum_law(law, overdispersion=overdispersion) for law in laws]
    counts = []
    for p, distribution in zip(chosen, sums, strict=True):
        low, high = distribution.interval(level)
        if n_samples is None:
            counts.append(Count(distribution.mean, float(low), float(high), distribution.variance, 0.0))
            continue
        variance = distribution.variance * n_samples / (n_samples - 1)
        error = math.sqrt(float((p * (1.0 - p)).sum()) / (n_samples - 1))
        counts.append(Count(float(p.sum()), float(low), float(high), variance, error))
    return counts


def count_from_samples(
    samples: Integers,
    *,
    interval: str = "exact",
    level: float = 0.95,
    stories: Integers | None = None,
    overdispersion: float = 0.0,
) -> Count:
    """The sum over documents of a count per document, from samples (D, S); see `event_series` for `interval`.

    Raises InputError for quantiles of samples with an overdispersion, which cannot be combined.
    """
    n_samples = samples.shape[1]
    some = samples.any(axis=1)
    active = samples[some]
    mean = float(active.mean(axis=1).sum())
    error = math.sqrt(float(active.var(axis=1, ddof=1).sum()) / n_samples)
    units = active if stories is None else story_sums(active, stories[some])
    if interval != "exact" and overdispersion == 0.0:  # the distribution itself, which takes time, is not needed
        distribution, variance = None, float(units.var(axis=1, ddof=1).sum())
    else:
        distribution = sum_law(unit_laws(units), overdispersion=overdispersion)
        variance = distribution.variance * n_samples / (n_samples - 1)
    totals = units.sum(axis=0)
    if interval == "normal":
        sd = float(totals.std(ddof=1)) if overdispersion == 0.0 else math.sqrt(variance)
        reach = normal_quantile(level) * sd
        return Count(mean, mean - reach, mean + reach, variance, error)
    if interval == "samples":
        if overdispersion > 0.0:
            raise InputError("interval samples does not support overdispersion; use exact or normal.")
        tail = round((1.0 - level) / 2, 12)  # 0.025000000000000022 would take the next sample
        low, high = np.quantile(totals, [tail, 1.0 - tail], method="inverted_cdf").tolist()
        return Count(mean, float(low), float(high), variance, error)
    assert distribution is not None
    low, high = distribution.interval(level)
    return Count(mean, float(low), float(high), variance, error)


def compare_counts(
    a: npt.NDArray[Any],
    b: npt.NDArray[Any],
    *,
    level: float = 0.95,
    stories: Integers | None = None,
    overdispersion: float = 0.0,
    monte_carlo: bool = True,
) -> CountComparison:
    """P(n_A > n_B) and the distribution of n_A - n_B, from joint samples (D, S) of each document's contribution to A's
    and B's count.

    The two share each document's clusterings, so D_A - D_B has the distribution of its samples; treating A and B as
    independent would be wrong. Documents of different stories are independent, or have the correlation
    `overdispersion`; the differences of documents of one story are perfectly correlated (see
    `howsure_events.series.counts`). monte_carlo: how far the probabilities may lie off, for want of samples, is asked.

    >>> together = np.array([[1, 0, 1, 0]])
    >>> compare_counts(together, together).more
    0.0

    """
    joint = a.astype(np.int64) - b
    laws = difference_laws(joint if stories is None else story_sums(joint, stories))
    how: dict[str, Any] = {"level": level, "overdispersion": overdispersion, "monte_carlo": monte_carlo}
    return compare_laws([laws], n_samples=a.shape[1], **how)[0]


def difference_laws(samples: Integers) -> Floats:
    """The distributions of units on -r … r (U, 2r + 1) from their samples (U, S), r the largest there is, or 1."""
    reach = max(int(np.abs(samples).max(initial=1)), 1)
    return unit_laws(samples + reach, size=2 * reach + 1)


def compare_laws(
    laws: Sequence[Floats],
    *,
    n_samples: int,
    level: float = 0.95,
    overdispersion: float = 0.0,
    monte_carlo: bool = True,
) -> list[CountComparison]:
    """The comparison of two actors in many periods: of each, the laws of n_A - n_B in its stories, from S samples, as
    `difference_laws` gives them; see `compare_counts`."""
    shifts, moved = zip(*map(_shift_laws, laws), strict=True) if laws else ((), ())
    if overdispersion == 0.0:
        sums = sums_of_counts(moved)
    else:
        sums = [sum_law(laws_of_kind, overdispersion=overdispersion) for laws_of_kind in moved]
    comparisons = []
    for sample_laws, zero, distribution in zip(laws, shifts, sums, strict=True):
        low, high = distribution.interval(level)
        pmf, reach = distribution.pmf, sample_laws.shape[1] // 2
        more, fewer = float(pmf[zero + 1 :].sum()), float(pmf[:zero].sum())
        intervals = [(math.nan, math.nan)] * 2
        if monte_carlo:
            middle, share = reach * len(sample_laws), cause_share(sample_laws, overdispersion)
            errors = monte_carlo_errors(sample_laws, middle + 1, middle - 1, n_samples=n_samples, share=share)
            intervals = [error_interval(p, error, level=level) for p, error in zip((more, fewer), errors, strict=True)]
        comparison = CountComparison(
            more=more,
            equal=float(pmf[zero : zero + 1].sum()),
            fewer=fewer,
            mean=float((sample_laws @ np.arange(-reach, reach + 1)).sum()),
            low=float(low - zero),
            high=float(high - zero),
            more_interval=intervals[0],
            fewer_interval=intervals[1],
        )
        comparisons.append(comparison)
    return comparisons


def _shift_laws(laws: Floats) -> tuple[int, Floats]:
    """How far below 0 the sum may be, and the distributions on -r … r shifted so that each begins at its least
    value."""
    reach = laws.shape[1] // 2
    first = np.minimum((laws > 0).argmax(axis=1), reach)
    wide = np.concatenate([laws, np.zeros((len(laws), reach))], axis=1)
    moved = np.take_along_axis(wide, first[:, np.newaxis] + np.arange(laws.shape[1]), axis=1)
    used = np.flatnonzero(moved[:, 1:].any(axis=0))
    return int((reach - first).sum()), moved[:, : 2 + (int(used[-1]) if len(used) else 0)]


def _units(probabilities: Floats, stories: Integers) -> Floats | None:
    """The distributions (U, K) of stories, in which documents with larger probabilities come first; None if all
    differ."""
    firsts, unit, members = np.unique(stories, return_inverse=True, return_counts=True)
    if len(firsts) == len(stories):
        return None
    order = np.lexsort((-probabilities, unit))
    starts = np.cumsum(members) - members
    reached = np.zeros((len(firsts), int(members.max()) + 2))  # P(story adds k or more)
    reached[:, 0] = 1.0
    reached[unit[order], 1 + np.arange(len(unit)) - starts[unit[order]]] = probabilities[order]
    return np.asarray(-np.diff(reached, axis=1))
