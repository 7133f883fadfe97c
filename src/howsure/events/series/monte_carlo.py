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
    step = 1.0 / n_samples
    moved = (1.0 - step) * kinds[:, np.newaxis] + step * np.eye(width)  # (·, K, K): one sample more in place k
    for (weight, given), (_, nudged) in zip(given_cause(kinds, share), given_cause(moved, share), strict=True):
        groups = [[(law, 0)] * n for law, n in zip(given, members.tolist(), strict=True)]
        for kind, (rest, lowest) in enumerate(_sums_of_others(groups)):
            above = np.concatenate([[0.0], np.cumsum(rest[::-1])])[::-1]  # P(rest ≥ lowest + place)
            values = np.arange(width) + lowest
            reached = (
                above[np.clip(least - values, 0, len(rest))],
                1.0 - above[np.clip(most + 1 - values, 0, len(rest))],
            )
            gains[:, kind] += weight * (np.array(reached) @ (nudged[kind] - given[kind]).T) / step
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
    """For each group of equal distributions in turn, the distribution of the sum without one of them, by halves."""
    totals = [_total(group) for group in groups]
    return _within(groups, totals, (np.ones(1), 0)) if groups else iter(())


def _within(groups: list[list[Law]], totals: list[Law], outside: Law) -> Iterator[Law]:
    if len(groups) == 1:
        yield _sum(outside, _total(groups[0][1:])) if len(groups[0]) > 1 else outside
        return
    half = len(groups) // 2
    yield from _within(groups[:half], totals[:half], _sum(outside, _total(totals[half:])))
    yield from _within(groups[half:], totals[half:], _sum(outside, _total(totals[:half])))


def _total(laws: list[Law]) -> Law:
    while len(laws) > 1:
        pairs = [_sum(one, other) for one, other in zip(laws[::2], laws[1::2], strict=False)]
        laws = pairs + laws[2 * len(pairs) :]
    return laws[0]


def _sum(one: Law, other: Law) -> Law:
    """The distribution of a sum, without negligible values."""
    law = np.convolve(one[0], other[0])
    worth = np.flatnonzero(law >= NEGLIGIBLE)
    return law[worth[0] : worth[-1] + 1], one[1] + other[1] + int(worth[0])
