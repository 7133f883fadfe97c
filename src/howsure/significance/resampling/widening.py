"""How much wider than its replicates an interval must be, so that it is not too narrow with few or unequal units.

Replicates of m units have (m - 1)/m of the required variance; those of clusters of unequal size have less, since a
large cluster pulls the difference towards itself. The jackknife, which leaves out each unit in turn, errs on the safe
side, and its ratio to the linear approximation that a bootstrap follows corrects for this. With few units, the normal
quantile is too small as well; Student's t replaces it, also for p, with the degrees of freedom of the equivalent number
of equal-sized clusters (MacKinnon, Nielsen & Webb 2023; Kish 1965). Strata are treated separately.
"""

from __future__ import annotations

import numpy as np

from howsure.significance.metrics.metric import Floats, Metric
from howsure.significance.resampling.bootstrap import jackknife_values, observed_values
from howsure.significance.resampling.units import Units
from howsure.stats import clusters

SMALL = 1e-3  # the share of a unit whose leaving out shows the linear approximation


def quantile_ratio(units: Units, level: float) -> float:
    """The quantile of Student's t over the normal one, for an interval of that level; NaN if there is a single unit."""
    from scipy.special import ndtri, stdtrit

    degrees = degrees_of_freedom(units)
    if degrees == 0:
        return np.nan
    tail = (1 + level) / 2
    return float(stdtrit(degrees, tail) / ndtri(tail))


def student_p_value(p: float, error: float, alternative: str, degrees: float) -> tuple[float, float]:
    """The p-value of Student's t that corresponds to a normal p-value counted on replicates, and its Monte Carlo error.

    2 T(Φ⁻¹(p / 2)), or on one side T(Φ⁻¹(p)), T the CDF of t: in every tail, p increases as the interval that just
    excludes 0 widens. Returned unchanged if there are no degrees of freedom.

    >>> [round(student_p_value(p, 0.0, "two-sided", 5.0)[0], 4) for p in (1.0, 0.05, 0.0001)]
    [1.0, 0.1073, 0.0115]
    """
    if degrees == 0:
        return p, error
    from scipy.special import ndtri, stdtr

    sides = 2 if alternative == "two-sided" else 1
    low, found, high = sides * stdtr(degrees, ndtri(np.clip([p - error, p, p + error], 0.0, 1.0) / sides))
    return float(found), float(high - low) / 2


def degrees_of_freedom(units: Units) -> float:
    """The degrees of freedom of the equivalent number of equal clusters, stratum by stratum; 0 if there is a single
    unit."""
    if units.counts.sum() == 1:
        return 0.0
    rows, squares = (np.add.reduceat(units.counts * units.rows**power, units.starts) for power in (1, 2))
    return clusters.degrees_of_freedom(rows, squares)


def spread_ratio(units: Units, metric: Metric) -> float:
    """The jackknife's standard error over that of the linear approximation, the bootstrap's; NaN for a single unit."""
    number = units.counts.sum()
    if number == 1:
        return np.nan
    plain = float(np.sqrt(number / (number - 1)))
    if units.runs != (1, 1) or (len(units.starts) == 1 and (units.rows == 1).all()):
        return plain
    first, second = observed_values(units, [metric])[0]
    whole, some = (_spread(units, metric, second - first, share) for share in (1.0, SMALL))
    return float(np.sqrt(whole / some)) if np.isfinite(whole) and some > 0 else plain


def _spread(units: Units, metric: Metric, difference: float, share: float) -> Floats:
    """Σ (m - 1)/m ((difference with a share of one unit left out) - difference)² / share²."""
    values, counts = jackknife_values(units, [metric], share=share)[0]
    m = units.stratum_sizes
    return np.asarray((counts * (m - share) / m * ((values - difference) / share) ** 2).sum())
