"""What is missing: one definition, for every role of a column and every source of rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.data.files import write

import howsure
from howsure.data.tables.database import Column, Database
from howsure.errors import InputError
from howsure.inputs.checks import is_missing

MISSING = ("", "nan", "NaN")
N = 40
ROLES = ("y_true", "model", "groups", "id", "clusters")
SPACES = [chr(code) for code in range(0x3100) if chr(code).isspace()]
TEXTS = [*MISSING, "NAN", "-nan", "+NaN", "NA", "none", "null", "n", "-", "nano", "nan.", "--nan", "inf", "0", "\u200b"]


def columns(role: str, missing: str | None) -> dict[str, list[Any]]:
    """Columns for a table of scores, two of whose rows hold what is missing in one role."""
    rows: dict[str, list[Any]] = {
        "y_true": ["a", "b"] * (N // 2),
        "prediction": ["a", "a", "b", "b"] * (N // 4),
        "model": ["m"] * N,
        "groups": ["g", "h"] * (N // 2),
        "id": [f"q{row}" for row in range(N)],
        "clusters": [f"c{row // 2}" for row in range(N)],
    }
    for row in (3, 8) if missing is not None else ():
        rows[role][row] = missing
    return rows


def file_of(suffix: str) -> Callable[[dict[str, list[Any]], Path], Any]:
    """The columns in a file."""
    return lambda rows, folder: howsure.read(write(folder / f"x{suffix}", rows))


SOURCES: dict[str, Callable[[dict[str, list[Any]], Path], Any]] = {
    "lists": lambda rows, folder: rows,
    "arrays": lambda rows, folder: {name: np.array(values) for name, values in rows.items()},
    "pandas": lambda rows, folder: pd.DataFrame(rows),
    "polars": lambda rows, folder: pl.DataFrame(rows),
    "lazy polars": lambda rows, folder: pl.LazyFrame(rows),
    "pyarrow": lambda rows, folder: pa.table(rows),
    **{suffix: file_of(suffix) for suffix in (".csv", ".tsv", ".jsonl", ".json.gz", ".parquet", ".npz")},
}


def table_of(source: Any) -> howsure.ScoreTable:
    """The accuracy of the model in each group."""
    if isinstance(source, dict):
        return howsure.score_models(**source)
    return howsure.score_models(**{name: name for name in (*ROLES, "prediction")}, data=source)


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["one", "every"])
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("role", ROLES)
def test_what_is_missing_is_the_same_in_every_role_and_source(
    role: str, source: str, every: bool, tmp_path: Path
) -> None:
    """Every spelling of what is missing. Daily one for each role and source, each with every role and every source."""
    spellings = (*MISSING, None) if source in ("lists", "pandas", "polars", ".jsonl", ".parquet") else MISSING
    for missing in spellings if every else [spellings[(ROLES.index(role) + [*SOURCES].index(source)) % len(spellings)]]:
        rows = columns(role, missing or "")
        if missing is None:
            rows[role] = [None if value == "" else value for value in rows[role]]
        data = SOURCES[source](rows, tmp_path)
        with pytest.raises(InputError, match="must not be missing"):
            table_of(data)
        if isinstance(data, howsure.Files):
            kept = howsure.read(data.paths, skip_missing=True)
            overall, *groups = table_of(kept)
            assert (overall.group, overall.n, sum(row.n for row in groups)) == ("overall", N - 2, N - 2)
            (summary,) = (column for column in howsure.look(data.paths) if column.name == role)
            assert summary.missing == 2


@pytest.mark.parametrize("source", SOURCES)
def test_other_words_for_nothing_are_values(source: str, tmp_path: Path) -> None:
    data = SOURCES[source](columns("groups", "NA"), tmp_path)
    assert {row.group for row in table_of(data)} == {"overall", "g", "h", "NA"}
    if isinstance(data, howsure.Files):
        kept = howsure.read(data.paths, skip_missing=True, missing_values=["NA"])
        assert {row.group for row in table_of(kept)} == {"overall", "g", "h"}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("missing", MISSING)
def test_a_label_that_is_missing_has_no_calibration(missing: str, source: str, tmp_path: Path) -> None:
    rows = {"y_true": [missing, *"ab" * 20], "y_prob": [0.5] * 41}
    data = SOURCES[source](rows, tmp_path)
    arguments = data if isinstance(data, dict) else {"y_true": "y_true", "y_prob": "y_prob", "data": data}
    with pytest.raises(InputError, match="must not be missing"):
        howsure.calibration_error(**arguments, pos_label="a")


@pytest.mark.parametrize("missing", [*MISSING, None])
def test_an_empty_prediction_is_wrong_or_left_out(missing: str | None, tmp_path: Path) -> None:
    rows = {"gold": ["a"] * 20, "said": [*["a"] * 15, *[missing] * 5]}
    source = howsure.read(write(tmp_path / "x.jsonl", rows))
    table = howsure.score_models(y_true="gold", prediction="said", data=source)
    assert (table[0].n, table[0].mean.value) == (20, 0.75)
    assert any("is empty in 5 rows" in note for note in table.notes)
    table = howsure.score_models(y_true="gold", prediction="said", data=howsure.read(source.paths, skip_missing=True))
    assert (table[0].n, table[0].mean.value) == (15, 1.0)


def test_sql_and_python_agree() -> None:
    texts = [*TEXTS, *SPACES, *(f"{space}nan{space}" for space in SPACES)]
    with Database().opening() as database:
        database.connection.execute("CREATE TABLE texts (x VARCHAR)")
        database.connection.executemany("INSERT INTO texts VALUES (?)", [[text] for text in texts])
        query = f"SELECT x, {Column('x', 'VARCHAR').missing()} FROM texts"
        by_sql = dict(database.connection.execute(query).fetchall())
        database.close()
    assert by_sql == {text: is_missing(text) for text in texts}


@pytest.mark.parametrize("name", ["nan.csv", "NaN.jsonl", "nan", "ok.csv"])
def test_the_name_of_a_file_is_never_missing(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text('{"right": 1}\n{"right": 0}\n' if name.endswith("l") else "right\n1\n0\n")
    paths = [tmp_path / name]
    for skip_missing in (False, True):
        options: dict[str, Any] = {"skip_missing": skip_missing, "missing_values": ["ok", "nan.csv"], "by_file": True}
        if not name.endswith("l"):
            options["format"] = "csv"
        (row,) = howsure.mean_scores("right", data=howsure.read(paths, **options))
        assert (row.n, row.mean.value) == (2, 0.5)
        groups = howsure.mean_scores("right", groups="file", data=howsure.read(paths, **options))
        assert [group.n for group in groups] in ([2], [2, 2])
        verdicts = howsure.check_score("right", min_score=0.1, groups="file", data=howsure.read(paths, **options))
        assert verdicts.outcome == "cannot tell"
