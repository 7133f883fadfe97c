"""Sharpened antecedent distributions, and the losses by which they are fitted, against enumeration."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.coreference.antecedent_model import sharpened
from howsure.coreference.antecedents import Antecedents, from_matrix
from howsure.coreference.exact import pair_matrix
from howsure.coreference.sharpening import Score, Sharpening, losses_of
from howsure.errors import InputError
from tests.coreference.enumeration import Enumeration, random_matrix

POWERS = st.floats(0.3, 5)


def dense(held: Antecedents) -> np.ndarray:
    matrix = np.diag(held.new)
    matrix[held.sources(), held.antecedents] = held.probabilities
    return matrix


@settings(max_examples=40)
@given(st.integers(0, 1000), st.integers(0, 6), POWERS, POWERS, st.floats(-3, 3))
def test_as_defined(seed: int, m: int, links: float, new: float, offset: float) -> None:
    matrix = random_matrix(m, np.random.default_rng(seed))
    found = dense(Sharpening(links, new, offset).apply(from_matrix(matrix)))
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    for j in range(m):
        p, old = float(matrix[j, j]), float(matrix[j, :j].sum())
        if p == 0.0 or old == 0.0:
            assert found[j, j] == pytest.approx(p)
        else:
            odds = math.exp(new * math.log(p / old) + offset)
            assert found[j, j] == pytest.approx(odds / (1 + odds))
        powers = matrix[j, :j] ** links
        wanted = (1 - found[j, j]) * powers / max(powers.sum(), 1e-300)
        np.testing.assert_allclose(found[j, :j], wanted, rtol=1e-9, atol=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 1000))
def test_one_and_zero_change_nothing(seed: int) -> None:
    held = from_matrix(random_matrix(5, np.random.default_rng(seed)))
    assert Sharpening().apply(held) is held
    again = dense(Sharpening(1.0, 1.0, 1e-15).apply(held))
    np.testing.assert_allclose(again, dense(held), atol=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 100), st.floats(0.5, 3))
def test_one_power_for_both_is_the_sharpness_of_the_model(seed: int, s: float) -> None:
    scores = np.where(np.tri(6, dtype=bool), np.random.default_rng(seed).normal(0, 2, (6, 6)), -np.inf)
    learnt = from_matrix(sharpened(scores, 1.0, two_steps=False))
    np.testing.assert_allclose(dense(Sharpening(s, s).apply(learnt)), sharpened(scores, s, two_steps=True), atol=1e-12)


def test_sharpest_leaves_no_links_of_probability_zero() -> None:
    held = Sharpening(100.0, 100.0).apply(from_matrix([[1, 0, 0], [0.6, 0.4, 0], [0.9, 0.05, 0.05]]))
    assert (held.probabilities > 0).all()
    np.testing.assert_allclose(dense(held), [[1, 0, 0], [1, 0, 0], [1, 0, 0]], atol=1e-12)
    assert len(held.row(2)[0]) == 2  # the third link, 1e-126 as probable, is still possible
    assert len(pair_matrix(held)) == 3


@pytest.mark.parametrize("score", ["squared", "log"])
@pytest.mark.parametrize("seed", range(4))
def test_losses_are_those_of_enumeration(score: Score, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix, gold = random_matrix(5, rng, zeros=0.1), rng.integers(0, 3, 5)
    one = Sharpening(1.4, 0.8, -0.3)
    found = losses_of(from_matrix(matrix), gold, one, score=score)
    every = Enumeration(dense(one.apply(from_matrix(matrix)))).together()
    later, earlier = np.tril_indices(5, -1)
    p, y = every[later, earlier], gold[later] == gold[earlier]
    new, first = np.diagonal(dense(one.apply(from_matrix(matrix)))), [gold[j] not in gold[:j] for j in range(5)]

    def loss(p: np.ndarray, y: Any) -> float:
        if score == "squared":
            return float(((p - y) ** 2).sum())
        return float(-np.log(np.maximum(np.where(y, p, 1 - p), 1e-12)).sum())

    assert (found.n_pairs, found.n_mentions) == (10, 5)
    assert found.pairs == pytest.approx(loss(p, y), abs=1e-9)
    assert found.new == pytest.approx(loss(new, first), abs=1e-9)


@pytest.mark.parametrize("score", ["squared", "log"])
@pytest.mark.parametrize("seed", range(4))
def test_derivatives_are_those_of_differences(score: Score, seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = np.tril(rng.exponential(size=(8, 8)))  # no link is impossible
    held, gold = from_matrix(weights / weights.sum(axis=1, keepdims=True)), rng.integers(0, 4, 8)
    at, step = np.array([1.3, 0.8, -0.4]), 1e-6
    found = losses_of(held, gold, Sharpening(*at), score=score)
    for which in range(3):
        moved = np.eye(3)[which] * step
        up, down = (losses_of(held, gold, Sharpening(*(at + d)), score=score) for d in (moved, -moved))
        assert found.of_pairs[which] == pytest.approx((up.pairs - down.pairs) / (2 * step), rel=1e-4, abs=1e-6)
        assert found.of_new[which] == pytest.approx((up.new - down.new) / (2 * step), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"links": 0.0}, "links must be a number above 0, at most 100; it is 0.0"),
        ({"new": -1.0}, "new must be a number above 0"),
        ({"new": float("nan")}, "new must be a number above 0"),
        ({"offset": 1e9}, "offset must be a number above -100, at most 100"),
        ({"links": "sharp"}, "links must be a number"),
    ],
)
def test_what_is_no_sharpening_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Sharpening(**given)
