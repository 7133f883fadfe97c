"""Krippendorff's alpha for nominal labels, from the number of times that each unit was given each value."""

from __future__ import annotations

import numpy as np

from howsure.inputs.pairs import Floats


def pairable_sums(counts: Floats) -> tuple[Floats, Floats]:
    """Return the terms of alpha for each unit: its disagreement (units,) and its counts of values (units, values).

    counts (units, values): the number of coders n_c who gave a unit each value c. The disagreement is
    Σ_{c≠k} n_c n_k / (m - 1), with m = Σ n_c. Units with m < 2 cannot be compared; both of their terms are 0.
    """
    m = counts.sum(axis=1)
    pairable = m >= 2
    observed = np.where(pairable, m**2 - (counts**2).sum(axis=1), 0.0) / np.where(pairable, m - 1.0, 1.0)
    return observed, counts * pairable[:, np.newaxis]


def alpha(observed: Floats, values: Floats) -> Floats:
    """Krippendorff's α = 1 - (n - 1) D / Σ_{c≠k} N_c N_k, from the terms of `pairable_sums` summed over units.

    observed (…): the summed disagreements D. values (…, values): the summed counts N_c, with n = Σ N_c. The result (…)
    is NaN if all values are the same, since agreement by chance is then perfect.

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
