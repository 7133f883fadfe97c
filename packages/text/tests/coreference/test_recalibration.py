"""Recalibrated posteriors: what is fitted brings back what was lost, and what is wrong is refused."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.coreference.by_definition import Enumeration, random_matrix

from howsure import calibration_curve
from howsure.result import plain
from howsure_text.coreference import CoreferenceRecalibration, CorefPosterior, Sharpening, recalibrate_coreference
from howsure_text.coreference.antecedent_model import sharpen_scores
from howsure_text.coreference.antecedents import Antecedents, from_matrix
from howsure_text.coreference.entity_confidence import (
    ConfidenceMap,
    Judged,
    check_documents,
    entity_pairs,
    fit_confidence,
    judged_entities,
    right_share,
)
from howsure_text.coreference.gold_comparison import mention_confidence
from howsure_text.coreference.pair_probabilities import pair_matrix
from howsure_text.coreference.sharpening import Score, document_losses

Drawn = tuple[list[CorefPosterior], list[np.ndarray]]


def drawn(n: int, m: int, seed: int, distortion: Sharpening) -> Drawn:
    """Posteriors distorted, and clusterings drawn from what they were before."""
    rng = np.random.default_rng(seed)
    posteriors, gold = [], []
    for _ in range(n):
        weights = np.tril(rng.exponential(size=(m, m)) ** 3)
        weights[np.diag_indices(m)] *= np.arange(m) / 3 + 0.2
        true = CorefPosterior(weights / weights.sum(axis=1, keepdims=True))
        gold.append(true.sample(1, rng=rng)[0])
        posteriors.append(CorefPosterior(distortion.apply(true.antecedents)))
    return posteriors, gold


@pytest.fixture(scope="module")
def blunt() -> Drawn:
    return drawn(80, 14, 1, Sharpening(0.5, 0.5, 0.6))


@pytest.fixture(scope="module")
def recalibration(blunt: Drawn) -> CoreferenceRecalibration:
    return recalibrate_coreference(blunt[0][:40], blunt[1][:40])


@pytest.mark.parametrize("score", ["squared", "log"])
def test_a_distortion_is_undone(blunt: Drawn, recalibration: CoreferenceRecalibration, score: Any) -> None:
    """Half the power is undone by twice the power; an offset of 0.6 after half the power by -1.2."""
    fit = recalibration if score == "squared" else recalibrate_coreference(blunt[0][:40], blunt[1][:40], score=score)
    assert fit.sharpening.links == pytest.approx(2.0, abs=0.35)
    assert fit.sharpening.new == pytest.approx(2.0, abs=0.5)
    assert fit.sharpening.offset == pytest.approx(-1.2, abs=0.5)


def test_on_other_documents_errors_shrink(blunt: Drawn, recalibration: CoreferenceRecalibration) -> None:
    judged = recalibration.judge(blunt[0][40:], blunt[1][40:])
    by_name = {effect.name: effect for effect in judged.effects}
    assert list(by_name) == ["pairs", "new mentions", "best antecedents", "entities", "lone mentions"]
    assert (by_name["pairs"].n, by_name["new mentions"].n) == (40 * 91, 40 * 14)
    for name in ("pairs", "new mentions", "best antecedents"):
        assert by_name[name].before.error > 0.06
        assert by_name[name].after.error < by_name[name].before.error / 2
        assert by_name[name].after.squared < by_name[name].before.squared
    assert by_name["entities"].after.error < 0.1
    assert judged.sharpening == recalibration.sharpening


def test_confidence_is_that_of_the_map(blunt: Drawn, recalibration: CoreferenceRecalibration) -> None:
    posterior = recalibration.apply(blunt[0][0])
    for decision, clusters in (
        ("best", posterior.best_antecedent_clusters()),
        ("minimum-risk", posterior.minimum_risk_clusters()),
    ):
        labels = posterior.labels(clusters)
        expected = recalibration.confidence[decision].apply(mention_confidence(posterior, clusters), labels)
        assert recalibration.mention_confidence(posterior, clusters, decision=decision).tolist() == expected.tolist()


def test_it_comes_back_from_json(recalibration: CoreferenceRecalibration) -> None:
    again = CoreferenceRecalibration.from_dict(json.loads(json.dumps(recalibration.to_dict())))
    assert again.to_dict() == recalibration.to_dict()
    assert str(again) == str(recalibration)


def test_names_of_mentions_stay(recalibration: CoreferenceRecalibration) -> None:
    posterior = CorefPosterior([[1, 0], [0.5, 0.5]], mentions=["Ann", "she"])
    assert recalibration.apply(posterior).mentions == posterior.mentions


def test_few_documents_say_what_they_cannot_tell() -> None:
    """Both documents are as the model would have them if it were sure."""
    rows = CorefPosterior([[1, 0, 0], [0.4, 0.6, 0], [0.5, 0.1, 0.4]])
    recalibration = recalibrate_coreference([rows] * 2, [[[0, 2], [1]]] * 2)
    assert any("these documents do not determine" in note for note in recalibration.notes)
    assert "Note: " in str(recalibration)


def test_confidence_alone_leaves_probabilities_as_they_are(blunt: Drawn) -> None:
    recalibration = recalibrate_coreference(blunt[0][:40], blunt[1][:40], sharpen=False)
    assert recalibration.sharpening is None
    assert recalibration.apply(blunt[0][0]) is blunt[0][0]
    judged = {effect.name: effect for effect in recalibration.judge(blunt[0][40:], blunt[1][40:]).effects}
    assert judged["pairs"].before == judged["pairs"].after
    assert judged["entities"].after.error < judged["entities"].before.error
    assert "The probabilities are unchanged" in str(recalibration)
    assert CoreferenceRecalibration.from_dict(recalibration.to_dict()).sharpening is None


def test_pairs_of_entities_have_recalibrated_confidence(blunt: Drawn, recalibration: CoreferenceRecalibration) -> None:
    posterior, gold = recalibration.apply(blunt[0][50]), blunt[1][50]
    judged = judged_entities(*check_documents([posterior], [gold]), "best")
    pairs = entity_pairs(recalibration.confidence["best"].recalibrate(judged), alone=False)
    clusters = posterior.best_antecedent_clusters()
    sure = recalibration.mention_confidence(posterior, clusters)
    expected = sorted(sure[members].mean() for members in clusters if len(members) > 1)
    np.testing.assert_allclose(np.unique(pairs.probabilities.round(9)), np.unique(np.round(expected, 9)))
    assert pairs.weights.sum() == pytest.approx(len(expected))


PAIR = CorefPosterior([[1, 0], [0.4, 0.6]])


# The recalibrated confidence in entities, against counting by hand.


LABELS = st.lists(st.integers(0, 3), min_size=1, max_size=8)


@given(LABELS, st.randoms(use_true_random=False))
def test_right_share_by_counting(chosen: list[int], random: Any) -> None:
    gold = [random.randrange(3) for _ in chosen]
    shares_right = right_share(np.array(chosen), np.array(gold))
    for i, label in enumerate(chosen):
        others = [j for j, other in enumerate(chosen) if other == label and j != i]
        if others:
            assert shares_right[i] == pytest.approx(np.mean([gold[j] == gold[i] for j in others]))
        else:
            assert shares_right[i] == (gold.count(gold[i]) == 1)


@given(LABELS, st.randoms(use_true_random=False))
def test_no_map_changes_nothing(chosen: list[int], random: Any) -> None:
    p = np.array([random.uniform(0.001, 0.999) for _ in chosen])
    np.testing.assert_allclose(ConfidenceMap().apply(p, np.array(chosen)), p)


def test_an_entity_is_two_weighted_pairs() -> None:
    """Entity 0 has three mentions; two of them corefer: one pair of three is right."""
    labels, gold = np.array([0, 0, 0, 3]), np.array([0, 0, 2, 2])
    judged = Judged(np.array([0.9, 0.8, 0.7, 0.6]), labels, right_share(labels, gold))
    pairs = entity_pairs([judged], alone=False)
    assert pairs.labels.tolist() == [1, 0]
    np.testing.assert_allclose(pairs.probabilities, [0.8, 0.8])
    assert pairs.weights is not None
    np.testing.assert_allclose(pairs.weights, [1 / 3, 2 / 3])
    lone = entity_pairs([judged], alone=True)
    assert (lone.labels.tolist(), lone.probabilities.tolist()) == ([0], [0.6])
    assert len(entity_pairs([Judged(judged.confidence[:3], labels[:3], judged.right[:3])], alone=True)) == 0


def test_overconfidence_is_recalibrated() -> None:
    """Confidence is right as often as its square; the map is fitted to one half, and judged on the other."""
    rng = np.random.default_rng(0)
    documents = []
    for _ in range(60):
        p = rng.uniform(0.3, 0.98, 40)
        labels = np.repeat(np.arange(40), 2)  # entities of two
        right = np.repeat((rng.random(40) < p**2).astype(float), 2)
        documents.append(Judged(np.repeat(p, 2), labels, right))
    confidence_map = fit_confidence(documents[:30])
    recalibrated = [
        Judged(confidence_map.apply(document.confidence, document.labels), document.labels, document.right)
        for document in documents[30:]
    ]

    def error(judged: list[Judged]) -> float:
        pairs = entity_pairs(judged, alone=False)
        curve = calibration_curve(pairs.labels, pairs.probabilities, clusters=pairs.clusters)
        return curve.error.value

    assert error(documents[30:]) > 0.12
    assert error(recalibrated) < 0.05
    assert confidence_map.alone == (0.0, 1.0)  # no lone mention, no change


@pytest.mark.parametrize(
    "stored",
    [
        {"several": [0.0, 1.0], "alone": [0.0, 1.0]},
        {"several": [0.0, float("nan"), 0.0], "alone": [0.0, 1.0]},
        {"several": [0.0, "1", 0.0], "alone": [0.0, 1.0]},
        {"several": [0.0, 1.0, 0.0], "alone": None},
        {"several": [0.0, 1.0, 0.0]},
    ],
)
def test_an_invalid_map_is_refused(stored: dict[str, Any]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        ConfidenceMap.from_dict(stored)


def test_a_map_comes_back_from_its_dictionary() -> None:
    confidence_map = ConfidenceMap((-0.5, 0.8, 0.1), (0.2, 1.1))
    assert ConfidenceMap.from_dict(plain(confidence_map)) == confidence_map


# Sharpened antecedent distributions, and the losses by which they are fitted, against enumeration.


POWERS = st.floats(0.3, 5)


def dense(antecedents: Antecedents) -> np.ndarray:
    matrix = np.diag(antecedents.new)
    matrix[antecedents.sources(), antecedents.antecedents] = antecedents.probabilities
    return matrix


@given(st.integers(0, 1000), st.integers(0, 6), POWERS, POWERS, st.floats(-3, 3))
def test_as_defined(seed: int, m: int, links: float, new: float, offset: float) -> None:
    matrix = random_matrix(m, np.random.default_rng(seed))
    sharpened = dense(Sharpening(links, new, offset).apply(from_matrix(matrix)))
    np.testing.assert_allclose(sharpened.sum(axis=1), 1.0)
    for j in range(m):
        p, old = float(matrix[j, j]), float(matrix[j, :j].sum())
        if p == 0.0 or old == 0.0:
            assert sharpened[j, j] == pytest.approx(p)
        else:
            odds = math.exp(new * math.log(p / old) + offset)
            assert sharpened[j, j] == pytest.approx(odds / (1 + odds))
        powers = matrix[j, :j] ** links
        expected = (1 - sharpened[j, j]) * powers / max(powers.sum(), 1e-300)
        np.testing.assert_allclose(sharpened[j, :j], expected, rtol=1e-9, atol=1e-12)


@given(st.integers(0, 1000))
def test_one_and_zero_change_nothing(seed: int) -> None:
    antecedents = from_matrix(random_matrix(5, np.random.default_rng(seed)))
    assert Sharpening().apply(antecedents) is antecedents
    again = dense(Sharpening(1.0, 1.0, 1e-15).apply(antecedents))
    np.testing.assert_allclose(again, dense(antecedents), atol=1e-12)


@given(st.integers(0, 100), st.floats(0.5, 3))
def test_one_power_for_both_is_the_sharpness_of_the_model(seed: int, s: float) -> None:
    scores = np.where(np.tri(6, dtype=bool), np.random.default_rng(seed).normal(0, 2, (6, 6)), -np.inf)
    learnt = from_matrix(sharpen_scores(scores, 1.0, two_steps=False))
    np.testing.assert_allclose(
        dense(Sharpening(s, s).apply(learnt)), sharpen_scores(scores, s, two_steps=True), atol=1e-12
    )


def test_sharpest_leaves_no_links_of_probability_zero() -> None:
    antecedents = Sharpening(100.0, 100.0).apply(from_matrix([[1, 0, 0], [0.6, 0.4, 0], [0.9, 0.05, 0.05]]))
    assert (antecedents.probabilities > 0).all()
    np.testing.assert_allclose(dense(antecedents), [[1, 0, 0], [1, 0, 0], [1, 0, 0]], atol=1e-12)
    assert len(antecedents.row(2)[0]) == 2  # the third link, 1e-126 as probable, is still possible
    assert len(pair_matrix(antecedents)) == 3


@pytest.mark.parametrize("score", ["squared", "log"])
@pytest.mark.parametrize("seed", range(4))
def test_losses_are_those_of_enumeration(score: Score, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix, gold = random_matrix(5, rng, zeros=0.1), rng.integers(0, 3, 5)
    sharpening = Sharpening(1.4, 0.8, -0.3)
    losses = document_losses(from_matrix(matrix), gold, sharpening, score=score)
    every = Enumeration(dense(sharpening.apply(from_matrix(matrix)))).together()
    later, earlier = np.tril_indices(5, -1)
    p, y = every[later, earlier], gold[later] == gold[earlier]
    new, first = np.diagonal(dense(sharpening.apply(from_matrix(matrix)))), [gold[j] not in gold[:j] for j in range(5)]

    def loss(p: np.ndarray, y: Any) -> float:
        if score == "squared":
            return float(((p - y) ** 2).sum())
        return float(-np.log(np.maximum(np.where(y, p, 1 - p), 1e-12)).sum())

    assert (losses.n_pairs, losses.n_mentions) == (10, 5)
    assert losses.pairs == pytest.approx(loss(p, y), abs=1e-9)
    assert losses.new == pytest.approx(loss(new, first), abs=1e-9)


@pytest.mark.parametrize("score", ["squared", "log"])
@pytest.mark.parametrize("seed", range(4))
def test_derivatives_are_those_of_differences(score: Score, seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = np.tril(rng.exponential(size=(8, 8)))  # no link is impossible
    antecedents, gold = from_matrix(weights / weights.sum(axis=1, keepdims=True)), rng.integers(0, 4, 8)
    at, step = np.array([1.3, 0.8, -0.4]), 1e-6
    losses = document_losses(antecedents, gold, Sharpening(*at), score=score)
    for which in range(3):
        moved = np.eye(3)[which] * step
        up, down = (document_losses(antecedents, gold, Sharpening(*(at + d)), score=score) for d in (moved, -moved))
        assert losses.of_pairs[which] == pytest.approx((up.pairs - down.pairs) / (2 * step), rel=1e-4, abs=1e-6)
        assert losses.of_new[which] == pytest.approx((up.new - down.new) / (2 * step), rel=1e-4, abs=1e-6)
