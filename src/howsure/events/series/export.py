"""The time series of a store as a tidy table in a file: CSV, with its recipe in a separate file, or Parquet."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.tables.database import Database, copy_to_file, literal
from howsure.errors import InputError
from howsure.events.series.event_series import EventSeries
from howsure.files.whole import check_place, write_whole
from howsure.show.harmless import in_a_spreadsheet

SUFFIXES = (".csv", ".parquet")
DATES, WORDS = ("start", "end"), ("actor", "title", "period", "corrected_method")
Paths = tuple[Path, ...]


def export_series(series: EventSeries, path: str | os.PathLike[str], *, raw: bool = False) -> Paths:
    """Write one row per actor and period, by the suffix of `path` as .csv or .parquet; the files written are returned.

    Columns: actor (its code: ISO 3166 alpha-3 for the countries of the lexicon), title, period, start and end (its
    first and last day), n_documents, mean, low, high, variance, monte_carlo_error, best; with a corrected series beside
    it corrected, corrected_low, corrected_high, labelled, positives, corrected_method. The recipe of a CSV file is
    written first, as `<name>.recipe.json`; Parquet stores it as the metadata `howsure.recipe`. Undefined values are
    empty (null). In CSV, names that a spreadsheet would interpret as a formula are preceded by an apostrophe, unless
    `raw`.

    Raises InputError for another suffix, or if the file cannot be written.
    """
    target = check_export(path)
    if target.suffix.lower() == ".parquet":
        write_whole(_parquet(series), target)
        return (target,)
    recipe = recipe_path(target)
    write_whole((json.dumps(_recipe(series), indent=2, ensure_ascii=False) + "\n").encode(), recipe)
    write_whole(csv_text(series, raw=raw).encode(), target)
    return target, recipe


def _recipe(series: EventSeries) -> dict[str, Any]:
    held = dict(series.recipe)
    return held if series.corrected is None else held | {"corrected": dict(series.corrected.recipe)}


def check_export(path: str | os.PathLike[str]) -> Path:
    """A file to which the series can be written.

    Raises InputError for any other.
    """
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InputError(f"a series is written as {' or '.join(SUFFIXES)}; name a file that ends so, not {path}.")
    check_place(target)
    return target


def recipe_path(path: Path) -> Path:
    """The file with the recipe of a CSV file.

    >>> recipe_path(Path("attacks.csv")).name
    'attacks.recipe.json'
    """
    return path.with_name(f"{path.stem}.recipe.json")


def csv_text(series: EventSeries, *, raw: bool = False) -> str:
    """The tidy table as CSV, with all digits; names are escaped for spreadsheets, unless `raw`."""
    columns = series.columns()
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    shown = str if raw else in_a_spreadsheet
    writer.writerows([shown(_cell(value)) for value in row] for row in zip(*columns.values(), strict=True))
    return out.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value)


def _parquet(series: EventSeries) -> bytes:
    columns = {name: _array(name, values) for name, values in series.columns().items()}
    recipe = literal(json.dumps(_recipe(series), ensure_ascii=False))
    shown = ", ".join(_selected(name) for name in columns)
    database = Database()
    try:
        target = database.folder / "series.parquet"
        database.connection.register("series", columns)
        options = f"FORMAT parquet, COMPRESSION zstd, KV_METADATA {{'howsure.recipe': {recipe}}}"
        copy_to_file(database.connection, f"SELECT {shown} FROM series", target, options=options)
        return target.read_bytes()
    finally:
        database.close()


def _selected(name: str) -> str:
    if name in DATES:
        return f'"{name}"::DATE AS "{name}"'
    if name in WORDS or name == "n_documents":
        return f'"{name}"'
    return f'CASE WHEN isnan("{name}") THEN NULL ELSE "{name}" END AS "{name}"'


def _array(name: str, values: list[Any]) -> npt.NDArray[Any]:
    if name in WORDS:
        return np.array(values, dtype=object)
    return np.array(values, dtype="datetime64[s]" if name in DATES else None)
