"""The Monte Carlo error of P(A > B): against brute force, and against what other samples would have said."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from howsure.events.series.counts import compare_counts, interval_of, law_of_sum, monte_carlo_errors


def more_than(laws: np.ndarray, least: int) -> float:
    """P(sum ≥ least), by all combinations."""
    total = 0.0
    for values in product(range(laws.shape[1]), repeat=len(laws)):
        if sum(values) >= least:
            total += np.prod([law[value] for law, value in zip(laws, values, strict=True)])
    return total


@pytest.mark.parametrize("kinds", [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 1, 1, 2, 3, 4]])
def test_gains_are_those_of_one_more_sample(kinds: list[int]) -> None:
    rng = np.random.default_rng(0)
    laws, n = rng.dirichlet([1.0, 1.0, 1.0], size=5)[kinds], 50
    units = len(laws)
    errors = monte_carlo_errors(laws, units + 1, units - 2, n_samples=n)
    for least, below, error in ((units + 1, False, errors[0]), (units - 1, True, errors[1])):
        variance = 0.0
        for unit in range(units):
            gains = []
            for place in range(3):
                moved = laws.copy()
                moved[unit] = np.eye(3)[place]
                gains.append(more_than(moved, least))
            known = (n * laws[unit] + 1 / 3) / (n + 1)
            variance += (known * (gains - known @ gains) ** 2).sum() / n
        assert error == pytest.approx(np.sqrt(variance), rel=1e-9), below


def test_nothing_that_is_drawn_has_no_error() -> None:
    assert monte_carlo_errors(np.zeros((0, 3)), 1, -1, n_samples=10) == (0.0, 0.0)
    assert interval_of(0.99, 0.1, level=0.95)[1] == 1.0


def test_samples_that_agree_are_not_certainty() -> None:
    certain = compare_counts(np.ones((1, 100), dtype=np.int64), np.zeros((1, 100), dtype=np.int64))
    assert certain.more == 1.0
    assert 0.97 < certain.more_interval[0] < 0.99
    assert certain.fewer_interval[0] == 0.0 < certain.fewer_interval[1] < 0.03


def held(sets: int, *, seed: int, documents: int, samples: int, rho: float = 0.0) -> float:
    """How often the interval holds the P(A > B) of the laws that the samples were drawn from."""
    rng, inside = np.random.default_rng(seed), 0
    for _ in range(sets):
        laws = rng.dirichlet([0.3, 0.3, 0.3], size=documents)  # of B alone, neither, A alone
        truth = float(law_of_sum(laws, overdispersion=rho).pmf[documents + 1 :].sum())
        drawn = np.array([rng.choice(3, size=samples, p=law) for law in laws])
        low, high = compare_counts(drawn == 2, drawn == 0, overdispersion=rho).more_interval
        inside += low <= truth <= high
    return inside / sets


@pytest.mark.parametrize("documents", [3, 25])
def test_the_interval_holds_the_probability(documents: int) -> None:
    assert held(50, seed=documents, documents=documents, samples=100) > 0.9


def test_the_interval_with_overdispersion() -> None:
    assert held(10, seed=7, documents=4, samples=100, rho=0.1) > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("samples", [20, 100, 400])
@pytest.mark.parametrize("documents", [1, 5, 50, 300])
def test_coverage_of_the_interval(documents: int, samples: int) -> None:
    assert held(500, seed=documents + samples, documents=documents, samples=samples) > 0.91
