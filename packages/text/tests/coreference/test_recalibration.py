"""Recalibrated posteriors: what is fitted brings back what was lost, and what is wrong is refused."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.coreference.by_definition import Enumeration, random_matrix

from howsure import calibration_curve
from howsure.result import plain
from howsure_text.coreference import (
    CoreferenceRecalibration,
    CorefPosterior,
    Sharpening,
    entity_pairs_from_posteriors,
    recalibrate_coreference,
)
from howsure_text.coreference.antecedent_model import sharpened
from howsure_text.coreference.antecedents import Antecedents, from_matrix
from howsure_text.coreference.entity_confidence import ConfidenceMap, Judged, entity_pairs, fit_confidence, right_share
from howsure_text.coreference.exact import pair_matrix
from howsure_text.coreference.judged import mention_confidence
from howsure_text.coreference.sharpening import Score, losses_of

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
def found(blunt: Drawn) -> CoreferenceRecalibration:
    return recalibrate_coreference(blunt[0][:40], blunt[1][:40])


@pytest.mark.parametrize("score", ["squared", "log"])
def test_a_distortion_is_undone(blunt: Drawn, found: CoreferenceRecalibration, score: Any) -> None:
    """Half the power is undone by twice the power; an offset of 0.6 after half the power by -1.2."""
    one = found if score == "squared" else recalibrate_coreference(blunt[0][:40], blunt[1][:40], score=score)
    assert one.sharpening.links == pytest.approx(2.0, abs=0.35)
    assert one.sharpening.new == pytest.approx(2.0, abs=0.5)
    assert one.sharpening.offset == pytest.approx(-1.2, abs=0.5)


def test_on_other_documents_errors_shrink(blunt: Drawn, found: CoreferenceRecalibration) -> None:
    judged = found.judge(blunt[0][40:], blunt[1][40:])
    by_name = {one.name: one for one in judged.effects}
    assert list(by_name) == ["pairs", "new mentions", "best antecedents", "entities", "lone mentions"]
    assert (by_name["pairs"].n, by_name["new mentions"].n) == (40 * 91, 40 * 14)
    for name in ("pairs", "new mentions", "best antecedents"):
        assert by_name[name].before.error > 0.06
        assert by_name[name].after.error < by_name[name].before.error / 2
        assert by_name[name].after.squared < by_name[name].before.squared
    assert by_name["entities"].after.error < 0.1
    assert judged.sharpening == found.sharpening


def test_confidence_is_that_of_the_map(blunt: Drawn, found: CoreferenceRecalibration) -> None:
    one = found.apply(blunt[0][0])
    for decision, clusters in (("best", one.best_antecedent_clusters()), ("minimum-risk", one.minimum_risk_clusters())):
        labels = one.labels(clusters)
        wanted = found.confidence[decision].apply(mention_confidence(one, clusters), labels)
        assert found.mention_confidence(one, clusters, decision=decision).tolist() == wanted.tolist()


def test_it_comes_back_from_json(found: CoreferenceRecalibration) -> None:
    again = CoreferenceRecalibration.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.to_dict() == found.to_dict()
    assert str(again) == str(found)


def test_names_of_mentions_stay(found: CoreferenceRecalibration) -> None:
    one = CorefPosterior([[1, 0], [0.5, 0.5]], mentions=["Ann", "she"])
    assert found.apply(one).mentions == one.mentions


def test_few_documents_say_what_they_cannot_tell() -> None:
    """Both documents are as the model would have them if it were sure."""
    rows = CorefPosterior([[1, 0, 0], [0.4, 0.6, 0], [0.5, 0.1, 0.4]])
    found = recalibrate_coreference([rows] * 2, [[[0, 2], [1]]] * 2)
    assert any("these documents do not determine it" in note for note in found.notes)
    assert "Note: " in str(found)


def test_confidence_alone_leaves_probabilities_as_they_are(blunt: Drawn) -> None:
    found = recalibrate_coreference(blunt[0][:40], blunt[1][:40], sharpen=False)
    assert found.sharpening is None
    assert found.apply(blunt[0][0]) is blunt[0][0]
    judged = {one.name: one for one in found.judge(blunt[0][40:], blunt[1][40:]).effects}
    assert judged["pairs"].before == judged["pairs"].after
    assert judged["entities"].after.error < judged["entities"].before.error
    assert "The probabilities are unchanged" in str(found)
    assert CoreferenceRecalibration.from_dict(found.to_dict()).sharpening is None


def test_pairs_of_entities_have_the_mended_confidence(blunt: Drawn, found: CoreferenceRecalibration) -> None:
    one, gold = found.apply(blunt[0][50]), blunt[1][50]
    pairs = entity_pairs_from_posteriors([one], [gold], recalibration=found)
    clusters = one.best_antecedent_clusters()
    sure = found.mention_confidence(one, clusters)
    wanted = sorted(sure[members].mean() for members in clusters if len(members) > 1)
    np.testing.assert_allclose(np.unique(pairs.probabilities.round(9)), np.unique(np.round(wanted, 9)))
    assert pairs.weights.sum() == pytest.approx(len(wanted))


PAIR = CorefPosterior([[1, 0], [0.4, 0.6]])


# The mended confidence in entities, against counting by hand.


LABELS = st.lists(st.integers(0, 3), min_size=1, max_size=8)


@settings(max_examples=40)
@given(LABELS, st.randoms(use_true_random=False))
def test_right_share_by_counting(chosen: list[int], random: Any) -> None:
    gold = [random.randrange(3) for _ in chosen]
    found = right_share(np.array(chosen), np.array(gold))
    for i, label in enumerate(chosen):
        others = [j for j, other in enumerate(chosen) if other == label and j != i]
        if others:
            assert found[i] == pytest.approx(np.mean([gold[j] == gold[i] for j in others]))
        else:
            assert found[i] == (gold.count(gold[i]) == 1)


@settings(max_examples=40)
@given(LABELS, st.randoms(use_true_random=False))
def test_no_map_changes_nothing(chosen: list[int], random: Any) -> None:
    p = np.array([random.uniform(0.001, 0.999) for _ in chosen])
    np.testing.assert_allclose(ConfidenceMap().apply(p, np.array(chosen)), p)


def test_an_entity_is_two_weighted_pairs() -> None:
    """Entity 0 has three mentions, of which two corefer: one pair of three is right."""
    labels, gold = np.array([0, 0, 0, 3]), np.array([0, 0, 2, 2])
    one = Judged(np.array([0.9, 0.8, 0.7, 0.6]), labels, right_share(labels, gold))
    pairs = entity_pairs([one], alone=False)
    assert pairs.labels.tolist() == [1, 0]
    np.testing.assert_allclose(pairs.probabilities, [0.8, 0.8])
    assert pairs.weights is not None
    np.testing.assert_allclose(pairs.weights, [1 / 3, 2 / 3])
    lone = entity_pairs([one], alone=True)
    assert (lone.labels.tolist(), lone.probabilities.tolist()) == ([0], [0.6])
    assert len(entity_pairs([Judged(one.confidence[:3], labels[:3], one.right[:3])], alone=True)) == 0


def test_what_is_too_sure_is_mended() -> None:
    """Confidence is right as often as its square; the map is fitted to one half, and judged on the other."""
    rng = np.random.default_rng(0)
    documents = []
    for _ in range(60):
        p = rng.uniform(0.3, 0.98, 40)
        labels = np.repeat(np.arange(40), 2)  # entities of two
        right = np.repeat((rng.random(40) < p**2).astype(float), 2)
        documents.append(Judged(np.repeat(p, 2), labels, right))
    found = fit_confidence(documents[:30])
    mended = [
        Judged(found.apply(document.confidence, document.labels), document.labels, document.right)
        for document in documents[30:]
    ]

    def error(judged: list[Judged]) -> float:
        pairs = entity_pairs(judged, alone=False)
        curve = calibration_curve(pairs.labels, pairs.probabilities, clusters=pairs.clusters)
        return curve.error.value

    assert error(documents[30:]) > 0.12
    assert error(mended) < 0.05
    assert found.alone == (0.0, 1.0)  # no lone mention, no change


@pytest.mark.parametrize(
    "held",
    [
        {"several": [0.0, 1.0], "alone": [0.0, 1.0]},
        {"several": [0.0, float("nan"), 0.0], "alone": [0.0, 1.0]},
        {"several": [0.0, "1", 0.0], "alone": [0.0, 1.0]},
        {"several": [0.0, 1.0, 0.0], "alone": None},
        {"several": [0.0, 1.0, 0.0]},
    ],
)
def test_what_is_no_map_is_refused(held: dict[str, Any]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        ConfidenceMap.from_dict(held)


def test_a_map_comes_back_from_its_dictionary() -> None:
    one = ConfidenceMap((-0.5, 0.8, 0.1), (0.2, 1.1))
    assert ConfidenceMap.from_dict(plain(one)) == one


# Sharpened antecedent distributions, and the losses by which they are fitted, against enumeration.


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
