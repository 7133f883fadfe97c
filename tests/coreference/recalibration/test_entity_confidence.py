"""The mended confidence in entities, against counting by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure import calibration_curve
from howsure.coreference.entity_confidence import (
    ConfidenceMap,
    Judged,
    entity_pairs,
    fit_confidence,
    right_share,
)
from howsure.result import plain

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
    mended = [Judged(found.apply(one.confidence, one.labels), one.labels, one.right) for one in documents[30:]]

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
