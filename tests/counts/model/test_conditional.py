"""One cell by its own labels: the conditional law against enumeration, and the hypergeometric law of equal units."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from howsure.counts.cell_levels import _mid_tails, conditional_estimate, conditional_interval, hypergeometric_interval

LABELLED = np.array([-1.5, 0.0, 0.7])
OTHERS = np.array([-2.0, -0.3, 0.1, 1.2])


@pytest.mark.parametrize("total", range(1, 7))
@pytest.mark.parametrize("positives", range(4))
def test_tails_are_those_of_enumeration(total: int, positives: int) -> None:
    logits = np.concatenate([LABELLED, OTHERS])
    weight = np.zeros(4)
    for outcome in product((0, 1), repeat=7):
        if sum(outcome) == total:
            weight[sum(outcome[:3])] += np.exp(np.dot(outcome, logits))
    weight /= weight.sum()
    wanted = weight[:positives].sum() + weight[positives] / 2, weight[positives + 1 :].sum() + weight[positives] / 2
    assert _mid_tails(LABELLED, OTHERS, positives, total) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(("n", "positives"), [(20, 0), (20, 1), (20, 7), (20, 20), (3, 1)])
def test_equal_units_are_a_simple_random_sample(n: int, positives: int) -> None:
    found = conditional_interval(np.full(n, -1.0), np.full(60 - n, -1.0), positives, level=0.95)
    assert found == hypergeometric_interval(60, n, positives, level=0.95)
    assert conditional_estimate(np.full(n, -1.0), np.full(60 - n, -1.0), positives) == pytest.approx(60 * positives / n)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(40):
        logits = rng.normal(-1, 1.5, 80)
        y = rng.random(80) < 1 / (1 + np.exp(-(logits + 1.0)))  # a level that nobody knows
        drawn = rng.permutation(80) < 30
        low, high = conditional_interval(logits[drawn], logits[~drawn], int(y[drawn].sum()), level=0.9)
        held += low <= y.sum() <= high
    assert 0.8 <= held / 40 <= 0.99
