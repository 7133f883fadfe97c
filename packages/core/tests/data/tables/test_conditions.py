"""Which rows `where` uses: against a brute force in Python, in every format, and nothing but an expression."""

from __future__ import annotations

import contextlib
import json
import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.files import opened, write

import howsure
from howsure.calibration.slots import Slots, assign_cells
from howsure.data.tables.database import Column, Database, Place, find_place, literal, path_text, split_names
from howsure.data.tables.named_files import File
from howsure.data.tables.table import Table, open_table
from howsure.data.tables.where import condition, parsed
from howsure.errors import InputError
from howsure.inputs.frames import Kind

SUFFIXES = (".csv", ".tsv.gz", ".jsonl", ".parquet", ".npz")
ROWS: dict[str, list[Any]] = {
    "y": [1, 0, 1, 0, 1, 0],
    "q": [0.9, 0.25, 0.5, 1.0, 0.125, 0.0],
    "n": [9, 10, 2, -3, 11, 0],
    "model": ["base", "large", "base", "Base", "it's", "a%b"],
    "odd name": ["u", "v", "u", "v", "u", "v"],
}

Test = dict[str, Any]
COMPARED = {"=": "eq", "<>": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


SELECTED = [
    ("n > 9", [1, 4]),  # by value, also in text: '10' < '9'
    ("n between 0 and 10", [0, 1, 2, 5]),
    ("n = 10.0 or n = -3", [1, 3]),
    ("10 > n and not model = 'base'", [3, 5]),
    ("model in ('large', 'it''s')", [1, 4]),
    ("model not in ('base')", [1, 3, 4, 5]),
    ("model like 'ba%' or model ilike 'BASE'", [0, 2, 3]),
    ("\"odd name\" = 'u' and q >= .5", [0, 2]),
    ("n < q", [3]),
    ("y = true and q <> 5e-1", [0, 4]),
    ("model is not null and n is null or y", [0, 2, 4]),
    ("((n = 9)) -- the first", [0]),
]


@pytest.mark.parametrize(
    ("suffix", "where", "rows"),
    [(suffix, *case) for suffix in SUFFIXES for case in (SELECTED if suffix == ".parquet" else SELECTED[::4])],
)
def test_rows_are_those_that_satisfy_it(suffix: str, where: str, rows: list[int], tmp_path: Path) -> None:
    path = write(tmp_path / f"x{suffix}", ROWS)
    with howsure.read(path, where=where).predictions("y", "q") as predictions:
        assert predictions.pairs().probabilities.tolist() == [ROWS["q"][row] for row in rows]
        assert predictions.describe()["where"] == where
        assert predictions.describe()["left_out"] == 6 - len(rows)
        assert predictions.selection.positions().tolist() == rows


LEAVES = st.one_of(
    st.tuples(st.just("n"), st.sampled_from(list(COMPARED)), st.integers(-4, 12)),
    st.tuples(st.just("model"), st.sampled_from(list(COMPARED)), st.sampled_from(ROWS["model"])),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.tuples(st.just("not"), inner), st.tuples(st.sampled_from(["and", "or"]), inner, inner)),
    max_leaves=6,
)


def written(tree: Any) -> str:
    if tree[0] == "not":
        return f"not ({written(tree[1])})"
    if tree[0] in ("and", "or"):
        return f"({written(tree[1])}) {tree[0]} ({written(tree[2])})"
    value = tree[2] if isinstance(tree[2], int) else "'" + tree[2].replace("'", "''") + "'"
    return f"{tree[0]} {tree[1]} {value}"


def holds(tree: Any, row: int) -> bool | None:
    """Brute force, in three values; the fourth n is missing."""
    if tree[0] == "not":
        inner = holds(tree[1], row)
        return None if inner is None else not inner
    if tree[0] in ("and", "or"):
        stops = tree[0] == "or"
        both = (holds(tree[1], row), holds(tree[2], row))
        return stops if stops in both else None if None in both else not stops
    if tree[0] == "n" and row == 3:
        return None
    return bool(getattr(operator, COMPARED[tree[1]])(ROWS[tree[0]][row], tree[2]))


GAP = {**ROWS, "n": [9, 10, 2, None, 11, 0], "q": list(range(6))}


@pytest.fixture(scope="module")
def with_gap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Table]]:
    """The same rows in texts and in typed columns, open to be asked."""
    folder = tmp_path_factory.mktemp("gap")
    paths = [str(write(folder / f"x{suffix}", GAP)) for suffix in (".csv", ".parquet")]
    database = Database()
    database.allow_only(paths)
    files = [File(path, path, format) for path, format in zip(paths, ("csv", "parquet"), strict=True)]
    yield [open_table(database, (file,), ["q", "n", "model"]) for file in files]
    database.close()


