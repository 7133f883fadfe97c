"""Stories and overdispersion: the laws against brute force, and intervals that hold what they must."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from howsure.errors import InputError
from howsure.events.series.counts import (
    check_overdispersion,
    compare_counts,
    count_from_probabilities,
    count_from_samples,
    law_of_sum,
    laws_of,
    share_of_cause,
    story_sums,
)
from howsure.stats.proportions import poisson_binomial

SAMPLES = 100
SMALL = st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=4)


@given(rows=SMALL, data=st.data())
def test_a_story_adds_the_quantiles_of_its_documents(rows: list[list[int]], data: st.DataObject) -> None:
    stories = np.array(data.draw(st.lists(st.integers(3, 5), min_size=len(rows), max_size=len(rows))))
    sums = story_sums(np.array(rows), stories)
    for place, story in enumerate(sorted(set(stories.tolist()))):
        members = [row for row, own in zip(rows, stories.tolist(), strict=True) if own == story]
        if len(members) == 1:
            assert story_sums(np.array(members), np.array([story])).tolist() == members
        quantiles = zip(*(sorted(row) for row in members), strict=True)
        assert sorted(sums[place].tolist()) == [sum(column) for column in quantiles]


def test_probabilities_and_samples_of_stories_say_the_same() -> None:
    rng = np.random.default_rng(0)
    samples = (rng.random((30, SAMPLES)) < rng.random((30, 1))).astype(np.int64)
    stories = np.repeat(np.arange(10), 3)
    from_samples = count_from_samples(samples, stories=stories)
    from_shares = count_from_probabilities(samples.mean(axis=1), n_samples=SAMPLES, stories=stories)
    for name in ("mean", "low", "high", "variance", "monte_carlo_error"):
        assert getattr(from_samples, name) == pytest.approx(getattr(from_shares, name), rel=1e-9)


def test_five_equal_documents_are_five_times_one() -> None:
    count = count_from_probabilities(np.full(5, 0.3), n_samples=SAMPLES, stories=np.zeros(5))
    assert (count.low, count.high) == (0.0, 5.0)
    assert count.variance == pytest.approx(25 * 0.3 * 0.7 * SAMPLES / (SAMPLES - 1))
    apart = count_from_probabilities(np.full(5, 0.3), n_samples=SAMPLES)
    assert apart.variance == pytest.approx(5 * 0.3 * 0.7 * SAMPLES / (SAMPLES - 1))


def test_reprints_change_no_comparison() -> None:
    """The probability of more was .846 and became .995 with five reprints of every document."""
    rng = np.random.default_rng(4)
    a = (rng.random((12, SAMPLES)) < rng.random((12, 1))).astype(np.int64)
    b = (rng.random((12, SAMPLES)) < rng.random((12, 1))).astype(np.int64)
    once = compare_counts(a, b)
    drawn = [np.concatenate([rng.permuted(one, axis=1) for _ in range(5)]) for one in (a, b)]
    joint = [np.concatenate([one] * 5) for one in (a, b)]
    stories = np.tile(np.arange(12), 5)
    together, apart = compare_counts(*joint, stories=stories), compare_counts(*joint)
    assert 0.6 < once.more < 0.8
    assert together.more == pytest.approx(once.more, abs=1e-9)
    assert (together.low, together.high) == (5 * once.low, 5 * once.high)
    assert apart.more > 0.9
    assert count_from_samples(drawn[0], stories=stories).high == 5 * count_from_samples(a).high


@settings(max_examples=15)
@given(p=st.lists(st.floats(0.01, 0.99), min_size=2, max_size=5), rho=st.floats(0.01, 0.5))
def test_overdispersion_keeps_means_and_has_the_correlation(p: list[float], rho: float) -> None:
    laws = np.column_stack([1 - np.array(p), p])
    law = law_of_sum(laws, overdispersion=rho)
    sd = np.sqrt(np.array(p) * (1 - np.array(p)))
    wanted = (sd**2).sum() + rho * (sd.sum() ** 2 - (sd**2).sum())
    assert law.pmf.sum() == pytest.approx(1.0, abs=1e-9)
    assert law.mean == pytest.approx(sum(p), abs=1e-7)
    if share_of_cause(laws, rho) < 0.99:
        assert law.variance == pytest.approx(wanted, rel=1e-6)


def test_overdispersion_is_the_law_of_one_common_cause() -> None:
    p, rho = np.array([0.2, 0.5, 0.9]), 0.2
    laws = np.column_stack([1 - p, p])
    share = share_of_cause(laws, rho)
    cause = norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    given_z = norm.cdf((norm.ppf(1 - p) - np.sqrt(share) * cause[:, None]) / np.sqrt(1 - share))  # P(none | z)
    wanted = np.zeros(4)
    for outcome in product((0, 1), repeat=3):
        chance = np.where(outcome, 1 - given_z, given_z).prod(axis=1).mean()
        wanted[sum(outcome)] += chance
    assert law_of_sum(laws, overdispersion=rho).pmf == pytest.approx(wanted, abs=1e-4)


def test_without_overdispersion_nothing_changes() -> None:
    p = np.array([0.1, 0.7, 0.4])
    laws = np.column_stack([1 - p, p])
    assert np.array_equal(law_of_sum(laws).pmf, poisson_binomial(p).pmf)
    assert laws_of(np.array([[0, 1, 1, 0]])).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("value", [-0.1, 1.0, float("nan"), "a", True])
def test_overdispersion_is_a_correlation(value: object) -> None:
    with pytest.raises(InputError, match="overdispersion must be a correlation from 0 to below 1"):
        check_overdispersion(value)  # type: ignore[arg-type]


def test_quantiles_of_samples_know_no_overdispersion() -> None:
    with pytest.raises(InputError, match="does not support overdispersion"):
        count_from_samples(np.array([[0, 1]]), interval="samples", overdispersion=0.1)


def reprinted(rng: np.random.Generator, *, stories: int, most: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Samples of documents of stories with 1 to `most` reprints each, their stories, and the count that is true."""
    p = rng.beta(0.5, 0.5, size=stories)
    copies = rng.integers(1, most + 1, size=stories)
    truth = int((copies * (rng.random(stories) < p)).sum())
    own = np.repeat(np.arange(stories), copies)
    return (rng.random((len(own), SAMPLES)) < p[own, np.newaxis]).astype(np.int64), own, truth


