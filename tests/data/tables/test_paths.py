"""Places inside columns, several columns as one key, and the file's own name, in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure
from howsure.data.tables.database import Column, Database, Place, literal, parts_of, path_text, place_of
from howsure.data.tables.named_files import File, short_names
from howsure.errors import InputError
from howsure.inputs.frames import Kind
from tests.data.writers import write

DOCS: list[dict[str, Any]] = [
    {"answerKey": "A", "scores": [{"value": 0.5}, {"value": 0.25}], "a key/~": "x", "n": None},
    {"answerKey": "B", "scores": [{"value": 1.0}], "a key/~": "y", "n": 3},
]


def written(folder: Path, suffix: str) -> Path:
    if suffix == ".parquet":
        pa.parquet.write_table(pa.table({"doc": DOCS, "y": [0, 1]}), folder / "x.parquet")
        return folder / "x.parquet"
    held = DOCS if "json" in suffix else [json.dumps(one) for one in DOCS]
    return write(folder / f"x{suffix}", {"doc": held, "y": [0, 1]})


@pytest.mark.parametrize("suffix", [".jsonl", ".json.gz", ".csv", ".tsv.zst", ".parquet"])
def test_places_inside_columns(suffix: str, tmp_path: Path) -> None:
    path = written(tmp_path, suffix)
    found = (
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
    assert found["doc.answerKey"].tolist() == ["A", "B"]
    assert found["doc['a key/~']"].tolist() == ["x", "y"]
    assert found["doc.scores[0].value"].tolist() == [0.5, 1.0]
    second = found["doc.scores[1].value"].tolist()
    assert (float(second[0]), second[1]) == (0.25, None)
    with pytest.raises(InputError, match=r"doc\.n must not be missing; row 1 "):
        howsure.read(path).rows({"doc.n": Kind.VALUES})
    with pytest.raises(InputError, match=r"answerKey.*Did you mean (doc\.)?answerKey"):
        howsure.read(path).rows({"doc.answerKy": Kind.VALUES})


def test_a_column_of_exactly_the_name_comes_first(tmp_path: Path) -> None:
    rows = [{"doc": {"key": "inside"}, "doc.key": "own", "a,b": "whole", "a": "1", "b": "2"}] * 2
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = howsure.read(path).rows({"doc.key": Kind.VALUES, "a,b": Kind.VALUES, "a,doc.key": Kind.VALUES}).columns
    assert {name: values[0] for name, values in found.items()} == {
        "doc.key": "own",
        "a,b": "whole",
        "a,doc.key": "1 / own",
    }


def test_a_column_of_a_matrix(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", p=np.array([[0.25, 0.75], [0.5, 0.5]]), y=[0, 1])
    with howsure.read(tmp_path / "x.npz", by_file=True).predictions("y", "p[1]", groups="file") as found:
        assert found.pairs().probabilities.tolist() == [0.75, 0.5]
        assert found.group_sizes == {"x": 2}
    with pytest.raises(InputError, match=r"p\.first leads nowhere: the type of p is DOUBLE"):
        howsure.read(tmp_path / "x.npz").predictions("y", "p.first")


@given(st.lists(st.one_of(st.integers(0, 99), st.text("ab.é ~/", min_size=1, max_size=4)), max_size=4))
def test_a_path_is_read_as_it_is_written(steps: list[str | int]) -> None:
    assert place_of(path_text("doc", steps), ["doc"], file="x") == Place("doc", tuple(steps))


@settings(max_examples=25)
@given(st.lists(st.lists(st.text('a/ "', min_size=1, max_size=4), min_size=2, max_size=2), min_size=2, max_size=2))
def test_different_parts_are_different_keys(rows: list[list[str]]) -> None:
    key = Column("key", "VARCHAR", parts=(Column("a", "VARCHAR"), Column("b", "VARCHAR"))).sql
    keys = [
        DATABASE.connection.execute(f"SELECT {key} FROM (SELECT {literal(a)} AS a, {literal(b)} AS b)").fetchall()
        for a, b in rows
    ]
    assert (keys[0] == keys[1]) == (rows[0] == rows[1])


DATABASE = Database()

ROWS: dict[str, list[Any]] = {
    "y": [1, 0, 1, 0],
    "q": [0.9, 0.25, 0.5, 1.0],
    "task": ["x", "x", "y", "y"],
    "n": [1, 2, 1, 2],
}


@pytest.mark.parametrize("suffix", [".csv", ".jsonl.gz", ".parquet", ".npz"])
def test_several_columns_are_one_key(suffix: str, tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{name}{suffix}", ROWS) for name in ("one", "two")]
    with howsure.read(paths, by_file=True).predictions(
        "y", "q", groups="file,task", clusters="file,task", id="file, task,n"
    ) as found:
        assert found.group_sizes == {f"{file} / {task}": 2 for file in ("one", "two") for task in "xy"}
        clusters = found.pairs().clusters
        assert clusters is not None
        assert clusters.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
        assert found.describe()["group"] == "file,task"
        assert found.describe()["by_file"] is True
    with howsure.read(paths, by_file=True, where="file = 'two' and n = 2").predictions("y", "q") as found:
        assert found.selection.positions().tolist() == [5, 7]
        assert found.selection.place("TRUE", "NULL")[0].startswith(f"row 2 of {paths[1]}")


def test_a_key_with_a_missing_part_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", {**ROWS, "task": ["x", "", "none", "y"]})
    with pytest.raises(InputError, match=r"task,n must not be missing; row 2 "):
        howsure.read(path).predictions("y", "q", groups="task,n")
    with howsure.read(path, skip_missing=True, missing_values=["none"]).predictions("y", "q", groups="task,n") as found:
        assert (found.group_names, found.skipped) == (("x / 1", "y / 2"), {"task,n": 2})


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["runs/a.tsv.gz", "runs/b.tsv.gz"], ["a", "b"]),
        (["runs/a.tsv.gz", "runs/a.csv"], ["a.tsv.gz", "a.csv"]),
        (["runs/1/p.csv", "runs/2/p.csv"], ["1/p.csv", "2/p.csv"]),
        (["standard input"], ["standard input"]),
        (["x.v1.csv", "x.v2.csv"], ["x.v1", "x.v2"]),
    ],
)
def test_short_names_tell_files_apart(names: list[str], short: list[str]) -> None:
    assert short_names([File("p", name, "csv") for name in names]) == short


def test_parts_of_a_key() -> None:
    assert parts_of("a, b", ["a", "b"]) == ("a", "b")
    assert parts_of("a,b", ["a,b"]) == ("a,b",)
    for wrong in ("a,", ",a", "a,a"):
        with pytest.raises(InputError, match="once each"):
            parts_of(wrong, ["a"])


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_clusters_are_coded_in_the_order_of_their_texts(suffix: str, tmp_path: Path) -> None:
    keys = ["é", "z", "Z", "10", "9", "ä b", "z", "日本", "'", "\U0001f600", "\uffee"]
    rows = {"y": [0, 1] * 5 + [0], "q": [0.5] * 11, "doc": keys}
    with howsure.read([write(tmp_path / f"x{suffix}", rows)]).predictions("y", "q", clusters="doc") as found:
        clusters = found.pairs().clusters
    np.testing.assert_array_equal(clusters, np.unique(keys, return_inverse=True)[1])
