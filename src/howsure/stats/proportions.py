"""Intervals for a proportion."""

from __future__ import annotations

import numpy as np

from howsure.inputs.pairs import Floats


def normal_quantile(level: float) -> float:
    """z such that a standard normal variable lies within ± z with probability `level`.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2))


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
