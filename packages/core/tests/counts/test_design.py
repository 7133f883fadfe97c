"""Design-based totals: against all samples of a small population."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

import howsure
from howsure.counts.design_totals import DesignTotal, difference_total, labels_total
from howsure.counts.sampling_design import Draw
from howsure.inputs.pairs import Floats, Integers

STRATUM = np.array([0, 0, 0, 0, 1, 1, 1])
TRUTH = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0])
PROXY = np.array([0.7, 0.2, 0.9, 0.4, 0.1, 0.3, 0.2])
MEMBER = np.array([True, True, True, False, True, True, True])


def draw_of(drawn: tuple[int, ...] | Integers, stratum: Integers = STRATUM) -> Draw:
    """Single units drawn within strata; `stratum` is that of all units."""
    return Draw(np.arange(len(drawn)), stratum[np.array(drawn)], np.bincount(stratum), None)


def totals(
    draw: Draw, drawn: Integers, truth: Floats, proxy: Floats, member: np.ndarray, level: float = 0.95
) -> tuple[DesignTotal, DesignTotal]:
    """By difference and by the labels alone."""
    labels, inside, units = truth[drawn], member[drawn], int(member.sum())
    expected = float(proxy[member].sum())
    return (
        difference_total(draw, labels, proxy[drawn], inside, units=units, expected=expected, level=level),
        labels_total(draw, labels, inside, units=units, level=level),
    )


def all_samples() -> list[tuple[int, ...]]:
    return [(*a, *b) for a, b in product(combinations(range(4), 2), combinations(range(4, 7), 2))]


def test_the_difference_estimator_has_no_bias_and_nor_has_its_variance() -> None:
    totals, variances = [], []
    for drawn in all_samples():
        labelled = np.array(drawn)
        draw = draw_of(drawn)
        residual = draw.sum_by_element(np.where(MEMBER[labelled], TRUTH[labelled] - PROXY[labelled], 0.0))
        totals.append(PROXY[MEMBER].sum() + (draw.weight * residual).sum())
        variances.append(draw.variance(residual))
    assert np.mean(totals) == pytest.approx(TRUTH[MEMBER].sum(), abs=1e-12)
    assert np.mean(variances) == pytest.approx(np.var(totals), abs=1e-12)


def test_all_labels_leave_nothing_open() -> None:
    for total in totals(draw_of(tuple(range(7))), np.arange(7), TRUTH, PROXY, MEMBER):
        assert (total.value, total.low, total.high) == (3.0, 3.0, 3.0)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_labels_that_are_all_alike_have_an_interval(value: float) -> None:
    labelled = np.arange(20)
    draw = draw_of(labelled, np.zeros(200, dtype=np.int64))
    everything, truth = np.ones(200, dtype=np.bool_), np.full(200, value)
    for proxy in (np.full(200, 0.3), np.full(200, value)):
        total, _ = totals(draw, labelled, truth, proxy, everything)
        assert total.low <= 200 * value <= total.high
        assert total.high - total.low > 10


def test_a_total_near_0_has_nearly_the_interval_of_0() -> None:
    """Positives are few and the proxy takes them away again: the interval changes as little as the total."""
    labelled, everything = np.arange(100), np.ones(2_000, dtype=np.bool_)
    draw = draw_of(labelled, np.zeros(2_000, dtype=np.int64))
    truth = (np.arange(2_000) % 50 == 0).astype(float)
    ends = []
    for proxy in np.linspace(-2e-4, 2e-4, 41):
        fitted = np.where(truth == 1, 1.0, 0.0)[labelled]
        expected = float(fitted.sum() * 0) + 2_000 * proxy
        total = difference_total(
            draw, truth[labelled], fitted, everything[labelled], units=2_000, expected=expected, level=0.95
        )
        ends.append(total.high)
    assert np.abs(np.diff(ends)).max() < 2.0


def test_the_variance_of_given_chances_is_near_that_of_their_draws() -> None:
    rng = np.random.default_rng(0)
    chances = rng.uniform(0.05, 0.5, 400)
    values = rng.random(400) < 0.3
    totals, variances = [], []
    for _ in range(2000):
        drawn = np.flatnonzero(rng.random(400) < chances)
        draw = Draw(np.arange(len(drawn)), np.zeros(len(drawn), dtype=np.int64), np.array([400]), chances[drawn])
        totals.append((draw.weight * (values[drawn] - 0.3)).sum())
        variances.append(draw.variance(values[drawn] - 0.3))
    assert np.mean(variances) == pytest.approx(np.var(totals), rel=0.12)


def test_strata_whose_labels_are_alike_leave_room_for_misses() -> None:
    """Scores that are right where they are high, one label in a hundred missed where they are 0: 80 labels see none."""
    covered = 0
    for run in range(40):
        rng = np.random.default_rng(run)
        stratum = (np.arange(4000) < 400).astype(np.int64)
        truth = np.where(stratum == 1, 1.0, rng.random(4000) < 0.01)
        drawn = np.sort(np.concatenate([rng.choice(400, 20, False), 400 + rng.choice(3600, 80, False)]))
        proxy = np.where(stratum == 1, 0.97, 0.02)
        both = totals(draw_of(drawn, stratum), drawn, truth, proxy, np.ones(4000, dtype=np.bool_))
        covered += sum(bool(interval.low <= truth.sum() <= interval.high) for interval in both)
    assert covered >= 72


def test_a_cluster_of_labels_that_agree_counts_once() -> None:
    """60 documents of 5 units each say as much as 60 units if all labels of a document are one."""
    stratum, size = np.zeros(60, dtype=np.int64), np.array([400])
    draw = Draw(np.repeat(np.arange(60), 5), stratum, size, None, is_clustered=True)
    total = labels_total(draw, np.zeros(300), np.ones(300, dtype=np.bool_), units=2000, level=0.95)
    single = Draw(np.arange(60), stratum, size, None, is_clustered=True)
    of_single = labels_total(single, np.zeros(60), np.ones(60, dtype=np.bool_), units=400, level=0.95)
    assert total.high / 2000 == pytest.approx(of_single.high / 400, rel=0.05)


@pytest.mark.parametrize("seed", range(20))
def test_an_interval_is_in_order_and_holds_what_was_read(seed: int) -> None:
    rng = np.random.default_rng(seed)
    stratum = rng.integers(0, 3, 60)
    drawn = np.sort(np.concatenate([rng.choice(np.flatnonzero(stratum == h), 4, False) for h in range(3)]))
    truth = (rng.random(60) < 0.4).astype(float)
    member = rng.random(60) < 0.5
    labels, inside = truth[drawn], member[drawn]
    for total in totals(draw_of(drawn, stratum), drawn, truth, rng.random(60), member, level=0.5):
        assert labels[inside].sum() <= total.low <= total.value <= total.high
        assert total.high <= member.sum() - (1 - labels[inside]).sum()


def test_few_labels_in_strata_have_students_t() -> None:
    """By hand: V = 3 strata of 300² (1 - 4/300) s² / 4 = 18,500, n = 810,000 · .25 / V = 10.95, times (1.960 / 2.262)²
    for 9 degrees of freedom = 8.217; Wilson's interval of one half is then [.2178, .7822] of 900."""
    labels, strata = np.full(900, np.nan), np.repeat([0, 1, 2], 300)
    for stratum, positives in enumerate((1, 2, 3)):
        labels[300 * stratum : 300 * stratum + 4] = [1] * positives + [0] * (4 - positives)
    total = howsure.estimate_counts(labels, np.full(900, 0.5), strata=strata, method="labels", rng=0).total
    assert (total.estimate, total.low, total.high) == pytest.approx((450, 196.0, 704.0), abs=0.05)
