"""Estimates from samples: brute force, laws, distribution of their Monte Carlo errors, and two stages."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import howsure
from howsure.errors import InputError
from howsure.propagation.variance_by_stage import _variance_parts


class Die:
    """Throws of a die with given probabilities of its faces."""

    def __init__(self, p: list[float]) -> None:
        self.p = p

    def sample(self, n: int, *, rng: object = None) -> np.ndarray:
        return np.random.default_rng(rng).choice(len(self.p), n, p=self.p)


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=30), st.sampled_from([0.5, 0.9, 0.95]))
def test_estimates_are_those_of_the_definition(numbers: list[int], level: float) -> None:
    result = howsure.propagate_samples(numbers, lambda x: [x, 2 * x], level=level)
    row, doubled = result
    ordered, n = sorted(numbers), len(numbers)
    assert row.mean.value == pytest.approx(sum(numbers) / n)
    assert row.sd == pytest.approx(np.std(numbers, ddof=1))
    assert row.standard_error == pytest.approx(row.sd / n**0.5)
    for end, p in ((row.low, (1 - level) / 2), (row.high, (1 + level) / 2)):
        at_least = [x for x in ordered if sum(y <= x for y in ordered) >= p * n - 1e-9]
        assert end.value == at_least[0]
        assert end.low is None or end.low <= end.value
        assert end.high is None or end.high >= end.value
    assert doubled.interval == (2 * row.low.value, 2 * row.high.value)
    assert result["1"] is doubled
    assert (result.n, result.recipe["samples"]) == (n, n)


@pytest.mark.parametrize("as_documents", [list, lambda documents: dict(enumerate(documents))])
def test_documents_are_independent_and_added_up(as_documents) -> None:
    """The distribution of the sum of three dice, two of them alike, is the convolution."""
    dice = [Die([0.2, 0.8]), Die([0.2, 0.8]), Die([0.5, 0.3, 0.2])]
    result = howsure.propagate_samples(as_documents(dice), lambda face: {"sum": face}, samples=20_000, rng=3)
    exact = np.zeros(5)
    for faces in itertools.product(range(2), range(2), range(3)):
        exact[sum(faces)] += np.prod([die.p[face] for die, face in zip(dice, faces, strict=True)])
    shares = np.bincount(result.values[:, 0].astype(int), minlength=5) / 20_000
    np.testing.assert_allclose(shares, exact, atol=0.015)
    assert result["sum"].interval == (1.0, 4.0)  # P(sum = 0) is 0.02


def test_samples_can_be_drawn_in_parallel_and_added_up() -> None:
    streams = [howsure.propagate_samples(Die([0.5, 0.5]), int, samples=50, rng=seed) for seed in (1, 2)]
    total = streams[0] + streams[1]
    assert total.n == 100
    assert total[0].mean.value == pytest.approx((streams[0][0].mean.value + streams[1][0].mean.value) / 2)
    assert total.recipe["seed"] == [1, 2]
    with pytest.raises(InputError, match="both results contain samples with the seed 2"):
        total + streams[1]
    with pytest.raises(InputError, match="can be added if they have the same quantities"):
        streams[0] + howsure.propagate_samples([1, 2], lambda x: [x])


def test_a_seed_gives_the_same_samples_and_different_documents_differ() -> None:
    first, again = (howsure.propagate_samples([Die([0.5, 0.5])] * 2, int, samples=40, rng=7) for _ in range(2))
    assert first.values.tolist() == again.values.tolist()
    assert set(first.values.ravel()) == {0.0, 1.0, 2.0}  # two dice of one seed would always agree


def test_the_number_of_samples_that_an_error_needs() -> None:
    row = howsure.propagate_samples(Die([0.5, 0.5]), int, samples=400, rng=0)
    assert row.samples_needed(0.01) == pytest.approx(2_500, rel=0.02)
    needed = howsure.propagate_samples(Die([0.5, 0.5]), int, samples=row.samples_needed(0.01), rng=1)
    assert needed[0].standard_error == pytest.approx(0.01, rel=0.05)
    assert howsure.propagate_samples([1, 1, 1], int).samples_needed(0.1) == 3


def test_samples_that_agree_are_no_certainty() -> None:
    result = howsure.propagate_samples([True] * 100, bool)
    assert result[0].mean.low == pytest.approx(0.963, abs=1e-3)
    assert "All samples agree on value; rarer values may exist." in result.text()


@pytest.mark.long
@pytest.mark.parametrize(("p", "n"), [([0.97, 0.03], 200), ([0.6, 0.3, 0.1], 100), ([0.9, 0.05, 0.02, 0.03], 400)])
def test_monte_carlo_intervals_cover(p: list[float], n: int) -> None:
    """The intervals of the mean and of both ends of the posterior interval, at the 95% level."""
    exact = float(np.arange(len(p)) @ p)
    ends = [int(np.searchsorted(np.cumsum(p), tail - 1e-12)) for tail in (0.025, 0.975)]
    hits = []
    for seed in range(400):
        row = howsure.propagate_samples(Die(p), int, samples=n, rng=seed)[0]
        around = [(row.mean, exact), (row.low, ends[0]), (row.high, ends[1])]
        within = [
            (e.low is None or e.low <= value + 1e-12) and (e.high is None or e.high >= value - 1e-12)
            for e, value in around
        ]
        hits.append(within)
    assert (np.mean(hits, axis=0) >= 0.93).all(), np.mean(hits, axis=0)


# Two stages.


def test_parts_of_the_variance_are_those_of_an_analysis_of_variance() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(7, 3)) + rng.normal(size=(7, 1))
    parts, covariance = _variance_parts(table)

    def by_definition(rows: np.ndarray) -> np.ndarray:
        within = rows.var(axis=1, ddof=1).mean()
        return np.array([rows.mean(axis=1).var(ddof=1) - within / 3, within])

    np.testing.assert_allclose(parts, by_definition(table))
    others = np.array([by_definition(np.delete(table, i, axis=0)) for i in range(7)])
    np.testing.assert_allclose(covariance, 6 / 7 * (len(others) - 1) * np.cov(others.T), rtol=1e-9)


class Coin:
    """A coin of unknown bias: first stage; and its throw: second stage."""

    def __init__(self, biases: list[float]) -> None:
        self.biases = biases

    def sample(self, n: int, *, rng: object = None) -> np.ndarray:
        return np.random.default_rng(rng).choice(self.biases, n)


def throw(bias: float) -> Die:
    return Die([1 - bias, bias])


@pytest.mark.slow
@pytest.mark.parametrize("n_documents", [1, pytest.param(30, marks=pytest.mark.slow)])
def test_shares_of_the_variance_are_exact_on_average_and_their_intervals_cover(n_documents: int) -> None:
    biases = [0.05, 0.2, 0.9]
    first = np.var(biases)
    second = np.mean([b * (1 - b) for b in biases])
    exact, shares = first / (first + second), []
    times = 300 if n_documents == 1 else 30
    for seed in range(times):
        documents = [Coin(biases)] * n_documents
        shares.append(howsure.decompose_variance(documents, throw, int, samples=60, repeats=3, rng=seed)[0])
    values = [row.share.value for row in shares]
    assert np.mean(values) == pytest.approx(exact, abs=0.01)
    assert np.mean([row.variance for row in shares]) == pytest.approx(n_documents * (first + second), rel=0.02)
    assert np.mean([row.share.low <= exact <= row.share.high for row in shares]) >= 0.93
    assert np.mean([row.mean.low <= n_documents * np.mean(biases) <= row.mean.high for row in shares]) >= 0.93


def test_a_stage_that_is_certain_has_no_share() -> None:
    certain_first = howsure.decompose_variance(Coin([0.5]), throw, int, rng=0)[0]
    assert certain_first.share.low == 0.0
    assert certain_first.share.value < 0.1
    certain_second = howsure.decompose_variance(Coin([0.0, 1.0]), throw, int, rng=0)[0]
    assert (certain_second.share.value, certain_second.second) == (1.0, 0.0)
    nothing = howsure.decompose_variance(Coin([1.0]), throw, int, rng=0)
    assert nothing[0].share is None
    assert "Nothing varies" in nothing.text()


class Silent:
    """A posterior that returns no samples."""

    def sample(self, n: int, *, rng: object = None) -> None:
        """Nothing."""


@pytest.mark.parametrize(
    ("posterior", "sentence"),
    [
        ({"a": [1, 2], "b": [3, 4]}, "posterior must map each document to a posterior"),
        (Silent(), "the samples of posterior must be a list or an array; they are None"),
    ],
)
def test_what_is_no_posterior_is_refused(posterior: object, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        howsure.propagate_samples(posterior, float, samples=2, rng=0)


def test_quantities_spelled_alike_are_refused() -> None:
    with pytest.raises(InputError, match="two of 1, 1 are spelled alike"):
        howsure.propagate_samples([1, 2], lambda sample: {1: sample, "1": 10 * sample})


def test_weights_are_numbers_of_any_size() -> None:
    with pytest.raises(InputError, match="sample_weight must be numbers"):
        howsure.WeightedSamples([1, 2], ["a", "b"])
    with pytest.raises(InputError, match="samples must be a list of structures; it is 5"):
        howsure.WeightedSamples(5, [1])
    assert howsure.WeightedSamples([1, 2], [1e308, 1e308]).sample_weight.tolist() == [0.5, 0.5]
