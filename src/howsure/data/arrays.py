"""Any columns of a file as arrays: texts, numbers, or lists of numbers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.columns import Column
from howsure.data.database import Database, NullFound, chunks, reading
from howsure.data.files import named_files
from howsure.data.multiclass import class_matrix
from howsure.data.selection import Selection, select_rows
from howsure.data.tables import open_table
from howsure.errors import InputError
from howsure.stats.pairs import Floats


def read_columns(
    paths: Sequence[str | os.PathLike[str]],
    *,
    texts: Sequence[str] = (),
    numbers: Sequence[str] = (),
    lists: Sequence[str] = (),
    format: str | None = None,
) -> dict[str, npt.NDArray[Any]]:
    """Some columns of files, by name: texts (n,) of str, numbers (n,) of float64, lists (n, K) of float64.

    Files are those of `open_predictions`. Raises InputError naming the file, the column, the row and the value.
    """
    with_roles = dict.fromkeys(texts, "text") | dict.fromkeys(numbers, "number") | dict.fromkeys(lists, "numbers")
    database = Database()
    try:
        files = named_files(paths, format=format, spool=database.folder)
        database.allow_only([file.path for file in files])
        table = open_table(database, files, list(with_roles))
        columns = {name: table.columns[name] for name in with_roles}
        missing = {columns[name]: columns[name].missing(role=role) for name, role in with_roles.items()}
        selection = select_rows(table, missing, skip=False, values=(), stream_checks=False)
        found: dict[str, npt.NDArray[Any]] = {name: _texts(selection, columns[name]) for name in texts}
        found |= {name: _numbers(selection, columns[name]) for name in numbers}
        found |= {name: class_matrix(selection, [columns[name]], lists=True) for name in lists}
        return found
    finally:
        database.close()


def _texts(selection: Selection, column: Column) -> npt.NDArray[Any]:
    with reading(selection.table.name):
        relation = selection.table.connection.sql(selection.query([f"{column.text} AS held"]))
        return np.asarray(relation.fetchnumpy()["held"], dtype=object)


def _numbers(selection: Selection, column: Column) -> Floats:
    query = selection.query([column.number])
    try:
        return np.concatenate([part for (part,) in chunks(selection.table.connection, query, [np.float64])])
    except NullFound:
        place, held = selection.place(f"{column.number} IS NULL", column.text)
        raise InputError(f"{column.name} must hold numbers; {place} holds {held!r}.") from None
