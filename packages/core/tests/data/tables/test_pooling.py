"""Several files as one: equal ids and clusters in two of them are refused, unless somebody says what they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.data.files import opened, write

import howsure
from howsure.errors import InputError
from howsure.inputs.frames import Kind

ROWS = {"y": [1, 0, 1, 1], "q": [0.9, 0.2, 0.7, 0.6]}
SUFFIXES = (".csv", ".parquet", ".npz")


def seeds(tmp_path: Path, suffix: str) -> list[Path]:
    """Two files that judge the same four items in other orders; two questions of two items each."""
    a = write(tmp_path / f"a{suffix}", {**ROWS, "item": ["i1", "i2", "i3", "i4"], "question": [1, 1, 2, 2]})
    b = write(tmp_path / f"b{suffix}", {**ROWS, "item": ["i4", "i2", "i1", "i5"], "question": [2, 1, 1, 3]})
    return [a, b]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(("role", "column", "value"), [("id", "item", "i1"), ("clusters", "question", "1")])
def test_equal_values_in_two_files_are_refused(suffix: str, role: str, column: str, value: str, tmp_path: Path) -> None:
    files = seeds(tmp_path, suffix)
    with pytest.raises(InputError) as caught:
        opened(*files, y_true="y", prob="q", **{role: column})  # type: ignore[arg-type]
    assert str(caught.value).startswith(
        f"equal values of {column} occur in several files, and it is unclear what that means: '{value}' is in row 1 of"
    )
    assert "across_files='same'" in str(caught.value)
    with opened(*files[:1], y_true="y", prob="q", **{role: column}) as predictions:  # type: ignore[arg-type]
        assert predictions.n == 4


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_same_items_are_clusters_and_separate_ones_are_not(suffix: str, tmp_path: Path) -> None:
    files = seeds(tmp_path, suffix)
    items = ["i1", "i2", "i3", "i4", "i4", "i2", "i1", "i5"]
    with howsure.read(files, across_files="same").predictions("y", "q", id="item") as predictions:
        clusters = predictions.pairs().clusters
        assert clusters is not None
        np.testing.assert_array_equal(clusters, np.unique(items, return_inverse=True)[1])
        assert predictions.describe()["across_files"] == "same"
    with howsure.read(files, across_files="separate").predictions("y", "q", id="item") as predictions:
        assert predictions.pairs().clusters is None
    for how, expected in (
        ("same", [1, 1, 2, 2, 2, 1, 1, 3]),
        ("separate", ["a1", "a1", "a2", "a2", "b2", "b1", "b1", "b3"]),
    ):
        with howsure.read(files, across_files=how).predictions("y", "q", clusters="question") as predictions:
            cluster_codes = predictions.pairs().clusters
        assert cluster_codes is not None
        parts = [np.equal.outer(codes, codes) for codes in (cluster_codes, np.array(expected))]
        np.testing.assert_array_equal(*parts)


def test_files_of_different_groups_do_not_meet(tmp_path: Path) -> None:
    """Every group is a curve of its own: models in one file each may judge the same items."""
    for name in "ab":
        write(tmp_path / f"{name}.csv", {**ROWS, "item": [1, 2, 3, 4], "model": [name] * 4})
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for role in ({"id": "item"}, {"clusters": "item"}):
        with opened(*files, y_true="y", prob="q", groups="model", **role) as predictions:  # type: ignore[arg-type]
            assert predictions.group_sizes == {"a": 4, "b": 4}
        with pytest.raises(InputError, match="occur in several files"):
            opened(*files, y_true="y", prob="q", **role)  # type: ignore[arg-type]


def test_rows_that_are_left_out_meet_nobody(tmp_path: Path) -> None:
    a = write(tmp_path / "a.csv", {**ROWS, "item": [1, 2, 3, 4]})
    b = write(tmp_path / "b.csv", {"y": [1, ""], "q": [0.5, 0.5], "item": [5, 1]})
    with howsure.read([a, b], skip_missing=True).predictions("y", "q", id="item") as predictions:
        assert predictions.n == 5


def test_columns_for_significance_know_clusters_across_files(tmp_path: Path) -> None:
    for name in "ab":
        write(tmp_path / f"{name}.csv", {"y": [1, 0], "doc": [7, 8], "seed": [name, name]})
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    with pytest.raises(InputError, match="equal values of doc occur in several files"):
        howsure.read(files).rows({"y": Kind.VALUES, "doc": Kind.VALUES}, clusters="doc")
    for how, n in (("same", 2), ("separate", 4)):
        columns = howsure.read(files, across_files=how).rows({"doc": Kind.VALUES}, clusters="doc")
        assert len(np.unique(columns["doc"])) == n
    howsure.read(files).rows({"y": Kind.VALUES, "doc": Kind.VALUES, "seed": Kind.VALUES}, clusters="doc", run="seed")


@pytest.mark.parametrize(
    "ask",
    [
        lambda data: howsure.quantile_calibration("y", ["q", "r"], clusters="question", data=data).clusters,
        lambda data: len({row.cluster for row in howsure.draw_order("id", clusters="question", data=data)}),
        lambda data: howsure.regress_predicted("y", "q", covariates=["r"], clusters="question", data=data),
    ],
)
def test_every_function_with_clusters_asks_what_they_are(ask: Callable[[object], object], tmp_path: Path) -> None:
    columns = {"y": [1, 0, 1], "q": [0.9, 0.2, 0.7], "r": [0.1, 0.5, 0.2], "question": ["a", "a", "b"]}
    files = [write(tmp_path / f"{k}.csv", {**columns, "id": [f"{k}{i}" for i in range(3)]}) for k in range(2)]
    with pytest.raises(InputError, match="equal values of question occur in several files"):
        ask(howsure.read(files))
    answers = [ask(howsure.read(files, across_files=how)) for how in ("same", "separate")]
    assert answers == [2, 4] or isinstance(answers[0], howsure.PredictedRegression)
