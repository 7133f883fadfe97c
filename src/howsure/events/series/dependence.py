"""Dependence between documents: perfect within a story, and a correlation within a period if one is given.

A document's own distribution is that of its samples. `laws` (U, K) are the distributions of units (documents, or
stories of several), P(unit adds k), k = 0 … K - 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from howsure.errors import InputError
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.poisson_binomial import CountDistribution, poisson_binomial, sum_of_counts

REACH, STEP = 6.0, 0.4  # of the grid over the common cause, in standard deviations
STRONGEST = 0.5, 0.999  # share of the common cause: tried first, and at most


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
    held = samples.copy()
    held[shared] = np.sort(samples[shared], axis=1)
    sums = np.zeros((len(firsts), samples.shape[1]), dtype=samples.dtype)
    np.add.at(sums, unit, held)
    for place in np.flatnonzero(members > 1).tolist():
        sums[place] = np.random.default_rng(int(firsts[place])).permutation(sums[place])
    return sums


def laws_of(samples: Integers, *, size: int | None = None) -> Floats:
    """The distributions of units from their samples (U, S) of non-negative integers, with `size` values."""
    width = int(samples.max(initial=1)) + 1 if size is None else size
    places = samples + width * np.arange(len(samples))[:, np.newaxis]
    counts = np.bincount(places.ravel(), minlength=width * len(samples)).reshape(len(samples), width)
    found: Floats = counts / samples.shape[1]
    return found


def law_of_sum(laws: Floats, *, overdispersion: float = 0.0) -> CountDistribution:
    """The distribution of the sum of units whose events have pairwise correlation `overdispersion`, 0 for none.

    Above 0, a common normal variable z affects all of them: P(X_u ≤ k | z) = Φ((Φ⁻¹(P(X_u ≤ k)) - √r z) / √(1 - r)),
    with the r at which the variance of the sum is that of units whose pairs all have that correlation, Σ v + ρ ((Σ √v)²
    - Σ v), or as close as distributions of different shape allow. Each unit keeps its distribution, and the sum its
    mean.

    Source: Vasicek (2002), The distribution of loan portfolio value, for the distribution of the sum.
    """
    found = [(weight, _summed(given)) for weight, given in given_cause(laws, share_of_cause(laws, overdispersion))]
    if len(found) == 1:
        return found[0][1]
    pmf = np.zeros(max(len(one.pmf) for _, one in found))
    for weight, one in found:
        pmf[: len(one.pmf)] += weight * one.pmf
    values = np.arange(len(pmf))
    mean = float(pmf @ values)
    return CountDistribution(pmf, mean, float(pmf @ (values - mean) ** 2))


def given_cause(laws: Floats, share: float) -> Iterator[tuple[float, Floats]]:
    """The distributions of units (…, U, K) given the common cause, for each of its values, with the value's weight."""
    if share == 0.0:
        yield 1.0, laws
        return
    edges = _edges(laws)
    for weight, value in _grid(share):
        yield weight, np.diff(_below(edges, value, share), axis=-1, prepend=0.0, append=1.0)


def share_of_cause(laws: Floats, overdispersion: float) -> float:
    """The r of `law_of_sum`: how much of each unit's hidden variable is the common cause."""
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
        found = 0.0
        for weight, value in _grid(share):
            moved = edges.shape[1] - _below(edges, value, share).sum(axis=1) - means
            found += weight * (float(moved.sum()) ** 2 - float(moved @ moved))
        return overdispersion * pairs - found

    for most in STRONGEST:
        if missing(most) < 0.0:
            return float(brentq(missing, 0.0, most, xtol=1e-9))
    return STRONGEST[-1]


def _edges(laws: Floats) -> Floats:
    """Φ⁻¹(P(X ≤ k)) for all k except the last."""
    from scipy.special import ndtri

    edges: Floats = ndtri(np.clip(np.cumsum(laws, axis=-1)[..., :-1], 0.0, 1.0))
    return edges


def _below(edges: Floats, value: float, share: float) -> Floats:
    """P(X ≤ k) given a value of the common cause."""
    from scipy.special import ndtr

    below: Floats = ndtr((edges - math.sqrt(share) * value) / math.sqrt(1.0 - share))
    return below


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
            f"overdispersion must be a correlation from 0 to below 1; it is {value!r}. 0 takes documents of different "
            "stories as independent."
        )
    return float(value)


def _summed(laws: Floats) -> CountDistribution:
    """The distribution of the sum of independent units; those that add at most 1 are handled together."""
    few = ~laws[:, 2:].any(axis=1)
    pooled = poisson_binomial(np.clip(laws[few, 1], 0.0, 1.0) if few.any() else [])
    return pooled if few.all() else sum_of_counts([pooled.pmf, *laws[~few]])
