"""Entropies of a coreference posterior: against all clusterings there are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.coreference import CorefPosterior
from howsure.errors import InputError
from tests.coreference.enumeration import Enumeration, random_matrix


def entropy_of(p: np.ndarray) -> float:
    return -sum(x * math.log(x) for x in np.asarray(p).ravel().tolist() if x > 0)


@given(st.integers(0, 6), st.integers(0, 2**32 - 1))
def test_the_entropy_of_the_choices_is_that_of_all_vectors(m: int, seed: int) -> None:
    matrix = random_matrix(m, np.random.default_rng(seed))
    found = CorefPosterior(matrix).antecedent_entropy()
    assert found == pytest.approx(entropy_of(Enumeration(matrix).p), abs=1e-9)


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_the_entropy_of_the_clusterings_is_not_greater(m: int, seed: int) -> None:
    posterior = CorefPosterior(random_matrix(m, np.random.default_rng(seed)))
    found = posterior.clustering_entropy(50, rng=0)
    assert found.low is not None
    assert found.high is not None
    assert 0.0 <= found.low <= found.value <= found.high <= posterior.antecedent_entropy() + 1e-12


def test_the_interval_holds_the_entropy_of_all_clusterings_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    held, errors = [], []
    for _ in range(200):
        matrix = random_matrix(6, rng, zeros=0.0)
        exact = entropy_of(np.array(list(Enumeration(matrix).clusterings().values())))
        found = CorefPosterior(matrix).clustering_entropy(300, level=0.9, rng=rng)
        held.append(found.low <= exact <= found.high)
        errors.append(found.value - exact)
    assert np.mean(held) == pytest.approx(0.9, abs=3 * math.sqrt(0.09 / 200))
    assert abs(np.mean(errors)) < 4 * np.std(errors) / math.sqrt(200)


def test_it_is_the_mean_surprise_of_samples_with_less_noise() -> None:
    posterior = CorefPosterior(random_matrix(40, np.random.default_rng(2), zeros=0.0))
    surprise = np.array([-posterior.log_prob(labels) for labels in posterior.sample(2_000, rng=3)])
    found = posterior.clustering_entropy(2_000, rng=4)
    error = surprise.std() / math.sqrt(2_000)
    assert found.value == pytest.approx(surprise.mean(), abs=4 * error)
    assert (found.high - found.low) / (2 * 1.96) < 0.9 * error


def test_two_mentions_need_no_luck() -> None:
    found = CorefPosterior([[1, 0], [0.3, 0.7]]).clustering_entropy(10, rng=0)
    assert found.value == found.high == pytest.approx(entropy_of(np.array([0.3, 0.7])))


def test_samples_that_agree_are_no_certainty() -> None:
    """One clustering in a million makes the third mention doubtful; 100 samples do not see it."""
    posterior = CorefPosterior([[1, 0, 0], [1 - 1e-6, 1e-6, 0], [0.5, 0.5, 0]])
    found = posterior.clustering_entropy(100, rng=0)
    exact = entropy_of(np.array([1 - 1e-6, 5e-7, 5e-7]))
    assert found.value < exact <= found.high
    assert found.high > found.value


def test_many_samples_are_drawn_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = CorefPosterior(random_matrix(10, np.random.default_rng(5), zeros=0.0))
    whole = posterior.clustering_entropy(1_000, rng=6)
    monkeypatch.setattr("howsure.coreference.clusterings.NUMBERS_AT_ONCE", 500)
    parts = posterior.clustering_entropy(1_000, rng=7)
    assert parts.value == pytest.approx(whole.value, abs=3 * (whole.high - whole.low))
    assert parts.n == 1_000


def test_nothing_has_no_entropy_and_bad_numbers_are_refused() -> None:
    nothing = CorefPosterior(np.empty((0, 0)))
    assert nothing.antecedent_entropy() == nothing.clustering_entropy(5, rng=0).value == 0.0
    with pytest.raises(InputError, match="n must be a whole number of at least 1, not 0"):
        nothing.clustering_entropy(0)
    with pytest.raises(InputError, match="level must lie strictly between 0 and 1"):
        nothing.clustering_entropy(level=95)
