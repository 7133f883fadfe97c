"""Several classes a row: columns or lists, labels by name or index, every reduction."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import howsure
from howsure.errors import InputError
from howsure.inputs.classes import pairs_from_classes
from howsure.inputs.pairs import Pairs
from tests.data.opened import opened
from tests.data.writers import write

NAMES = ["no", "yes", "maybe"]


def distributions(rows: int = 60) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    random = np.random.default_rng(11)
    return random.dirichlet([1.0, 0.5, 0.5], rows), random.integers(0, 3, rows)


def written(path: Path, labels: list[Any], matrix: np.ndarray[Any, Any], **more: list[Any]) -> Path:
    columns = {name: matrix[:, place].tolist() for place, name in enumerate(NAMES)}
    return write(path, {"gold": labels, "probs": matrix.tolist(), **columns, **more})


def read(path: Path, **options: Any) -> Pairs:
    with opened(path, y_true="gold", **options) as predictions:
        assert predictions.n == len(predictions.pairs())
        return predictions.pairs()


def same(found: Pairs, expected: Pairs) -> None:
    np.testing.assert_array_equal(found.probabilities, expected.probabilities)
    np.testing.assert_array_equal(found.labels, expected.labels)
    np.testing.assert_array_equal(found.groups, expected.groups)
    np.testing.assert_array_equal(found.clusters, expected.clusters)
    assert found.group_names == expected.group_names


@pytest.mark.parametrize(
    ("suffix", "reduce", "by"),
    [(".jsonl", reduce, by) for reduce in ("top-label", "class-wise", "yes") for by in ("name", "index")]
    + [(suffix, "class-wise", by) for suffix in (".parquet", ".npz", ".csv", ".json.gz") for by in ("name", "index")],
)
def test_columns_and_lists_give_the_pairs_of_the_arrays(suffix: str, reduce: str, by: str, tmp_path: Path) -> None:
    """The format says nothing of what is made of the classes."""
    matrix, codes = distributions()
    labels = [NAMES[code] for code in codes] if by == "name" else codes.tolist()
    path = written(tmp_path / f"x{suffix}", labels, matrix)
    expected = pairs_from_classes(labels, matrix, reduce=reduce, classes=NAMES)
    same(read(path, probs=NAMES, reduce=reduce), expected)
    same(read(path, probs_column="probs", classes=NAMES, reduce=reduce), expected)


def test_lists_without_names_are_numbered(tmp_path: Path) -> None:
    matrix, codes = distributions()
    path = written(tmp_path / "x.jsonl", codes.tolist(), matrix)
    with howsure.read(path).predictions(
        "gold", howsure.Given("probs_column", "probs", reduce="class-wise")
    ) as predictions:
        assert predictions.group_sizes == {"0": 60, "1": 60, "2": 60}
        assert predictions.describe()["classes"] == ["0", "1", "2"]
        source = predictions.source("1")
        assert isinstance(source, Pairs)
        np.testing.assert_array_equal(source.probabilities, matrix[:, 1])


def test_groups_weights_and_clusters_of_the_top_label(tmp_path: Path) -> None:
    matrix, codes = distributions(6)
    extra = {"model": list("ababab"), "w": [1.0, 2, 3, 4, 5, 6], "doc": [9, 9, 8, 8, 7, 7]}
    path = written(tmp_path / "x.parquet", codes.tolist(), matrix, **extra)
    options = {"probs": NAMES, "groups": "model", "sample_weight": "w", "clusters": "doc"}
    pairs = read(path, reduce="top-label", **options)
    assert pairs.group_names == ("a", "b")
    np.testing.assert_array_equal(pairs.groups, [0, 1] * 3)
    np.testing.assert_array_equal(pairs.weights, extra["w"])
    np.testing.assert_array_equal(pairs.clusters, [2, 2, 1, 1, 0, 0])
    del options["groups"]
    wise = read(path, reduce="class-wise", **options)
    np.testing.assert_array_equal(wise.clusters, [2, 2, 1, 1, 0, 0] * 3)
    np.testing.assert_array_equal(wise.weights, extra["w"] * 3)


def test_ties_at_the_top_go_to_the_first_class_and_are_counted(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", ["yes", "no", "maybe"], np.array([[0.5, 0.5, 0], [0.4, 0.2, 0.4], [0, 0, 1.0]]))
    with howsure.read(path).predictions("gold", howsure.Given("probs", NAMES, reduce="top-label")) as predictions:
        assert predictions.pairs().labels.tolist() == [0, 1, 1]
        assert predictions.describe()["ties"] == 2


def test_missing_labels_and_elements_are_skipped(tmp_path: Path) -> None:
    rows: list[Any] = [[0.2, 0.8], [0.5, None], [float("nan"), 0.5], None, [0.3, 0.7], [0.6, 0.4]]
    path = write(tmp_path / "x.jsonl", {"gold": [0, 1, 1, 0, None, 1], "probs": rows})
    with howsure.read(path, skip_missing=True).predictions(
        "gold", howsure.Given("probs_column", "probs", reduce="top-label")
    ) as found:
        assert found.skipped == {"gold": 1, "probs": 3}
        assert found.pairs().probabilities.tolist() == [0.8, 0.6]


BAD = [
    (
        [0, 1],
        [[0.5, 0.5], [0.5, 0.6]],
        {},
        r"probs must hold the probabilities of the classes; row 2 of .* sums to 1\.1",
    ),
    ([0, 1], [[0.5, 0.5], [-1.5, 2.5]], {}, r"row 2 of .* holds -1\.5 for '0', not in \[0, 1\]\. Are these logits"),
    ([0, 1], [[0.5, 0.5], [0.2, 0.3, 0.5]], {}, r"lists of the same length; the first has 2, row 2 of .* has 3"),
    ([0, 1], [[0.5, 0.5], [0.2, None]], {}, r"probs must not be missing; row 2 of"),
    ([0, 1], [[0.5, 0.5], "high"], {}, r"probs must hold lists of numbers; row 2 of .* holds 'high'"),
    ([0, 1], [[0.5, 0.5], [0.5, "x"]], {}, r"probs must hold lists of numbers; row 2 of .*"),
    ([0, 1], [[1.0], [1.0]], {}, r"two numbers or more"),
    ([0, 2], [[0.5, 0.5], [0.5, 0.5]], {}, r"gold holds 0, 2, and the 2 probabilities of a row have no names"),
    (["a", "b"], [[0.5, 0.5], [0.5, 0.5]], {}, r"Say which classes they are, in order: classes"),
    (["a", "b"], [[0.5, 0.5], [0.5, 0.5]], {"classes": ["a", "c"]}, r"one of the classes a, c, or an index.*holds 'b'"),
    (["a", "b"], [[0.5, 0.5], [0.5, 0.5]], {"classes": ["a"]}, r"classes must name the 2 classes"),
    (
        ["a", "b"],
        [[0.5, 0.5], [0.5, 0.5]],
        {"classes": ["a", "b"], "reduce": "bb"},
        r"no class 'bb' .*Did you mean b\?",
    ),
]


@pytest.mark.parametrize(("labels", "probs", "options", "message"), BAD)
def test_what_is_no_distribution(
    labels: list[Any], probs: list[Any], options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "x.jsonl", {"gold": labels, "probs": probs})
    with pytest.raises(InputError) as caught:
        read(path, probs_column="probs", **{"reduce": "top-label", **options})
    assert re.search(message, str(caught.value))


def test_a_bad_class_column_names_file_and_row(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {"gold": ["a", None, "b"], "a": [0.5, 0.5, 0.5], "b": [0.5, 0.5, 0.7]}
    path = write(tmp_path / "x.csv", columns)
    with pytest.raises(InputError, match=r"a, b must hold .*; row 3 of .*x\.csv \(counted from 1.*sums to 1\.2"):
        read(path, probs=["a", "b"], reduce="top-label", skip_missing=True)
    path = write(tmp_path / "y.csv", {**columns, "gold": ["a", "a", "b"], "b": [0.5, "high", 0.5]})
    with pytest.raises(InputError, match=r"b must hold numbers; row 2 of .*y\.csv .*holds 'high'"):
        read(path, probs=["a", "b"], reduce="top-label")


def test_single_precision_rows_need_not_sum_exactly(tmp_path: Path) -> None:
    matrix, codes = distributions(500)
    np.savez(tmp_path / "x.npz", gold=codes, probs=matrix.astype(np.float16))
    pairs = read(tmp_path / "x.npz", probs_column="probs", reduce="class-wise")
    np.testing.assert_array_equal(pairs.probabilities, matrix.astype(np.float16).astype(np.float64).T.ravel())
