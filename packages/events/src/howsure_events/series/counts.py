"""The posterior distribution of a count over documents that may depend on each other, and its Monte Carlo error."""

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

# Documents of one story are perfectly dependent; different stories are independent, or have a given correlation within
# a period. A document's own distribution is that of its samples. `laws` (U, K) are the distributions of U units
# (documents, or stories of several documents): the probability that the unit adds k to the count, for k = 0 … K - 1.

REACH, STEP = 6.0, 0.4  # range and step of the grid over the common cause, in standard deviations
CAUSE_SHARES = 0.5, 0.999  # upper limits of `cause_share`: the first to try, and the last


def story_sums(samples: Integers, stories: Integers) -> Integers:
    """Sum the samples (D, S) of documents within each story, and return them as (stories, S).

    stories (D,): the story of each document. The documents of a story are as dependent as their distributions allow
    (comonotone), so that an uncertain mention is resolved in the same way in all of them: the sorted samples of the
    documents are added. The mean of the sum is unchanged; standard deviations add. A story of one document keeps its
    samples; the sums of other stories are put into a random order, with a seed of their own.

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
    """Return the distributions (U, size) of units from their samples (U, S), non-negative integers below `size`."""
    width = int(samples.max(initial=1)) + 1 if size is None else size
    places = samples + width * np.arange(len(samples))[:, np.newaxis]
    counts = np.bincount(places.ravel(), minlength=width * len(samples)).reshape(len(samples), width)
    return np.asarray(counts / samples.shape[1])


def sum_law(laws: Floats, *, overdispersion: float = 0.0) -> CountDistribution:
    """Return the distribution of the sum of units whose pairs have the correlation ρ = `overdispersion`.

    With ρ = 0, units are independent. Otherwise they depend on a common standard normal variable z:
    P(X_u ≤ k | z) = Φ((Φ⁻¹(P(X_u ≤ k)) - √r z) / √(1 - r)). The parameter r is chosen so that the variance of the sum
    is Σ v + ρ ((Σ √v)² - Σ v), with v the variances of the units, or as close to it as their distributions allow. The
    distribution of each unit, and the mean of the sum, do not depend on ρ.

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
    """Yield (weight, conditional distributions (…, U, K) of the units) for each value of the common variable z."""
    if share == 0.0:
        yield 1.0, laws
        return
    edges = _edges(laws)
    for weight, value in _grid(share):
        yield weight, np.diff(_conditional_probabilities(edges, value, share), axis=-1, prepend=0.0, append=1.0)


def cause_share(laws: Floats, overdispersion: float) -> float:
    """Return the parameter r of `sum_law`: the share of the common variable z in each unit's latent variable."""
    values = np.arange(laws.shape[1])
    means = laws @ values
    variances = np.maximum(laws @ values**2 - means**2, 0.0)
    pairs = float(np.sqrt(variances).sum()) ** 2 - float(variances.sum())
    if overdispersion == 0.0 or pairs <= 0.0:
        return 0.0
    from scipy.optimize import brentq

    edges = _edges(laws)

    def shortfall(share: float) -> float:
        """Return by how much the sum of the covariances of all pairs falls short of its target."""
        if share == 0.0:
            return overdispersion * pairs
        covariances = 0.0
        for weight, value in _grid(share):
            conditional_means = edges.shape[1] - _conditional_probabilities(edges, value, share).sum(axis=1) - means
            covariances += weight * (float(conditional_means.sum()) ** 2 - float(conditional_means @ conditional_means))
        return overdispersion * pairs - covariances

    for upper in CAUSE_SHARES:
        if shortfall(upper) < 0.0:
            return float(brentq(shortfall, 0.0, upper, xtol=1e-9))
    return CAUSE_SHARES[-1]


