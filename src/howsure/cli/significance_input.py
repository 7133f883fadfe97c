"""What `howsure significance` reads: columns of files, or the paper's files of labels and rows."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.data.columns import Column
from howsure.data.database import Database, reading
from howsure.data.files import named_files
from howsure.data.selection import Selection, select_rows
from howsure.data.tables import Table, open_table
from howsure.errors import InputError
from howsure.significance.boostsa.storage import read_labels
from howsure.significance.metrics import tasks_of


@dataclass(frozen=True, slots=True)
class Held:
    """The columns by the name of compare's parameter, the models by their name, and what was read."""

    columns: Mapping[str, Any]
    models: Mapping[str, Any]
    recipe: Mapping[str, Any]


def read_columns(
    paths: Sequence[str],
    names: Mapping[str, str],
    models: Sequence[str],
    *,
    numbers: Sequence[str] | None,
    skip_missing: bool,
    input_format: str | None,
) -> Held:
    """Columns of files: labels, lists of probabilities, or (if all metrics take these) probabilities of one class.

    Raises InputError naming the file, the column, the row and the value.
    """
    _refuse_twice(models)
    with closing(Database()) as database:
        files = named_files(paths, format=input_format, spool=database.folder)
        database.allow_only([file.path for file in files])
        table = open_table(database, files, [*names.values(), *models])
        kinds = {column: "numbers" if _holds_lists(table, column) else "text" for column in table.columns.values()}
        if tasks_of(numbers or ()) == {"probabilistic"}:
            for name in (names["baseline"], *models):
                column = table.columns[name]
                kinds[column] = "number" if kinds[column] == "text" else kinds[column]
        tests = {column: column.missing(role=kind) for column, kind in kinds.items()}
        selection = select_rows(table, tests, skip=skip_missing, values=(), stream_checks=False)
        held = {column.name: _values(selection, column, kind) for column, kind in kinds.items()}
        _read_as_numbers(held, [names["y_true"], names["baseline"], *models])
        recipe = {"files": [file.name for file in files], "rows": selection.n, "skipped": selection.skipped}
    return Held({key: held[name] for key, name in names.items()}, {name: held[name] for name in models}, recipe)


def shown_names(paths: Sequence[str]) -> list[str]:
    """What tells the files apart: their paths without the folders that all of them share.

    >>> shown_names(["runs/base/preds.txt", "runs/large/preds.txt"])
    ['base/preds.txt', 'large/preds.txt']
    """
    if len(set(paths)) < 2:
        return list(paths)
    whole = [os.path.abspath(path) for path in paths]
    shared = os.path.commonpath([os.path.dirname(path) for path in whole])
    return [os.path.relpath(path, shared) for path in whole]


def read_files(targets: str, baseline: str, models: Sequence[str]) -> Held:
    """One file for the targets and one for each system, as the paper has it."""
    _refuse_twice(models)
    columns = {"y_true": read_labels(targets), "baseline": read_labels(baseline)}
    recipe = {"files": [targets, baseline, *models], "rows": len(columns["y_true"]), "skipped": {}}
    names = shown_names([baseline, *models])[1:]
    return Held(columns, {name: read_labels(path) for name, path in zip(names, models, strict=True)}, recipe)


def _refuse_twice(models: Sequence[str]) -> None:
    twice = [name for name in models if models.count(name) > 1]
    if twice:
        raise InputError(f"--model {twice[0]} is named twice.")


def _holds_lists(table: Table, column: Column) -> bool:
    """Whether the first value that is there is a list of numbers, or a text that spells one."""
    found = table.ask(f"{column.numbers} IS NOT NULL", rest=f"WHERE {column.sql} IS NOT NULL LIMIT 1")
    return bool(found and found[0][0]) and not column.is_number


def _read_as_numbers(held: dict[str, Any], labels: Sequence[str]) -> None:
    """Text that spells numbers in all columns of labels is numbers: 1 and 1.0 are one class."""
    texts = [name for name in labels if np.asarray(held[name]).dtype.kind in "OU"]
    try:
        numbers = {name: np.asarray(held[name], dtype=np.float64) for name in texts}
    except (TypeError, ValueError):
        return
    held.update(numbers)


def _values(selection: Selection, column: Column, kind: str) -> Any:
    expression = {"text": column.sql, "number": column.number, "numbers": column.numbers}[kind]
    unread = f"{expression} IS NULL"
    if kind != "text" and selection.has(unread):
        place, value = selection.place(unread, column.text)
        what = "a number" if kind == "number" else "a list of numbers"
        raise InputError(f"{column.name} must be {what}; {place} holds {value!r}.")
    with reading(selection.table.name):
        relation = selection.table.connection.sql(selection.query([f"{expression} AS value"]))
        values = relation.fetchnumpy()["value"]
    values = np.ma.getdata(values)
    return [np.asarray(row, dtype=np.float64) for row in values] if kind == "numbers" else values
