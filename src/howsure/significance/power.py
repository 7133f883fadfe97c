"""How many items are needed? The power of the tests of accuracy, summed over all outcomes."""

from __future__ import annotations

import math

import numpy as np

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import check_level
from howsure.significance.metrics.metric import Floats

REACH = 10.0  # standard deviations of the number of disagreements that are summed over
POINTS = 1001  # of these numbers that are summed over at most: where there are more, the power is smooth in them
LARGEST = 10**9
SIDES = {"two-sided": 2, "better": 1}
TESTS = ("permutation", "mcnemar")


def detection_power(
    n: int,
    disagreement: float,
    difference: float,
    *,
    level: float = 0.95,
    alternative: str = "two-sided",
    method: str = "permutation",
) -> float:
    """The probability that a test detects a true difference in accuracy.

    Of n items, only one system is right on a share `disagreement`, and the accuracy of the model exceeds that of the
    baseline by `difference`. The number of disagreements is Binomial(n, disagreement); given it, the number won by the
    model is binomial with probability (1 + difference / disagreement) / 2. `method` is that of `compare`: `permutation`
    (its default, exact for independent items) or `mcnemar` (mid-p, which has slightly more power).
    The test detects a difference if p ≤ 1 - `level`.

    >>> round(detection_power(1000, 0.1, 0.02), 3)
    0.479
    >>> round(detection_power(1000, 0.1, 0.02, method="mcnemar"), 3)
    0.515
    >>> round(detection_power(1000, 0.1, 0.02, alternative="better"), 3)
    0.603

    Raises InputError for a share outside [0, 1] or a difference larger than the disagreement.
    """
    from scipy.special import bdtr, gammaln, xlogy

    alpha = _alpha(disagreement, level, alternative, method)
    if not 0 <= difference <= disagreement:
        raise InputError(f"difference must lie in [0, disagreement = {disagreement}]; it is {difference!r}.")
    if not 1 <= n <= LARGEST:
        raise InputError(f"n must be a whole number from 1 to {LARGEST:,}; it is {n!r}.")
    mean, spread = n * disagreement, math.sqrt(n * disagreement * (1 - disagreement))
    low, high = max(0, math.floor(mean - REACH * spread)), min(n, math.ceil(mean + REACH * spread))
    seen = np.unique(np.round(np.linspace(low, high, min(high - low + 1, POINTS))))
    law = np.exp(
        gammaln(n + 1)
        - gammaln(seen + 1)
        - gammaln(n - seen + 1)
        + xlogy(seen, disagreement)
        + xlogy(n - seen, 1 - disagreement)
    )
    allowed = _most_lost(seen, alpha / SIDES[alternative], mid=method == "mcnemar")
    lost = (1 - difference / disagreement) / 2
    found = np.where(allowed >= 0, bdtr(np.maximum(allowed, 0), seen.astype(int), lost), 0.0)
    if alternative == "two-sided":
        found = found + np.where(allowed >= 0, bdtr(np.maximum(allowed, 0), seen.astype(int), 1 - lost), 0.0)
    return float((law * found).sum() / law.sum())


def minimum_detectable_difference(
    n: int,
    disagreement: float,
    *,
    power: float = 0.8,
    level: float = 0.95,
    alternative: str = "two-sided",
    method: str = "permutation",
) -> float:
    """The smallest true difference in accuracy that n items detect with a given power; NaN if there is none.

    `disagreement` is the share of items on which only one system is right; for two versions of a model, it is often .05
    to .2. Halving the test set does not double the detectable difference, which is inversely proportional to the square
    root of n.

    >>> round(minimum_detectable_difference(1000, 0.1), 4)
    0.0287
    >>> round(minimum_detectable_difference(10_000, 0.1), 4)
    0.0089

    Raises InputError as `detection_power` does.
    """
    _check_share("power", power)
    if detection_power(n, disagreement, disagreement, level=level, alternative=alternative, method=method) < power:
        return math.nan
    low, high = 0.0, disagreement
    for _ in range(40):
        middle = (low + high) / 2
        enough = detection_power(n, disagreement, middle, level=level, alternative=alternative, method=method) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def required_sample_size(
    difference: float,
    disagreement: float,
    *,
    power: float = 0.8,
    level: float = 0.95,
    alternative: str = "two-sided",
    method: str = "permutation",
) -> int:
    """The number of items that find a true difference in accuracy with some power.

    >>> required_sample_size(0.02, 0.1)
    2043

    Raises InputError as `detection_power` does, or if more than a thousand million items are needed.
    """
    _check_share("power", power)
    if difference <= 0:
        raise InputError(f"difference must be more than 0; it is {difference!r}.")

    def enough(n: int) -> bool:
        return (
            detection_power(n, disagreement, difference, level=level, alternative=alternative, method=method) >= power
        )

    low, high = 0, 16
    while not enough(high):
        low, high = high, 2 * high
        if high > LARGEST:
            raise InputError(f"a difference of {difference} needs more than {LARGEST:,} items; look for a larger one.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _most_lost(seen: Floats, tail: float, *, mid: bool) -> Floats:
    """How many of the disagreements a system may lose and still be found better; -1 if not even none."""
    from scipy.special import bdtr, ndtri

    guess = np.floor(seen / 2 + ndtri(tail) * np.sqrt(seen) / 2)
    best = np.full(len(seen), -1.0)
    for step in range(-4, 5):
        k = guess + step
        held = (k >= 0) & (k <= seen)
        k = np.where(held, k, 0.0)
        whole = seen.astype(int)
        p = bdtr(k, whole, 0.5)
        if mid:
            p = (p + np.where(k > 0, bdtr(np.maximum(k - 1, 0), whole, 0.5), 0.0)) / 2
        best = np.where(held & (p <= tail) & (seen > 0), np.maximum(best, k), best)
    return best


def _alpha(disagreement: float, level: float, alternative: str, method: str) -> float:
    """The greatest p that is a finding, 1 - level, once everything is checked."""
    _check_share("disagreement", disagreement)
    if alternative not in SIDES:
        raise InputError(f"alternative must be 'two-sided' or 'better'; it is {alternative!r}.")
    if method not in TESTS:
        raise InputError(f"method must be 'permutation' or 'mcnemar', tests of accuracy; it is {method!r}.")
    return round(1.0 - check_level(level), 12)


def _check_share(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise InputError(f"{name} must lie strictly between 0 and 1; it is {value!r}.")
