"""The exported table: all digits, dates, the recipe; whole files or none."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet
import pytest

from howsure.errors import InputError
from howsure.events.series.event_series import EventSeries, event_series
from howsure.events.series.files import export_series
from tests.events.made_up_store import make_store

COLUMNS = [
    "actor", "title", "period", "start", "end", "n_documents", "mean", "low", "high", "variance", "monte_carlo_error",
    "best",
]  # fmt: skip


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventSeries]:
    with make_store(tmp_path_factory.mktemp("export") / "a.duckdb", seed=3, note="it's “quoted” {x}") as store:
        yield event_series(store)


def test_csv_holds_every_digit(series: EventSeries, tmp_path: Path) -> None:
    written = export_series(series, tmp_path / "attacks.csv")
    assert written == (tmp_path / "attacks.csv", tmp_path / "attacks.recipe.json")
    assert sorted(tmp_path.iterdir()) == sorted(written)
    with written[0].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == COLUMNS
    assert len(rows) == len(series.rows)
    for row, held in zip(rows, series.rows, strict=True):
        assert (row["actor"], row["period"], int(row["n_documents"])) == (held.actor, held.period, held.n_documents)
        for name in ("mean", "low", "high", "variance", "monte_carlo_error"):
            assert row[name] == "" if math.isnan(getattr(held, name)) else float(row[name]) == getattr(held, name)
        assert row["best"] == "" if held.best is None else float(row["best"]) == held.best
    first = next(row for row in rows if row["actor"] == "IRQ")
    assert (first["title"], first["period"], first["start"], first["end"]) == (
        "Iraq", "1998-Q4", "1998-10-01", "1998-12-31"
    )  # fmt: skip
    assert json.loads(written[1].read_text(encoding="utf-8")) == series.recipe


def test_parquet_holds_the_same_and_the_recipe(series: EventSeries, tmp_path: Path) -> None:
    (path,) = export_series(series, tmp_path / "attacks.parquet")
    assert list(tmp_path.iterdir()) == [path]
    table = pyarrow.parquet.read_table(path)
    assert [str(kind) for kind in table.schema.types] == [
        *["string"] * 3, *["date32[day]"] * 2, "int64", *["double"] * 6
    ]  # fmt: skip
    expected = {
        name: [None if isinstance(value, float) and math.isnan(value) else value for value in values]
        for name, values in series.tidy().items()
    }
    assert table.to_pydict() == expected
    assert json.loads(table.schema.metadata[b"howsure.recipe"]) == series.recipe


def test_where_nothing_can_be_written(series: EventSeries, tmp_path: Path) -> None:
    for name, told in {
        "attacks.xlsx": "written as .csv or .parquet",
        "attacks": "written as .csv or .parquet",
        "nowhere/attacks.csv": "there is no folder",
    }.items():
        with pytest.raises(InputError, match=told):
            export_series(series, tmp_path / name)
    assert list(tmp_path.iterdir()) == []