def _edges(laws: Floats) -> Floats:
    """Φ⁻¹(P(X ≤ k)) for all k except the last."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(np.cumsum(laws, axis=-1)[..., :-1], 0.0, 1.0)))


def _conditional_probabilities(edges: Floats, value: float, share: float) -> Floats:
    """Return P(X ≤ k) given a value of the common variable z."""
    from scipy.special import ndtr

    return np.asarray(ndtr((edges - math.sqrt(share) * value) / math.sqrt(1.0 - share)))


def _grid(share: float) -> list[tuple[float, float]]:
    """Return (weight, value) of the common variable z on a grid, which is finer if the `share` of z is larger."""
    step = min(STEP, 0.8 * math.sqrt((1.0 - share) / share))
    values = np.arange(-REACH, REACH + step / 2, step)
    weights = np.exp(-(values**2) / 2)
    return list(zip((weights / weights.sum()).tolist(), values.tolist(), strict=True))


def check_overdispersion(value: float) -> float:
    """Return a valid correlation, at least 0 and below 1, as float."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0.0 <= value < 1.0:
        raise InputError(
            f"overdispersion must be a correlation from 0 to below 1; it is {value!r}. With 0, documents of "
            "different stories are independent."
        )
    return float(value)


NEGLIGIBLE = 1e-15  # far below the precision of a standard error
Law = tuple[Floats, int]  # probabilities of successive values of a count, and the smallest value


def monte_carlo_errors(
    laws: Floats, least: int, most: int, *, n_samples: int, share: float = 0.0
) -> tuple[float, float]:
    """Return the Monte Carlo standard errors of P(X_1 + … + X_U ≥ least) and of P(X_1 + … + X_U ≤ most).

    laws (U, K): the distribution f_u of each unit's count X_u, estimated from S = n_samples samples. By the delta
    method, unit u contributes the variance Σ_k f_u(k) (g_u(k) - ḡ_u)² / S, where g_u(k) is the probability of the event
    given X_u = k, and ḡ_u the mean of g_u(k) under f_u. Units are sampled independently, so their variances add. f_u
    includes one additional sample, spread over the K values, so that a unit whose samples all agree does not count as
    certain. share: the parameter r of `sum_law`, treated as known.

    >>> round(monte_carlo_errors(np.array([[0.5, 0.5]]), 1, 0, n_samples=100)[0], 3)
    0.05
    """
    distributions, multiplicity = np.unique(laws, axis=0, return_counts=True)  # many units have the same distribution
    n_values = laws.shape[1]
    effects = np.zeros((2, len(distributions), n_values))
    start = np.array([[least], [most + 1]]) - np.arange(n_values)  # the least sum of the other units
    step = 1.0 / n_samples
    more_weight = (1.0 - step) * distributions[:, np.newaxis] + step * np.eye(n_values)  # (·, K, K): on value k
    for (weight, conditional), (_, nudged) in zip(
        laws_given_cause(distributions, share), laws_given_cause(more_weight, share), strict=True
    ):
        groups = [[(law, 0)] * n for law, n in zip(conditional, multiplicity.tolist(), strict=True)]
        for index, (sum_of_others, lowest) in enumerate(_leave_one_out_sums(groups)):
            survival = np.concatenate([[0.0], np.cumsum(sum_of_others[::-1])])[::-1]  # P(sum ≥ lowest + i)
            reach_probability = survival.take(start - lowest, mode="clip")
            reach_probability[1] = 1.0 - reach_probability[1]
            effects[:, index] += weight * (reach_probability @ (nudged[index] - conditional[index]).T) / step
    smoothed = (n_samples * distributions + 1.0 / n_values) / (n_samples + 1)
    mean_effect = (smoothed * effects).sum(axis=2, keepdims=True)
    variances = (smoothed * (effects - mean_effect) ** 2).sum(axis=2) @ multiplicity / n_samples
    errors = np.sqrt(variances)
    return float(errors[0]), float(errors[1])


def error_interval(probability: float, error: float, *, level: float) -> tuple[float, float]:
    """Return the normal interval of a probability with a standard error, within [0, 1]."""
    reach = normal_quantile(level) * error
    return max(0.0, probability - reach), min(1.0, probability + reach)