def covered(sets: int, *, seed: int, together: bool, stories: int = 30, most: int = 9) -> float:
    rng, held = np.random.default_rng(seed), 0
    for _ in range(sets):
        samples, own, truth = reprinted(rng, stories=stories, most=most)
        count = count_from_probabilities(samples.mean(axis=1), n_samples=SAMPLES, stories=own if together else None)
        held += count.low <= truth <= count.high
    return held / sets


def test_intervals_hold_counts_with_reprints() -> None:
    assert covered(100, seed=1, together=False) < 0.75
    assert covered(100, seed=1, together=True) > 0.92


def covered_with_cause(sets: int, rho: float, *, seed: int, documents: int = 60) -> float:
    """How often intervals hold the count, the truths having the correlation through a beta-binomial cause."""
    rng, held = np.random.default_rng(seed), 0
    for _ in range(sets):
        p = rng.beta(2.0, 2.0)
        common = rng.beta(p * 9.0, (1 - p) * 9.0)  # truths correlate by 1 / (1 + 9) = .1
        truth = int((rng.random(documents) < common).sum())
        shares = rng.binomial(SAMPLES, p, size=documents) / SAMPLES
        count = count_from_probabilities(shares, n_samples=SAMPLES, overdispersion=rho)
        held += count.low <= truth <= count.high
    return held / sets


def test_intervals_hold_correlated_counts() -> None:
    assert covered_with_cause(40, 0.0, seed=2) < 0.7
    assert covered_with_cause(40, 0.1, seed=2) > 0.88


@pytest.mark.slow
@pytest.mark.parametrize("most", [2, 5, 20])
@pytest.mark.parametrize("stories", [5, 30, 200])
def test_coverage_with_reprints(stories: int, most: int) -> None:
    """Each reprint is sampled by itself, so that their shares differ a little: many of them cover .93, not .95."""
    assert covered(2_000, seed=stories + most, together=True, stories=stories, most=most) > 0.915


@pytest.mark.slow
@pytest.mark.parametrize("documents", [10, 60, 300])
def test_coverage_with_a_common_cause(documents: int) -> None:
    assert covered_with_cause(1_000, 0.1, seed=documents, documents=documents) > 0.93
