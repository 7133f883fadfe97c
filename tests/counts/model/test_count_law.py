"""The law of a count: against enumeration, and against convolution where sums are large."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from howsure.counts.count_law import CountLaw, LogitCounts, count_law
from howsure.inputs.pairs import Floats
from howsure.stats.proportions import poisson_binomial

LEVELS = np.array([-1.0, 0.3, 2.0])
WEIGHTS = np.array([0.2, 0.5, 0.3])


def enumerated(logits: Floats, known: int) -> Floats:
    """P(T = t) from t = 0, by all outcomes of the units."""
    pmf = np.zeros(known + len(logits) + 1)
    for level, weight in zip(LEVELS, WEIGHTS, strict=True):
        p = 1 / (1 + np.exp(-(logits + level)))
        for outcome in product((0, 1), repeat=len(logits)):
            pmf[known + sum(outcome)] += weight * np.prod(np.where(outcome, p, 1 - p))
    return pmf


def pmf_of(law: CountLaw) -> Floats:
    return np.diff(law.cdf(np.arange(law.known + law.units + 1)), prepend=0.0)


@pytest.mark.parametrize("units", [0, 1, 2, 7])
def test_small_counts_are_those_of_enumeration(units: int) -> None:
    logits = np.linspace(-3, 2, units)
    law = count_law(2, [logits], LEVELS, [WEIGHTS])
    wanted = enumerated(logits, 2)
    np.testing.assert_allclose(pmf_of(law), wanted, atol=1e-12)
    assert law.expected == pytest.approx(wanted @ np.arange(len(wanted)), abs=1e-12)
    assert law.quantile(0.5) == int(np.searchsorted(np.cumsum(wanted), 0.5 - 1e-12))


def test_two_counts_are_compared_as_by_enumeration() -> None:
    a, b = (
        count_law(1, [np.array([-1.0, 0.5, 1.0])], LEVELS, [WEIGHTS]),
        count_law(0, [np.array([0.2] * 4)], LEVELS, [WEIGHTS]),
    )
    joint = np.outer(enumerated(np.array([-1.0, 0.5, 1.0]), 1), enumerated(np.array([0.2] * 4), 0))
    rows, columns = np.indices(joint.shape)
    wanted = joint[rows > columns].sum() + joint[rows == columns].sum() / 2
    assert a.more_than(b) == pytest.approx(wanted, abs=1e-12)
    difference = np.array([joint[rows - columns == d].sum() for d in range(-4, 5)])
    least = [int(np.searchsorted(np.cumsum(difference), share - 1e-9)) - 4 for share in (0.1, 0.9)]
    assert a.minus(b, 0.8) == tuple(least)


@pytest.mark.parametrize(("units", "mean"), [(400, 60.0), (3_000, 200.0), (50_000, 12.0), (50_000, 4_000.0)])
def test_large_counts_are_near_their_convolution(units: int, mean: float) -> None:
    """Edgeworth's law and Fourier's transform, to a thousandth of probability."""
    p = np.random.default_rng(0).beta(0.5, 0.5 * (units / mean - 1), units)
    logits = np.log(np.clip(p, 1e-4, 1 - 1e-4)) - np.log1p(-np.clip(p, 1e-4, 1 - 1e-4))
    law = count_law(0, [logits], np.zeros(1), [np.ones(1)])
    wanted = np.cumsum(poisson_binomial(np.clip(p, 1e-4, 1 - 1e-4)).pmf)
    points = np.arange(units + 1)
    assert np.abs(law.cdf(points) - wanted).max() < 2e-3


def test_draws_are_equally_likely() -> None:
    draws = [np.linspace(-2, 1, 5) + shift for shift in (0.0, 1.0)]
    weights = [WEIGHTS, WEIGHTS[::-1]]
    laws = [count_law(1, [logits], LEVELS, [weight]) for logits, weight in zip(draws, weights, strict=True)]
    both = count_law(1, draws, LEVELS, weights)
    np.testing.assert_allclose(pmf_of(both), (pmf_of(laws[0]) + pmf_of(laws[1])) / 2, atol=1e-12)
    assert both.expected == pytest.approx((laws[0].expected + laws[1].expected) / 2)


@pytest.mark.parametrize("shift", [-6.0, -1.0, 1.0, 6.0])
def test_sums_of_few_negatives_are_as_exact_as_those_of_few_positives(shift: float) -> None:
    """Units that are nearly all positive are counted by their negatives."""
    p = 1 / (1 + np.exp(-(np.linspace(-1, 1, 60) + shift)))
    law = count_law(3, [np.linspace(-1, 1, 60)], np.array([shift]), [np.ones(1)])
    assert len(law.weight) == 0
    np.testing.assert_allclose(pmf_of(law)[3:], poisson_binomial(p).pmf, atol=1e-14)


def test_units_alike_are_taken_together_in_large_cells_only() -> None:
    logits = np.random.default_rng(0).normal(-4, 1.5, 20_000)
    counts = LogitCounts.empty()
    for start in range(0, 20_000, 3_000):
        counts.add(logits[start : start + 3_000])
    one, other = (count_law(0, [held], LEVELS, [WEIGHTS]) for held in (logits, counts))
    assert one.interval(0.95) == other.interval(0.95)
    exact = np.zeros(20_001)
    for level, weight in zip(LEVELS, WEIGHTS, strict=True):
        exact += weight * poisson_binomial(1 / (1 + np.exp(-(logits + level)))).pmf
    assert np.abs(one.cdf(np.arange(20_001)) - np.cumsum(exact)).max() < 2e-3
