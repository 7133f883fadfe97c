"""p by BooStSa's rule for every share it allows, beside p of tests that need no share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.significance import compare

SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
FULL, EXACT = "full size", "permutation"
ALPHA = 0.05
Columns = tuple[Any, Any, Any]  # targets, baseline, model


def share_name(share: float) -> str:
    """The rule with one share, as a column of a table.

    >>> share_name(0.1)
    'share 0.1'
    """
    return f"share {share:g}"


TESTS = (*map(share_name, SHARES), FULL, EXACT)


def p_values(columns: Columns, metrics: Sequence[str], *, loops: int, seed: int) -> Floats:
    """p of every test and metric, one-sided as BooStSa's is: (tests, metrics)."""
    one: dict[str, Any] = {"metrics": list(metrics), "interval": None, "rng": seed, "n_resamples": loops}
    compared = [compare(*columns, method="boostsa", sample_size=share, **one) for share in SHARES]
    compared += [compare(*columns, method=m, alternative="better", **one) for m in ("bootstrap", "permutation")]
    return np.array([[row.p_value for row in result] for result in compared])
