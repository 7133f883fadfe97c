"""The intervals of scores hold the truth, and their test keeps its level: populations whose truth is known."""

from __future__ import annotations

import math

import pytest
from tests.significance.score_simulations import KINDS, SIZES, UNEQUAL, equal_rates, unequal_rates

SETS = 1000
SAFE = "right or wrong"  # Gaffke's intervals are conservative in clusters and where few answers differ


def slack(rate: float, sets: int) -> float:
    """Three standard errors of a simulated rate."""
    return 3 * math.sqrt(rate * (1 - rate) / sets)


@pytest.mark.long
@pytest.mark.parametrize("kind", [pytest.param(kind, marks=[pytest.mark.long] * (kind == "overlap")) for kind in KINDS])
def test_a_hundred_items_in_twenty_clusters(kind: str) -> None:
    """A small cell of the table."""
    rates = equal_rates(kind, 100, 5, 80, seed=1)
    assert min(rates["mean"], rates["difference"]) >= 0.93 - slack(0.93, 80), rates
    assert rates["level"] <= 0.06 + slack(0.06, 80), rates


@pytest.mark.slow
@pytest.mark.parametrize(("n", "size"), SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_intervals_hold_the_truth(kind: str, n: int, size: int) -> None:
    rates = equal_rates(kind, n, size, SETS, seed=2)
    highest = 1.0 if kind == SAFE else 0.97 + slack(0.97, SETS)
    for name in ("mean", "difference"):
        assert 0.93 - slack(0.93, SETS) <= rates[name] <= highest, rates
    assert rates["level"] <= 0.06 + slack(0.06, SETS), rates


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_runs_do_not_count_as_further_items(kind: str) -> None:
    rates = equal_rates(kind, 100, 1, SETS, seed=3, runs=3)
    assert 0.93 - slack(0.93, SETS) <= rates["difference"] <= 0.97 + slack(0.97, SETS), rates
    assert rates["level"] <= 0.06 + slack(0.06, SETS), rates
    assert rates["power"] >= equal_rates(kind, 100, 1, SETS, seed=3)["power"] - 0.03


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "number"), UNEQUAL)
@pytest.mark.parametrize("kind", KINDS)
def test_intervals_of_unequal_clusters_hold_the_truth(kind: str, shape: str, number: int) -> None:
    """A cluster that holds half of all items says little of the others: these intervals are wider than they need be."""
    rates = unequal_rates(kind, shape, number, SETS, seed=4)
    assert min(rates["mean"], rates["difference"]) >= 0.93 - slack(0.93, SETS), rates
    assert rates["level"] <= 0.06 + slack(0.06, SETS), rates