def _leave_one_out_sums(groups: list[list[Law]]) -> Iterator[Law]:
    """Yield, for each group of equal distributions, the distribution of the sum of all units but one of the group."""
    if not groups:
        return
    levels = [[_total(group) for group in groups]]
    while len(levels[-1]) > 1:
        levels.append(_sum_neighbours(levels[-1]))
    for group, outside in zip(groups, _outside(levels, 0, (np.ones(1), 0)), strict=True):
        yield _sum(outside, _total(group[1:])) if len(group) > 1 else outside


def _outside(levels: list[list[Law]], place: int, outside: Law) -> Iterator[Law]:
    """Yield, for each leaf of a binary tree of sums, the distribution of the sum of all other leaves.

    levels: the levels of the tree, beginning with the leaves. place: the index of a node of the last level; only leaves
    below this node are yielded. outside: the sum of all leaves that are not below this node.
    """
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
    """Sum neighbouring pairs; if the number is odd, the last one is kept as it is."""
    pairs = [_sum(first, other) for first, other in zip(laws[::2], laws[1::2], strict=False)]
    return pairs + laws[2 * len(pairs) :]


def _sum(first: Law, second: Law) -> Law:
    """Return the distribution of the sum of two counts, without negligible probabilities at its ends."""
    sum_, lowest = np.convolve(first[0], second[0]), first[1] + second[1]
    if sum_[0] >= NEGLIGIBLE <= sum_[-1]:
        return sum_, lowest
    kept = np.flatnonzero(sum_ >= NEGLIGIBLE)
    return sum_[kept[0] : kept[-1] + 1], lowest + int(kept[0])


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
    """The posterior of n_A - n_B: P(n_A > n_B), P(n_A = n_B), P(n_A < n_B), its mean, and its exact interval.

    more_interval, fewer_interval: intervals of the Monte Carlo error of `more` and `fewer`, because the distribution of
    each document is known only from samples; NaN if not requested.
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
    """Return mean, interval and variance of a Poisson-binomial count.

    probabilities (D,): the probability of an event in each document. n_samples: if the probabilities are proportions of
    S samples, the variance is multiplied by S/(S - 1) to make it unbiased. stories (D,): the story of each document,
    within which documents are perfectly dependent. overdispersion: the correlation of different stories (`sum_law`).

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
    """Return the counts of many cells; each is a pair of arguments of `count_from_probabilities`."""
    positive_probabilities, laws = [], []
    for probabilities, stories in cells:
        possible = probabilities > 0.0
        p = probabilities[possible]
        units = None if stories is None else _units(p, stories[possible])
        positive_probabilities.append(p)
        laws.append(np.column_stack([1.0 - p, p]) if units is None else units)
    if overdispersion == 0.0:
        distributions = sums_of_counts(laws)
    else:
        distributions = [sum_law(law, overdispersion=overdispersion) for law in laws]
    counts = []
    for p, distribution in zip(positive_probabilities, distributions, strict=True):
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
    """Return the posterior of the sum over D documents of a count per document, from samples (D, S).

    interval: "exact", "normal" or "samples", as in `event_series`. stories, overdispersion: as in
    `count_from_probabilities`. Raises InputError for "samples" with an overdispersion.
    """
    n_samples = samples.shape[1]
    some = samples.any(axis=1)
    active = samples[some]
    mean = float(active.mean(axis=1).sum())
    error = math.sqrt(float(active.var(axis=1, ddof=1).sum()) / n_samples)
    units = active if stories is None else story_sums(active, stories[some])
    if interval != "exact" and overdispersion == 0.0:  # skip the distribution, which takes time and is not needed
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
        tail = round((1.0 - level) / 2, 12)  # 0.025000000000000022 would select the next sample
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
    """Return the posterior of n_A - n_B, from joint samples a and b (D, S) of the documents' contributions.

    The samples of both actors come from the same clusterings, so the difference of a document has the distribution of
    its joint samples; A and B are not independent. Documents of different stories are independent, or have the
    correlation `overdispersion`; the differences of documents of one story are perfectly dependent (`story_sums`).
    monte_carlo: also compute the intervals of the Monte Carlo error.

    >>> together = np.array([[1, 0, 1, 0]])
    >>> compare_counts(together, together).more
    0.0

    """
    joint = a.astype(np.int64) - b
    laws = difference_laws(joint if stories is None else story_sums(joint, stories))
    options: dict[str, Any] = {"level": level, "overdispersion": overdispersion, "monte_carlo": monte_carlo}
    return compare_laws([laws], n_samples=a.shape[1], **options)[0]


