"""The one seam to data frames: any library's frame in, numpy out, and back."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from howsure.errors import InputError, MissingExtraError
from howsure.stats.arrays import Column
from howsure.stats.naming import unknown_name

BACKENDS = ("pandas", "polars", "pyarrow")


def is_frame(data: object) -> bool:
    """Whether `data` is a data frame, eager or lazy, of a library that narwhals knows (no series, no array).

    >>> is_frame([0.1, 0.9])
    False
    """
    if data is None or isinstance(data, (list, tuple, str, bytes, int, float, dict, set, np.ndarray)):
        return False
    import narwhals as nw

    return isinstance(nw.from_native(data, pass_through=True), (nw.DataFrame, nw.LazyFrame))


def columns_from(frame: Any, names: Sequence[str]) -> tuple[Column, ...]:
    """Some columns of a data frame as numpy arrays, in the order of `names`; a lazy frame computes only these.

    Any frame that narwhals knows: pandas, polars, pyarrow, a DuckDB relation, Dask, Spark. Missing values come as NaN
    or None, or masked: the checks tell.

    Raises InputError if there is no such column.
    """
    import narwhals as nw

    table: Any = nw.from_native(frame)
    known = list(table.collect_schema().names())
    for name in names:
        if name not in known:
            raise unknown_name("column", name, known, place="the data frame")
    distinct = list(dict.fromkeys(names))
    table = table.select(distinct)
    if table.implementation.is_duckdb():
        held = table.to_native().fetchnumpy()
    else:
        table = table.collect() if isinstance(table, nw.LazyFrame) else table
        held = {name: table[name].to_numpy() for name in distinct}
    return tuple(held[name] for name in names)


def to_frame(columns: Mapping[str, Any], backend: str | None = None) -> Any:
    """A data frame of the columns: of `backend`, or of the first installed of pandas, polars and pyarrow.

    >>> to_frame({"n": [1, 2]}, "pandas")["n"].sum().item()
    3

    Raises MissingExtraError if the library is not installed, InputError if it is none of these.
    """
    if backend is not None and backend not in BACKENDS:
        raise InputError(f"backend must be one of {', '.join(BACKENDS)}; it is {backend!r}.")
    wanted = BACKENDS if backend is None else (backend,)
    found: Any = next((name for name in wanted if importlib.util.find_spec(name) is not None), None)
    if found is None:
        raise MissingExtraError(f"A data frame ({' or '.join(wanted)})", "pandas")
    import narwhals as nw

    held = {name: list(column) if isinstance(column, tuple) else column for name, column in columns.items()}
    return nw.from_dict(held, backend=found).to_native()
