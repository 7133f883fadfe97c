"""Krippendorff's alpha for labels without an order, from how often each unit was given each value."""

from __future__ import annotations

import numpy as np

from howsure.inputs.pairs import Floats


def pairable_sums(counts: Floats) -> tuple[Floats, Floats]:
    """What alpha needs of each unit: its disagreement, and its values.

    counts (units, values): how many coders gave a unit each value. A unit with fewer than two values says nothing, and
    has zeros. Disagreement: Σ_{c≠k} n_c n_k / (m - 1) with m = Σ n_c.
    """
    m = counts.sum(axis=1)
    pairable = m >= 2
    observed = np.where(pairable, m**2 - (counts**2).sum(axis=1), 0.0) / np.where(pairable, m - 1.0, 1.0)
    return observed, counts * pairable[:, np.newaxis]


def alpha(observed: Floats, values: Floats) -> Floats:
    """α = 1 - (n - 1) D / Σ_{c≠k} N_c N_k of sums over units: D (…) of disagreement, N (…, values) of values, n = Σ N.

    NaN where all values are the same: nothing varies, so nothing can agree by more than chance.

    >>> observed, values = pairable_sums(np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]]))
    >>> float(alpha(observed.sum(), values.sum(axis=0)).round(3))
    0.444

    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, for nominal data.
    """
    n = values.sum(axis=-1)
    by_chance = n**2 - (values**2).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        coefficient: Floats = np.where(by_chance > 0, 1.0 - (n - 1.0) * observed / by_chance, np.nan)
    return coefficient
