"""How far a probability of a sum may be off since each unit's law is known by S samples only."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from howsure.events.dependence import given_cause
from howsure.stats.pairs import Floats
from howsure.stats.proportions import normal_quantile


def monte_carlo_errors(
    laws: Floats, least: int, most: int, *, n_samples: int, share: float = 0.0
) -> tuple[float, float]:
    """The standard errors of P(X_1 + … + X_U ≥ least) and of P(… ≤ most), each unit's law (U, K) from S samples.

    The delta method: g_u(k), how much the probability gains where unit u adds k instead of what its law says, has the
    variance Σ_k f_u(k) (g_u(k) - ḡ_u)² / S; units are drawn independently, so variances add. f_u has one more sample,
    spread over the K values, so that a unit whose samples agree is not taken as known for certain. `share` is that of
    the common cause (see `law_of_sum`), taken as given.

    >>> round(monte_carlo_errors(np.array([[0.5, 0.5]]), 1, 0, n_samples=100)[0], 3)
    0.05
    """
    n_units, width = laws.shape
    gains = np.zeros((2, n_units, width))
    step = 1.0 / n_samples
    moved = (1.0 - step) * laws[:, np.newaxis] + step * np.eye(width)  # (U, K, K): one sample more in place k
    for (weight, given), (_, nudged) in zip(given_cause(laws, share), given_cause(moved, share), strict=True):
        for unit, rest in enumerate(_sums_of_others(list(given))):
            above = np.concatenate([[0.0], np.cumsum(rest[::-1])])  # P(rest ≥ n - j) by j + 1
            reached = (
                [_tail(above, least - k) for k in range(width)],
                [1.0 - _tail(above, most + 1 - k) for k in range(width)],
            )
            gains[:, unit] += weight * (np.array(reached) @ (nudged[unit] - given[unit]).T) / step
    known = (n_samples * laws + 1.0 / width) / (n_samples + 1)
    middle = (known * gains).sum(axis=2, keepdims=True)
    errors = np.sqrt((known * (gains - middle) ** 2).sum(axis=(1, 2)) / n_samples)
    return float(errors[0]), float(errors[1])


def interval_of(probability: float, error: float, *, level: float) -> tuple[float, float]:
    """The probability plus and minus as many standard errors as the level asks for, within [0, 1]."""
    reach = normal_quantile(level) * error
    return max(0.0, probability - reach), min(1.0, probability + reach)


def _tail(above: Floats, value: int) -> float:
    """P(count ≥ value)."""
    return float(above[min(max(len(above) - 1 - value, 0), len(above) - 1)])


def _sums_of_others(laws: list[Floats]) -> Iterator[Floats]:
    """For each law in turn the law of the sum of all others, by halves."""
    return _within(laws, np.ones(1)) if laws else iter(())


def _within(laws: list[Floats], outside: Floats) -> Iterator[Floats]:
    if len(laws) == 1:
        yield outside
        return
    half = len(laws) // 2
    first, second = laws[:half], laws[half:]
    yield from _within(first, np.convolve(outside, _total(second)))
    yield from _within(second, np.convolve(outside, _total(first)))


def _total(laws: list[Floats]) -> Floats:
    while len(laws) > 1:
        pairs = [np.convolve(one, other) for one, other in zip(laws[::2], laws[1::2], strict=False)]
        laws = pairs + laws[2 * len(pairs) :]
    return laws[0]
