"""Columns of files as arrays, the same from every format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import howsure
from howsure.data.predictions import features as reading
from howsure.data.predictions.features import OTHERS, column_of_feature, feature_columns
from howsure.errors import InputError
from howsure.inputs.checks import Coded
from howsure.inputs.frames import Kind
from tests.data.writers import Columns, write

HELD: Columns = {
    "tag": ["NN", "VB", "7", "NN"],
    "age": [3, 10, 4, 4],
    "score": [0.25, -1.5, 3.0, 0.125],
    "draws": [[0.5, 1.0], [0.25, 2.0], [0.0, 1.0], [3.5, 1.0]],
}


@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz", ".jsonl", ".json", ".parquet", ".npz"])
def test_every_format_gives_the_same(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"held{suffix}", HELD)
    read = howsure.read(path).rows({"tag": Kind.VALUES, "draws": Kind.VALUES, "score": Kind.NUMBER, "age": Kind.NUMBER})
    found, recipe = read.columns, read.read
    assert found["tag"].tolist() == HELD["tag"]
    for name in ("score", "age"):
        assert found[name].dtype == np.float64
        assert found[name].tolist() == HELD[name]
    assert found["draws"].tolist() == HELD["draws"]
    assert howsure.read(path).rows({"draws": Kind.NUMBERS}).columns["draws"].tolist() == HELD["draws"]
    assert recipe == {"files": [str(path)], "rows": 4, "skipped": {}}


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_text_in_brackets_is_a_text(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"held{suffix}", {"answer": ["[invalid]", "[1]", "a"]})
    assert howsure.read(path).rows({"answer": Kind.VALUES}).columns["answer"].tolist() == ["[invalid]", "[1]", "a"]


def test_labels_keep_their_type(tmp_path: Path) -> None:
    path = write(tmp_path / "held.parquet", HELD | {"right": [True, False, False, True]})
    found = howsure.read(path).rows({"age": Kind.VALUES, "right": Kind.VALUES, "score": Kind.VALUES}).columns
    assert [found[name].dtype.kind for name in ("age", "right", "score")] == ["i", "b", "f"]


def test_rows_that_miss_a_value_are_refused_or_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "held.jsonl", HELD | {"score": [0.25, None, 3.0, float("nan")], "tag": ["", "a", "b", "c"]})
    with pytest.raises(InputError, match=r"tag must not be missing; row 1 of .* with skip_missing=True \(3 in all\)"):
        howsure.read(path).rows({"tag": Kind.VALUES, "score": Kind.NUMBER})
    read = howsure.read(path, skip_missing=True).rows({"tag": Kind.VALUES, "score": Kind.NUMBER})
    found, recipe = read.columns, read.read
    assert (found["tag"].tolist(), found["score"].tolist()) == (["b"], [3.0])
    assert (recipe["rows"], recipe["skipped"]) == (1, {"tag": 1, "score": 2})


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"tag": Kind.NUMBER}, r"tag must hold numbers; row 1 of .*held.csv \(counted from 1.*\) holds 'NN'"),
        ({"score": Kind.NUMBERS}, r"score must hold lists of numbers; row 1 of .* holds '0.25'"),
        ({"tga": Kind.VALUES}, "no column 'tga' in .*held.csv; it has tag, age, score, draws. Did you mean tag"),
        ({"ragged": Kind.VALUES}, r"ragged must hold lists of the same length; the first has 2, row 3 of .* has 1"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, asked: dict[str, Kind], told: str) -> None:
    changed = {"ragged": [[1.0, 2.0], [1.0, 2.0], [1.0], [1.0, 2.0]]} if "ragged" in str(asked) else {}
    path = write(tmp_path / "held.csv", HELD | changed)
    with pytest.raises(InputError, match=told):
        howsure.read(path).rows(asked)


def test_several_files_follow_each_other(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{name}.csv", HELD) for name in "ab"]
    read = howsure.read(paths).rows({"tag": Kind.VALUES})
    found, recipe = read.columns, read.read
    assert found["tag"].tolist() == HELD["tag"] * 2
    assert recipe["rows"] == 8


def test_names_are_read_as_codes(tmp_path: Path) -> None:
    path = write(tmp_path / "held.csv", {"place": ["b10", "b2", "b10", "a"], "n": ["10", "9", "-1", "9"]})
    found = howsure.read(path).rows({"place": Kind.NAMES, "n": Kind.NAMES}).columns
    assert found["place"].names == ("a", "b2", "b10")
    assert found["place"].codes.tolist() == [2, 1, 2, 0]
    assert found["n"].names == ("-1", "9", "10")
    assert found["n"].codes.dtype.itemsize == 1


def test_days_lose_the_time(tmp_path: Path) -> None:
    times = ["2001-02-03 04:05:06", "2001-02-03T23:00:00+01:00", "2001-02-03", "2001-02-03ish"]
    path = write(tmp_path / "held.csv", {"day": times})
    found = howsure.read(path).rows({"day": Kind.DAYS}).columns["day"]
    assert found.names == ("2001-02-03", "2001-02-03ish")
    assert found.codes.tolist() == [0, 0, 0, 1]


def test_very_many_names_are_read_as_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.data.predictions.rows.MOST_CODED", 2)
    path = write(tmp_path / "held.csv", {"place": ["b10", "b2", "b10", "a"]})
    assert howsure.read(path).rows({"place": Kind.NAMES}).columns["place"].tolist() == ["b10", "b2", "b10", "a"]


def test_columns_that_hold_something_in_some_rows(tmp_path: Path) -> None:
    columns = {"label": ["1", "", "NaN", "0"], "text": ["a", "b", "", "d"], "p": ["0.1", "0.2", "0.3", "0.4"]}
    path = write(tmp_path / "held.csv", columns)
    read = howsure.read(path).rows({"p": Kind.NUMBER, "label": Kind.PARTIAL, "text": Kind.LATER})
    assert read.columns["label"] == {0: "1", 3: "0"}
    assert "text" not in read.columns
    assert read.at([0, 3]) == {"text": ["a", "d"]}
    assert read.at([]) == {"text": []}
    kept = howsure.read(path, skip_missing=True).rows({"text": Kind.VALUES, "label": Kind.PARTIAL, "p": Kind.LATER})
    assert kept.columns["label"] == {0: "1", 2: "0"}
    assert kept.at([2]) == {"p": ["0.4"]}


def features_in(path: Path, names: list[str]) -> dict[str, Any]:
    columns = [column_of_feature(name) for name in names]
    with howsure.read(path, skip_missing=True).predictions("gold", "prob", features=columns) as predictions:
        return feature_columns(predictions.selection, names)


def test_features_are_numbers_days_or_names_and_may_be_missing(tmp_path: Path) -> None:
    rows = ["1,0.5,3,2026-11-23,ab,x", "0,0.5,,2026-01-01T10:00,,10", ",0.5,1,2026-01-02,abc,2", "1,0.1,2.5,,a,x"]
    (tmp_path / "dev.csv").write_text("\n".join(["gold,prob,age,day,text,kind", *rows, ""]))
    found = features_in(tmp_path / "dev.csv", ["age", "day", "length(text)", "kind"])
    assert np.array_equal(found["age"], [3.0, np.nan, 2.5], equal_nan=True)
    assert found["day"].astype(str).tolist() == ["2026-11-23", "2026-01-01", "NaT"]
    assert np.array_equal(found["length(text)"], [2.0, np.nan, 1.0], equal_nan=True)
    assert found["kind"].names == ("10", "x")
    assert found["kind"].codes.tolist() == [1, 0, 1]


def test_of_very_many_names_the_most_frequent_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_CODED", 4)
    monkeypatch.setattr(reading, "MOST_NAMED", 2)
    names = ["b", "b", "a", "a", "a", "c", "d", "e", ""]
    (tmp_path / "dev.csv").write_text("\n".join(["gold,prob,id", *(f"1,0.5,{name}" for name in names), ""]))
    found = features_in(tmp_path / "dev.csv", ["id"])["id"]
    assert isinstance(found, Coded)
    assert found.names == ("a", "b", OTHERS)
    assert found.codes.tolist() == [1, 1, 0, 0, 0, 2, 2, 2, -1]
