"""Several classes a row, reduced to pairs, against a plain loop."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import howsure
from howsure.errors import InputError
from howsure.inputs.classes import pairs_from_classes, tied_rows
from howsure.inputs.pairs import Pairs, class_scores

NAMES = ["no", "yes", "maybe"]
ROWS = st.lists(
    st.tuples(st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any), st.integers(0, 2)),
    min_size=1,
    max_size=12,
)


def split(rows: list[tuple[list[int], int]]) -> tuple[list[str], np.ndarray[Any, Any]]:
    matrix = np.array([counts for counts, _ in rows], dtype=float)
    return [NAMES[label] for _, label in rows], matrix / matrix.sum(axis=1, keepdims=True)


@given(ROWS)
def test_the_top_label_is_the_first_greatest(rows: list[tuple[list[int], int]]) -> None:
    labels, matrix = split(rows)
    pairs = pairs_from_classes(labels, matrix, classes=NAMES)
    for row, label in enumerate(labels):
        place = list(matrix[row]).index(max(matrix[row]))
        assert pairs.probabilities[row] == matrix[row, place]
        assert pairs.labels[row] == (NAMES[place] == label)
    assert tied_rows(matrix) == sum(list(row).count(max(row)) > 1 for row in matrix)


@given(ROWS)
def test_class_wise_holds_every_pair_of_row_and_class(rows: list[tuple[list[int], int]]) -> None:
    labels, matrix = split(rows)
    weights = np.arange(1.0, len(labels) + 1)
    pairs = pairs_from_classes(labels, matrix, classes=NAMES, reduce="class-wise", sample_weight=weights)
    assert pairs.groups is not None
    tuples = zip(
        [pairs.group_names[code] for code in pairs.groups],
        pairs.clusters.tolist(),
        pairs.probabilities.tolist(),
        pairs.labels.tolist(),
        pairs.weights.tolist(),
        strict=True,
    )
    expected = [
        (name, row, matrix[row, place], int(name == labels[row]), weights[row])
        for place, name in enumerate(NAMES)
        for row in range(len(labels))
    ]
    assert list(tuples) == expected
    for place, name in enumerate(NAMES):
        single_class = pairs_from_classes(labels, matrix, classes=NAMES, reduce=name)
        np.testing.assert_array_equal(single_class.probabilities, matrix[:, place])
        np.testing.assert_array_equal(single_class.labels, pairs.select(pairs.groups == place).labels)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_frame_names_the_classes(frame: Any) -> None:
    pairs = pairs_from_classes(["yes", "no"], frame({"no": [0.3, 0.6], "yes": [0.7, 0.4]}), reduce="class-wise")
    assert pairs.group_names == ("no", "yes")
    assert pairs.labels.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("labels", [[0, 1], [0.0, 1.0], ["0", "1"], np.array([0, 1], dtype=np.uint8)])
def test_indices_of_every_type(labels: Any) -> None:
    assert pairs_from_classes(labels, [[0.75, 0.25], [0.5, 0.5]]).labels.tolist() == [1, 0]


@pytest.mark.parametrize("frame", [pd.DataFrame, lambda p: pl.DataFrame(p, schema=["0", "1"]).lazy()])
@pytest.mark.filterwarnings("error")
def test_a_frame_of_unnamed_or_lazy_columns_equals_its_array(frame: Any) -> None:
    """As `pd.DataFrame(classifier.predict_proba(rows))` makes it."""
    labels, matrix = [0, 1, 1], np.array([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]])
    pairs = pairs_from_classes(labels, frame(matrix), reduce="class-wise")
    expected = pairs_from_classes(labels, matrix, reduce="class-wise")
    assert pairs.group_names == expected.group_names == ("0", "1")
    assert pairs.probabilities.tolist() == expected.probabilities.tolist()
    assert pairs.labels.tolist() == expected.labels.tolist()


@pytest.mark.parametrize("labels", [[1, 2, 1], [1.0, 2.0, 1.0], ["1", "2", "1"]])
@pytest.mark.parametrize("classes", [[1, 2, 3], [1, 0, 2], [-1, 1, 2]])
def test_whole_numbers_that_name_classes_are_names(labels: Any, classes: list[int]) -> None:
    pairs = pairs_from_classes(labels, np.eye(3)[[classes.index(1), classes.index(2), 0]] * 1.0, classes=classes)
    assert pairs.labels.tolist() == [1, 1, int(classes[0] == 1)]


def test_clusters_are_kept() -> None:
    pairs = pairs_from_classes([0, 1], [[0.5, 0.5]] * 2, reduce="class-wise", clusters=["d", "d"])
    assert pairs.clusters.tolist() == [0, 0, 0, 0]


# The scores of all classes stay with the pairs made of them, row by row, and leave where the pairs are changed.


MATRIX = np.array([[0.7, 0.2, 0.1], [0.1, 0.0, 0.9], [0.25, 0.5, 0.25]])


@given(st.integers(1, 6), st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_they_equal_the_definition(n: int, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix, codes = rng.dirichlet(np.ones(k) * 0.2, n), rng.integers(-1, k, n)
    scores = class_scores(codes, matrix)
    for row, code, brier, likely in zip(matrix, codes, scores.brier, scores.label_probability, strict=True):
        expected = sum((p - (i == code)) ** 2 for i, p in enumerate(row)) + (code == -1)
        assert brier == pytest.approx(expected, abs=1e-14)
        assert likely == (row[code] if code >= 0 else 0.0)


@pytest.mark.parametrize("reduce", ["top-label", "class-wise", "1"])
def test_pairs_keep_them_when_some_are_taken(reduce: str) -> None:
    pairs = pairs_from_classes([0, 0, 2], MATRIX, reduce=reduce)
    assert pairs.reduction == ("top-label" if reduce == "top-label" else "class-wise")
    some = pairs.select(np.arange(len(pairs)) % 2 == 1)
    assert some.reduction == pairs.reduction
    assert some.class_scores.brier.tolist() == pairs.class_scores.brier[1::2].tolist()
    assert some.class_scores.match_pairs(some.labels, some.probabilities)


def test_of_pairs_that_were_changed_they_are_not() -> None:
    pairs = pairs_from_classes([0, 0, 2], MATRIX)
    scores = pairs.class_scores
    assert scores.match_pairs(pairs.labels, pairs.probabilities)
    assert not scores.match_pairs(pairs.labels, pairs.probabilities**2)
    assert not scores.match_pairs(1 - pairs.labels, pairs.probabilities)
    assert not scores.match_pairs(pairs.labels[1:], pairs.probabilities[1:])
    assert replace(pairs, probabilities=pairs.probabilities**2).reduction == "top-label"


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6)), min_size=1, max_size=20))
def test_groups_in_order_are_the_groups_in_any_order(rows: list[tuple[int, int]]) -> None:
    """Runs of rows, as of classes, and scattered rows: the same pairs, and clusters only where rows share one."""
    groups, clusters = np.array(sorted(rows)).T
    q = np.linspace(0.1, 0.9, len(rows))
    pairs = Pairs(np.ones(len(rows), dtype=np.uint8), q, 1.0 + q, groups, ("a", "b", "c", "d"), clusters)
    shuffled = np.random.default_rng(0).permutation(len(rows))
    others = replace(
        pairs,
        probabilities=q[shuffled],
        weights=1.0 + q[shuffled],
        groups=groups[shuffled],
        clusters=clusters[shuffled],
    )
    for (name, part), (other_name, other) in zip(pairs.by_group(), others.by_group(), strict=True):
        order = np.argsort(other.probabilities)
        assert name == other_name
        assert (
            part.probabilities.tolist()
            == other.probabilities[order].tolist()
            == q[groups == "abcd".index(name)].tolist()
        )
        assert (part.clusters is None) == (other.clusters is None)
        expected_clusters = clusters[groups == "abcd".index(name)].tolist()
        assert (part.clusters is None) == (len(set(expected_clusters)) == len(expected_clusters))
        if part.clusters is not None and other.clusters is not None:
            assert part.clusters.tolist() == other.clusters[order].tolist() == expected_clusters


def test_a_class_above_1_by_rounding_is_divided_by_the_sum_of_its_row(tmp_path: Path) -> None:
    """A softmax in float32 may exceed 1, as in 1.0000012; rows of arrays and of files are treated alike."""
    matrix = np.array([[1.0000012, 8e-6], [1.0000100135803223, 1e-5], [0.3, 0.7]])
    pairs = pairs_from_classes([0, 1, 1], matrix)
    assert pairs.probabilities.tolist() == [*(matrix[:2, 0] / matrix[:2].sum(axis=1)), 0.7]
    np.savez(tmp_path / "p.npz", y=np.array([0, 1, 1]), p=matrix)
    probabilities = howsure.Probabilities("probs_column", "p")
    with howsure.read(str(tmp_path / "p.npz")).predictions("y", probabilities) as predictions:
        assert predictions.pairs().probabilities.tolist() == pairs.probabilities.tolist()
        assert predictions.notes["rounded_rows"] == 2
    for row in ([1.0001, 0.0], [1.0000012, -1e-9]):
        with pytest.raises(InputError, match="between 0 and 1"):
            pairs_from_classes([0, 1], [row, [0.5, 0.5]])


def test_sums_that_the_rounding_of_digits_explains_are_accepted() -> None:
    """Up to K · 0.5 · 10^-d: 0.0015 for three classes and three decimals, at most 0.01."""
    thirds = [[0.33, 0.33, 0.33], [0.5, 0.25, 0.25]]
    pairs = pairs_from_classes([0, 1], thirds)
    assert pairs.probabilities.tolist() == pytest.approx([1 / 3, 0.5])
    pairs_from_classes([0, 1], [[0.3335, 0.3335, 0.3335], [0.5, 0.25, 0.25]])
    for row in ([0.333, 0.333, 0.332], [0.33, 0.33, 0.32], [0.3, 0.3, 0.3], [0.33333, 0.33333, 0.33]):
        with pytest.raises(InputError, match="must sum to 1"):
            pairs_from_classes([0, 1], [row, [0.5, 0.25, 0.25]])
