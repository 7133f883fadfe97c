"""What was written in any format is read back: the same pairs, in the same order."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.data.files import SUFFIXES, opened, write, write_bytes
from tests.data.logs.writers import human_eval, promptfoo, promptfoo_document, write_lines, write_parquet

import howsure
from howsure.calibration.curves import curves_by_group
from howsure.errors import InputError

ROWS = {"y": [1, 0, 0, 1], "q": [0.9, 0.25, 1 / 3, 1.0], "tag": ["N", "V", "N", "V"], "doc": [7, 7, 2, 2]}


def pairs_of(path: Path, **options: Any) -> list[tuple[float, int]]:
    with opened(path, y_true="y", prob="q", **options) as predictions:
        pairs = predictions.pairs()
    return list(zip(pairs.probabilities.tolist(), pairs.labels.tolist(), strict=True))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_gives_the_same_pairs_weights_groups_and_clusters(suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"dev{suffix}", {**ROWS, "w": [1.0, 2.0, 0.5, 0.0]})
    with howsure.read(path).predictions("y", "q", groups="tag", clusters="doc", sample_weight="w") as predictions:
        pairs = predictions.pairs()
        assert (predictions.n, predictions.skipped, predictions.group_names) == (4, {}, ("N", "V"))
        assert predictions.describe()["files"] == [str(path)]
    assert pairs.labels.dtype == np.uint8
    assert pairs.probabilities.dtype == np.float64
    np.testing.assert_array_equal(pairs.labels, ROWS["y"])
    np.testing.assert_array_equal(pairs.probabilities, ROWS["q"])
    np.testing.assert_array_equal(pairs.weights, [1.0, 2.0, 0.5, 0.0])
    np.testing.assert_array_equal(pairs.groups, [0, 1, 0, 1])
    clusters = pairs.clusters
    assert clusters[0] == clusters[1] != clusters[2] == clusters[3]


@pytest.mark.long
@settings(max_examples=10)
@given(
    rows=st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30), suffix=st.sampled_from(SUFFIXES)
)
def test_reading_gives_the_pairs_that_were_written(rows: list[tuple[float, bool]], suffix: str, tmp_path: Path) -> None:
    columns = {"q": [q for q, _ in rows], "y": [int(y) for _, y in rows]}
    assert pairs_of(write(tmp_path / f"x{suffix}", columns)) == [(q, int(y)) for q, y in rows]


@settings(max_examples=6)
@given(
    parts=st.lists(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=8), min_size=1, max_size=4),
    suffix=st.sampled_from((".csv", ".jsonl.gz", ".parquet", ".npz")),
)
def test_files_together_give_the_pairs_of_each(
    parts: list[list[tuple[float, bool]]], suffix: str, tmp_path: Path
) -> None:
    for old in tmp_path.glob("part-*"):
        old.unlink()
    for number, rows in enumerate(parts):
        write(tmp_path / f"part-{number}{suffix}", {"q": [q for q, _ in rows], "y": [int(y) for _, y in rows]})
    pair_counts = Counter(pairs_of(tmp_path / "part-*"))
    assert pair_counts == Counter((q, int(y)) for rows in parts for q, y in rows)


LABELS: list[tuple[list[Any], list[int]]] = [
    ([True, False], [1, 0]),
    (["1", "0"], [1, 0]),
    ([1, 0], [1, 0]),
    ([1.0, 0.0], [1, 0]),
    (["True", "False"], [1, 0]),
    ([0, 0], [0, 0]),
]


@pytest.mark.parametrize(
    ("suffix", "labels", "expected"),
    [(suffix, *label) for suffix in (".csv", ".parquet") for label in LABELS]
    + [(suffix, *label) for suffix in (".jsonl", ".npz") for label in LABELS[:2]],
)
def test_labels_however_written(suffix: str, labels: list[Any], expected: list[int], tmp_path: Path) -> None:
    path = write(tmp_path / f"x{suffix}", {"y": labels, "q": [0.5, 0.25]})
    assert pairs_of(path) == list(zip([0.5, 0.25], expected, strict=True))


@pytest.mark.parametrize(
    "type", [pa.int8(), pa.uint8(), pa.int16(), pa.int64(), pa.uint64(), pa.float32(), pa.float64(), pa.bool_()]
)
def test_parquet_labels_of_every_numeric_type(type: Any, tmp_path: Path) -> None:
    labels = pa.array([1, 0, 1]).cast(type)
    pa.parquet.write_table(pa.table({"y": labels, "q": [0.1, 0.2, 0.3]}), tmp_path / "x.parquet")
    assert [y for _, y in pairs_of(tmp_path / "x.parquet")] == [1, 0, 1]


@pytest.mark.parametrize("suffix", [".parquet", ".npz"])
def test_single_precision_becomes_double_exactly(suffix: str, tmp_path: Path) -> None:
    values = np.random.default_rng(3).random(1000, dtype=np.float32)
    path = tmp_path / f"x{suffix}"
    if suffix == ".npz":
        np.savez(path, q=values, y=np.ones(1000))
    else:
        pa.parquet.write_table(pa.table({"q": values, "y": np.ones(1000)}), path)
    assert [q for q, _ in pairs_of(path)] == values.astype(np.float64).tolist()


def test_integer_and_fractional_files_are_not_rounded_together(tmp_path: Path) -> None:
    pa.parquet.write_table(pa.table({"q": [0, 1], "y": [0, 1]}), tmp_path / "a-1.parquet")
    pa.parquet.write_table(pa.table({"y": [1.0, 0.0], "q": [0.6, 0.4]}), tmp_path / "a-2.parquet")
    assert pairs_of(tmp_path / "a-*.parquet") == [(0.0, 0), (1.0, 1), (0.6, 1), (0.4, 0)]
    np.savez(tmp_path / "b-1.npz", q=np.array([0, 1]), y=np.array([0, 1]))
    np.savez(tmp_path / "b-2.npz", q=np.array([0.6, 0.4]), y=np.array([1, 0]))
    assert pairs_of(tmp_path / "b-*.npz") == [(0.0, 0), (1.0, 1), (0.6, 1), (0.4, 0)]


def test_negative_zero_becomes_zero(tmp_path: Path) -> None:
    pairs = pairs_of(write(tmp_path / "x.parquet", {"q": [-0.0, 0.5], "y": [0, 1]}))
    assert not np.signbit(pairs[0][0])


@pytest.mark.long
def test_quoted_text_with_commas_quotes_and_line_breaks(tmp_path: Path) -> None:
    texts = ['said "no", twice', "two\nlines", "#hash", "plain"] + ["x"] * 30_000 + ['late, "quote"\nand break']
    rows = len(texts)
    columns = {"text": texts, "q": [0.5] * rows, "y": [1, 0, 1] * (rows // 3) + [1] * (rows % 3)}
    for suffix in (".csv", ".jsonl"):
        assert len(pairs_of(write(tmp_path / f"x{suffix}", columns))) == rows


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffq,y\n0.5,1\n",
        "q,y\r\n0.5,1\r\n",
        "q;y\n0.5;1\n",
        "q|y\n0.5|1\n",
        '"q","y"\n"0.5","1"\n',
        "q, y\n0.5, 1\n",
        "q,y\n0.5,1",
        "q,y\n\n0.5,1\n\n",
    ],
)
def test_dialects_of_csv(content: str, tmp_path: Path) -> None:
    assert pairs_of(write_bytes(tmp_path / "x.csv", content.encode())) == [(0.5, 1)]


def test_tab_separated_text_may_hold_stray_quotes(tmp_path: Path) -> None:
    content = 'q\ttext\ty\n0.5\the said "hi\t1\n0.25\tit\'s\t0\n0.75\ta "b" c\t1\n'
    assert pairs_of(write_bytes(tmp_path / "x.tsv", content.encode())) == [(0.5, 1), (0.25, 0), (0.75, 1)]


def test_a_key_that_comes_late_in_json_lines_is_found(tmp_path: Path) -> None:
    lines = [{"q": 0.5, "y": 1}] * 40_000 + [{"q": 0.5, "y": 0, "w": 3}]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with howsure.read(path, skip_missing=True).predictions("y", "q", sample_weight="w") as predictions:
        assert (predictions.n, predictions.skipped) == (1, {"w": 40_000})


@pytest.mark.parametrize("name", ["it's.csv", "a b ü [1]*?.csv", "x.CSV", 'quo"te.csv', "-x.csv"])
def test_any_file_name(name: str, tmp_path: Path) -> None:
    (tmp_path / "a b ü [1]-other-.csv").write_text("nothing of use\n")
    assert pairs_of(write_bytes(tmp_path / name, b"q,y\n0.5,1\n")) == [(0.5, 1)]
    assert pairs_of(write(tmp_path / f"{name}.parquet", {"q": [0.5], "y": [1]})) == [(0.5, 1)]


@pytest.mark.parametrize(
    "names",
    [
        {"y_true": "select", "prob": "from", "groups": "group by", "clusters": "a;b", "sample_weight": "größe x"},
        {"y_true": "it's", "prob": "file name", "groups": "1", "clusters": 'a"b', "sample_weight": "Y"},
    ],
    ids=["words", "signs"],
)
@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet", ".npz"])
def test_any_column_name(names: dict[str, str], suffix: str, tmp_path: Path) -> None:
    values: list[list[Any]] = [["yes", "no"], [0.5, 0.25], ["a", "it's"], ["c", "d"], [1.0, 2.0]]
    path = write(tmp_path / f"x{suffix}", dict(zip(names.values(), values, strict=True)))
    with opened(path, pos_label="yes", **names) as predictions:
        pairs = predictions.pairs()
        assert (pairs.labels.tolist(), pairs.probabilities.tolist()) == ([1, 0], [0.5, 0.25])
        assert predictions.group_names == ("a", "it's")
        assert list(predictions.columns.values()) == list(names.values())
    assert (pairs.weights.tolist(), pairs.clusters.tolist()) == ([1.0, 2.0], [0, 1])


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "s", "ns"])
def test_dates_of_every_unit_in_an_archive_are_groups(unit: str, tmp_path: Path) -> None:
    days = np.array(["2019-01-03", "2021-06-10", "2019-01-03", "NaT"], dtype=f"datetime64[{unit}]")
    np.savez(tmp_path / "x.npz", y=[1, 0, 1, 0], q=[0.5, 0.25, 0.75, 0.1], day=days)
    with howsure.read(tmp_path / "x.npz", skip_missing=True).predictions("y", "q", groups="day") as predictions:
        assert list(predictions.group_sizes.values()) == [2, 1]
        assert [name[:4] for name in predictions.group_names] == ["2019", "2021"]
        assert predictions.skipped == {"day": 1}
    if unit == "D":
        assert predictions.group_names == ("2019-01-03", "2021-06-10")


def test_empty_texts_in_an_archive_are_missing(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", y=[1, 0, 1], q=[0.5, 0.25, 0.75], tag=["a", "", "b"])
    with howsure.read(tmp_path / "x.npz", skip_missing=True).predictions("y", "q", groups="tag") as predictions:
        assert (predictions.group_sizes, predictions.skipped) == ({"a": 1, "b": 1}, {"tag": 1})


# Rows that miss a value: counted under their first missing column and left out, never in silence.


NONE = None


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_row_counts_under_the_first_column_that_it_misses(suffix: str, tmp_path: Path) -> None:
    columns = {
        "y": [1, NONE, NONE, 0, 1, 0],
        "q": [0.1, 0.2, NONE, NONE, 0.5, 0.6],
        "g": ["a", "b", "a", NONE, NONE, "b"],
        "w": [1.5, 1.0, 1.0, 1.0, 1.0, 2.5],
    }
    path = write(tmp_path / f"x{suffix}", columns)
    with howsure.read(path, skip_missing=True).predictions("y", "q", groups="g", sample_weight="w") as predictions:
        pairs = predictions.pairs()
        assert predictions.skipped == {"y": 2, "q": 1, "g": 1}
        assert predictions.n == len(pairs) == 2
        assert predictions.describe()["skipped"] == {"y": 2, "q": 1, "g": 1}
    assert pairs.probabilities.tolist() == [0.1, 0.6]
    assert pairs.labels.tolist() == [1, 0]
    weights = pairs.weights
    assert weights.tolist() == [1.5, 2.5]


def test_values_that_count_as_missing(tmp_path: Path) -> None:
    columns = {
        "y": ["right", "wrong", "refused", "-", "right", "right"],
        "q": [0.1, 0.2, 0.3, 0.4, -1.0, 0.6],
        "g": ["a", "b", "a", "b", "-", "-"],
    }
    path = write(tmp_path / "x.csv", columns)
    with howsure.read(path, skip_missing=True, missing_values=["refused", "-", "-1"]).predictions(
        "y", "q", pos_label="right", groups="g"
    ) as predictions:
        assert predictions.skipped == {"y": 2, "q": 1, "g": 1}
        assert predictions.group_sizes == {"a": 1, "b": 1}
        assert predictions.pairs().labels.tolist() == [1, 0]
        assert predictions.describe()["missing_values"] == ["refused", "-", "-1"]


def test_numbers_that_count_as_missing_are_compared_by_value(tmp_path: Path) -> None:
    large = 2**53
    columns = {"y": [1, 0, -9], "q": [0.5, -1.0, 0.5], "doc": [large + 1, large, large]}
    path = write(tmp_path / "x.parquet", columns)
    options = {"skip_missing": True, "missing_values": ["-1", "-9", str(large)]}
    with opened(path, y_true="y", prob="q", clusters="doc", **options) as predictions:
        assert predictions.skipped == {"y": 1, "q": 1}
        assert predictions.pairs().probabilities.tolist() == [0.5]


def test_nan_in_parquet_whose_statistics_do_not_know_it(tmp_path: Path) -> None:
    table = pa.table({"q": [0.5, 0.25, float("nan"), 0.5], "y": [1, 0, 1, 1]})
    pa.parquet.write_table(table, tmp_path / "x.parquet")
    with howsure.read(tmp_path / "x.parquet", skip_missing=True).predictions("y", "q") as predictions:
        assert predictions.skipped == {"q": 1}
        assert predictions.pairs().probabilities.tolist() == [0.5, 0.25, 0.5]


@pytest.mark.long
@settings(max_examples=8)
@given(
    rows=st.lists(
        st.tuples(st.none() | st.just(float("nan")) | st.floats(0, 1), st.none() | st.integers(0, 1)),
        min_size=1,
        max_size=20,
    ),
    suffix=st.sampled_from((".csv", ".jsonl", ".parquet")),
    limit=st.sampled_from((0, 10**6)),
)
def test_used_and_skipped_rows_add_up(
    rows: list[tuple[float | None, int | None]], suffix: str, limit: int, tmp_path: Path
) -> None:
    rows = [*rows, (0.5, 1)]
    path = write(tmp_path / f"x{suffix}", {"q": [q for q, _ in rows], "y": [y for _, y in rows]})
    expected = [(q, y) for q, y in rows if y is not None and q is not None and not np.isnan(q)]
    with howsure.read(path, skip_missing=True).predictions("y", "q", exact_up_to=limit) as predictions:
        pairs = predictions.pairs()
        assert list(zip(pairs.probabilities.tolist(), pairs.labels.tolist(), strict=True)) == expected
        assert len(predictions.source()) == len(expected)
        assert predictions.n + sum(predictions.skipped.values()) == len(rows)


# Rows of objects: other values are left out and counted; an element of a list may be a row.


GRADED: list[dict[str, Any]] = [
    {"id": item, "judgments": [{"judge": judge, "grade": grade} for judge, grade in zip("xy", grades, strict=False)]}
    for item, grades in enumerate([(1, 0), (1, 1), (0,), ()])
]


def written(folder: Path, kind: str, rows: list[Any]) -> Path:
    if kind == "jsonl":
        return write_lines(folder / "graded.jsonl", rows)
    if kind == "parquet":
        return write_parquet(folder / "graded.parquet", rows)
    path = folder / "graded.json"
    path.write_text(json.dumps(rows))
    return path


@pytest.mark.parametrize("kind", ["json", "jsonl", "parquet"])
def test_each_element_is_a_row(kind: str, tmp_path: Path) -> None:
    path, notices = written(tmp_path, kind, GRADED), list[str]()
    source = howsure.read(path, explode="judgments")
    object.__setattr__(source, "tell", notices.append)
    table = howsure.mean_scores("judgments.grade", groups="judgments.judge", clusters="id", data=source)
    assert {row.group: (row.n, row.mean.value) for row in table} == {
        "overall": (5, pytest.approx(0.6)),
        "x": (3, pytest.approx(2 / 3)),
        "y": (2, 0.5),
    }
    assert table.recipe["explode"] == "judgments"
    made = "5 rows, one for each element of judgments in the 4 rows of the file."
    assert notices[0] == f"{path}: {made} Rows without elements: 1, left out."


def test_an_element_by_its_position_needs_no_rows_of_its_own(tmp_path: Path) -> None:
    path = written(tmp_path, "json", GRADED[:3])
    (row,) = howsure.mean_scores("judgments[0].grade", data=howsure.read(path))
    assert (row.n, row.mean.value) == (3, pytest.approx(2 / 3))


def test_a_list_inside_an_object_of_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, "jsonl", [{"run": {"scores": [0, 1, 1]}, "kept": 1}, {"run": {"scores": [0]}, "kept": 2}])
    (row,) = howsure.mean_scores("run.scores", clusters="kept", data=howsure.read(path, explode="run.scores"))
    assert (row.n, row.mean.value) == (4, 0.5)


def test_a_log_is_exploded_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(promptfoo_document(promptfoo(True), promptfoo(False, item=1))))
    with pytest.raises(
        InputError, match=r"is for lists in tables; .* is a log of promptfoo. Read it as a table: format"
    ):
        howsure.mean_scores(data=howsure.read(path, explode="results.results"))
    source = howsure.read(path, explode="results.results", format="json")
    (row,) = howsure.mean_scores("results.results.success", data=source)
    assert (row.n, row.mean.value) == (2, 0.5)


def test_what_is_not_an_object_is_left_out_and_counted(tmp_path: Path) -> None:
    rows = [{"id": item, "right": item % 2 == 0} for item in range(4)]
    path = written(tmp_path, "json", [*rows[:2], "a note", *rows[2:], None])
    (row,) = howsure.mean_scores("right", data=howsure.read(path))
    assert (row.n, row.mean.value) == (4, 0.5)
    assert howsure.look(path).notes[0] == f"{path}: 2 of 6 elements left out, because they are not objects."


def test_a_log_may_hold_texts_among_its_records(tmp_path: Path) -> None:
    path = written(tmp_path, "json", [human_eval(True), "a note", human_eval(False, item=1)])
    table = howsure.mean_scores(data=howsure.read(path))
    assert table[0].mean.value == 0.5
    assert table.recipe["notes"] == [f"{path}: 1 of 3 elements left out, because they are not objects."]


def test_look_says_which_lists_may_be_rows(tmp_path: Path) -> None:
    notes = howsure.look(written(tmp_path, "json", GRADED)).notes
    assert notes[0] == "judgments: lists of objects; --explode judgments makes each object a row."


WIDE = [{"item": f"0{i}", "ann": i % 3, "bob": i % 2} for i in range(12)]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_columns_become_rows(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"grades.{kind}"
    if kind == "csv":
        lines = [",".join(WIDE[0]), *(",".join(map(str, row.values())) for row in WIDE)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    elif kind == "parquet":
        write_parquet(path, WIDE)
    else:
        write_lines(path, WIDE)
    source = howsure.read(path, explode="ann,bob")
    rows = {row.model: (row.n, row.mean.value) for row in howsure.mean_scores("value", model="column", data=source)}
    assert rows == {"ann": (12, 1.0), "bob": (12, 0.5)}
    agreement = howsure.rater_agreement("value", rater="column", id="item", data=source)
    assert agreement.rows[0].n == 12


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("ann,bo", "no column 'bo' in"),
        ("ann,item", "makes the columns column and value, but .* has a column value. Rename it."),
    ],
)
def test_columns_that_cannot_become_rows_are_named(columns: str, message: str, tmp_path: Path) -> None:
    rows = [{**row, "value": 1} if "item" in columns else row for row in WIDE]
    path = write_lines(tmp_path / "grades.jsonl", rows)
    with pytest.raises(InputError, match=message):
        howsure.mean_scores("value", data=howsure.read(path, explode=columns))


def test_lists_in_objects_by_their_keys_become_rows(tmp_path: Path) -> None:
    document = {f"rule {i}": {"kind": "rule", "examples": [{"score": i}, {"score": 1}]} for i in range(4)}
    (tmp_path / "rules.json").write_text(json.dumps(document), encoding="utf-8")
    source = howsure.read(tmp_path / "rules.json", explode="examples")
    rows = howsure.mean_scores("examples.score", groups="key", data=source).rows
    assert {row.group: row.mean.value for row in rows if row.group != "overall"} == {
        f"rule {i}": (i + 1) / 2 for i in range(4)
    }


def test_elements_of_rows_without_an_item_are_clusters(tmp_path: Path) -> None:
    rows = [{"q": f"text {at}", "tries": [{"right": at % 2}] * 4} for at in range(20)]
    source = howsure.read(write_lines(tmp_path / "a.jsonl", rows), explode="tries")
    (row,) = table = howsure.mean_scores("tries.right", data=source)
    (of_items,) = howsure.mean_scores([at % 2 for at in range(20)])
    assert (row.n, row.mean.value, row.mean.low, row.mean.high) == (80, 0.5, of_items.mean.low, of_items.mean.high)
    assert "source_row repeats (80 rows of 20 items, up to 4 each)" in table.notes[0]
    several = howsure.read([tmp_path / "a.jsonl", write_lines(tmp_path / "b.jsonl", rows)], explode="tries")
    pooled = howsure.mean_scores("tries.right", data=several)
    assert "source_row repeats (160 rows of 40 items, up to 4 each in a model or group)" in pooled.notes[0]
    models = [{"model": name, "tries": [{"right": at % 2} for at in range(20)]} for name in "ab"]
    of_models = howsure.read(write_lines(tmp_path / "m.jsonl", models), explode="tries")
    table = howsure.mean_scores("tries.right", model="model", data=of_models)
    assert not any("source_row" in note for note in table.notes)  # the rows are the models


@pytest.mark.parametrize(
    ("name", "content", "options", "place"),
    [
        ("a.jsonl", '{"s": [1, 2]}\n{"s": []}\n{"s": [1, "x"]}\n', {"explode": "s"}, "element 2 of s in row 3 of {}"),
        ("a.csv", "ann,bob\n1,2\n1,x\n", {"explode": "ann,bob"}, "column bob in row 2 of {}"),
        ("a.json", '[{"s": 1}, 7, {"s": "x"}]', {}, "row 3 of {}"),
    ],
)
def test_rows_made_from_others_are_named_by_their_row(
    name: str, content: str, options: dict[str, Any], place: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    score = "value" if name == "a.csv" else "s"
    with pytest.raises(InputError, match=re.escape(f"must be a number; {place.format(path)} (counted from 1")):
        howsure.mean_scores(score, data=howsure.read(path, **options))


def test_a_row_of_files_with_one_object_each_is_its_file(tmp_path: Path) -> None:
    for at, score in enumerate([0.5, 0.25, "x"]):
        (tmp_path / f"{at}.json").write_text(json.dumps({"s": score, "n": 1}), encoding="utf-8")
    with pytest.raises(InputError, match=r"s must be a number; row 1 of \S+2\.json \(counted from 1\) is 'x'"):
        howsure.mean_scores("s", data=howsure.read(tmp_path))


def test_the_worst_rows_of_elements_are_rows_of_the_file(tmp_path: Path) -> None:
    rows = [{"id": at, "said": [{"y": 1, "p": 0.9}, {"y": 0, "p": 0.95 if at == 4 else 0.2}]} for at in range(12)]
    source = howsure.read(write_lines(tmp_path / "a.jsonl", rows), explode="said")
    curves = curves_by_group("said.y", "said.p", data=source, worst=1)
    assert curves.worst is not None
    assert [row.row for row in curves.worst.rows] == [5]


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ([1, {"a": 1}], "element 1 in row 1 of .* is a single value, element 2 in row 2 is an object: {'a': 1}"),
        ([[1]], "element 1 in row 1 of .* is a single value, element 1 in row 2 is a list: [1]"),
    ],
)
def test_elements_of_several_kinds_are_refused(row: list[Any], what: str, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [{"s": [1, None, "2"]}, {"s": row}])
    with pytest.raises(InputError, match=re.escape(what).replace(re.escape(".*"), ".*")):
        howsure.mean_scores("s", data=howsure.read(path, explode="s"))


def test_lists_inside_lists_lose_nothing_silently(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": 1, "b": [{"c": [{"s": 1}, {"s": 0}]}]},
        {"id": 2, "b": []},
        {"id": 3, "b": [None]},
    ]
    source = howsure.read(write_lines(tmp_path / "a.jsonl", rows), explode="b.c", independent_rows=True)
    table = howsure.mean_scores("b.c.s", data=source)
    assert (table[0].n, table[0].mean.value) == (2, 0.5)
    odd = write_lines(tmp_path / "b.jsonl", [*rows, {"id": 4, "b": [{"c": []}, "oops"]}])
    with pytest.raises(InputError, match=r"row 4 of .*b.jsonl \(counted from 1\) has 'oops' in b"):
        howsure.mean_scores("b.c.s", data=howsure.read(odd, explode="b.c"))
