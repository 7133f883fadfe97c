"""The scores of all classes stay with the pairs made of them, row by row, and leave where the pairs are changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.inputs.classes import pairs_from_classes
from howsure.inputs.pairs import class_scores

MATRIX = np.array([[0.7, 0.2, 0.1], [0.1, 0.0, 0.9], [0.25, 0.5, 0.25]])


@given(st.integers(1, 6), st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_they_equal_the_definition(n: int, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix, codes = rng.dirichlet(np.ones(k) * 0.2, n), rng.integers(-1, k, n)
    found = class_scores(codes, matrix)
    for row, code, brier, likely in zip(matrix, codes, found.brier, found.label_probability, strict=True):
        wanted = sum((p - (i == code)) ** 2 for i, p in enumerate(row)) + (code == -1)
        assert brier == pytest.approx(wanted, abs=1e-14)
        assert likely == (row[code] if code >= 0 else 0.0)


@pytest.mark.parametrize("reduce", ["top-label", "class-wise", "1"])
def test_pairs_keep_them_when_some_are_taken(reduce: str) -> None:
    pairs = pairs_from_classes([0, 0, 2], MATRIX, reduce=reduce)
    assert pairs.reduction == ("top-label" if reduce == "top-label" else "class-wise")
    assert pairs.class_scores is not None
    some = pairs.only(np.arange(len(pairs)) % 2 == 1)
    assert some.reduction == pairs.reduction
    assert some.class_scores is not None
    assert some.class_scores.brier.tolist() == pairs.class_scores.brier[1::2].tolist()
    assert some.class_scores.are_of(some.labels, some.probabilities)


def test_of_pairs_that_were_changed_they_are_not() -> None:
    pairs = pairs_from_classes([0, 0, 2], MATRIX)
    scores = pairs.class_scores
    assert scores is not None
    assert scores.are_of(pairs.labels, pairs.probabilities)
    assert not scores.are_of(pairs.labels, pairs.probabilities**2)
    assert not scores.are_of(1 - pairs.labels, pairs.probabilities)
    assert not scores.are_of(pairs.labels[1:], pairs.probabilities[1:])
    assert replace(pairs, probabilities=pairs.probabilities**2).reduction == "top-label"
