"""The numbers of kept and of wrong answers at each threshold, and single points of the risk–coverage curve."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from howsure.inputs.checks import Codes
from howsure.inputs.pairs import Floats, Integers
from howsure.selective.ranked_answers import Ranked
from howsure.stats.gaffke import UnitSums, gaffke_interval
from howsure.stats.proportions import wilson_interval

MAX_POINTS, MAX_CLUSTERED_POINTS = 200, 50  # points of a curve; intervals with clusters take longer


@dataclass(frozen=True, slots=True)
class Kept:
    """The numbers of answers that are kept at each of several thresholds, from the highest threshold down.

    An answer is kept if its confidence is at least `threshold`. n: the number of kept answers. errors: the number of
    wrong answers among the kept ones. total: the number of all answers. effective_total: the effective sample size of
    the proportion that is kept; it is smaller than `total` with clusters.
    """

    threshold: Floats
    n: Codes
    errors: Codes
    total: int
    effective_total: float

    @property
    def coverage(self) -> Floats:
        """The proportion of all answers that are kept."""
        return self.n / self.total

    @property
    def risk(self) -> Floats:
        """The proportion of the kept answers that are wrong."""
        return self.errors / self.n

    def select(self, positions: Integers | slice) -> Kept:
        """Return the answers kept at some of the thresholds, which are given by their indices."""
        arrays = (self.threshold[positions], self.n[positions], self.errors[positions])
        return Kept(*arrays, self.total, self.effective_total)


def kept_at(ranks: Ranked, positions: Integers | slice) -> Kept:
    """Return the answers kept at thresholds. A position indexes the distinct confidences, the highest first."""
    n, errors = (np.cumsum(counts, dtype=counts.dtype)[positions] for counts in (ranks.n, ranks.errors))
    total = ranks.total
    squares = total if ranks.clusters is None else float((np.bincount(ranks.clusters) ** 2).sum())
    return Kept(ranks.confidence[positions], n, errors, total, total**2 / squares)


def risk_interval(ranks: Ranked, kept: Kept, level: float) -> tuple[Floats, Floats]:
    """The interval of each risk: Wilson's or, with clusters, Gaffke's, valid for any dependence within clusters."""
    if ranks.clusters is None:
        return wilson_interval(kept.risk, kept.n.astype(np.float64), level=level)
    positions = np.searchsorted(np.cumsum(ranks.n), kept.n)
    ends = [
        gaffke_interval(UnitSums.of(wrong, counts), bounds=(0.0, 1.0), size=(1 - level) / 2)
        for counts, wrong in cluster_counts(ranks, positions)
    ]
    low, high = np.array(ends).T
    return low, high


def interval_name(ranks: Ranked) -> str:
    """The name of the method for the interval of a risk."""
    return "Wilson" if ranks.clusters is None else "Gaffke"


def cluster_counts(ranks: Ranked, positions: Integers) -> Iterator[tuple[Floats, Floats]]:
    """Yield the kept answers and errors in every cluster with a kept answer, for each threshold by position."""
    assert ranks.clusters is not None
    order = np.argsort(ranks.place, kind="stable")
    ends = np.cumsum(ranks.n)[positions]
    counts, wrong = np.zeros(ranks.n_clusters), np.zeros(ranks.n_clusters)
    start = 0
    for end in ends.tolist():
        rows = order[start:end]
        counts += np.bincount(ranks.clusters[rows], minlength=len(counts))
        wrong += np.bincount(ranks.clusters[rows], weights=1 - ranks.correct[rows], minlength=len(counts))
        some = counts > 0
        yield counts[some], wrong[some]
        start = end


def even_places(ranks: Ranked) -> Integers:
    """Return at most 200 positions, or 50 with clusters, evenly spaced in coverage, including the last one."""
    most = MAX_POINTS if ranks.clusters is None else MAX_CLUSTERED_POINTS
    ends = np.cumsum(ranks.n, dtype=ranks.n.dtype)
    if len(ends) <= most:
        return np.arange(len(ends))
    targets = np.linspace(0, ranks.total, most + 1)[1:]
    return np.asarray(np.unique(np.searchsorted(ends, targets.astype(ends.dtype))))
