"""Several classes a row: columns or lists, labels by name or index, every reduction."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import expit, softmax
from tests.cli.running import printed
from tests.data.files import opened, write

import howsure
from howsure.errors import InputError
from howsure.inputs.classes import pairs_from_classes
from howsure.inputs.classes import softmax as ours
from howsure.inputs.frames import Kind
from howsure.inputs.pairs import Pairs

NAMES = ["no", "yes", "maybe"]


def distributions(rows: int = 60) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    random = np.random.default_rng(11)
    return random.dirichlet([1.0, 0.5, 0.5], rows), random.integers(0, 3, rows)


def written(path: Path, labels: list[Any], matrix: np.ndarray[Any, Any], **more: list[Any]) -> Path:
    columns = {name: matrix[:, place].tolist() for place, name in enumerate(NAMES)}
    return write(path, {"gold": labels, "probs": matrix.tolist(), **columns, **more})


def pairs_in(path: Path, **options: Any) -> Pairs:
    with opened(path, y_true="gold", **options) as predictions:
        assert predictions.n == len(predictions.pairs())
        return predictions.pairs()


def same(actual: Pairs, expected: Pairs) -> None:
    np.testing.assert_array_equal(actual.probabilities, expected.probabilities)
    np.testing.assert_array_equal(actual.labels, expected.labels)
    np.testing.assert_array_equal(actual.groups, expected.groups)
    np.testing.assert_array_equal(actual.clusters, expected.clusters)
    assert actual.group_names == expected.group_names


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
    same(pairs_in(path, probs=NAMES, reduce=reduce), expected)
    same(pairs_in(path, probs_column="probs", classes=NAMES, reduce=reduce), expected)


def test_lists_without_names_are_numbered(tmp_path: Path) -> None:
    matrix, codes = distributions()
    path = written(tmp_path / "x.jsonl", codes.tolist(), matrix)
    with howsure.read(path).predictions(
        "gold", howsure.Probabilities("probs_column", "probs", reduce="class-wise")
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
    pairs = pairs_in(path, reduce="top-label", **options)
    assert pairs.group_names == ("a", "b")
    np.testing.assert_array_equal(pairs.groups, [0, 1] * 3)
    np.testing.assert_array_equal(pairs.weights, extra["w"])
    np.testing.assert_array_equal(pairs.clusters, [2, 2, 1, 1, 0, 0])
    del options["groups"]
    wise = pairs_in(path, reduce="class-wise", **options)
    np.testing.assert_array_equal(wise.clusters, [2, 2, 1, 1, 0, 0] * 3)
    np.testing.assert_array_equal(wise.weights, extra["w"] * 3)


def test_ties_at_the_top_go_to_the_first_class_and_are_counted(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", ["yes", "no", "maybe"], np.array([[0.5, 0.5, 0], [0.4, 0.2, 0.4], [0, 0, 1.0]]))
    with howsure.read(path).predictions(
        "gold", howsure.Probabilities("probs", NAMES, reduce="top-label")
    ) as predictions:
        assert predictions.pairs().labels.tolist() == [0, 1, 1]
        assert predictions.describe()["ties"] == 2


def test_missing_labels_and_elements_are_skipped(tmp_path: Path) -> None:
    rows: list[Any] = [[0.2, 0.8], [0.5, None], [float("nan"), 0.5], None, [0.3, 0.7], [0.6, 0.4]]
    path = write(tmp_path / "x.jsonl", {"gold": [0, 1, 1, 0, None, 1], "probs": rows})
    with howsure.read(path, skip_missing=True).predictions(
        "gold", howsure.Probabilities("probs_column", "probs", reduce="top-label")
    ) as predictions:
        assert predictions.skipped == {"gold": 1, "probs": 3}
        assert predictions.pairs().probabilities.tolist() == [0.8, 0.6]


def test_single_precision_rows_need_not_sum_exactly(tmp_path: Path) -> None:
    matrix, codes = distributions(500)
    np.savez(tmp_path / "x.npz", gold=codes, probs=matrix.astype(np.float16))
    pairs = pairs_in(tmp_path / "x.npz", probs_column="probs", reduce="class-wise")
    np.testing.assert_array_equal(pairs.probabilities, matrix.astype(np.float16).astype(np.float64).T.ravel())


RNG = np.random.default_rng(0)
TRUE, BASE, LARGE = (RNG.dirichlet([1, 1, 1], 30).round(3) for _ in range(3))
for matrix in (TRUE, BASE, LARGE):
    matrix[:, 2] = 1 - matrix[:, 0] - matrix[:, 1]
MAPPED_NAMES = ("1", "2", "10")  # natural order, not that of text


def by_name(matrix: Any, names: tuple[str, ...] = MAPPED_NAMES) -> list[dict[str, float]]:
    """Rows as mappings, their names in another order in each."""
    rows = [dict(zip(names, map(float, row), strict=True)) for row in matrix]
    return [dict(sorted(row.items(), key=lambda item, k=k: (k * hash_of(item[0])) % 7)) for k, row in enumerate(rows)]


def hash_of(name: str) -> int:
    return sum(name.encode())


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".csv", ".tsv.gz", ".jsonl.zst"])
def test_mappings_in_texts_are_lists(suffix: str, tmp_path: Path) -> None:
    cells = by_name(BASE) if "json" in suffix else [json.dumps(row) for row in by_name(BASE)]
    columns = howsure.read([write(tmp_path / f"x{suffix}", {"p": cells})]).rows({"p": Kind.VALUES}).columns
    np.testing.assert_allclose(columns["p"], BASE, atol=1e-15)


@pytest.mark.parametrize("kind", ["struct", "map"])
def test_mappings_of_parquet_are_lists(kind: str, tmp_path: Path) -> None:
    type = (
        pa.map_(pa.string(), pa.float64())
        if kind == "map"
        else pa.struct([(name, pa.float64()) for name in MAPPED_NAMES])
    )
    rows = [list(row.items()) for row in by_name(BASE)] if kind == "map" else by_name(BASE)
    pa.parquet.write_table(pa.table({"p": pa.array(rows, type)}), tmp_path / "x.parquet")
    columns = howsure.read(tmp_path / "x.parquet").rows({"p": Kind.NUMBERS}).columns
    np.testing.assert_allclose(columns["p"], BASE, atol=1e-15)


@pytest.mark.parametrize("names", [("a/b", "a~b", 'a"b'), ("it's", "größe", "a b"), ("0", "1", "2")])
def test_names_of_any_kind(names: tuple[str, ...], tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", {"p": by_name(BASE, names), "y": [names[k % 3] for k in range(30)]})
    with howsure.read(path).predictions(
        "y", howsure.Probabilities("probs_column", "p", reduce="class-wise")
    ) as predictions:
        pairs = predictions.pairs()
    expected = howsure.pairs_from_classes([names[k % 3] for k in range(30)], BASE, classes=names, reduce="class-wise")
    order = [expected.group_names.index(name) for name in pairs.group_names]
    np.testing.assert_allclose(pairs.probabilities.reshape(3, 30), expected.probabilities.reshape(3, 30)[order])
    np.testing.assert_array_equal(pairs.labels.reshape(3, 30), expected.labels.reshape(3, 30)[order])


def test_classes_may_be_named_in_another_order_but_not_otherwise(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", {"p": by_name(BASE), "y": ["1", "10", "2"] * 10})
    pairs_by_order = []
    for classes in (None, ["10", "1", "2"]):
        with howsure.read(path).predictions(
            "y", howsure.Probabilities("probs_column", "p", reduce="10", classes=classes)
        ) as predictions:
            pairs_by_order.append(predictions.pairs())
    np.testing.assert_array_equal(pairs_by_order[0].probabilities, pairs_by_order[1].probabilities)
    np.testing.assert_array_equal(pairs_by_order[0].labels, pairs_by_order[1].labels)


@pytest.mark.long
def test_soft_labels_are_compared_as_lists_are(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", {"t": by_name(TRUE), "a": by_name(BASE), "b": by_name(LARGE)})
    content = json.loads(
        printed("significance", path, "--target", "t", "--against", "a", "--model", "b", "--format", "json")
    )
    comparison = howsure.compare_models(TRUE, BASE, {"b": LARGE}, rng=0)
    assert [printed_row["metric"] for printed_row in content["comparisons"]] == [row.metric for row in comparison]
    for printed_row, row in zip(content["comparisons"], comparison, strict=True):
        assert printed_row["model_value"] == pytest.approx(row.model_value, abs=1e-12, nan_ok=True)
        assert printed_row["p_value"] == row.p_value
    gold = write(
        tmp_path / "y.jsonl", {"t": [MAPPED_NAMES[k % 3] for k in range(30)], "a": by_name(BASE), "b": by_name(LARGE)}
    )
    content = json.loads(
        printed("significance", gold, "--target", "t", "--against", "a", "--model", "b", "--format", "json")
    )
    assert "log_loss" in {printed_row["metric"] for printed_row in content["comparisons"]}


def test_rows_are_counted_from_1_as_in_the_file(tmp_path: Path) -> None:
    rows = [{"t": t, "a": a, "b": b} for t, a, b in zip(by_name(TRUE), by_name(BASE), by_name(LARGE), strict=True)]
    rows[7]["a"] = {"1": 0.9, "2": 0.9, "10": 0.0}
    rows[2]["b"] = None  # left out, and the next rows keep their numbers
    for name, part in (("one", rows[:5]), ("two", rows[5:])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in part))


def test_labels_of_real_annotators_are_read(real_data: Path, tmp_path: Path) -> None:
    """LeWiDi 2025: the votes on sarcasm, 1 to 6, as mappings."""
    path = real_data / "lewidi2025" / "CSC_dev.jsonl.gz"
    table = howsure.read(path).rows({"soft_label": Kind.VALUES})
    columns, recipe = table.columns, table.provenance
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        expected = [[row["soft_label"][str(k)] for k in range(1, 7)] for row in map(json.loads, lines)]
    assert recipe["rows"] == len(expected)
    np.testing.assert_array_equal(columns["soft_label"], expected)


SCORES = RNG.normal(0, 30, (40, 3)).round(6)
TARGETS = RNG.integers(0, 3, 40)
SCALED_NAMES = ("a", "b", "c")
ROWS: dict[str, list[Any]] = {
    "y": [SCALED_NAMES[target] for target in TARGETS],
    "hit": (TARGETS == 0).astype(int).tolist(),
    "z": SCORES.tolist(),
    **{name: column.tolist() for name, column in zip(SCALED_NAMES, SCORES.T, strict=True)},
}


@given(arrays(float, (3, 4), elements=st.floats(-1e4, 1e4)))
def test_softmax_matches_scipy(matrix: Any) -> None:
    np.testing.assert_allclose(ours(matrix), softmax(matrix, axis=1), rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize(
    ("suffix", "columns"),
    [(".jsonl", "z"), (".parquet", "z"), (".npz", "z"), (".csv", "z"), (".csv", SCALED_NAMES), (".npz", SCALED_NAMES)],
)
def test_logits_of_classes(suffix: str, columns: Any, tmp_path: Path) -> None:
    rows = {**ROWS, "z": [str(logit) for logit in ROWS["z"]]} if suffix == ".csv" else ROWS
    path = write(tmp_path / f"x{suffix}", rows)
    expected = softmax(SCORES, axis=1)
    for reduce, probabilities in (("class-wise", expected.T.ravel()), (None, expected.max(axis=1))):
        with howsure.read(path).predictions(
            "y", howsure.Probabilities("logits", columns, classes=SCALED_NAMES, reduce=reduce)
        ) as predictions:
            pairs = predictions.pairs()
            np.testing.assert_allclose(pairs.probabilities, probabilities, rtol=1e-12)
            assert predictions.describe()["logits"] == ("z" if columns == "z" else list(SCALED_NAMES))
    np.testing.assert_array_equal(pairs.labels, SCORES.argmax(axis=1) == TARGETS)


def test_log_probabilities_are_normalised_and_may_be_minus_infinity(tmp_path: Path) -> None:
    with np.errstate(divide="ignore"):
        logs = np.log(np.array([[0.1, 0.3, 0.0], [0.5, 0.25, 0.25]]))
    rows = {"y": ["a", "b"], "ll": [dict(zip(SCALED_NAMES, map(float, row), strict=True)) for row in logs]}
    path = write(tmp_path / "x.jsonl", rows)
    with howsure.read(path).predictions(
        "y", howsure.Probabilities("logprobs", "ll", reduce="class-wise")
    ) as predictions:
        np.testing.assert_allclose(predictions.pairs().probabilities, [0.25, 0.5, 0.75, 0.25, 0.0, 0.25], rtol=1e-12)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_one_logit_is_a_sigmoid_and_one_log_probability_an_exponential(suffix: str, tmp_path: Path) -> None:
    scores = [-1e3, -2.0, 0.0, 3.0, 1e3]
    path = write(tmp_path / f"x{suffix}", {"y": [0, 1, 0, 1, 1], "z": scores, "ll": [-1e3, -2.0, -1.0, 0.0, 1e-9]})
    for name, column, expected in (("logits", "z", expit(scores)), ("logprobs", "ll", np.exp([-1e3, -2, -1, 0, 0]))):
        with opened(path, y_true="y", exact_up_to=1, **{name: column}) as predictions:
            np.testing.assert_allclose(predictions.pairs().probabilities, expected, rtol=1e-12)
            assert predictions.stream is not None


def test_classes_must_be_in_the_order_that_columns_show() -> None:
    columns = ["p_anger", "P_Fear", "joy (score)"]
    with pytest.raises(InputError, match="P_Fear is given the class joy, but its name contains fear") as caught:
        howsure.Probabilities("probs", columns, classes=["anger", "joy", "fear"])
    assert "classes=['anger', 'fear', 'joy']" in str(caught.value)
    for classes in (["anger", "fear", "joy"], ["no", "maybe", "yes"], ["joy", "other", "fear"]):
        assert howsure.Probabilities("probs", columns, classes=classes).classes == classes
