"""Read columns of `data` as numpy arrays. `data` is a data frame of any library, or a `Source` such as files."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

import numpy as np

from howsure.errors import ColumnName, InputError, Parameter, renumbered_rows, row_reference
from howsure.inputs.checks import Column
from howsure.inputs.matching import PairedRows
from howsure.inputs.measures import Measure
from howsure.inputs.numbers_and_names import check_choice, parse_number_column, shortened, unknown_name
from howsure.inputs.pairs import Integers, Pairs
from howsure.lazy_imports import installed, require

SAVED = "saved summaries"  # engine of results that are computed from saved sums
MODEL, TASK, PROMPT, ITEM, DOCUMENT, RUN = "model", "task", "prompt", "item", "document", "run"  # columns of logs
EXCEPTION = "exception"  # of a log: why a trial ended without an answer of the model; None if it has an answer
ITEM_HASH = "item_hash"  # of a log: the hash of an item's content
AS_READ = {"y_true": "target", "groups": "group", "clusters": "cluster", "sample_weight": "weight", "id": "id"}
"""The names of columns' roles in a recipe, by parameter."""
BACKENDS = ("pandas", "polars", "pyarrow")


class Kind(StrEnum):
    """How the values of a column are read."""

    VALUES = "values"  # unchanged
    MEASURE = "measure"  # unchanged; a number that can be read in two ways, such as 1.035, is refused
    NAMES = "names"  # as codes and distinct names, which need little memory
    DAYS = "days"
    NUMBER = "number"
    SCORE = "score"  # a number or a truth value
    NUMBERS = "numbers"  # a list of numbers in each row
    REQUIRED = "required"  # unchanged, of any type
    OPTIONAL = "optional"  # unchanged, None where the value is missing
    GRADE = "grade"  # as OPTIONAL; as MEASURE, a number that can be read in two ways is refused
    VERBATIM = "verbatim"  # as OPTIONAL, and decimal commas are kept
    LATER = "later"  # not read yet; `Rows.at` reads it for some rows


@dataclass(frozen=True, slots=True)
class Rows:
    """Columns by name that were read from a source or a data frame.

    read: files, and numbers of rows used and left out, for the recipe of a result; {} for a frame. place: maps the
    index of a used row (from 0) to its location in words. keys: the keys of columns of mappings. chosen: the columns
    that `choose` selected from a log, by role. at: reads the columns of kind LATER for some rows, which are given in
    ascending order. location: maps the index of a row to its file (None for a frame) and its number in the file, from
    1. measures: what the scores of a log measure, by name. notes: notes on how rows were read, for a result.
    """

    columns: Mapping[str, Any]
    provenance: dict[str, Any] = field(default_factory=dict)
    place: Callable[[int], str] = row_reference
    keys: Mapping[str, list[str]] = field(default_factory=dict)
    chosen: Mapping[str, str] = field(default_factory=dict)
    at: Callable[[Sequence[int]], dict[str, list[Any]]] = lambda rows: {}
    location: Callable[[int], tuple[str | None, int]] = lambda row: (None, row + 1)
    measures: Mapping[str, Measure] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Any:
        return self.columns[name]

    def locating_errors(self) -> AbstractContextManager[None]:
        """Return a context in which InputErrors report the row's location in the source instead of its index."""
        return nullcontext() if self.place is row_reference else renumbered_rows(self.place)


