"""Recalibrated posteriors: what is fitted brings back what was lost, and what is wrong is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from howsure.coreference import (
    CoreferenceRecalibration,
    CorefPosterior,
    Sharpening,
    entity_pairs_from_posteriors,
    recalibrate_coreference,
)
from howsure.coreference.judged import mention_confidence
from howsure.errors import InputError

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
    assert any("these documents cannot tell it" in note for note in found.notes)
    assert "Note: " in str(found)


def test_confidence_alone_leaves_probabilities_as_they_are(blunt: Drawn) -> None:
    found = recalibrate_coreference(blunt[0][:40], blunt[1][:40], sharpen=False)
    assert found.sharpening is None
    assert found.apply(blunt[0][0]) is blunt[0][0]
    judged = {one.name: one for one in found.judge(blunt[0][40:], blunt[1][40:]).effects}
    assert judged["pairs"].before == judged["pairs"].after
    assert judged["entities"].after.error < judged["entities"].before.error
    assert "The probabilities are left as they were" in str(found)
    assert CoreferenceRecalibration.from_dict(found.to_dict()).sharpening is None


def test_pairs_of_entities_have_the_mended_confidence(blunt: Drawn, found: CoreferenceRecalibration) -> None:
    one, gold = found.apply(blunt[0][50]), blunt[1][50]
    pairs = entity_pairs_from_posteriors([one], [gold], recalibration=found)
    clusters = one.best_antecedent_clusters()
    sure = found.mention_confidence(one, clusters)
    wanted = sorted(sure[members].mean() for members in clusters if len(members) > 1)
    np.testing.assert_allclose(np.unique(pairs.probabilities.round(9)), np.unique(np.round(wanted, 9)))
    assert pairs.weights is not None
    assert pairs.weights.sum() == pytest.approx(len(wanted))
    with pytest.raises(InputError, match="no decision 'wish'"):
        entity_pairs_from_posteriors([one], [gold], decision="wish")


PAIR = CorefPosterior([[1, 0], [0.4, 0.6]])


@pytest.mark.parametrize(
    ("posteriors", "gold", "options", "message"),
    [
        (PAIR, [[[0, 1]]], {}, "posteriors must be a list, one per document"),
        ([PAIR], [[[0, 1]]], {}, "posteriors must be of at least 2 documents; there is 1"),
        ([PAIR, PAIR], [[[0, 1]]], {}, "they have 2, 1"),
        ([PAIR, "x"], [[[0, 1]], []], {}, "posteriors must hold CorefPosterior; document 1 is str"),
        (
            [PAIR, PAIR],
            [[[0, 1]], [[0, 7]]],
            {},
            "document 1: clusters must be made of the mentions of the posterior; 7",
        ),
        ([PAIR, PAIR], [[], []], {}, "must hold pairs of mentions that corefer and pairs that do not"),
        ([PAIR, PAIR], [[[0, 1]], []], {"score": "brier"}, "no score 'brier' in score; it has squared, log"),
        (
            [PAIR, PAIR],
            [[[0, 1]], []],
            {"weight_of_new": -1},
            "weight_of_new must be a number from 0 to a million; it is",
        ),
        (
            [PAIR, PAIR],
            [[[0, 1]], []],
            {"before": [PAIR]},
            "before must be of the same documents; it has 1, posteriors 2",
        ),
        ([CorefPosterior([[1]])] * 2, [[], []], {}, "without two mentions in any"),
    ],
)
def test_what_is_wrong_is_said(posteriors: Any, gold: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        recalibrate_coreference(posteriors, gold, **options)


def test_another_decision_is_refused(found: CoreferenceRecalibration) -> None:
    with pytest.raises(InputError, match="minimum-risk"):
        found.mention_confidence(PAIR, [[0, 1]], decision="wish")
