"""One rule, nine sources: a fault planted in arrays, frames, engines, files and a log gives the same message,
except for the place, and the same `Fault`."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.dataframe
import duckdb
import hypothesis.strategies as st
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from tests.cli.running import howsure as run

import howsure
from howsure.data.sources import Files
from howsure.errors import ColumnName, InputError, InPython, relocate_rows, render_text

ROWS = 6
GOOD: dict[str, list[Any]] = {
    "label": [0, 1, 0, 1, 1, 0],
    "prob": [0.1, 0.9, 0.4, 0.7, 0.6, 0.2],
    "weight": [1.0, 2.0, 1.0, 1.0, 0.5, 1.0],
    "group": ["a", "b", "a", "b", "a", "b"],
    "cluster": ["x", "x", "y", "y", "z", "z"],
}
NAMES = ("group", "cluster")
ROLES = {"y_true": "label", "y_prob": "prob", "sample_weight": "weight", "groups": "group", "clusters": "cluster"}
PLACE = re.compile(
    r"row \d+ \(counted from 0 in partition 0\)|row \d+ of \S+ \(counted from 1[^)]*\)|row \d+(?! \()|one of \d+ rows"
)


def frame(columns: dict[str, list[Any]]) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(values, dtype=_dtype(name)) for name, values in columns.items()})


def _dtype(name: str) -> str:
    return "Int64" if name == "label" else "object" if name in NAMES else "Float64"


def numpy_columns(columns: dict[str, list[Any]]) -> dict[str, Any]:
    return {
        name: np.array(["" if value is None else value for value in values])
        if name in NAMES
        else np.array([np.nan if value is None else value for value in values], dtype=np.float64)
        for name, values in columns.items()
    }


def arrays(columns: dict[str, list[Any]], folder: Path) -> None:
    converted = numpy_columns(columns) | {name: np.array(columns[name], dtype=object) for name in NAMES}
    howsure.calibration_table(**{role: converted[name] for role, name in ROLES.items()})


def evaluate_table(data: Any) -> None:
    howsure.calibration_table(**ROLES, data=data)


def csv(columns: dict[str, list[Any]], folder: Path) -> None:
    rows = [
        ",".join("" if value is None else str(value) for value in row) for row in zip(*columns.values(), strict=True)
    ]
    (folder / "x.csv").write_text("\n".join([",".join(columns), *rows]) + "\n")
    evaluate_table(howsure.read(folder / "x.csv"))


def parquet(columns: dict[str, list[Any]], folder: Path) -> None:
    pl.DataFrame(columns, strict=False).write_parquet(folder / "x.parquet")
    evaluate_table(howsure.read(folder / "x.parquet"))


def npz(columns: dict[str, list[Any]], folder: Path) -> None:
    np.savez(folder / "x.npz", **numpy_columns(columns))
    evaluate_table(howsure.read(folder / "x.npz"))


def log(columns: dict[str, list[Any]], folder: Path) -> None:
    """Rows as a program that evaluates a model writes them: JSON lines, a value inside of another."""
    with (folder / "samples.jsonl").open("w") as file:
        for row in zip(*columns.values(), strict=True):
            file.write(json.dumps(dict(zip(columns, row, strict=True)) | {"doc": {"id": 1}}) + "\n")
    evaluate_table(howsure.read(folder / "samples.jsonl"))


SOURCES: dict[str, Callable[[dict[str, list[Any]], Path], None]] = {
    "arrays": arrays,
    "pandas": lambda columns, folder: evaluate_table(frame(columns)),
    "polars": lambda columns, folder: evaluate_table(pl.DataFrame(columns, strict=False).lazy()),
    "duckdb": lambda columns, folder: evaluate_table(
        duckdb.connect().from_arrow(pl.DataFrame(columns, strict=False).to_arrow())
    ),
    "dask": lambda columns, folder: evaluate_table(dask.dataframe.from_pandas(frame(columns), npartitions=1)),
    "csv": csv,
    "parquet": parquet,
    "npz": npz,
    "log": log,
}


def refusal_from(source: str, columns: dict[str, list[Any]]) -> InputError:
    with tempfile.TemporaryDirectory() as folder, pytest.raises(InputError) as caught:
        SOURCES[source](columns, Path(folder))
    return caught.value


def sentence(error: InputError, *, named: bool) -> str:
    """The sentence without its place, and without the remedy of a source that has its own."""
    text = PLACE.sub("PLACE", str(error)).removesuffix(" (Rows are counted from 0.)")
    text = re.sub(
        r" (Leave out rows with other values|Give a column that is 1|Treat non-answers as missing).*", "", text
    )
    text = re.sub(r"Leave such rows out (first|with skip_missing=True \(\d in all\))\.", "Leave such rows out.", text)
    for role, column in ROLES.items():
        text = text if named else re.sub(rf"\b{role}\b", column, text)
    return text


faults = st.one_of(
    st.tuples(st.just("prob"), st.sampled_from([1.0005, -0.25, 1.7, 55.0, -3.5, None])),
    st.tuples(st.just("weight"), st.sampled_from([-1.0, -0.001, None])),
    st.tuples(st.just("label"), st.sampled_from([2, None])),
    st.tuples(st.sampled_from(NAMES), st.none()),
)


@settings(max_examples=10, deadline=None)
@given(faults, st.integers(0, ROWS - 1))
def test_the_same_fault_is_reported_in_the_same_sentence(fault: tuple[str, Any], row: int) -> None:
    column, value = fault
    columns = {name: list(values) for name, values in GOOD.items()}
    columns[column][row] = value
    errors = {source: refusal_from(source, columns) for source in SOURCES}
    sentences = {source: sentence(error, named=source != "arrays") for source, error in errors.items()}
    assert len(set(sentences.values())) == 1, sentences
    assert {error.fault.rule for error in errors.values() if error.fault} == {errors["csv"].fault.rule}  # type: ignore[union-attr]
    assert {error.fault.role for error in errors.values() if error.fault} == {
        next(role for role, name in ROLES.items() if name == column)
    }


def two_models(fault: str, suffix: str, folder: Path) -> tuple[Files, Files]:
    """Two files of predictions on the same items, and what is wrong with the second."""
    ids = [f"item {row}" for row in range(ROWS)]
    other = {"twice": [*ids[:-1], ids[0]], "fewer": ids[:-1], "others": [f"x {item}" for item in ids]}[fault]
    for name, keys in (("a", ids), ("b", other)):
        columns = {"label": GOOD["label"][: len(keys)], "prob": GOOD["prob"][: len(keys)], "id": keys}
        columns["label"] = [columns["label"][ids.index(key)] if key in ids else 0 for key in keys]
        getattr(pl.DataFrame(columns), {"csv": "write_csv", "parquet": "write_parquet"}[suffix])(
            folder / f"{name}.{suffix}"
        )
    return howsure.read(folder / f"a.{suffix}"), howsure.read(folder / f"b.{suffix}")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("twice", "id must be different in every row; 'item 0' is in row 1 of"),
        ("fewer", "both models must be evaluated on the same rows; 1 row only of"),
        ("others", "Are these the right id columns?"),
    ],
)
def test_rows_of_two_models_that_do_not_match_are_reported_alike(
    fault: str, message: str, suffix: str, tmp_path: Path
) -> None:
    a, b = two_models(fault, suffix, tmp_path)
    with pytest.raises(InputError, match=re.escape(message)):
        howsure.check_calibration("label", "prob", against=b, id="id", data=a)
    ended = run("calibration", "compare", *a.paths, *b.paths, "--target", "label", "--prob", "prob", "--id", "id")
    assert message in " ".join(ended.err.split())


def test_a_surface_spells_parameters_and_rows() -> None:
    class Shouting:
        origin = "!"

        def parameter(self, name: str, python: str | None, typed: str | None) -> str:
            return f"{name.upper()}<{python}|{typed}>"

        def row(self, row: int) -> str:
            return f"ROW {row}"

    message = "`row 3` needs `bins=[20, 'a']` or `seed`, not '`seed`'."
    assert render_text(message, Shouting()) == "ROW 3 needs BINS<[20, 'a']|20,a> or SEED<None|None>, not '`seed`'. !"
    in_python = "row 3 needs bins=[20, 'a'] or seed, not '`seed`'. (Rows are counted from 0.)"
    assert str(InputError(message)) == in_python
    assert relocate_rows(message, lambda row: "row 4 of b.csv") == message.replace("`row 3`", "row 4 of b.csv")
    assert render_text("`matrix row 3` is `floor=1e-6`.", Shouting()) == (
        "row 3 is FLOOR<1e-6|1e-6>. (Rows are counted from 0.)"
    )


def test_a_fault_keeps_its_parts() -> None:
    name = ColumnName("score", "y_prob")
    error = InputError("outside", name, value=1.7, row=12, low=0, high=1, remedy="Divide by 100.")
    assert error.fault is not None
    assert (error.fault.rule, error.fault.role, error.fault.value, error.fault.row) == ("outside", "y_prob", 1.7, 12)
    in_file = error.at(lambda row: f"row {row + 1} of b.csv")
    assert str(in_file) == "score must be between 0 and 1; row 13 of b.csv is 1.7. Divide by 100."


def test_a_reworded_message_keeps_backticks_of_names() -> None:
    error = InputError("no column 'z'; it has {names}.", "z", names="`row 3`, `y`")
    error.reword(InPython())
    assert str(error) == "no column 'z'; it has `row 3`, `y`."