class Read(Protocol):
    """Predictions read from a source: pairs, in memory or as sums, possibly in groups, and a description of files."""

    @property
    def n(self) -> int:
        """The number of pairs."""

    @property
    def group_names(self) -> tuple[str, ...]:
        """Names of the groups in natural order; () without groups."""

    @property
    def notes(self) -> dict[str, Any]:
        """Details of how the pairs were read."""

    def source(self, group: str | None = None, *, advance: Callable[[int], None] = ...) -> object:
        """Return the pairs of a group, or all pairs if it is None; their sums if the pairs do not fit in memory."""

    def pairs(self) -> Pairs:
        """Return all pairs in memory."""

    def blocks(self) -> Iterator[Pairs]:
        """Yield all pairs, in blocks if they do not fit in memory; such blocks have no groups."""

    def other_columns(self, names: Sequence[str]) -> Rows:
        """Return the rows used; the result's method `at` reads the columns `names` for some of these rows."""

    def features(self, names: Sequence[str]) -> dict[str, Any]:
        """Return further columns of the rows used, by name: numbers, days or names."""

    def describe(self) -> dict[str, Any]:
        """Describe files, columns, and numbers of rows used and left out, for the recipe of a result."""


@dataclass(frozen=True, slots=True)
class Dated:
    """Labelled pairs with dates.

    days (n,): the day of each pair. clusters (n,): hashes of the clusters' names, or None. unlabelled: the days of rows
    without a label. notes: on the format of the dates.
    """

    pairs: Pairs
    days: Any
    clusters: Integers | None
    unlabelled: Any
    notes: tuple[str, ...] = ()


class Logits(Protocol):
    """Rows of logits in files with their target classes; rows whose target is `ignore` are not evaluated."""

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files."""

    @property
    def n_classes(self) -> int:
        """Number of classes (logits in a row)."""

    @property
    def rows(self) -> int:
        """Number of rows, including ignored ones."""

    @property
    def ignored(self) -> int:
        """Number of rows whose target is `ignore`."""

    @property
    def ignore(self) -> int:
        """The target that marks rows which are not evaluated."""

    def blocks(self) -> Iterator[Any]:
        """Yield blocks of rows, each with `logits`, `targets`, and the location of a row in words (`place`)."""


class Source(ABC):
    """Rows with named columns that are read on demand; `howsure.read` returns a source for files."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the source in results and messages."""

    @abstractmethod
    def predictions(
        self,
        y_true: Any = None,
        y_prob: Any = None,
        *,
        groups: Any = None,
        clusters: Any = None,
        sample_weight: Any = None,
        id: Any = None,
        pos_label: Any = None,
        **how: Any,
    ) -> AbstractContextManager[Read]:
        """Return a context with the checked pairs of the named columns."""

    def progress(self, n: int, unit: str = "pairs") -> AbstractContextManager[Callable[[int], None]]:
        """Return a context with a function that reports finished steps, out of n, to a progress bar if there is one."""
        return nullcontext(lambda steps: None)

    @abstractmethod
    def rows(self, kinds: Mapping[str, Kind], **how: Any) -> Rows:
        """Read columns by name, each as its kind. A missing value raises InputError, or its row is left out."""

    def columns(self, names: Sequence[str], *, optional: Sequence[str] = ()) -> tuple[Column, ...]:
        """Read columns as arrays, in the order of `names`.

        A column of strings becomes numbers if every value spells a number and none has a leading zero, as identifiers
        have. A missing value raises InputError, except in the columns `optional`, where it becomes None (NaN among
        numbers).
        """
        kinds = dict.fromkeys(names, Kind.MEASURE) | {name: Kind.GRADE for name in names if name in optional}
        rows_read = self.rows(kinds)
        return tuple(parse_number_column(rows_read[name]) for name in names)

    @abstractmethod
    def dated(self, dates: str, y_true: Any, y_prob: Any, **roles: Any) -> Dated:
        """Read labelled pairs with their dates, and the dates of rows that have no label yet."""

    @abstractmethod
    def logits(self, *, targets: Sequence[str], ignore: int) -> Logits | None:
        """Open rows of logits with their targets; return None for saved summaries, which have no rows."""

    @abstractmethod
    def matched(
        self,
        read_pairs: Any,
        other: Any,
        *,
        y_true: Any = None,
        y_true_against: Any = None,
        y_prob: Any = None,
        y_prob_against: Any = None,
        **roles: Any,
    ) -> PairedRows:
        """Pair the rows that two models have in common. other: a second source, or columns of this source."""


