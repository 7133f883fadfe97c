"""Probabilities by the names of their classes, {"0": 0.7, "1": 0.3}: the same as lists, in any order and format."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import howsure
from howsure.errors import InputError
from howsure.inputs.frames import Kind
from tests.cli.running import howsure as run
from tests.cli.running import printed
from tests.data.writers import write

RNG = np.random.default_rng(0)
TRUE, BASE, LARGE = (RNG.dirichlet([1, 1, 1], 30).round(3) for _ in range(3))
for matrix in (TRUE, BASE, LARGE):
    matrix[:, 2] = 1 - matrix[:, 0] - matrix[:, 1]
NAMES = ("1", "2", "10")  # natural order, not that of text


def by_name(matrix: Any, names: tuple[str, ...] = NAMES) -> list[dict[str, float]]:
    """Rows as mappings, their names in another order in each."""
    rows = [dict(zip(names, map(float, row), strict=True)) for row in matrix]
    return [dict(sorted(row.items(), key=lambda item, k=k: (k * hash_of(item[0])) % 7)) for k, row in enumerate(rows)]


def hash_of(name: str) -> int:
    return sum(name.encode())


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".csv", ".tsv.gz", ".jsonl.zst"])
def test_mappings_in_texts_are_lists(suffix: str, tmp_path: Path) -> None:
    held = by_name(BASE) if "json" in suffix else [json.dumps(row) for row in by_name(BASE)]
    found = howsure.read([write(tmp_path / f"x{suffix}", {"p": held})]).rows({"p": Kind.VALUES}).columns
    np.testing.assert_allclose(found["p"], BASE, atol=1e-15)


@pytest.mark.parametrize("kind", ["struct", "map"])
def test_mappings_of_parquet_are_lists(kind: str, tmp_path: Path) -> None:
    type = pa.map_(pa.string(), pa.float64()) if kind == "map" else pa.struct([(name, pa.float64()) for name in NAMES])
    rows = [list(row.items()) for row in by_name(BASE)] if kind == "map" else by_name(BASE)
    pa.parquet.write_table(pa.table({"p": pa.array(rows, type)}), tmp_path / "x.parquet")
    found = howsure.read(tmp_path / "x.parquet").rows({"p": Kind.NUMBERS}).columns
    np.testing.assert_allclose(found["p"], BASE, atol=1e-15)


@pytest.mark.parametrize("names", [("a/b", "a~b", 'a"b'), ("it's", "größe", "a b"), ("0", "1", "2")])
def test_names_of_any_kind(names: tuple[str, ...], tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", {"p": by_name(BASE, names), "y": [names[k % 3] for k in range(30)]})
    with howsure.read(path).predictions("y", howsure.Given("probs_column", "p", reduce="class-wise")) as predictions:
        pairs = predictions.pairs()
    wanted = howsure.pairs_from_classes([names[k % 3] for k in range(30)], BASE, classes=names, reduce="class-wise")
    order = [wanted.group_names.index(name) for name in pairs.group_names]
    np.testing.assert_allclose(pairs.probabilities.reshape(3, 30), wanted.probabilities.reshape(3, 30)[order])
    np.testing.assert_array_equal(pairs.labels.reshape(3, 30), wanted.labels.reshape(3, 30)[order])


def test_classes_may_be_named_in_another_order_but_not_otherwise(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", {"p": by_name(BASE), "y": ["1", "10", "2"] * 10})
    found = []
    for classes in (None, ["10", "1", "2"]):
        with howsure.read(path).predictions(
            "y", howsure.Given("probs_column", "p", reduce="10", classes=classes)
        ) as predictions:
            found.append(predictions.pairs())
    np.testing.assert_array_equal(found[0].probabilities, found[1].probabilities)
    np.testing.assert_array_equal(found[0].labels, found[1].labels)
    with pytest.raises(InputError, match=r"classes=\.\.\. must name the classes in p, '1', '2', '10'; it is a, b, c"):
        howsure.read(path).predictions("y", howsure.Given("probs_column", "p", reduce="10", classes=["a", "b", "c"]))


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"1": 0.5, "2": 0.5}, "p must hold the same names in every row, '1', '2', '10' as in the first; row 3 of"),
        ({"1": 0.5, "2": 0.5, "10": 0, "x": 0}, "the same names in every row"),
        ([0.5, 0.5, 0.0], "the same names in every row"),
        ("high", "the same names in every row"),
        ({"1": "high", "2": 0.5, "10": 0.5}, r"p must hold lists of numbers; row 3 of .*x\.jsonl \(counted from 1\)"),
        ({"1": {"a": 1}, "2": 0.5, "10": 0.5}, r"p must hold lists of numbers; row 3 of"),
        ({"1": None, "2": 0.5, "10": 0.5}, r"p must not be missing; row 3 of"),
        (None, r"p must not be missing; row 3 of"),
    ],
)
def test_a_row_that_is_not_like_the_others_is_named(row: object, told: str, tmp_path: Path) -> None:
    rows: list[Any] = by_name(BASE)
    rows[2] = row
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps({"p": one}) + "\n" for one in rows))
    with pytest.raises(InputError, match=told):
        howsure.read(path).rows({"p": Kind.VALUES})


def test_soft_labels_are_compared_as_lists_are(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", {"t": by_name(TRUE), "a": by_name(BASE), "b": by_name(LARGE)})
    found = json.loads(
        printed("significance", path, "--target", "t", "--against", "a", "--model", "b", "--format", "json")
    )
    wanted = howsure.compare(TRUE, BASE, {"b": LARGE}, rng=0)
    assert [one["metric"] for one in found["comparisons"]] == [row.metric for row in wanted]
    for one, row in zip(found["comparisons"], wanted, strict=True):
        assert one["model_value"] == pytest.approx(row.model_value, abs=1e-12, nan_ok=True)
        assert one["p_value"] == row.p_value
    gold = write(
        tmp_path / "y.jsonl", {"t": [NAMES[k % 3] for k in range(30)], "a": by_name(BASE), "b": by_name(LARGE)}
    )
    found = json.loads(
        printed("significance", gold, "--target", "t", "--against", "a", "--model", "b", "--format", "json")
    )
    assert "log_loss" in {one["metric"] for one in found["comparisons"]}
    other = write(tmp_path / "z.jsonl", {"t": by_name(TRUE), "a": by_name(BASE), "b": LARGE.tolist()})
    refused = run("significance", other, "--target", "t", "--against", "a", "--model", "b")
    assert "all columns must name the same classes; t has '1', '2', '10', b has lists without names" in refused.err


def test_rows_are_counted_from_1_as_in_the_file(tmp_path: Path) -> None:
    rows = [{"t": t, "a": a, "b": b} for t, a, b in zip(by_name(TRUE), by_name(BASE), by_name(LARGE), strict=True)]
    rows[7]["a"] = {"1": 0.9, "2": 0.9, "10": 0.0}
    rows[2]["b"] = None  # left out, and the next rows keep their numbers
    for name, part in (("one", rows[:5]), ("two", rows[5:])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in part))
    files = (tmp_path / "one.jsonl", tmp_path / "two.jsonl")
    refused = run("significance", *files, "--target", "t", "--against", "a", "--model", "b", "--skip-missing")
    assert f"a must have rows that sum to 1; row 3 of {files[1]} (counted from 1) sums to 1.8" in refused.err


def test_labels_of_real_annotators_are_read(real_data: Path, tmp_path: Path) -> None:
    """LeWiDi 2025: the votes on sarcasm, 1 to 6, as mappings."""
    path = real_data / "lewidi2025" / "CSC_dev.jsonl.gz"
    read = howsure.read(path).rows({"soft_label": Kind.VALUES})
    found, recipe = read.columns, read.read
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        wanted = [[row["soft_label"][str(k)] for k in range(1, 7)] for row in map(json.loads, lines)]
    assert recipe["rows"] == len(wanted)
    np.testing.assert_array_equal(found["soft_label"], wanted)