def difference_laws(samples: Integers) -> Floats:
    """Return the distributions (U, 2r + 1) of units on -r … r from their samples (U, S).

    r is the largest absolute value of a sample, at least 1.
    """
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
    """Compare two actors in many periods at once; see `compare_counts`.

    laws: for each period, the distributions of n_A - n_B in its stories, as returned by `difference_laws`. n_samples:
    the number S of samples from which they were computed.
    """
    shifts, shifted = zip(*map(_shift_laws, laws), strict=True) if laws else ((), ())
    if overdispersion == 0.0:
        sums = sums_of_counts(shifted)
    else:
        sums = [sum_law(period_laws, overdispersion=overdispersion) for period_laws in shifted]
    comparisons = []
    for sample_laws, zero, distribution in zip(laws, shifts, sums, strict=True):
        low, high = distribution.interval(level)
        pmf, largest = distribution.pmf, sample_laws.shape[1] // 2
        more, fewer = float(pmf[zero + 1 :].sum()), float(pmf[:zero].sum())
        intervals = [(math.nan, math.nan)] * 2
        if monte_carlo:
            zero_index, share = largest * len(sample_laws), cause_share(sample_laws, overdispersion)
            errors = monte_carlo_errors(sample_laws, zero_index + 1, zero_index - 1, n_samples=n_samples, share=share)
            intervals = [error_interval(p, error, level=level) for p, error in zip((more, fewer), errors, strict=True)]
        comparison = CountComparison(
            more=more,
            equal=float(pmf[zero : zero + 1].sum()),
            fewer=fewer,
            mean=float((sample_laws @ np.arange(-largest, largest + 1)).sum()),
            low=float(low - zero),
            high=float(high - zero),
            more_interval=intervals[0],
            fewer_interval=intervals[1],
        )
        comparisons.append(comparison)
    return comparisons


def _shift_laws(laws: Floats) -> tuple[int, Floats]:
    """Shift distributions on -r … r so that each starts at its smallest value.

    Returns the sum of these shifts, which is the index of 0 in the distribution of the sum, and the distributions.
    """
    largest = laws.shape[1] // 2
    first = np.minimum((laws > 0).argmax(axis=1), largest)
    padded = np.concatenate([laws, np.zeros((len(laws), largest))], axis=1)
    shifted = np.take_along_axis(padded, first[:, np.newaxis] + np.arange(laws.shape[1]), axis=1)
    used = np.flatnonzero(shifted[:, 1:].any(axis=0))
    return int((largest - first).sum()), shifted[:, : 2 + (int(used[-1]) if len(used) else 0)]


def _units(probabilities: Floats, stories: Integers) -> Floats | None:
    """Return the distributions (U, K) of the counts of stories, whose documents are comonotone.

    Returns None if no story has two documents.
    """
    firsts, unit, members = np.unique(stories, return_inverse=True, return_counts=True)
    if len(firsts) == len(stories):
        return None
    order = np.lexsort((-probabilities, unit))
    starts = np.cumsum(members) - members
    reached = np.zeros((len(firsts), int(members.max()) + 2))  # P(story adds k or more)
    reached[:, 0] = 1.0
    reached[unit[order], 1 + np.arange(len(unit)) - starts[unit[order]]] = probabilities[order]
    return np.asarray(-np.diff(reached, axis=1))
