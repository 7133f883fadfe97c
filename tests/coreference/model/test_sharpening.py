"""Sharpened distributions against the sums that define them, row by row."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.coreference.antecedent_model import sharpened
from howsure.coreference.training import probabilities


def random_scores(seed: int, m: int = 6, spread: float = 2.0) -> np.ndarray:
    scores = np.random.default_rng(seed).normal(0, spread, (m, m))
    return np.where(np.tri(m, dtype=bool), scores, -np.inf)


@pytest.mark.parametrize("s", [0.5, 1.2, 3.0])
def test_in_two_steps_as_defined(s: float) -> None:
    scores = random_scores(1)
    found = sharpened(scores, s, two_steps=True)
    for j in range(1, len(scores)):
        weights = [math.exp(score) for score in scores[j, : j + 1]]
        new, old = (weights[j] / sum(weights)) ** s, (sum(weights[:j]) / sum(weights)) ** s
        assert found[j, j] == pytest.approx(new / (new + old))
        powers = [weight**s for weight in weights[:j]]
        assert found[j, :j] == pytest.approx([old / (new + old) * power / sum(powers) for power in powers])
    assert found[0].tolist() == [1, 0, 0, 0, 0, 0]


def test_at_once_every_choice_is_raised_to_the_power() -> None:
    scores = random_scores(2)
    powers = probabilities(scores) ** 1.5
    np.testing.assert_allclose(sharpened(scores, 1.5, two_steps=False), powers / powers.sum(axis=1, keepdims=True))


@settings(max_examples=40)
@given(st.integers(0, 1000), st.integers(0, 8), st.floats(0.1, 100), st.sampled_from([1.0, 30.0, 500.0]), st.booleans())
def test_rows_are_distributions(seed: int, m: int, s: float, spread: float, two_steps: bool) -> None:
    found = sharpened(random_scores(seed, m, spread), s, two_steps=two_steps)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert (np.triu(found, 1) == 0).all()
    assert (found >= 0).all()


@settings(max_examples=40)
@given(st.integers(0, 1000))
def test_the_power_one_changes_nothing(seed: int) -> None:
    scores = random_scores(seed)
    np.testing.assert_allclose(sharpened(scores, 1.0, two_steps=True), probabilities(scores))


def test_at_once_new_gains_on_many_alike() -> None:
    """Four antecedents share one half: at once each loses to "new", in two steps none does."""
    scores = np.array([[0.0] * 4 + [math.log(4)]] * 5)
    scores = np.where(np.tri(5, dtype=bool), scores, -np.inf)
    assert sharpened(scores, 2.0, two_steps=True)[4, 4] == pytest.approx(0.5)
    assert sharpened(scores, 2.0, two_steps=False)[4, 4] == pytest.approx(16 / 20)
