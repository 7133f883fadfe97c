"""Design-based totals: against all samples of a small population."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import hypergeom

from howsure.counts.design import Draw, difference_total, hypergeometric_interval, labels_total

STRATUM = np.array([0, 0, 0, 0, 1, 1, 1])
TRUTH = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0])
PROXY = np.array([0.7, 0.2, 0.9, 0.4, 0.1, 0.3, 0.2])
MEMBER = np.array([True, True, True, False, True, True, True])


def draw_of(drawn: tuple[int, ...]) -> Draw:
    return Draw(np.arange(7), np.array(drawn), STRATUM, np.bincount(STRATUM), None)


def all_samples() -> list[tuple[int, ...]]:
    return [(*a, *b) for a, b in product(combinations(range(4), 2), combinations(range(4, 7), 2))]


def test_the_difference_estimator_has_no_bias_and_nor_has_its_variance() -> None:
    totals, variances = [], []
    for drawn in all_samples():
        labelled = np.array(drawn)
        draw = draw_of(drawn)
        residual = draw.per_drawn(np.where(MEMBER[labelled], TRUTH[labelled] - PROXY[labelled], 0.0), labelled)
        totals.append(PROXY[MEMBER].sum() + (draw.weight * residual).sum())
        variances.append(draw.variance(residual))
    assert np.mean(totals) == pytest.approx(TRUTH[MEMBER].sum(), abs=1e-12)
    assert np.mean(variances) == pytest.approx(np.var(totals), abs=1e-12)


def test_all_labels_leave_nothing_open() -> None:
    everything = np.arange(7)
    for total in (
        difference_total(draw_of(tuple(range(7))), PROXY, everything, TRUTH, MEMBER, level=0.95),
        labels_total(draw_of(tuple(range(7))), everything, TRUTH, MEMBER, level=0.95),
    ):
        assert (total.value, total.low, total.high) == (3.0, 3.0, 3.0)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_labels_that_are_all_alike_have_an_interval(value: float) -> None:
    labelled = np.arange(20)
    draw = Draw(np.arange(200), labelled, np.zeros(200, dtype=np.int64), np.array([200]), None)
    for proxy in (np.full(200, 0.3), np.full(200, value)):
        total = difference_total(draw, proxy, labelled, np.full(20, value), np.ones(200, dtype=np.bool_), level=0.95)
        assert total.low <= 200 * value <= total.high
        assert total.high - total.low > 10


def test_the_variance_of_given_chances_is_near_that_of_their_draws() -> None:
    rng = np.random.default_rng(0)
    chances = rng.uniform(0.05, 0.5, 400)
    values = rng.random(400) < 0.3
    totals, variances = [], []
    for _ in range(2000):
        drawn = np.flatnonzero(rng.random(400) < chances)
        draw = Draw(np.arange(400), drawn, np.zeros(400, dtype=np.int64), np.array([400]), chances[drawn])
        totals.append((draw.weight * (values[drawn] - 0.3)).sum())
        variances.append(draw.variance(values[drawn] - 0.3))
    assert np.mean(variances) == pytest.approx(np.var(totals), rel=0.12)


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
