"""Both losses against their definitions, and their gradients against finite differences, down to the weights."""

from __future__ import annotations

import math

import numpy as np
import pytest

from howsure.coreference.features import NEW_FAMILIES, PAIR_FAMILIES
from howsure.coreference.mentions import FORMS, TYPE_OF_FORM, mention_columns
from howsure.coreference.training import Loss, Scorer, allowed_antecedents, loss_and_gradient, margins, probabilities
from tests.coreference import parsed as hand

ENTITIES = np.array([0, 1, 0, 2, 1, 0])


def random_scores(rng: np.random.Generator, m: int = len(ENTITIES)) -> np.ndarray:
    return np.where(np.tri(m, dtype=bool), rng.normal(0, 2, (m, m)), -np.inf)


def test_right_choices() -> None:
    right = allowed_antecedents(ENTITIES)
    assert [np.flatnonzero(row).tolist() for row in right] == [[0], [1], [0], [3], [1], [0, 2]]


def test_margins() -> None:
    cost = margins(allowed_antecedents(ENTITIES))
    assert cost[1].tolist()[:2] == [0.1, 0.0]  # new: a link is a false link
    assert cost[4].tolist()[:5] == [1.0, 0.0, 1.0, 1.0, 3.0]  # old: wrong links, and a false "new"


def test_likelihood_by_hand() -> None:
    scores = np.array([[0.5, -np.inf, -np.inf], [1.0, 2.0, -np.inf], [0.3, 0.7, -1.0]])
    loss, _ = loss_and_gradient(scores, allowed_antecedents(np.array([0, 0, 0])))
    first = math.exp(1) / (math.exp(1) + math.exp(2))
    second = (math.exp(0.3) + math.exp(0.7)) / (math.exp(0.3) + math.exp(0.7) + math.exp(-1))
    assert loss == pytest.approx(-math.log(first) - math.log(second))


def test_a_margin_is_likelihood_with_dearer_mistakes() -> None:
    scores = random_scores(np.random.default_rng(0))
    right = allowed_antecedents(ENTITIES)
    assert loss_and_gradient(scores, right, loss="margin")[0] > loss_and_gradient(scores, right)[0]
    dearer = scores + margins(right)
    assert loss_and_gradient(scores, right, loss="margin")[0] == loss_and_gradient(dearer, right)[0]


@pytest.mark.parametrize("loss", ["likelihood", "margin"])
def test_gradient_by_scores(loss: Loss) -> None:
    scores, right = random_scores(np.random.default_rng(1)), allowed_antecedents(ENTITIES)
    gradient = loss_and_gradient(scores, right, loss=loss)[1]
    step = 1e-6
    for j, k in zip(*np.tril_indices(len(scores)), strict=True):
        up, down = scores.copy(), scores.copy()
        up[j, k] += step
        down[j, k] -= step
        slope = (loss_and_gradient(up, right, loss=loss)[0] - loss_and_gradient(down, right, loss=loss)[0]) / (2 * step)
        assert gradient[j, k] == pytest.approx(slope, abs=1e-8)
    np.testing.assert_array_equal(gradient[np.triu_indices(len(scores), 1)], 0)


@pytest.mark.parametrize("loss", ["likelihood", "margin"])
def test_gradient_by_weights(loss: Loss) -> None:
    """Through the tables: a direction in the space of all weights, and single weights of every kind of conjunction."""
    story = hand.story()
    scorer = Scorer(PAIR_FAMILIES, NEW_FAMILIES)
    features = scorer.features(mention_columns(story, story.mentions or ()))
    right = allowed_antecedents(np.array([0, 1, 1, 0, 1, 0, 0, 2]))
    rng = np.random.default_rng(2)
    weights = rng.normal(0, 0.1, scorer.n_weights)

    def value(at: np.ndarray) -> float:
        return loss_and_gradient(scorer.scores(features, scorer.tables(at)), right, loss=loss)[0]

    of_scores = loss_and_gradient(scorer.scores(features, scorer.tables(weights)), right, loss=loss)[1]
    gradient = scorer.gradient(features, of_scores)
    direction, step = rng.normal(size=scorer.n_weights), 1e-6
    slope = (value(weights + step * direction) - value(weights - step * direction)) / (2 * step)
    assert gradient @ direction == pytest.approx(slope, rel=1e-5)
    for place in rng.choice(np.flatnonzero(gradient), 25, replace=False):
        one = np.zeros(scorer.n_weights)
        one[place] = step
        assert gradient[place] == pytest.approx((value(weights + one) - value(weights - one)) / (2 * step), abs=1e-7)


def test_a_score_is_the_sum_of_the_weights_of_its_features() -> None:
    """The tables against the definition: every family bare, with types, with forms."""
    story = hand.story()
    scorer = Scorer(PAIR_FAMILIES, NEW_FAMILIES)
    a = mention_columns(story, story.mentions or ())
    features = scorer.features(a)
    weights = np.random.default_rng(3).normal(size=scorer.n_weights)
    scores = scorer.scores(features, scorer.tables(weights))
    earlier = list(zip(*np.tril_indices(len(a), -1), strict=True))
    for pair, (j, k) in enumerate(earlier):
        total, start = 0.0, 0
        for family, codes in zip(PAIR_FAMILIES, features.pairs, strict=True):
            n, code = family.size, int(codes[pair])
            total += weights[start + code]
            start += n
            if family.conjunction != "none":
                total += weights[start + code * 9 + TYPE_OF_FORM[a.form[j]] * 3 + TYPE_OF_FORM[a.form[k]]]
                start += n * 9
            if family.conjunction == "forms":
                total += weights[start + code * len(FORMS) ** 2 + a.form[j] * len(FORMS) + a.form[k]]
                start += n * len(FORMS) ** 2
        assert scores[j, k] == pytest.approx(total)
    assert np.isneginf(scores[np.triu_indices(len(a), 1)]).all()


def test_probabilities_of_large_scores() -> None:
    p = probabilities(np.array([[1e4, -np.inf], [1e4, 1e4 + math.log(3)]]))
    np.testing.assert_allclose(p, [[1, 0], [0.25, 0.75]])
