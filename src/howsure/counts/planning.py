"""How many labels a count needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.counts.strata import LEAST_SPREAD, bands_of, planned_spread
from howsure.errors import InputError
from howsure.inputs.checks import check_level, check_probabilities
from howsure.inputs.naming import unknown_name
from howsure.inputs.numbers import is_number
from howsure.stats.proportions import normal_quantile

DESIGNS = ("stratified", "simple")


def labels_needed(y_prob: Any, *, width: float, design: str = "stratified", level: float = 0.95) -> int:
    """How many labels to draw so that the interval of the total is about `width` wide, planned from the scores.

    With Neyman allocation n = (Σ N_h s_h)² / ((width / 2z)² + Σ N_h s_h²), s_h = √(p̄ (1 - p̄)) of the mean score of
    band h but at least 0.25: scores alone cannot know what they miss, and where they miss much the interval gets wider
    than planned. "simple" has one band. The plan is for labels and strata without the proxy. Source: Cochran (1977),
    section 5.9.

    >>> import numpy as np
    >>> labels_needed(np.full(10_000, 0.1), width=1_000)
    137

    Raises InputError unless the width is positive and the design one of these.
    """
    score = check_probabilities(y_prob)
    if not is_number(width) or not 0 < width < np.inf:
        raise InputError(f"width must be a positive number of units; it is {width!r}.")
    if design not in DESIGNS:
        raise unknown_name("design", design, DESIGNS, place="plans for labels")
    codes = bands_of(score)[0] if design == "stratified" else np.zeros(len(score), dtype=np.int64)
    bands = int(codes.max()) + 1
    size = np.bincount(codes, minlength=bands)
    spread = np.maximum(planned_spread(score, codes, bands), LEAST_SPREAD)
    wanted = (width / (2.0 * normal_quantile(check_level(level)))) ** 2
    needed = float((size * spread).sum() ** 2 / (wanted + (size * spread**2).sum()))
    return min(max(int(np.ceil(needed)), 2 * bands), len(score))
