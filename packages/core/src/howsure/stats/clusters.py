"""Items in clusters and strata: effective number of clusters, and standard error of a mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Floats, Integers
from howsure.notes import WARNING, Note

# The effective number of clusters, and the warning when it is small.

MIN_CLUSTERS = 40  # effective number of clusters below which a warning is given
NEARLY = 0.95  # ratio of effective to actual number above which clusters count as equal in size


def kish(sizes: npt.NDArray[Any]) -> float:
    """Kish's (1965) effective number of clusters, (Σ n)² / Σ n², where n is the number of rows in a cluster or the sum
    of their weights.

    >>> kish(np.array([10, 10])), round(kish(np.array([98, 1, 1])), 2)
    (2.0, 1.04)
    """
    shares = np.sort(sizes / sizes.max())
    return float(shares.sum() ** 2 / (shares**2).sum())


def degrees_of_freedom(rows: npt.NDArray[Any], squares: npt.NDArray[Any]) -> float:
    """Degrees of freedom of a mean over clusters in strata: N² / Σ_h (N_h² / (G_h - 1)), at least 1.

    rows: the number of rows N_h in each stratum. squares: Σ n² over the sizes n of its clusters. G_h = N_h² / Σ n² is
    the effective number of clusters of the stratum.

    >>> degrees_of_freedom(np.array([20.0]), np.array([200.0])), degrees_of_freedom(np.array([3.0]), np.array([3.0]))
    (1.0, 2.0)
    """
    free = rows**2 / squares - 1
    if (free <= 0).any():
        return 1.0
    return max(1.0, float(rows.sum() ** 2 / (rows**2 / free).sum()))


def few_clusters(sizes: npt.NDArray[Any], *, bounded: bool = False) -> str | None:
    """Return a warning for results based on fewer than 40 effective clusters; None otherwise.

    sizes: rows in each cluster. bounded: whether the scores have bounds; Gaffke's intervals are then valid, but wide.

    >>> few_clusters(np.full(40, 5)) is None
    True
    >>> few_clusters(np.full(20, 5))
    'there are 20 clusters: with fewer than 40, intervals and p-values are approximate; more clusters are needed, not
    more rows'
    """
    number, equal = int(np.count_nonzero(sizes)), kish(sizes)
    if equal >= MIN_CLUSTERS:
        return None
    if number == 1:
        return Note(
            "all rows are in one cluster, so the variation between clusters is unknown; at least 2 clusters are "
            f"needed, better {MIN_CLUSTERS} or more",
            WARNING,
        )
    is_nearly_equal = equal > NEARLY * number and number < MIN_CLUSTERS
    same = "" if is_nearly_equal else f" of unequal size, equivalent to {equal:.1f} equal ones"
    effect = "are wide" if bounded else "and p-values are approximate"
    return Note(
        f"there are {counted(number, 'cluster')}{same}: with fewer than {MIN_CLUSTERS}, intervals {effect}; more "
        "clusters are needed, not more rows",
        WARNING,
    )


def ratio_error(sums: npt.NDArray[Any], counts: npt.NDArray[Any]) -> float:
    """Standard error of the ratio mean = Σ sums / Σ counts over C clusters, by linearisation.

    √(C/(C - 1) Σ (sums - mean · counts)²) / Σ counts, with the sum of values and the number of items of each cluster,
    (C,) each.

    >>> ratio_error(np.array([2.0, 0.0]), np.array([2, 2]))
    0.5
    """
    total, n = float(counts.sum()), len(counts)
    deviation = sums - float(sums.sum()) / total * counts
    return math.sqrt(n / (n - 1) * float((deviation**2).sum())) / total


def jackknife_error(without: npt.NDArray[Any]) -> Any:
    """Jackknife standard error √((m - 1) / m Σ (θ_i - θ̄)²), where without[i] is the estimate θ_i without unit i.

    without (m, …); the result has the remaining dimensions.

    >>> jackknife_error(np.array([1.5, 2.0, 2.5])).round(4).item()
    0.5774
    """
    return np.sqrt((len(without) - 1) * np.mean((without - without.mean(axis=0)) ** 2, axis=0))


@dataclass(frozen=True, slots=True)
class ItemGroups:
    """The units of n items, and the strata of units. A unit is a cluster or, without clusters, a single item.

    unit (n,): the code of each item's unit; None without clusters. sizes (units,): items in each unit. strata
    (units,): the code of each unit's stratum.

    >>> groups = ItemGroups.of(4, clusters=np.array([0, 0, 1, 1]))
    >>> groups.units, groups.degrees
    (2, 1.0)
    """

    n: int
    unit: Integers | None
    sizes: Floats
    strata: Integers

    @classmethod
    def of(cls, n: int, *, clusters: Integers | None = None, strata: Integers | None = None) -> ItemGroups:
        """Build from the cluster code (n,) and stratum code (n,) of each item; unused cluster codes are dropped.

        All items of a cluster must be in the same stratum.
        """
        if clusters is not None and not np.bincount(clusters).all():
            clusters = np.unique(clusters, return_inverse=True)[1]
        sizes = np.broadcast_to(1.0, n) if clusters is None else np.bincount(clusters).astype(np.float64)
        if strata is None:
            return cls(n, clusters, sizes, np.broadcast_to(0, len(sizes)))
        of_unit = np.zeros(len(sizes), dtype=np.int64)
        of_unit[np.arange(n) if clusters is None else clusters] = strata
        return cls(n, clusters, sizes, of_unit)

    @property
    def units(self) -> int:
        return len(self.sizes)

    @property
    def has_strata(self) -> bool:
        """Whether there are several strata."""
        return bool(self.strata.any())

    @property
    def degrees(self) -> float:
        """Degrees of freedom, from the effective number of units in each stratum; 0 for a single unit."""
        if self.units == 1:
            return 0.0
        if self.unit is None:
            return degrees_of_freedom(self._units_by_stratum(), self._units_by_stratum())
        return degrees_of_freedom(self._stratum_sums(self.sizes), self._stratum_sums(self.sizes**2))

    def totals(self, values: Floats) -> Floats:
        """Sum of the values (n,) in each unit."""
        return values if self.unit is None else np.asarray(np.bincount(self.unit, weights=values), dtype=np.float64)

    def standard_error(self, values: Floats) -> float:
        """Standard error of the mean of values (n,): √(Σ_h G/(G - 1) Σ (e - ē)²) / n. NaN for a single unit.

        e is the sum of the deviations from the overall mean in a unit; ē is the average of e over the G units of
        stratum h (0 if there is only one stratum). Without clusters and strata this is the sample standard deviation
        divided by √n; with clusters, the clustered standard error of Miller (2024) with the factor G/(G - 1), as in
        Inspect.

        >>> ItemGroups.of(4).standard_error(np.array([0.0, 1.0, 1.0, 1.0]))
        0.25
        """
        if self.units == 1:
            return math.nan
        e = self.totals(values - values.mean())
        if not self.has_strata:
            e -= e.mean()
            return math.sqrt(self.units / (self.units - 1) * float(np.square(e, out=e).sum())) / self.n
        m = self._units_by_stratum()
        e -= (self._stratum_sums(e) / m)[self.strata]
        return math.sqrt(float((m / (m - 1) * self._stratum_sums(e**2)).sum())) / self.n

    def jackknife_error(self, values: Floats) -> float:
        """Standard error of the mean from leaving out each unit in turn. NaN for a single unit.

        It equals `standard_error` if all units have the same size, and is larger if large units deviate most. With
        strata, the remaining units of a stratum are weighted up to replace the unit that is left out.
        """
        if self.units == 1:
            return math.nan
        e, m = self.totals(values - values.mean()), self._units_by_stratum()
        stratum_sums, items = self._stratum_sums(e)[self.strata], self._items_by_stratum()[self.strata]
        filled = (m / (m - 1))[self.strata] if len(m) > 1 else 1.0
        above = (stratum_sums - e) * filled - stratum_sums + e.sum()
        below = (items - self.sizes) * filled + (self.n - items)
        moved = above / below - e.sum() / self.n
        return math.sqrt(float(((m - 1) / m * self._stratum_sums(moved**2)).sum()))

    def safe_error(self, values: Floats) -> float:
        """The larger of `standard_error` and `jackknife_error`; NaN for a single unit."""
        if self.units == 1 or (self.unit is None and not self.has_strata):
            return self.standard_error(values)
        return max(self.standard_error(values), self.jackknife_error(values))

    def _units_by_stratum(self) -> Floats:
        return np.bincount(self.strata).astype(np.float64) if self.has_strata else np.array([float(self.units)])

    def _items_by_stratum(self) -> Floats:
        return self._units_by_stratum() if self.unit is None else self._stratum_sums(self.sizes)

    def _stratum_sums(self, values: Floats) -> Floats:
        return np.asarray(np.bincount(self.strata, weights=values), dtype=np.float64)


# Proportions of rows that are concentrated in few clusters.
# If all wrong answers, say, are in few clusters, the distribution of their proportion is skewed, and the sample may
# lack clusters of this kind altogether. The variance between the observed clusters shows neither. Fay & Feuer's (1997)
# interval of a weighted sum of Poisson counts allows for both. Its ends are quantiles of gamma distributions with the
# mean and variance of the sum; for the upper end, one more contribution is added. If all contributions are equal, it is
# the exact interval of a Poisson count. `few_contributors` is the note for results with few contributing clusters.

ENOUGH_CONTRIBUTORS = 20.0  # effective number of contributing clusters above which less than a whole cluster is added
MIN_CONTRIBUTORS_FOR_T = (
    100.0  # effective number above which Student's t suffices: the gamma distribution's skewness is below 0.2
)
SPLITS = 65  # grid points by which a limit is split
MIN_CONTRIBUTORS = 2.0  # effective number below which the variance between contributing clusters is unknown


def effective_contributors(counts: npt.NDArray[Any]) -> float:
    """Return the effective number of clusters that contribute to the total of `counts` (C,), by Kish's formula; 0 if
    all are 0.

    >>> effective_contributors(np.array([5, 5, 0, 0])), effective_contributors(np.zeros(9))
    (2.0, 0.0)
    >>> round(effective_contributors(np.array([20, 1, 1])), 2)
    1.2
    """
    return kish(counts) if counts.any() else 0.0


def added_contribution(size: Any, contributors: Any) -> Any:
    """Return how much one more cluster could contribute to a proportion of rows: size · min(1, 20 / contributors).

    size: the proportion of rows in a cluster (1 / `kish` of the sizes); all rows of the added cluster are assumed to
    count. contributors: the effective number of contributing clusters (`effective_contributors`).
    """
    return size * np.minimum(1.0, ENOUGH_CONTRIBUTORS / np.maximum(contributors, ENOUGH_CONTRIBUTORS))


def gamma_interval(value: float, variance: float, further: float, *, level: float) -> tuple[float, float]:
    """Fay and Feuer's (1997) interval of a sum of non-negative contributions.

    value, variance: the sum and its variance. further: the contribution that is added for the upper end.

    >>> low, high = gamma_interval(3.0, 3.0, 1.0, level=0.95)  # of 3 events
    >>> round(low, 3), round(high, 3)
    (0.619, 8.767)
    """
    tail = (1 - level) / 2
    return _quantile(value, variance, tail), _quantile(value + further, variance + further**2, 1 - tail)


def ends_with_added_cluster(
    value: float, variance: float, size: float, contributors: float, *, level: float
) -> tuple[float, float]:
    """Return limits (low, high) that the interval of a proportion must reach at least if few clusters contribute to it.

    The limits are Fay and Feuer's interval, with one more cluster added. From 100 contributing clusters on, both are
    the proportion itself.
    """
    if contributors >= MIN_CONTRIBUTORS_FOR_T:
        return value, value
    return gamma_interval(value, variance, float(added_contribution(size, contributors)), level=level)


def gamma_p_value(value: Floats, variance: Floats, further: Floats, limit: float | Floats) -> Floats:
    """P-value of the hypothesis that the sum is at least `limit`: the size at which `gamma_interval` ends at the limit.

    >>> gamma_p_value(np.array([3.0]), np.array([3.0]), np.array([1.0]), 8.767).round(3).tolist()
    [0.025]
    """
    from scipy.special import gammaincc

    mean = value + further
    scale = (variance + further**2) / mean
    return np.asarray(gammaincc(mean / scale, limit / scale), dtype=np.float64)


def ratio_p_value(
    n: Floats, wrong: Floats, limit: float, *, largest: float | None = None, times: float = 1.0, unlucky: float = 0.0
) -> float:
    """P-value of "at least the proportion `limit` of the rows of such clusters is wrong", for clusters of any sizes.

    n, wrong (C,): the numbers of rows and of wrong rows of each cluster; the clusters are independent. largest: the
    size of a cluster that could still occur (default: the largest of n). times, unlucky: compute the p-value for
    `times` as many clusters, with a proportion of wrong rows that is higher by `unlucky` standard errors.

    This is Fay and Feuer's (1997) test with one more cluster, which has as many wrong rows as the worst one. It also
    allows for clusters with more wrong rows that do not occur. The limit is divided into s, due to clusters like those
    that occur, and limit - s. For each s, the p-value of s is multiplied by the largest probability that none of the
    worse clusters occurs (`_log_unseen`). The result is the largest of these p-values.

    >>> round(ratio_p_value(np.full(59, 10.0), np.zeros(59), 0.05), 3)
    0.049
    """
    total = float(n.sum())
    value = float(wrong.sum()) / total
    variance = float(((wrong - value * n) ** 2).sum()) / total**2 * len(n) / max(len(n) - 1, 1) / times
    value += unlucky * math.sqrt(variance)
    if value >= limit:
        return 1.0
    most = float(wrong.max())
    further = np.array([max(most, 1.0) / total / times])
    splits = np.linspace(0.0, limit, SPLITS)
    observed = np.append(1.0, gamma_p_value(np.array([value]), np.array([variance]), further, splits[1:]))
    worse = np.append(n, max(float(n.max()), largest or 0.0))
    sizes, often = np.unique(worse[worse > most], return_counts=True)
    if not len(sizes):
        return float(observed[-1])
    unseen = _log_unseen(
        sizes[::-1].astype(np.float64), (often[::-1] * times).astype(np.float64), (limit - splits) * total * times
    )
    return float((observed * np.exp(unseen)).max())


def _log_unseen(sizes: Floats, often: Floats, errors: Floats) -> Floats:
    """Return the logarithm of the largest probability that none of these clusters is wrong.

    sizes, often (k,): distinct numbers of rows, in decreasing order, and how many clusters have each. errors: the
    expected numbers of wrong rows. If a cluster of n rows is entirely wrong with probability p(n), the maximum of
    Σ often · log(1 - p(n)) with Σ often · n · p(n) = errors has p(n) = max(0, 1 - c / n) for a constant c.
    """
    result = np.full(errors.shape, -np.inf)
    result[errors <= 0.0] = 0.0
    documents, values, logs = np.cumsum(often), np.cumsum(often * sizes), np.cumsum(often * np.log(sizes))
    for last, next_size in enumerate(np.append(sizes[1:], 0.0).tolist()):
        constant = (values[last] - errors) / documents[last]
        is_solution = (errors > 0.0) & (constant > 0.0) & (constant >= next_size) & (constant <= sizes[last])
        result[is_solution] = documents[last] * np.log(constant[is_solution]) - logs[last]
    return result


def few_contributors(counts: npt.NDArray[Any], what: str) -> str | None:
    """Return a note if fewer than 20 effective clusters contribute to the total of `counts` (C,); None otherwise.

    what: what is counted, as the subject of the note.

    >>> few_contributors(np.array([20, 1, 0, 0]), "the wrong answers")
    'the wrong answers are in 2 of 4 clusters, equivalent to 1.1 equal ones: the frequency of such clusters is hardly
    known; more clusters are needed, not more rows'
    >>> few_contributors(np.ones(30), "the wrong answers") is None
    True
    """
    equal, holding = effective_contributors(counts), int(np.count_nonzero(counts))
    if equal >= ENOUGH_CONTRIBUTORS or not holding:
        return None
    same = "" if holding - equal < 0.05 * holding else f", equivalent to {equal:.1f} equal ones"
    return (
        f"{what} are in {holding:,} of {counted(len(counts), 'cluster')}{same}: the frequency of such clusters is "
        "hardly known; more clusters are needed, not more rows"
    )


def _quantile(mean: float, variance: float, probability: float) -> float:
    from scipy.special import gammaincinv

    if not (mean > 0.0 and variance > 0.0):
        return max(mean, 0.0)
    return float(gammaincinv(mean * mean / variance, probability)) * variance / mean
