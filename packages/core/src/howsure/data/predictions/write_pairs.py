"""Write calibration pairs to a file that `howsure calibration` reads: Parquet or CSV, by suffix."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.tables.database import Database, copy_to_file, identifier, literals
from howsure.errors import InputError
from howsure.files.atomic_write import check_place, write_atomically
from howsure.inputs.pairs import Integers, Pairs
from howsure.show.table import in_a_spreadsheet

SUFFIXES = {".parquet": "FORMAT parquet, COMPRESSION zstd", ".csv": "FORMAT csv, HEADER true"}


def check_suffix(path: str | os.PathLike[str]) -> str:
    """Check the suffix of an output file and return it."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"{path} cannot be written; name a file that ends in {' or '.join(SUFFIXES)}.")
    check_place(path)
    return suffix


def write_pairs(
    pairs: Pairs,
    path: str | os.PathLike[str],
    *,
    group: str = "group",
    cluster: str = "cluster",
    more: Mapping[str, Integers] | None = None,
    raw: bool = False,
) -> None:
    """Write pairs with the columns label and probability and, if present, group, cluster and weight.

    group, cluster: the names of these columns. more: further columns of integers, by name. The suffix of `path`
    determines the format, .parquet or .csv. In CSV, group names that a spreadsheet would interpret as a formula are
    preceded by an apostrophe, unless `raw`. The file is written completely or not at all.
    """
    suffix = check_suffix(path)
    columns: dict[str, npt.NDArray[Any]] = {
        "label": pairs.labels,
        "probability": pairs.probabilities,
        **dict(more or {}),
    }
    optional: dict[str, npt.NDArray[Any] | None] = {
        "weight": pairs.weights,
        cluster: pairs.clusters,
        group: pairs.groups,
    }
    columns |= {name: column for name, column in optional.items() if column is not None}
    for name, column in columns.items():
        if len(column) != len(pairs):
            raise InputError(f"every column must have {len(pairs):,} rows; {name} has {len(column):,}.")
    columns = {name: np.ascontiguousarray(column) for name, column in columns.items()}
    shown = [identifier(name) for name in columns if name != group or pairs.groups is None]
    if pairs.groups is not None:
        harmless = suffix == ".csv" and not raw
        names = [in_a_spreadsheet(name) if harmless else name for name in pairs.group_names]
        shown.append(f"[{literals(names)}][{identifier(group)} + 1] AS {identifier(group)}")
    _write(columns, shown, path, suffix, [group] if _has_separator(pairs.group_names or ()) else [])


def write_columns(
    columns: Mapping[str, Sequence[str] | Sequence[int | None] | Sequence[float]],
    path: str | os.PathLike[str],
    *,
    raw: bool = False,
) -> None:
    """Write columns by name: texts, numbers, or integers with missing values; otherwise like `write_pairs`."""
    suffix = check_suffix(path)
    harmless = suffix == ".csv" and not raw
    arrays = {name: _array(column, harmless) for name, column in columns.items()}
    _write(arrays, ["*"], path, suffix, [name for name, column in columns.items() if _has_separator(column)])


def _has_separator(column: Sequence[Any]) -> bool:
    """Whether a text in a column contains a character that separates cells in other dialects."""
    return any(isinstance(value, str) and (";" in value or "\t" in value) for value in column)


def _array(column: Sequence[Any], harmless: bool) -> npt.NDArray[Any]:
    if any(isinstance(value, str) for value in column):
        return np.array([in_a_spreadsheet(value) if harmless else value for value in column], dtype=object)
    missing = [value is None for value in column]
    if any(missing):
        return np.ma.masked_array([0 if value is None else value for value in column], mask=missing)
    return np.array(column)


def _write(
    columns: Mapping[str, npt.NDArray[Any]],
    shown: Sequence[str],
    path: str | os.PathLike[str],
    suffix: str,
    texts: Sequence[str],
) -> None:
    """Write the table. texts: the columns that contain a string with a semicolon or a tab."""
    options = SUFFIXES[suffix]
    if suffix == ".csv" and texts:  # so that no separator within a text begins another cell
        options += f", FORCE_QUOTE ({', '.join(map(identifier, texts))})"
    with closing(Database()) as database:
        target = database.folder / f"pairs{suffix}"
        database.connection.register("pairs", dict(columns))
        copy_to_file(database.connection, f"SELECT {', '.join(shown)} FROM pairs", target, options=options)
        write_atomically(target.read_bytes(), path)
