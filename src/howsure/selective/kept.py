"""The answers kept at each threshold: how many, how many of them are wrong, and intervals of their risk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.selective.ranked import Ranked
from howsure.stats.proportions import normal_quantile, wilson_interval

MOST_POINTS = 200


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept at some thresholds, the highest first: answers whose confidence is at least `threshold`.

    n, errors: how many, and how many of them are wrong; effective: as many independent answers would say as much about
    their risk, fewer than n with clusters.
    """

    threshold: Floats
    n: Integers
    errors: Integers
    effective: Floats
    total: int
    effective_total: float  # the same for the share that is kept

    @property
    def coverage(self) -> Floats:
        """The share of all answers that is kept."""
        return self.n / self.total

    @property
    def risk(self) -> Floats:
        """The share of the kept answers that is wrong."""
        return self.errors / self.n

    def risk_interval(self, level: float) -> tuple[Floats, Floats]:
        """Wilson's interval of each risk."""
        return wilson_interval(self.risk, self.effective, level=level)


def kept_at(ranks: Ranked, places: Integers, *, level: float) -> Kept:
    """What is kept down to each of the given places.

    The number of clustered answers that count as independent is p (1 - p) / V, V = C / (C - 1) Σ_c (e_c - p n_c)² / n²
    with e_c errors among the n_c kept of cluster c, at most n, times (z / t)² for Student's t with C - 1 degrees of
    freedom; where no error or nothing else is kept, V is that of the correlation seen among all answers.
    """
    n, errors = np.cumsum(ranks.n)[places], np.cumsum(ranks.errors)[places]
    values = ranks.confidence[places]
    if ranks.clusters is None:
        return Kept(values, n, errors, n.astype(np.float64), ranks.total, float(ranks.total))
    effective = np.empty(len(places))
    correlation = _correlation(ranks)
    for i, (counts, wrong) in enumerate(cluster_counts(ranks, places)):
        effective[i] = _effective(counts, wrong, correlation, level)
    sizes = np.bincount(ranks.clusters).astype(np.float64)
    of_share = ranks.total**2 / float(np.sort(sizes**2).sum())  # confidences of a cluster may be all alike
    return Kept(values, n, errors, effective, ranks.total, of_share)


def cluster_counts(ranks: Ranked, places: Integers) -> list[tuple[Floats, Floats]]:
    """The answers kept and the errors among them, by cluster that has any, down to each place."""
    assert ranks.clusters is not None
    order = np.argsort(ranks.place, kind="stable")
    ends = np.cumsum(ranks.n)[places]
    counts, wrong = np.zeros(ranks.n_clusters), np.zeros(ranks.n_clusters)
    found, start = [], 0
    for end in ends.tolist():
        rows = order[start:end]
        counts += np.bincount(ranks.clusters[rows], minlength=len(counts))
        wrong += np.bincount(ranks.clusters[rows], weights=1 - ranks.correct[rows], minlength=len(counts))
        some = counts > 0
        found.append((counts[some], wrong[some]))
        start = end
    return found


def _effective(counts: Floats, wrong: Floats, correlation: float, level: float) -> float:
    from scipy.special import stdtrit

    n, many = float(counts.sum()), len(counts)
    p = float(wrong.sum()) / n
    if many < 2:
        return 1.0
    if p in (0.0, 1.0):
        number = n**2 / (n + correlation * (float((counts**2).sum()) - n))
    else:
        residual = wrong - p * counts
        variance = many / (many - 1) * float(np.sort(residual**2).sum()) / n**2
        number = p * (1 - p) / variance if variance > 0 else n
    number = min(number, n) * (normal_quantile(level) / float(stdtrit(many - 1, 0.5 + level / 2))) ** 2
    return max(number, 1.0)


def _correlation(ranks: Ranked) -> float:
    """The correlation of two errors of a cluster; 1 where nothing determines it."""
    assert ranks.clusters is not None
    sizes = np.bincount(ranks.clusters).astype(np.float64)
    wrong = np.bincount(ranks.clusters, weights=1 - ranks.correct)
    p = ranks.wrong / ranks.total
    couples = float(np.sort(sizes**2).sum()) - ranks.total
    if not 0.0 < p < 1.0 or couples == 0:
        return 1.0
    products = float(np.sort((wrong - p * sizes) ** 2).sum()) - p * (1 - p) * ranks.total
    return min(max(products / (p * (1 - p) * couples), 0.0), 1.0)


def even_places(ranks: Ranked, most: int = MOST_POINTS) -> Integers:
    """At most `most` places that are evenly spaced in coverage, the last one included."""
    ends = np.cumsum(ranks.n)
    if len(ends) <= most:
        return np.arange(len(ends))
    wanted = np.linspace(0, ranks.total, most + 1)[1:]
    places: Integers = np.unique(np.searchsorted(ends, np.floor(wanted)))
    return places
