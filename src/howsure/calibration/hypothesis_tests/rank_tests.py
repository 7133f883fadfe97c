"""Are ranks uniform? The chi-square of a histogram and the band of the cumulative curve, for independent and for
clustered ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.calibration.hypothesis_tests.sign_test import sign_test
from howsure.calibration.hypothesis_tests.uniform_ranks import critical_distance, distance_tail, largest_distance
from howsure.inputs.pairs import Floats, Integers

ROUNDING = 1e-8


@dataclass(frozen=True, slots=True)
class RankTests:
    """Statistics, p-values and their Monte Carlo errors, by test name; reach: half the width of the band of the
    cumulative shares; low, high: the interval of each bar."""

    statistics: dict[str, float]
    p_values: dict[str, float]
    p_errors: dict[str, float]
    reach: float
    low: Floats
    high: Floats


def independent_tests(ranks: Integers, edges: Integers, level: float) -> RankTests:
    """The tests of independent ranks 0 … K - 1; edges (B + 1,): the first rank of each bar, and K."""
    from scipy.special import gammaincc
    from scipy.stats import binom

    n, possible = len(ranks), int(edges[-1])
    share = np.diff(edges) / possible
    chi_square = float(((np.histogram(ranks, bins=edges)[0] - n * share) ** 2 / (n * share)).sum())
    distance, unit = largest_distance(ranks, possible), n * possible
    low, high = binom.interval(level, n, share)
    return RankTests(
        {"chi-square": chi_square, "band": distance / unit},
        {
            "chi-square": float(gammaincc((len(share) - 1) / 2, chi_square / 2)),
            "band": distance_tail(distance, n, possible),
        },
        {"chi-square": 0.0, "band": 0.0},
        (critical_distance(level, n, possible) + 0.5) / unit,  # distances are whole
        np.asarray(low, dtype=np.float64),
        np.asarray(high, dtype=np.float64),
    )


def clustered_tests(
    ranks: Integers, edges: Integers, clusters: Integers, *, level: float, times: int, rng: np.random.Generator
) -> RankTests:
    """The same for ranks in clusters, from random signs of each cluster's contribution to counts minus expectations.

    The interval of a bar is Student's with C - 1 degrees of freedom and the variance of such sums, Σ_c S_c².
    """
    from scipy.special import stdtrit

    n, possible, number = len(ranks), int(edges[-1]), int(clusters.max()) + 1
    counts = np.bincount(clusters * possible + ranks, minlength=number * possible).reshape(number, possible)
    surprise = counts - np.bincount(clusters)[:, None] / possible
    bars = np.add.reduceat(surprise, edges[:-1], axis=1)
    expected = n * np.diff(edges) / possible
    found = {
        "chi-square": sign_test(bars, lambda rows: rows**2 @ (1 / expected), times=times, rng=rng),
        "band": sign_test(surprise, lambda rows: np.abs(np.cumsum(rows, axis=1)).max(axis=1) / n, times=times, rng=rng),
    }
    reach = float(stdtrit(number - 1, 0.5 + level / 2)) * np.sqrt((bars**2).sum(axis=0))
    return RankTests(
        {name: test.value for name, test in found.items()},
        {name: test.p_value for name, test in found.items()},
        {name: test.p_error for name, test in found.items()},
        min(found["band"].critical(level) * (1 + ROUNDING), 1.0),
        np.maximum(expected - reach, 0.0),
        np.minimum(expected + reach, n),
    )
