"""The hypergeometric interval: against its definition, and for populations that are too large to try all totals."""

from __future__ import annotations

import pytest
from scipy.stats import hypergeom

from howsure.counts.cell_levels import hypergeometric_interval, mid_tails


@pytest.mark.parametrize(("units", "n", "positives"), [(30, 10, 0), (30, 10, 4), (30, 10, 10), (30, 0, 0), (5, 5, 2)])
def test_the_hypergeometric_interval_holds_what_its_tails_allow(units: int, n: int, positives: int) -> None:
    low, high = hypergeometric_interval(units, n, positives, level=0.9)
    kept = [
        total
        for total in range(units + 1)
        if min(
            hypergeom.cdf(positives, units, total, n) - hypergeom.pmf(positives, units, total, n) / 2,
            hypergeom.sf(positives, units, total, n) + hypergeom.pmf(positives, units, total, n) / 2,
        )
        > 0.05 + 1e-12
        and hypergeom.pmf(positives, units, total, n) > 0
    ]
    assert (low, high) == (kept[0], kept[-1])


@pytest.mark.parametrize(
    ("units", "n", "positives", "total"), [(40, 7, 2, 9), (9_000, 300, 4, 50), (10**7, 900, 500, 5_555_000)]
)
def test_the_tails_are_those_of_scipy(units: int, n: int, positives: int, total: int) -> None:
    half = hypergeom.pmf(positives, units, total, n) / 2
    wanted = hypergeom.cdf(positives, units, total, n) - half, hypergeom.sf(positives, units, total, n) + half
    assert mid_tails(units, n, positives, total) == pytest.approx(wanted, rel=1e-6, abs=1e-9)


def test_large_populations_take_a_few_steps() -> None:
    """Each end is where a tail crosses its share, among ten million totals."""
    low, high = hypergeometric_interval(10**7, 1_000, 37, level=0.95)
    for end, outside in ((low, low - 1), (high, high + 1)):
        assert min(mid_tails(10**7, 1_000, 37, end)) > 0.025 >= min(mid_tails(10**7, 1_000, 37, outside))


def test_a_level_near_0_leaves_the_most_likely_total() -> None:
    low, high = hypergeometric_interval(1_000, 100, 33, level=1e-9)
    assert low == high
    assert abs(low - 330) <= 4
