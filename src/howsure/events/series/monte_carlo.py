"""The Monte Carlo error of a probability of a sum, given that each unit's distribution is known from only S samples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from howsure.events.series.dependence import given_cause
from howsure.inputs.pairs import Floats
from howsure.stats.proportions import normal_quantile

NEGLIGIBLE = 1e-15  # far below what is told of a standard error
Law = tuple[Floats, int]  # of a count, and its least value


def monte_carlo_errors(
    laws: Floats, least: int, most: int, *, n_samples: int, share: float = 0.0
) -> tuple[float, float]:
    """The standard errors of P(X_1 + … + X_U ≥ least) and of P(… ≤ most), each unit's law (U, K) from S samples.

    The delta method: g_u(k), the change in the probability if unit u adds k, has the variance Σ_k f_u(k) (g_u(k) -
    ḡ_u)² / S; units are drawn independently, so variances add. f_u has one additional sample, spread over the K values,
    so that a unit whose samples all agree does not count as certain. `share` is that of the common cause (see
    `law_of_sum`), taken as given.

    >>> round(monte_carlo_errors(np.array([[0.5, 0.5]]), 1, 0, n_samples=100)[0], 3)
    0.05
    """
    kinds, members = np.unique(laws, axis=0, return_counts=True)  # of one law there are many units
    width = laws.shape[1]
    gains = np.zeros((2, len(kinds), width))
    start = np.array([[least], [most + 1]]) - np.arange(width)  # what the others must reach beside each value of a unit
    step = 1.0 / n_samples
    moved = (1.0 - step) * kinds[:, np.newaxis] + step * np.eye(width)  # (·, K, K): one sample more in place k
    for (weight, given), (_, nudged) in zip(given_cause(kinds, share), given_cause(moved, share), strict=True):
        groups = [[(law, 0)] * n for law, n in zip(given, members.tolist(), strict=True)]
        for kind, (rest, lowest) in enumerate(_sums_of_others(groups)):
            above = np.concatenate([[0.0], np.cumsum(rest[::-1])])[::-1]  # P(rest ≥ lowest + place)
            reached = above.take(start - lowest, mode="clip")
            reached[1] = 1.0 - reached[1]
            gains[:, kind] += weight * (reached @ (nudged[kind] - given[kind]).T) / step
    known = (n_samples * kinds + 1.0 / width) / (n_samples + 1)
    middle = (known * gains).sum(axis=2, keepdims=True)
    variances = (known * (gains - middle) ** 2).sum(axis=2) @ members / n_samples
    errors = np.sqrt(variances)
    return float(errors[0]), float(errors[1])


def interval_of(probability: float, error: float, *, level: float) -> tuple[float, float]:
    """The probability plus and minus the number of standard errors for the level, within [0, 1]."""
    reach = normal_quantile(level) * error
    return max(0.0, probability - reach), min(1.0, probability + reach)


def _sums_of_others(groups: list[list[Law]]) -> Iterator[Law]:
    """For each group of equal distributions in turn, the distribution of the sum without one of them."""
    if not groups:
        return
    levels = [[_total(group) for group in groups]]
    while len(levels[-1]) > 1:
        levels.append(_in_pairs(levels[-1]))
    for group, outside in zip(groups, _outside(levels, 0, (np.ones(1), 0)), strict=True):
        yield _sum(outside, _total(group[1:])) if len(group) > 1 else outside


def _outside(levels: list[list[Law]], place: int, outside: Law) -> Iterator[Law]:
    """For each group below a place of the last level, the sum of all others: those outside and the other branches."""
    if len(levels) == 1:
        yield outside
        return
    below, one, other = levels[:-1], 2 * place, 2 * place + 1
    if other == len(below[-1]):
        yield from _outside(below, one, outside)
    else:
        yield from _outside(below, one, _sum(outside, below[-1][other]))
        yield from _outside(below, other, _sum(outside, below[-1][one]))


def _total(laws: list[Law]) -> Law:
    while len(laws) > 1:
        laws = _in_pairs(laws)
    return laws[0]


def _in_pairs(laws: list[Law]) -> list[Law]:
    """The sums of neighbours; the last of an odd number stays alone."""
    pairs = [_sum(one, other) for one, other in zip(laws[::2], laws[1::2], strict=False)]
    return pairs + laws[2 * len(pairs) :]


def _sum(one: Law, other: Law) -> Law:
    """The distribution of a sum, without negligible values."""
    law, lowest = np.convolve(one[0], other[0]), one[1] + other[1]
    if law[0] >= NEGLIGIBLE <= law[-1]:
        return law, lowest
    worth = np.flatnonzero(law >= NEGLIGIBLE)
    return law[worth[0] : worth[-1] + 1], lowest + int(worth[0])