# Recognise data frames, and read their columns as arrays.


def is_frame(data: object) -> bool:
    """Whether `data` has named columns: a `Source`, or an eager or lazy frame of a library that narwhals supports.

    >>> is_frame([0.1, 0.9])
    False
    """
    if data is None or isinstance(data, (list, tuple, str, bytes, int, float, dict, set, np.ndarray)):
        return False
    if isinstance(data, Source):
        return True
    import narwhals as nw

    return isinstance(_wrapped(data), (nw.DataFrame, nw.LazyFrame))


def is_lazy(data: object) -> bool:
    """Whether `data` is a lazy frame, whose engine can aggregate rows without loading all of them.

    >>> is_lazy([0.1, 0.9])
    False
    """
    import narwhals as nw

    return (
        is_frame(data) and not isinstance(data, Source) and (is_dask(data) or isinstance(_wrapped(data), nw.LazyFrame))
    )


def is_dask(data: object) -> bool:
    """Whether `data` is a Dask data frame, which is handled here because narwhals plans to drop it.

    >>> is_dask([0.1, 0.9])
    False
    """
    return type(data).__module__.startswith("dask.") and hasattr(data, "to_delayed") and hasattr(data, "columns")


def lazy_table(data: Any) -> Any:
    """Wrap a lazy frame by narwhals; a Dask frame becomes an empty table with the same columns."""
    return _wrapped(data)


def columns_from(frame: Any, names: Sequence[str]) -> tuple[Column, ...]:
    """Return columns of a data frame as numpy arrays, in the order of `names`; a lazy frame computes only these.

    The frame may come from any library that narwhals supports: pandas, polars, pyarrow, DuckDB, Dask, Spark. Missing
    values are NaN, None or masked; the checks detect all of these.
    """
    if isinstance(frame, Source):
        return frame.columns(names)
    import narwhals as nw

    table = _wrapped(frame)
    all_names = [str(name) for name in table.collect_schema().names()]
    for name in names:
        if name not in all_names:
            raise unknown_name("column", name, all_names, place="the data frame")
    distinct = list(dict.fromkeys(names))
    if is_dask(frame):
        table = _wrapped(frame[distinct].compute())
        all_names = distinct
    columns = dict(zip(distinct, _arrays(table.select(nw.nth(*map(all_names.index, distinct)))), strict=True))
    return tuple(columns[name] for name in names)


def read_columns(data: Any, kinds: Mapping[str, Kind], **how: Any) -> Rows:
    """Read columns of a source or a frame by name. Values from a source are converted to the kind of their column;
    values of a frame are unchanged.

    For a frame, only the kind LATER has an effect. how: further arguments of `Source.rows`, such as `clusters`.
    """
    if isinstance(data, Source):
        return data.rows(kinds, **how)
    if not is_frame(data):
        raise not_a_frame(data)
    columns: dict[str, Any] = dict(zip(kinds, columns_from(data, list(kinds)), strict=True))
    later = [name for name, kind in kinds.items() if kind == Kind.LATER]
    return Rows(columns, at=lambda rows: {name: [columns[name][row] for row in rows] for name in later})


def not_a_column_name(role: str, value: object) -> InputError:
    """Build the error for a parameter that must be the name of a column but is not a string."""
    return InputError(
        "with `data=...`, {role} must be the name of a column; its type is {type}.",
        role=Parameter(role),
        type=type(value).__name__,
    )


def not_a_frame(data: object) -> InputError:
    """Build the error for `data` without named columns."""
    return InputError(
        "{parameter} must be a data frame, or files by howsure.read; it is a {type}. Pass arrays without `data`.",
        "data",
        type=type(data).__name__,
    )


def frame_columns(data: Any, **named: Any) -> list[Any]:
    """Return the columns that the arguments name, in the order of the arguments; None stays None."""
    if not is_frame(data):
        raise not_a_frame(data)
    for role, name in named.items():
        if name is not None and not isinstance(name, str):
            raise not_a_column_name(role, name)
    columns_left = iter(columns_from(data, [name for name in named.values() if name is not None]))
    return [None if name is None else next(columns_left) for name in named.values()]


