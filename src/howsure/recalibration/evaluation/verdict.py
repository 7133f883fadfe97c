"""Does recalibration help? The verdict on an improvement, and the rows that it would take."""

from __future__ import annotations

import math

from howsure.stats.estimate import Estimate
from howsure.stats.proportions import normal_quantile

IMPROVES, NO_HELP, CANNOT_TELL, WORSE = "improves", "does not help", "cannot tell", "makes it worse"
MARGIN = 0.01  # a calibration error that is not worth removing
POWER = 0.8416  # the normal quantile of 0.8


def verdict_kind(improvement: Estimate, margin: float) -> str:
    """The verdict on an improvement of the Brier score.

    "improves": the interval lies above 0. "makes it worse": it lies below 0. "does not help": it contains 0 and lies
    below margin², what removing a calibration error of `margin` gains. "cannot tell": it contains both.

    >>> [verdict_kind(Estimate(0.0, low, high, 0.95, "", 9), 0.01) for low, high in ((1e-5, 1), (-1, 5e-5), (-1, 1))]
    ['improves', 'does not help', 'cannot tell']
    """
    low, high = improvement.low, improvement.high
    if low is None or high is None:
        return CANNOT_TELL
    if low > 0:
        return IMPROVES
    if high < 0:
        return WORSE
    return NO_HELP if high < margin**2 else CANNOT_TELL


def p_value_of(improvement: Estimate) -> float:
    """The two-sided p-value of no improvement, from the interval: normal, as wide as the interval on the side of 0."""
    from scipy.special import ndtr

    value, low, high = improvement.value, improvement.low, improvement.high
    if low is None or high is None or math.isnan(value):
        return math.nan
    reach = value - low if value > 0 else high - value
    if reach <= 0:
        return 1.0 if value == 0 else 0.0
    return float(2 * ndtr(-abs(value) / reach * normal_quantile(improvement.level)))


def rows_needed(improvement: Estimate, margin: float) -> int | None:
    """About how many rows would lead to "improves" or to "does not help" in four of five data sets, if the improvement
    is what was seen: intervals shrink with the square root of the rows. None if it is unknown."""
    value, low, high = improvement.value, improvement.low, improvement.high
    if low is None or high is None:
        return None
    farther = 1 + POWER / normal_quantile(improvement.level)
    ways = [(value - low, value)] if value > 0 else []
    ways += [(high - value, margin**2 - value)] if value < margin**2 else []
    return math.ceil(min(improvement.n * (farther * reach / distance) ** 2 for reach, distance in ways))
