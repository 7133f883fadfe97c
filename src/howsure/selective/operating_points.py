"""Single points of the risk–coverage curve: the accuracy at a coverage, and the coverage at an accuracy."""

from __future__ import annotations

import numpy as np

from howsure.inputs.pairs import Integers
from howsure.result import Estimate
from howsure.selective.kept import Kept, even_places, interval_name, risk_interval
from howsure.selective.ranked import Ranked
from howsure.selective.results import AtAccuracy, AtCoverage
from howsure.selective.threshold import threshold_tests
from howsure.stats.proportions import wilson_interval


def at_coverage(ranks: Ranked, every: Kept, asked: float, *, level: float) -> AtCoverage:
    """The highest threshold that keeps at least a share of the answers, and the accuracy of what it keeps.

    The interval is Wilson's, with clusters Gaffke's, of the accuracy to expect at this threshold: given the lowest
    confidence among them, the answers above it are as independent as all are.
    """
    place = int(np.searchsorted(every.n, np.ceil(asked * every.total - 1e-9)))
    kept = every.only(np.array([min(place, len(every.n) - 1)]))
    low, high = risk_interval(ranks, kept, level)
    n = int(kept.n[0])
    accuracy = Estimate(1 - float(kept.risk[0]), 1 - float(high[0]), 1 - float(low[0]), level, interval_name(ranks), n)
    return AtCoverage(asked, float(kept.threshold[0]), n, float(kept.coverage[0]), accuracy)


def at_accuracy(ranks: Ranked, every: Kept, asked: float, *, level: float) -> AtAccuracy:
    """The largest coverage whose answers have at least an accuracy, with an interval for it.

    Lower end: the coverage of the threshold that `threshold_for` promises for a risk of 1 - accuracy at half of
    1 - level, 0 without one. Upper end: the largest coverage at which the accuracy's interval reaches `asked`. Both are
    widened by Wilson's interval of a share.
    """
    good = np.flatnonzero(every.errors <= (1 - asked) * every.n + 1e-9)
    threshold = float(every.threshold[good[-1]]) if len(good) else None
    n = int(every.n[good[-1]]) if len(good) else 0
    value = n / ranks.total
    seen = every if ranks.clusters is None else every.only(even_places(ranks))
    possible = np.flatnonzero(risk_interval(ranks, seen, level)[0] <= 1 - asked + 1e-12)
    last = min(possible[-1] + (ranks.clusters is not None), len(seen.n) - 1) if len(possible) else 0  # between places
    furthest = float(seen.coverage[last]) if len(possible) else 0.0
    sure = _promised(ranks, asked, level)
    low, high = (
        wilson_interval(np.array([share]), np.array([every.effective_total]), level=level) for share in (sure, furthest)
    )
    ends = (float(low[0][0]) if sure else 0.0, float(high[1][0]) if furthest else 0.0)
    coverage = Estimate(value, min(ends[0], value), max(ends[1], value), level, "inverted tests", ranks.total)
    return AtAccuracy(asked, threshold, n, coverage)


def _promised(ranks: Ranked, asked: float, level: float) -> float:
    if asked >= 1.0:
        return 0.0
    tests = threshold_tests(ranks, risk=1 - asked, delta=(1 - level) / 2)
    passed: Integers = np.flatnonzero(tests.passed)
    return float(tests.kept.coverage[passed[-1]]) if len(passed) else 0.0
