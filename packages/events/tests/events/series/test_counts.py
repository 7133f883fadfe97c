"""Posterior counts: against enumeration of all samples and closed forms, and how often their intervals cover."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.stats.proportions import poisson_binomial
from howsure_events.series.counts import (
    INTERVALS,
    Count,
    compare_counts,
    count_from_probabilities,
    count_from_samples,
    error_interval,
    monte_carlo_errors,
    sum_law,
)

SMALL = st.integers(1, 3).flatmap(
    lambda s: st.lists(st.lists(st.integers(0, 2), min_size=s, max_size=s), min_size=1, max_size=4)
)


def totals(samples: np.ndarray) -> list[int]:
    """The total of every way to pick one sample of each document: the exact law, all equally likely."""
    return [sum(choice) for choice in product(*samples.tolist())]


@given(SMALL)
def test_the_exact_law_is_that_of_all_combinations(rows: list[list[int]]) -> None:
    samples = np.array(rows)
    if samples.shape[1] < 2:
        samples = np.repeat(samples, 2, axis=1)
    n = samples.shape[1]
    everything = sorted(totals(samples))
    count = count_from_samples(samples)
    tail = len(everything) * Fraction(25, 1000)
    assert count.mean == pytest.approx(np.mean(everything), abs=1e-12)
    assert count.variance == pytest.approx(np.var(everything) * n / (n - 1), abs=1e-12)
    below = sum(total < count.low for total in everything)
    above = sum(total > count.high for total in everything)
    assert below <= tail
    assert above <= tail
    assert count.monte_carlo_error == pytest.approx(np.sqrt(count.variance / n), abs=1e-12)


def test_probabilities_give_the_closed_form() -> None:
    p = np.random.default_rng(1).random(300)
    exact, estimated = count_from_probabilities(p), count_from_probabilities(p, n_samples=100)
    assert abs(exact.mean - p.sum()) < 1e-12 * p.sum()
    assert abs(exact.variance - (p * (1 - p)).sum()) < 1e-12 * p.sum()
    assert exact.monte_carlo_error == 0.0
    assert estimated.variance == pytest.approx(exact.variance * 100 / 99, rel=1e-12)
    assert (exact.low, exact.high) == (estimated.low, estimated.high)


def test_samples_and_their_frequencies_give_the_same() -> None:
    rng = np.random.default_rng(2)
    samples = (rng.random((40, 100)) < rng.random((40, 1))).astype(np.int64)
    from_samples, from_shares = (
        count_from_samples(samples),
        count_from_probabilities(samples.mean(axis=1), n_samples=100),
    )
    assert (from_samples.low, from_samples.high) == (from_shares.low, from_shares.high)
    for name in ("mean", "variance", "monte_carlo_error"):
        assert getattr(from_samples, name) == pytest.approx(getattr(from_shares, name), rel=1e-12)


def test_the_papers_interval_and_that_of_samples() -> None:
    samples = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [2, 0, 1, 1]])
    sums = samples.sum(axis=0)
    normal = count_from_samples(samples, interval="normal")
    reach = 1.959963984540054 * sums.std(ddof=1)
    assert (normal.low, normal.high) == pytest.approx((sums.mean() - reach, sums.mean() + reach), rel=1e-12)
    assert normal.low < 0
    assert (count_from_samples(samples, interval="samples").low, count_from_samples(samples).low) == (1.0, 0.0)
    for stories in (None, np.array([0, 0, 2])):  # of each interval the variance is that of the distribution
        exact, *others = (count_from_samples(samples, interval=kind, stories=stories).variance for kind in INTERVALS)
        assert others == pytest.approx([exact] * 2, rel=1e-12)


def test_no_documents_no_events() -> None:
    nothing = Count(0.0, 0.0, 0.0, 0.0, 0.0)
    assert count_from_probabilities(np.empty(0)) == nothing
    for interval in ("exact", "normal", "samples"):
        assert count_from_samples(np.empty((0, 10), dtype=np.int64), interval=interval) == nothing
        assert count_from_samples(np.zeros((3, 10), dtype=np.int64), interval=interval) == nothing


@given(SMALL, st.randoms(use_true_random=False))
def test_comparison_is_that_of_all_combinations(rows: list[list[int]], random: object) -> None:
    a = np.array(rows)
    b = np.random.default_rng(random.getrandbits(32)).integers(0, 3, a.shape)  # type: ignore[attr-defined]
    both = [[x - y for x, y in zip(*pair, strict=True)] for pair in zip(a.tolist(), b.tolist(), strict=True)]
    differences = np.array(totals(np.array(both)))
    comparison = compare_counts(a, b)
    assert comparison.more == pytest.approx((differences > 0).mean(), abs=1e-12)
    assert comparison.equal == pytest.approx((differences == 0).mean(), abs=1e-12)
    assert comparison.fewer == pytest.approx((differences < 0).mean(), abs=1e-12)
    assert comparison.mean == pytest.approx(differences.mean(), abs=1e-12)
    assert (differences < comparison.low).mean() <= 0.025
    assert (differences > comparison.high).mean() <= 0.025
    turned = compare_counts(b, a)
    assert (turned.more, turned.low) == pytest.approx((comparison.fewer, -comparison.high), abs=1e-12)


def test_actors_that_share_clusterings_are_not_independent() -> None:
    """The same event is A's or B's: the joint samples know it, the marginals do not."""
    a = np.tile([1, 0], (5, 50))
    b = 1 - a
    joint = compare_counts(a, b)
    independent = 1 - sum(x * y for x, y in zip(poisson_binomial([0.5] * 5).pmf, poisson_binomial([0.5] * 5).pmf))  # noqa: B905
    assert joint.equal == 0.0
    assert joint.more == pytest.approx(0.5, abs=1e-12)
    assert independent / 2 < 0.4


def covered(truth: np.ndarray, count: Count) -> float:
    """The chance that a count with this true law lies in the interval."""
    counts = np.arange(len(truth))
    return float(truth[(counts >= count.low) & (counts <= count.high)].sum())


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 20, 60, 300])
def test_intervals_cover_in_the_worst_of_400_quarters(n: int) -> None:
    """A fifth of the documents have an event: known p_d at least .95, S = 100 .93; the paper's and S = 10 far less."""
    rng = np.random.default_rng([6, n])
    worst = {"known": 1.0, "exact": 1.0, "normal": 1.0, "ten": 1.0}
    for _ in range(400):
        p = rng.beta(0.2, 0.8, n)
        truth = poisson_binomial(p).pmf
        samples = (rng.random((n, 100)) < p[:, np.newaxis]).astype(np.int64)
        counts = {
            "known": count_from_probabilities(p),
            "exact": count_from_samples(samples),
            "normal": count_from_samples(samples, interval="normal"),
            "ten": count_from_samples(samples[:, :10]),
        }
        worst = {name: min(worst[name], covered(truth, count)) for name, count in counts.items()}
    assert worst["known"] >= 0.95
    assert worst["exact"] >= 0.93
    assert worst["normal"] < 0.9
    assert worst["ten"] < worst["exact"]


# The Monte Carlo error of P(A > B): against brute force, and against what other samples would have said.


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
            law = (n * laws[unit] + 1 / 3) / (n + 1)
            variance += (law * (gains - law @ gains) ** 2).sum() / n
        assert error == pytest.approx(np.sqrt(variance), rel=1e-9), below


def test_nothing_that_is_drawn_has_no_error() -> None:
    assert monte_carlo_errors(np.zeros((0, 3)), 1, -1, n_samples=10) == (0.0, 0.0)
    assert error_interval(0.99, 0.1, level=0.95)[1] == 1.0


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
        truth = float(sum_law(laws, overdispersion=rho).pmf[documents + 1 :].sum())
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
