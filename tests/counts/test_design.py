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


def test_strata_whose_labels_are_alike_leave_room_for_misses() -> None:
    """Scores that are right where they are high, one label in a hundred missed where they are 0: 80 labels see none."""
    held = 0
    for run in range(40):
        rng = np.random.default_rng(run)
        stratum = (np.arange(4000) < 400).astype(np.int64)
        truth = np.where(stratum == 1, 1.0, rng.random(4000) < 0.01)
        drawn = np.sort(np.concatenate([rng.choice(400, 20, False), 400 + rng.choice(3600, 80, False)]))
        draw = Draw(np.arange(4000), drawn, stratum, np.bincount(stratum), None)
        everything = np.ones(4000, dtype=np.bool_)
        total = difference_total(draw, np.where(stratum == 1, 0.97, 0.02), drawn, truth[drawn], everything, level=0.95)
        alone = labels_total(draw, drawn, truth[drawn], everything, level=0.95)
        held += sum(bool(one.low <= truth.sum() <= one.high) for one in (total, alone))
    assert held >= 72


def test_a_cluster_of_labels_that_agree_counts_once() -> None:
    """60 documents of 5 units each say as much as 60 units if all labels of a document are one."""
    element = np.repeat(np.arange(400), 5)
    drawn = np.arange(60)
    draw = Draw(element, drawn, np.zeros(400, dtype=np.int64), np.array([400]), None)
    labelled = np.flatnonzero(element < 60)
    total = labels_total(draw, labelled, np.zeros(300), np.ones(2000, dtype=np.bool_), level=0.95)
    single = Draw(np.arange(400), drawn, np.zeros(400, dtype=np.int64), np.array([400]), None)
    of_single = labels_total(single, drawn, np.zeros(60), np.ones(400, dtype=np.bool_), level=0.95)
    assert total.high / 2000 == pytest.approx(of_single.high / 400, rel=0.05)


@pytest.mark.parametrize("seed", range(20))
def test_an_interval_is_in_order_and_holds_what_was_read(seed: int) -> None:
    rng = np.random.default_rng(seed)
    stratum = rng.integers(0, 3, 60)
    drawn = np.sort(np.concatenate([rng.choice(np.flatnonzero(stratum == h), 4, False) for h in range(3)]))
    draw = Draw(np.arange(60), drawn, stratum, np.bincount(stratum), None)
    labels = (rng.random(12) < 0.4).astype(float)
    member = rng.random(60) < 0.5
    inside = member[drawn]
    for total in (
        difference_total(draw, rng.random(60), drawn, labels, member, level=0.5),
        labels_total(draw, drawn, labels, member, level=0.5),
    ):
        assert labels[inside].sum() <= total.low <= total.value <= total.high
        assert total.high <= member.sum() - (1 - labels[inside]).sum()
