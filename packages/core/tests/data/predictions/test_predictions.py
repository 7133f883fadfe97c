"""Groups, clusters, streams: the same pairs from memory and from the files, as often as asked."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.data.files import Columns, opened, write

import howsure
from howsure.calibration.slots import Slots, sum_by_slot
from howsure.data import Predictions
from howsure.data.predictions import rows as reading
from howsure.data.predictions.rows import OTHERS, column_of_feature, feature_columns
from howsure.data.predictions.write_pairs import write_pairs
from howsure.data.tables import table
from howsure.errors import InputError
from howsure.inputs.checks import Coded
from howsure.inputs.frames import Kind
from howsure.inputs.pairs import Pairs

GROUPS = ["m2", "m10", "m1", "it's", "ü b"]


def columns_of(rows: int, seed: int = 5) -> Columns:
    random = np.random.default_rng(seed)
    return {
        "q": random.random(rows).tolist(),
        "y": random.integers(0, 2, rows).tolist(),
        "tag": random.choice(GROUPS, rows).tolist(),
        "year": random.integers(1998, 2003, rows).tolist(),
    }


def rows_of(columns: Columns, mask: list[bool] | None = None) -> Slots:
    """The sums of some rows."""
    rows = np.array(mask or [True] * len(columns["q"]))
    return sum_by_slot(Pairs(np.array(columns["y"], dtype=np.uint8)[rows], np.array(columns["q"])[rows]))


def summed(source: Pairs | Slots) -> Slots:
    """The sums of pairs, or of a source of pairs."""
    return source if isinstance(source, Slots) else sum_by_slot(Pairs(source.labels, source.probabilities))


@pytest.fixture(params=[(0, ".parquet"), (0, ".csv"), (10**6, ".parquet"), (10**6, ".jsonl")], ids=str)
def predictions(request: pytest.FixtureRequest, tmp_path: Path) -> Predictions:
    limit, suffix = request.param
    path = write(tmp_path / f"x{suffix}", columns_of(2000))
    return howsure.read(path).predictions("y", "q", groups="tag", clusters="year", exact_up_to=limit)


def test_all_pairs_as_often_as_requested(predictions: Predictions) -> None:
    columns = columns_of(2000)
    for _ in range(2):
        source = predictions.source()
        assert isinstance(source, Slots) == (predictions.stream is not None)
        assert summed(source) == rows_of(columns)
    pairs = predictions.pairs()
    assert (pairs.probabilities.tolist(), pairs.labels.tolist()) == (columns["q"], columns["y"])


def test_groups_in_natural_order_with_their_sizes(predictions: Predictions) -> None:
    counts = Counter(columns_of(2000)["tag"])
    assert predictions.group_names == ("it's", "m1", "m2", "m10", "ü b")
    assert predictions.group_sizes == counts


def test_the_pairs_of_every_group(predictions: Predictions) -> None:
    columns = columns_of(2000)
    for name in predictions.group_names:
        assert summed(predictions.source(name)) == rows_of(columns, [tag == name for tag in columns["tag"]])


def test_group_and_cluster_codes_in_memory(predictions: Predictions) -> None:
    columns, pairs = columns_of(2000), predictions.pairs()
    assert pairs.groups is not None
    assert [pairs.group_names[code] for code in pairs.groups] == columns["tag"]
    assert len(set(zip(pairs.clusters.tolist(), columns["year"], strict=True))) == len(set(columns["year"]))


def test_a_group_that_does_not_exist(predictions: Predictions) -> None:
    with pytest.raises(InputError, match=r"no group 'm3' in .*; it has it's, m1, m2, m10, ü b\. Did you mean m"):
        predictions.source("m3")


def test_groups_that_are_numbers(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", columns_of(100))
    with howsure.read(path).predictions("y", "q", groups="year", exact_up_to=0) as predictions:
        assert predictions.group_names == ("1998", "1999", "2000", "2001", "2002")
        years = columns_of(100)["year"]
        assert len(predictions.source("2001")) == years.count(2001)


@pytest.mark.long
@pytest.mark.parametrize("skip", [False, True])
def test_columns_that_are_loaded_one_by_one_stay_in_step(skip: bool, tmp_path: Path) -> None:
    rows = 20_000
    values = np.random.default_rng(2).random(rows)
    table = pa.table(
        {
            "q": pa.array(values, mask=np.arange(rows) % 7 == 3 if skip else None),
            "y": (values > 0.5).astype(int),
            "w": values,
            "g": [f"tenth {value}" for value in np.floor(values * 10).astype(int)],
            "c": np.arange(rows),
            "r": 1 - values,
        }
    )
    for part in range(3):
        pa.parquet.write_table(table, tmp_path / f"{part}.parquet", row_group_size=300)
    columns = {"sample_weight": "w", "groups": "g", "clusters": "c", "across_files": "same"}
    with opened(tmp_path / "*.parquet", y_true="y", prob="q", skip_missing=skip, **columns) as predictions:
        pairs = predictions.pairs()
    assert len(pairs) == predictions.n == 3 * (rows - len(range(3, rows, 7)) * skip)
    assert pairs.groups is not None
    assert pairs.clusters is not None
    np.testing.assert_array_equal(pairs.weights, pairs.probabilities)
    np.testing.assert_array_equal(pairs.labels, pairs.probabilities > 0.5)
    np.testing.assert_array_equal(pairs.groups, np.floor(pairs.probabilities * 10))
    np.testing.assert_array_equal(pairs.clusters, np.tile(np.arange(len(pairs) // 3), 3))
    with howsure.read(tmp_path / "0.parquet").predictions(
        "y", howsure.Probabilities("probs", ["r", "w"], reduce="w"), clusters="c"
    ) as predictions:
        pairs = predictions.pairs()
    np.testing.assert_array_equal(pairs.probabilities, values)
    np.testing.assert_array_equal(pairs.labels, values > 0.5)


# Columns of files as arrays, the same from every format.


COLUMNS: Columns = {
    "tag": ["NN", "VB", "7", "NN"],
    "age": [3, 10, 4, 4],
    "score": [0.25, -1.5, 3.0, 0.125],
    "draws": [[0.5, 1.0], [0.25, 2.0], [0.0, 1.0], [3.5, 1.0]],
}


@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz", ".jsonl", ".json", ".parquet", ".npz"])
def test_every_format_gives_the_same(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"table{suffix}", COLUMNS)
    table = howsure.read(path).rows(
        {"tag": Kind.VALUES, "draws": Kind.VALUES, "score": Kind.NUMBER, "age": Kind.NUMBER}
    )
    columns, recipe = table.columns, table.provenance
    assert columns["tag"].tolist() == COLUMNS["tag"]
    for name in ("score", "age"):
        assert columns[name].dtype == np.float64
        assert columns[name].tolist() == COLUMNS[name]
    assert columns["draws"].tolist() == COLUMNS["draws"]
    assert howsure.read(path).rows({"draws": Kind.NUMBERS}).columns["draws"].tolist() == COLUMNS["draws"]
    assert recipe == {"files": [str(path)], "rows": 4, "skipped": {}}


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_text_in_brackets_is_a_text(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"table{suffix}", {"answer": ["[invalid]", "[1]", "a"]})
    assert howsure.read(path).rows({"answer": Kind.VALUES}).columns["answer"].tolist() == ["[invalid]", "[1]", "a"]


def test_labels_keep_their_type(tmp_path: Path) -> None:
    path = write(tmp_path / "table.parquet", COLUMNS | {"right": [True, False, False, True]})
    columns = howsure.read(path).rows({"age": Kind.VALUES, "right": Kind.VALUES, "score": Kind.VALUES}).columns
    assert [columns[name].dtype.kind for name in ("age", "right", "score")] == ["i", "b", "f"]


def test_rows_that_miss_a_value_are_refused_or_counted(tmp_path: Path) -> None:
    path = write(
        tmp_path / "table.jsonl", COLUMNS | {"score": [0.25, None, 3.0, float("nan")], "tag": ["", "a", "b", "c"]}
    )
    with pytest.raises(InputError, match=r"tag must not be missing; row 1 of .* with skip_missing=True \(3 in all\)"):
        howsure.read(path).rows({"tag": Kind.VALUES, "score": Kind.NUMBER})
    table = howsure.read(path, skip_missing=True).rows({"tag": Kind.VALUES, "score": Kind.NUMBER})
    columns, recipe = table.columns, table.provenance
    assert (columns["tag"].tolist(), columns["score"].tolist()) == (["b"], [3.0])
    assert (recipe["rows"], recipe["skipped"]) == (1, {"tag": 1, "score": 2})


def test_several_files_follow_each_other(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{name}.csv", COLUMNS) for name in "ab"]
    table = howsure.read(paths).rows({"tag": Kind.VALUES})
    columns, recipe = table.columns, table.provenance
    assert columns["tag"].tolist() == COLUMNS["tag"] * 2
    assert recipe["rows"] == 8


def test_names_are_read_as_codes(tmp_path: Path) -> None:
    path = write(tmp_path / "table.csv", {"place": ["b10", "b2", "b10", "a"], "n": ["10", "9", "-1", "9"]})
    columns = howsure.read(path).rows({"place": Kind.NAMES, "n": Kind.NAMES}).columns
    assert columns["place"].names == ("a", "b2", "b10")
    assert columns["place"].codes.tolist() == [2, 1, 2, 0]
    assert columns["n"].names == ("-1", "9", "10")
    assert columns["n"].codes.dtype.itemsize == 1


def test_days_lose_the_time(tmp_path: Path) -> None:
    times = ["2001-02-03 04:05:06", "2001-02-03T23:00:00+01:00", "2001-02-03", "2001-02-03ish"]
    path = write(tmp_path / "table.csv", {"day": times})
    days = howsure.read(path).rows({"day": Kind.DAYS}).columns["day"]
    assert days.names == ("2001-02-03", "2001-02-03ish")
    assert days.codes.tolist() == [0, 0, 0, 1]


def test_very_many_names_are_read_as_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.data.predictions.rows.MAX_CODED", 2)
    path = write(tmp_path / "table.csv", {"place": ["b10", "b2", "b10", "a"]})
    assert howsure.read(path).rows({"place": Kind.NAMES}).columns["place"].tolist() == ["b10", "b2", "b10", "a"]


def test_columns_that_hold_something_in_some_rows(tmp_path: Path) -> None:
    columns = {"label": ["1", "", "NaN", "0"], "text": ["a", "b", "", "d"], "p": ["0.1", "0.2", "0.3", "0.4"]}
    path = write(tmp_path / "table.csv", columns)
    table = howsure.read(path).rows({"p": Kind.NUMBER, "label": Kind.GRADE, "text": Kind.LATER})
    assert table.columns["label"].tolist() == ["1", None, None, "0"]
    assert "text" not in table.columns
    assert table.at([0, 3]) == {"text": ["a", "d"]}
    assert table.at([]) == {"text": []}
    kept = howsure.read(path, skip_missing=True).rows({"text": Kind.VALUES, "label": Kind.GRADE, "p": Kind.LATER})
    assert kept.columns["label"].tolist() == ["1", None, "0"]
    assert kept.at([2]) == {"p": ["0.4"]}


def features_in(path: Path, names: list[str]) -> dict[str, Any]:
    columns = [column_of_feature(name) for name in names]
    with howsure.read(path, skip_missing=True).predictions("gold", "prob", features=columns) as predictions:
        return feature_columns(predictions.selection, names)


def test_features_are_numbers_days_or_names_and_may_be_missing(tmp_path: Path) -> None:
    rows = ["1,0.5,3,2026-11-23,ab,x", "0,0.5,,2026-01-01T10:00,,10", ",0.5,1,2026-01-02,abc,2", "1,0.1,2.5,,a,x"]
    (tmp_path / "dev.csv").write_text("\n".join(["gold,prob,age,day,text,kind", *rows, ""]))
    features = features_in(tmp_path / "dev.csv", ["age", "day", "length(text)", "kind"])
    assert np.array_equal(features["age"], [3.0, np.nan, 2.5], equal_nan=True)
    assert features["day"].astype(str).tolist() == ["2026-11-23", "2026-01-01", "NaT"]
    assert np.array_equal(features["length(text)"], [2.0, np.nan, 1.0], equal_nan=True)
    assert features["kind"].names == ("10", "x")
    assert features["kind"].codes.tolist() == [1, 0, 1]


def test_of_very_many_names_the_most_frequent_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_CODED", 4)
    monkeypatch.setattr(reading, "MAX_NAMED", 2)
    names = ["b", "b", "a", "a", "a", "c", "d", "e", ""]
    (tmp_path / "dev.csv").write_text("\n".join(["gold,prob,id", *(f"1,0.5,{name}" for name in names), ""]))
    ids = features_in(tmp_path / "dev.csv", ["id"])["id"]
    assert isinstance(ids, Coded)
    assert ids.names == ("a", "b", OTHERS)
    assert ids.codes.tolist() == [1, 1, 0, 0, 0, 2, 2, 2, -1]


# Pairs in files: what was written is what `howsure calibration` reads, and a file is whole or not there.


NAMES = ("it's", "$,", 'a "b"')


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    rng = np.random.default_rng(0)
    n = 130_000  # more than DuckDB writes at a time
    return Pairs(
        (rng.random(n) < 0.3).view(np.uint8),
        rng.random(n),
        groups=rng.integers(3, size=n),
        group_names=NAMES,
        clusters=np.sort(rng.integers(n // 20, size=n)),
    )


@pytest.mark.long
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_what_was_written_is_read(pairs: Pairs, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"pairs.{suffix}"
    more = {"token": np.arange(len(pairs)) % 7}
    write_pairs(pairs, path, group="tag", cluster="sentence", more=more)
    with howsure.read(path).predictions("label", "probability", groups="tag", clusters="sentence") as predictions:
        reread = predictions.pairs()
    np.testing.assert_array_equal(reread.labels, pairs.labels)
    np.testing.assert_array_equal(reread.probabilities, pairs.probabilities)
    assert pairs.groups is not None
    assert reread.groups is not None
    np.testing.assert_array_equal(np.array(reread.group_names)[reread.groups], np.array(NAMES)[pairs.groups])
    assert len(set(zip(reread.clusters.tolist(), pairs.clusters.tolist(), strict=True))) == len(set(reread.clusters))
    assert len(set(reread.clusters)) == len(set(pairs.clusters))
    with howsure.read(path).predictions("label", "probability", clusters="token") as predictions:
        np.testing.assert_array_equal(predictions.pairs().clusters, more["token"])


def test_only_what_there_is_is_written(tmp_path: Path) -> None:
    write_pairs(Pairs(np.array([1], dtype=np.uint8), np.array([0.25])), tmp_path / "one.csv")
    assert (tmp_path / "one.csv").read_text() == "label,probability\n1,0.25\n"


@pytest.mark.parametrize("name", ["pairs.xlsx", "pairs", "no/folder.parquet"])
def test_where_nothing_can_be_written(pairs: Pairs, name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"name a file|does not exist. Create it"):
        write_pairs(pairs, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_group_with_a_semicolon_is_quoted_and_no_formula(tmp_path: Path) -> None:
    pairs = Pairs(
        np.array([0, 1], dtype=np.uint8), np.array([0.5, 0.5]), groups=np.array([0, 1]), group_names=("a;=2", "b")
    )
    write_pairs(pairs, tmp_path / "pairs.csv")
    assert (tmp_path / "pairs.csv").read_text().splitlines()[1:] == ['0,0.5,"a;\'=2"', '1,0.5,"b"']


def test_clusters_of_equal_hash_are_told_apart_by_their_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["b 10", "b 9", "ä", "Z", "b 10", "𝔸", "é", "e\u0301", "ä"]
    columns: Columns = {"y": [0, 1] * 4 + [1], "q": [0.5] * len(names), "doc": names}
    path = write(tmp_path / "x.csv", columns)
    expected = np.unique(names, return_inverse=True)[1].tolist()
    for unique in (True, False):
        with howsure.read(path).predictions("y", "q", clusters="doc") as predictions:
            assert predictions.pairs().clusters.tolist() == expected, unique
        monkeypatch.setattr(reading, "_text_codes", lambda selection, column: None)


def test_names_in_json_lines_are_not_looked_for_in_the_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = columns_of(100)
    path = write(tmp_path / "x.jsonl", {"id": [0, 1] * 50, "q": columns["q"], "y": columns["y"]})
    sources: list[str] = []
    header_source = table.header_source

    def recorded(*arguments: Any, **options: Any) -> str:
        sources.append(header_source(*arguments, **options))
        return sources[-1]

    monkeypatch.setattr(table, "header_source", recorded)
    with howsure.read(path).predictions("y", "q", find_items=True) as predictions:
        (note,) = predictions.notes["notes"]
    assert note.startswith("id repeats")
    howsure.mean_scores("y", data=howsure.read(path, by_file=True))
    assert len(sources) > 2
    assert not [source for source in sources if "sample_size=-1" in source]
