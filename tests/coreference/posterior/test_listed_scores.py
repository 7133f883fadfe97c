"""Scores of a few antecedents per mention: the softmax over those that are listed."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from howsure.coreference import CorefPosterior
from howsure.errors import InputError
from tests.coreference.enumeration import Enumeration

M, KEPT = 6, 3


def pruned(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Antecedents (M, 3), as e2e-coref keeps them, nearest first, padded where fewer exist; scores; null; dense."""
    rng = np.random.default_rng(seed)
    places = np.maximum(np.arange(M)[:, None] - 1 - np.arange(KEPT), 0)
    valid = np.arange(M)[:, None] - 1 - np.arange(KEPT) >= 0
    scores = np.where(valid, rng.normal(scale=3.0, size=(M, KEPT)), -np.inf)
    null = rng.normal(size=M)
    dense = np.zeros((M, M))
    for j in range(M):
        dense[j, j] = np.exp(null[j])
        for k, score in zip(places[j][valid[j]], scores[j][valid[j]], strict=True):
            dense[j, k] = np.exp(score)
    return places, scores, null, dense / dense.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("mask", [-np.inf, float(np.finfo(np.float32).min), -1e4])
def test_every_layout_equals_enumeration(mask: float) -> None:
    places, scores, null, dense = pruned(0)
    masked = np.where(scores == -np.inf, mask, scores)
    wanted = Enumeration(dense).together()
    for given, where in (
        (masked, null),
        (np.column_stack([null, masked]), "first"),
        (np.column_stack([masked, null]), "last"),
    ):
        found = CorefPosterior.from_scores(given, null=where, antecedents=places)
        np.testing.assert_allclose(found.pair_probability(), wanted, atol=1e-12)


def test_rows_may_differ_in_length_and_order() -> None:
    found = CorefPosterior.from_scores([[], [1.0], [0.5, 2.0]], null=0, antecedents=[[], [0], [1, 0]])
    dense = CorefPosterior.from_scores([[-np.inf] * 3, [1.0, -np.inf, -np.inf], [2.0, 0.5, -np.inf]], null=0)
    np.testing.assert_allclose(found.pair_probability(), dense.pair_probability(), rtol=1e-12)


def test_no_mentions_are_no_error() -> None:
    assert len(CorefPosterior.from_scores([], null=0, antecedents=[])) == 0


@pytest.mark.parametrize(
    ("scores", "antecedents", "null", "message"),
    [
        ([[], [float("nan")]], [[], [0]], 0, "scores must be finite, or -inf where there is no link; row 1 holds nan."),
        ([[], [1.0]], [[], [0]], [0, float("inf")], "null must be finite, or -inf where there is no link; row 1 holds"),
        ([[], [1.0]], [[], [1]], 0, "antecedents must be earlier mentions; row 1 holds 1, whose score is not masked."),
        ([[], [1.0, 1.0]], [[], [0, 0]], 0, "row 1 names antecedent 0 twice."),
        ([[], [1.0]], [[], [0, 0]], 0, "row 1 has 2 antecedents and 1 scores; give one for each."),
        ([[], [-np.inf]], [[], [0]], -np.inf, "a mention needs one finite score, of an antecedent or of 'new'; row 0"),
        ([[], [1.0]], [[], [0.5]], 0, "antecedents must be positions of mentions from 0; row 1 holds [0.5]."),
        ([[], [1.0]], [[]], 0, "antecedents must have a row for each of 2 mentions; they have 1."),
        ([[], [1.0]], [[], [0]], "first", "scores must have null as their first column; row 0 is empty."),
        ([[], [1.0]], [[], [0]], "diagonal", "null must be 'first', 'last', a number or one per mention beside"),
        ([[], [1.0]], [[], [0]], [0, 0, 0], "null must be one number or one per mention; there are 3 for 2 mentions."),
        (3, [[], [0]], 0, "scores must have one row per mention; it is int."),
    ],
)
def test_bad_rows_are_refused(scores: Any, antecedents: Any, null: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        CorefPosterior.from_scores(scores, null=null, antecedents=antecedents)