@pytest.mark.long
@given(TREES)
def test_any_expression_selects_as_brute_force_does(with_gap: list[Table], tree: Any) -> None:
    matching = [row for row in range(6) if holds(tree, row)]
    rows = condition(written(tree))
    assert rows is not None
    for table in with_gap:
        if matching:
            assert [int(str(q)) for (q,) in table.ask("q", rest=f"WHERE {rows.sql(table, ())}")] == matching
        else:
            with pytest.raises(InputError, match="no row"):
                rows.sql(table, ())


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_columns_are_read_of_the_rows_that_satisfy_it(suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"x{suffix}", GAP)
    table = howsure.read(path, where="not (n > 2) or model = 'Base'").rows({"q": Kind.NUMBER})
    assert table.columns["q"].tolist() == [2, 3, 5]
    assert table.provenance["left_out"] == 3
    with pytest.raises(InputError, match="no row"):
        howsure.read(path, where="n > 11").rows({"q": Kind.NUMBER})


@given(st.text(alphabet="nq='\"()[]. ;,-*<>0x/\\\n" + "é", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(InputError):
        parsed(text)


def test_values_treated_as_missing_satisfy_is_null_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", {**ROWS, "n": ["9", "none", "2", "", "11", "NaN"]})
    arguments: Test = {"y_true": "y", "prob": "q", "missing_values": ["none"]}
    for where, rows in (("n is null", [1, 3, 5]), ("n > 2", [0, 4]), ("not n > 2", [2]), ("n is not null", [0, 2, 4])):
        with opened(path, where=where, **arguments) as predictions:
            assert predictions.selection.positions().tolist() == rows


def test_large_whole_numbers_are_exact(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", {"y": [1, 0], "q": [0.5, 0.25], "n": [2**53, 2**53 + 1]})
    with howsure.read(path, where=f"n = {2**53 + 1}").predictions("y", "q") as predictions:
        assert predictions.pairs().probabilities.tolist() == [0.25]


def test_rows_left_out_and_rows_skipped_are_counted_apart(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", {**ROWS, "q": ["0.9", "", "0.5", "", "0.1", "0.2"]})
    with howsure.read(path, where="n > 0", skip_missing=True).predictions("y", "q") as predictions:
        assert (predictions.n, predictions.skipped, predictions.describe()["left_out"]) == (3, {"q": 1}, 2)
        assert predictions.selection.total == 6


def test_a_fault_in_excluded_rows_is_ignored(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", {**ROWS, "q": [0.9, 7.0, 0.5, 0.1, float("nan"), 0.2]})
    with howsure.read(path, where="n <> 10 and n <> 11").predictions("y", "q") as predictions:
        assert predictions.n == len(predictions.pairs()) == 4
    with pytest.raises(InputError, match="row 5 of"):
        howsure.read(path, where="n <> 10").predictions("y", "q")


def test_several_streams_and_groups_keep_to_it(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", ROWS)
    with howsure.read(path, where="n <> 9").predictions("y", "q", groups="odd name", exact_up_to=1) as open_predictions:
        assert open_predictions.group_sizes == {"u": 2, "v": 3}
        predictions = {"u": [0.5, 0.125], "v": [0.25, 1.0, 0.0]}
        for name, q in predictions.items():
            sums = open_predictions.source(name)
            assert isinstance(sums, Slots)
            assert np.repeat(sums.cell, sums.count).tolist() == sorted(assign_cells(np.array(q)).tolist())


DOCS: list[dict[str, Any]] = [
    {"answerKey": "A", "scores": [{"value": 0.5}, {"value": 0.25}], "a key/~": "x", "n": None},
    {"answerKey": "B", "scores": [{"value": 1.0}], "a key/~": "y", "n": 3},
]


def written_objects(folder: Path, suffix: str) -> Path:
    if suffix == ".parquet":
        pa.parquet.write_table(pa.table({"doc": DOCS, "y": [0, 1]}), folder / "x.parquet")
        return folder / "x.parquet"
    cells = DOCS if "json" in suffix else [json.dumps(document) for document in DOCS]
    return write(folder / f"x{suffix}", {"doc": cells, "y": [0, 1]})


@pytest.mark.parametrize("suffix", [".jsonl", ".json.gz", ".csv", ".tsv.zst", ".parquet"])
def test_places_inside_columns(suffix: str, tmp_path: Path) -> None:
    path = written_objects(tmp_path, suffix)
    columns = (
        howsure.read(path)
        .rows(
            {
                "doc.answerKey": Kind.VALUES,
                "doc['a key/~']": Kind.VALUES,
                "doc.scores[0].value": Kind.NUMBER,
                "doc.scores[1].value": Kind.OPTIONAL,
                "doc.n": Kind.OPTIONAL,
            }
        )
        .columns
    )
    assert columns["doc.answerKey"].tolist() == ["A", "B"]
    assert columns["doc['a key/~']"].tolist() == ["x", "y"]
    assert columns["doc.scores[0].value"].tolist() == [0.5, 1.0]
    second = columns["doc.scores[1].value"].tolist()
    assert (float(second[0]), second[1]) == (0.25, None)
    with pytest.raises(InputError, match=r"doc\.n must not be missing; row 1 "):
        howsure.read(path).rows({"doc.n": Kind.VALUES})
    with pytest.raises(InputError, match=r"answerKey.*Did you mean (doc\.)?answerKey"):
        howsure.read(path).rows({"doc.answerKy": Kind.VALUES})


def test_a_column_of_exactly_the_name_comes_first(tmp_path: Path) -> None:
    rows = [{"doc": {"key": "inside"}, "doc.key": "own", "a,b": "whole", "a": "1", "b": "2"}] * 2
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns = howsure.read(path).rows({"doc.key": Kind.VALUES, "a,b": Kind.VALUES, "a,doc.key": Kind.VALUES}).columns
    assert {name: values[0] for name, values in columns.items()} == {
        "doc.key": "own",
        "a,b": "whole",
        "a,doc.key": "1 / own",
    }


def test_a_column_of_a_matrix(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", p=np.array([[0.25, 0.75], [0.5, 0.5]]), y=[0, 1])
    with howsure.read(tmp_path / "x.npz", by_file=True).predictions("y", "p[1]", groups="file") as predictions:
        assert predictions.pairs().probabilities.tolist() == [0.75, 0.5]
        assert predictions.group_sizes == {"x": 2}


@given(st.lists(st.one_of(st.integers(0, 99), st.text("ab.é ~/", min_size=1, max_size=4)), max_size=4))
def test_a_path_is_read_as_it_is_written(steps: list[str | int]) -> None:
    assert find_place(path_text("doc", steps), ["doc"], file="x") == Place("doc", tuple(steps))


@given(st.lists(st.lists(st.text('a/ "', min_size=1, max_size=4), min_size=2, max_size=2), min_size=2, max_size=2))
def test_different_parts_are_different_keys(rows: list[list[str]]) -> None:
    key = Column("key", "VARCHAR", parts=(Column("a", "VARCHAR"), Column("b", "VARCHAR"))).sql
    keys = [
        DATABASE.connection.execute(f"SELECT {key} FROM (SELECT {literal(a)} AS a, {literal(b)} AS b)").fetchall()
        for a, b in rows
    ]
    assert (keys[0] == keys[1]) == (rows[0] == rows[1])


DATABASE = Database()

NESTED_ROWS: dict[str, list[Any]] = {
    "y": [1, 0, 1, 0],
    "q": [0.9, 0.25, 0.5, 1.0],
    "task": ["x", "x", "y", "y"],
    "n": [1, 2, 1, 2],
}


@pytest.mark.parametrize("suffix", [".csv", ".jsonl.gz", ".parquet", ".npz"])
def test_several_columns_are_one_key(suffix: str, tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{name}{suffix}", NESTED_ROWS) for name in ("one", "two")]
    with howsure.read(paths, by_file=True).predictions(
        "y", "q", groups="file,task", clusters="file,task", id="file, task,n"
    ) as predictions:
        assert predictions.group_sizes == {f"{file} / {task}": 2 for file in ("one", "two") for task in "xy"}
        clusters = predictions.pairs().clusters
        assert clusters.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
        assert predictions.describe()["group"] == "file,task"
        assert predictions.describe()["by_file"] is True
    with howsure.read(paths, by_file=True, where="file = 'two' and n = 2").predictions("y", "q") as predictions:
        assert predictions.selection.positions().tolist() == [5, 7]
        assert predictions.selection.place("TRUE", "NULL")[0].startswith(f"row 2 of {paths[1]}")


def test_a_key_with_a_missing_part_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", {**NESTED_ROWS, "task": ["x", "", "none", "y"]})
    with pytest.raises(InputError, match=r"task,n must not be missing; row 2 "):
        howsure.read(path).predictions("y", "q", groups="task,n")
    with howsure.read(path, skip_missing=True, missing_values=["none"]).predictions(
        "y", "q", groups="task,n"
    ) as predictions:
        assert (predictions.group_names, predictions.skipped) == (("x / 1", "y / 2"), {"task,n": 2})


def test_parts_of_a_key() -> None:
    assert split_names("a, b", ["a", "b"]) == ("a", "b")
    assert split_names("a,b", ["a,b"]) == ("a,b",)
    for wrong in ("a,", ",a", "a,a"):
        with pytest.raises(InputError, match="must be different and separated by commas"):
            split_names(wrong, ["a"])


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_clusters_are_coded_in_the_order_of_their_texts(suffix: str, tmp_path: Path) -> None:
    keys = ["é", "z", "Z", "10", "9", "ä b", "z", "日本", "'", "\U0001f600", "\uffee"]
    rows = {"y": [0, 1] * 5 + [0], "q": [0.5] * 11, "doc": keys}
    with howsure.read([write(tmp_path / f"x{suffix}", rows)]).predictions("y", "q", clusters="doc") as predictions:
        clusters = predictions.pairs().clusters
    np.testing.assert_array_equal(clusters, np.unique(keys, return_inverse=True)[1])


def test_a_text_without_quotation_marks_is_quoted_in_the_advice(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("model,right\ngpt-4.1,1\n")
    with pytest.raises(InputError, match=r"Is a text meant\? Write model = 'gpt-4.1'\.$"):
        howsure.mean_scores("right", data=howsure.read(path, where="model=gpt-4.1"))