def named_columns(data: Any, **named: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Return arrays by parameter, and the name of each in messages.

    Without `data`, the arguments are the arrays. With `data`, they are column names of the data frame, or None.
    """
    names_in_messages = {role: role for role in named}
    if data is None:
        return named, names_in_messages
    columns = dict(zip(named, frame_columns(data, **named), strict=True))
    return columns, names_in_messages | {
        role: ColumnName(name, role) for role, name in named.items() if name is not None
    }


def frame_names(frame: Any) -> list[str]:
    """Return the names of a data frame's columns as strings, without reading any column."""
    return [str(name) for name in _wrapped(frame).collect_schema().names()]


def all_columns(frame: Any) -> tuple[tuple[str, ...], list[Column]]:
    """Return the names of a data frame's columns as strings, and the columns as numpy arrays, in their order.

    >>> import pandas
    >>> all_columns(pandas.DataFrame([[0.1, 0.9]]))
    (('0', '1'), [array([0.1]), array([0.9])])
    """
    table = _wrapped(frame.compute() if is_dask(frame) else frame)
    return tuple(str(name) for name in table.collect_schema().names()), _arrays(table)


def _wrapped(data: Any) -> Any:
    """Wrap a data frame by narwhals, without rows if it is a Dask frame; return anything else unchanged."""
    import narwhals as nw

    data = data._meta if is_dask(data) else data
    try:
        table = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise _several_of_one_name(data.column_names if hasattr(data, "column_names") else data.columns) from None
    is_duckdb = isinstance(table, nw.LazyFrame) and table.implementation.is_duckdb()
    if is_duckdb and len(set(data.columns)) < len(data.columns):  # narwhals would use the first of them
        raise _several_of_one_name(data.columns)
    return table


def _several_of_one_name(names: Iterable[object]) -> InputError:
    several = shortened(repr(name) for name, count in Counter(names).items() if count > 1)
    return InputError(
        f"a data frame must have one column of each name; it has several of {several}. Rename or drop some."
    )


def _arrays(table: Any) -> list[Column]:
    """Return the columns of a narwhals table, in order."""
    import narwhals as nw

    if table.implementation.is_duckdb():
        arrays, schema = table.to_native().fetchnumpy(), table.collect_schema()
        return [
            column.astype("datetime64[D]") if schema[name] == nw.Date else column for name, column in arrays.items()
        ]
    if isinstance(table, nw.LazyFrame):
        table = table.collect(**_streaming(table))
    return [column.to_numpy() for column in table.iter_columns()]


def _streaming(table: Any) -> dict[str, Any]:
    """Return arguments of `collect` that let Polars process a table in blocks; {} for other libraries."""
    if not table.implementation.is_polars():
        return {}
    has_engine = "engine" in inspect.signature(table.to_native().collect).parameters
    return {"engine": "streaming"} if has_engine else {}


def fetched(table: Any) -> dict[str, Column]:
    """Compute a narwhals table and return its columns as arrays, by name."""
    return dict(zip(table.collect_schema().names(), _arrays(table), strict=True))


def to_frame(columns: Mapping[str, Any], backend: str | None = None) -> Any:
    """Make a data frame of the columns with `backend`, by default the first installed of pandas, polars and pyarrow.

    >>> to_frame({"n": [1, 2]}, "pandas")["n"].sum().item()
    3
    """
    if backend is not None:
        check_choice(backend, BACKENDS, name="backend")
    backends = BACKENDS if backend is None else (backend,)
    backend_name: Any = next((name for name in backends if installed(name)), backends[0])
    require(f"A data frame ({' or '.join(backends)})", "pandas", backend_name)
    import narwhals as nw

    lists = {name: list(column) if isinstance(column, tuple) else column for name, column in columns.items()}
    return nw.from_dict(lists, backend=backend_name).to_native()
