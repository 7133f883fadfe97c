"""What `data` may be: a frame of any library, eager or lazy, or a source of rows that reads itself; numpy comes out."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

import numpy as np

from howsure.errors import GIVEN, ColumnName, InputError, Parameter, at_row, parameter
from howsure.first_use import installed, require
from howsure.inputs.checks import Column, is_missing
from howsure.inputs.matching import PairedRows
from howsure.inputs.measures import Measure
from howsure.inputs.numbers_and_names import as_spelled, shortened, unknown_name
from howsure.inputs.pairs import Integers, Pairs

SAVED = "saved summaries"  # the engine of sums that were read of them
MODEL, TASK, PROMPT, ITEM, DOCUMENT, RUN = "model", "task", "prompt", "item", "document", "run"  # columns of logs
ITEM_HASH = "item_hash"  # of a log: the hash of what an item asks
AS_READ = {"y_true": "target", "groups": "group", "clusters": "cluster", "sample_weight": "weight", "id": "id"}
"""What a recipe calls the column that plays a role."""
BACKENDS = ("pandas", "polars", "pyarrow")


class Kind(StrEnum):
    """As what a column is read."""

    VALUES = "values"  # as they stand
    NAMES = "names"  # with little memory
    DAYS = "days"
    NUMBER = "number"
    SCORE = "score"  # numbers, and true and false
    NUMBERS = "numbers"  # lists of them
    REQUIRED = "required"  # as they stand, whatever they hold
    OPTIONAL = "optional"  # as they stand, None where a row holds nothing
    PARTIAL = "partial"  # a mapping of the rows that hold something
    LATER = "later"  # read afterwards, of some rows


@dataclass(frozen=True, slots=True)
class Rows:
    """Columns of a source by their names.

    read: the files, the rows used and those left out, for the recipe of a result; {} of a frame. place: where the i-th
    row used (from 0) stands; of a frame, its number. keys: the names in columns of mappings. chosen:
    the columns that `choose` took from a log, by their roles. at: the columns that were left for later, of some rows in
    ascending order. location: the file of a used row (None of a frame), and its number there, from 1.
    measures: what the scores of a log measure, by their names. notes: how rows were read, for the notes of a result.
    """

    columns: Mapping[str, Any]
    read: dict[str, Any] = field(default_factory=dict)
    place: Callable[[int], str] = at_row
    keys: Mapping[str, list[str]] = field(default_factory=dict)
    chosen: Mapping[str, str] = field(default_factory=dict)
    at: Callable[[Sequence[int]], dict[str, list[Any]]] = lambda rows: {}
    location: Callable[[int], tuple[str | None, int]] = lambda row: (None, row + 1)
    measures: Mapping[str, Measure] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Any:
        return self.columns[name]

    @contextmanager
    def placed(self) -> Iterator[None]:
        """An error that is raised inside names its row by its place in the source."""
        try:
            yield
        except InputError as error:
            if self.place is at_row or type(error) is not InputError:
                raise
            raise error.at(self.place) from error


class Read(Protocol):
    """Predictions that were read: `n` pairs in groups, in memory or as sums, and what was read of which files."""

    @property
    def n(self) -> int:
        """The number of pairs."""

    @property
    def group_names(self) -> tuple[str, ...]:
        """The groups in natural order; () if there are none."""

    @property
    def notes(self) -> dict[str, Any]:
        """How it was read."""

    def source(self, group: str | None = None, *, advance: Callable[[int], None] = ...) -> object:
        """The pairs of a group, or of all; of very many, their sums."""

    def pairs(self) -> Pairs:
        """All pairs in memory."""

    def blocks(self) -> Iterator[Pairs]:
        """All pairs, very many of them some at a time, then without groups."""

    def beside(self, names: Sequence[str]) -> Rows:
        """The rows used, whose columns of these names are read `at` some of them."""

    def features(self, names: Sequence[str]) -> dict[str, Any]:
        """Further columns of the same rows: numbers, days or names."""

    def describe(self) -> dict[str, Any]:
        """Files, rows, those left out, columns."""


@dataclass(frozen=True, slots=True)
class Dated:
    """Labelled pairs, their `days` (n,), fingerprints of their `clusters`, and the days of those `unlabelled`."""

    pairs: Pairs
    days: Any
    clusters: Integers | None
    unlabelled: Any


class Logits(Protocol):
    """Logits in files, and the right class of each row; a row whose target is `ignore` does not count."""

    @property
    def files(self) -> tuple[str, ...]:
        """Their names."""

    @property
    def n_classes(self) -> int:
        """The numbers in a row."""

    @property
    def rows(self) -> int:
        """All rows."""

    @property
    def ignored(self) -> int:
        """Those that do not count."""

    @property
    def ignore(self) -> int:
        """The target of these."""

    def blocks(self) -> Iterator[Any]:
        """All rows, some at a time: `logits`, `targets`, and the `place` of a row."""


class Source(ABC):
    """Rows whose columns are named; `howsure.read` makes one of files."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What to call it."""

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
        """The checked pairs of the columns that play the roles."""

    def progress(self, n: int, unit: str = "pairs") -> AbstractContextManager[Callable[[int], None]]:
        """What is to be told how many of the n units were done."""
        return nullcontext(lambda steps: None)

    @abstractmethod
    def rows(self, kinds: Mapping[str, Kind], **how: Any) -> Rows:
        """Columns by their names, each read as what `kinds` says; a missing value is refused or its row left out."""

    def columns(self, names: Sequence[str], *, optional: Sequence[str] = ()) -> tuple[Column, ...]:
        """Columns as arrays, in the order of the names; those of text whose values all spell numbers as numbers, unless
        one begins with a zero, as numbers of documents do. A missing value is refused, but None in `optional` ones."""
        kinds = dict.fromkeys(names, Kind.VALUES) | {name: Kind.OPTIONAL for name in names if name in optional}
        rows_read = self.rows(kinds)
        return tuple(as_spelled(rows_read[name]) for name in names)

    @abstractmethod
    def dated(self, dates: str, y_true: Any, y_prob: Any, **roles: Any) -> Dated:
        """The pairs of the columns that play the roles, with their dates; a row without a label waits for it."""

    @abstractmethod
    def logits(self, *, targets: Sequence[str], ignore: int) -> Logits | None:
        """Rows of logits with their targets; None of saved summaries."""

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
        """The rows that were read and are another model's too: `other` is a source, or its columns in this one."""


# From user input to checked pairs: arrays, lists, series, the columns of a data frame, or `Pairs`.


def is_frame(data: object) -> bool:
    """Whether `data` has columns by name: a frame, eager or lazy, of a library that narwhals supports, or a source (not
    a series or an array).

    >>> is_frame([0.1, 0.9])
    False

    Raises InputError if two of its columns have the same name.
    """
    if data is None or isinstance(data, (list, tuple, str, bytes, int, float, dict, set, np.ndarray)):
        return False
    if isinstance(data, Source):
        return True
    import narwhals as nw

    return isinstance(_wrapped(data), (nw.DataFrame, nw.LazyFrame))


def is_lazy(data: object) -> bool:
    """Whether `data` is a lazy frame: an engine holds its rows and can add them up.

    >>> is_lazy([0.1, 0.9])
    False
    """
    import narwhals as nw

    return (
        is_frame(data) and not isinstance(data, Source) and (is_dask(data) or isinstance(_wrapped(data), nw.LazyFrame))
    )


def is_dask(data: object) -> bool:
    """Whether `data` is a data frame of Dask, which narwhals is about to leave to another package.

    >>> is_dask([0.1, 0.9])
    False
    """
    return type(data).__module__.startswith("dask.") and hasattr(data, "to_delayed") and hasattr(data, "columns")


def lazy_table(data: Any) -> Any:
    """A lazy frame as narwhals wraps it; one of Dask as an empty table with its columns.

    Raises InputError if two of its columns have the same name.
    """
    return _wrapped(data)


def columns_from(frame: Any, names: Sequence[str]) -> tuple[Column, ...]:
    """Some columns of a data frame as numpy arrays, in the order of `names`; a lazy frame computes only these.

    Any frame that narwhals supports: pandas, polars, pyarrow, a DuckDB relation, Dask, Spark. Missing values are NaN,
    None or masked; the checks detect them.

    Raises InputError if there is no such column, or if two columns have the same name.
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


def rows_of(data: Any, kinds: Mapping[str, Kind], **how: Any) -> Rows:
    """Columns of a frame or a source by their names, each as what `kinds` says; of a frame as they stand.

    how: what a source of several files may ask, such as which of the columns are `clusters`.
    """
    if isinstance(data, Source):
        return data.rows(kinds, **how)
    if not is_frame(data):
        raise no_frame(data)
    columns: dict[str, Any] = dict(zip(kinds, columns_from(data, list(kinds)), strict=True))
    for name, kind in kinds.items():
        if kind == Kind.PARTIAL:
            columns[name] = {row: value for row, value in enumerate(columns[name].tolist()) if not is_missing(value)}
    later = [name for name, kind in kinds.items() if kind == Kind.LATER]
    return Rows(columns, at=lambda rows: {name: [columns[name][row] for row in rows] for name in later})


def no_column_name(role: str, value: object) -> InputError:
    """The error for a parameter that must name a column and does not."""
    data = parameter("data", GIVEN)
    return InputError(
        "with {data}, {role} must name a column, not be a {type}.",
        data=data,
        role=Parameter(role),
        type=type(value).__name__,
    )


def no_frame(data: object) -> InputError:
    """The error for `data` that has no columns by name."""
    return InputError(
        "{parameter} must be a data frame, or files by howsure.read; it is a {type}. Pass arrays without `data`.",
        "data",
        type=type(data).__name__,
    )


def columns_of(data: Any, **named: Any) -> list[Any]:
    """The columns of a data frame that the arguments name, in their order; None stays None."""
    if not is_frame(data):
        raise no_frame(data)
    for role, name in named.items():
        if name is not None and not isinstance(name, str):
            raise no_column_name(role, name)
    columns_left = iter(columns_from(data, [name for name in named.values() if name is not None]))
    return [None if name is None else next(columns_left) for name in named.values()]


def named_columns(data: Any, **named: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """What the arguments hold, and what to call it in messages: arrays, or the columns of a data frame."""
    names_in_messages = {role: role for role in named}
    if data is None:
        return named, names_in_messages
    columns = dict(zip(named, columns_of(data, **named), strict=True))
    return columns, names_in_messages | {
        role: ColumnName(name, role) for role, name in named.items() if name is not None
    }


def frame_names(frame: Any) -> list[str]:
    """The names of a data frame's columns, as text, without reading any of them."""
    return [str(name) for name in _wrapped(frame).collect_schema().names()]


def all_columns(frame: Any) -> tuple[tuple[str, ...], list[Column]]:
    """The names of a data frame's columns, as text, and the columns as numpy arrays, in their order.

    >>> import pandas
    >>> all_columns(pandas.DataFrame([[0.1, 0.9]]))
    (('0', '1'), [array([0.1]), array([0.9])])

    Raises InputError if two columns have the same name.
    """
    table = _wrapped(frame.compute() if is_dask(frame) else frame)
    return tuple(str(name) for name in table.collect_schema().names()), _arrays(table)


def _wrapped(data: Any) -> Any:
    """A data frame wrapped by narwhals, without its rows if it is one of Dask; anything else unchanged."""
    import narwhals as nw

    data = data._meta if is_dask(data) else data
    try:
        table = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise _several_of_one_name(data.column_names if hasattr(data, "column_names") else data.columns) from None
    is_duckdb = isinstance(table, nw.LazyFrame) and table.implementation.is_duckdb()
    if is_duckdb and len(set(data.columns)) < len(data.columns):  # it would take the first of them
        raise _several_of_one_name(data.columns)
    return table


def _several_of_one_name(names: Iterable[object]) -> InputError:
    several = shortened(repr(name) for name, count in Counter(names).items() if count > 1)
    return InputError(
        f"a data frame must have one column of each name; it has several of {several}. Rename or drop some."
    )


def _arrays(table: Any) -> list[Column]:
    """The columns of a narwhals table, in order."""
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
    """What tells Polars to collect a table without holding all of what it reads."""
    if not table.implementation.is_polars():
        return {}
    has_engine = "engine" in inspect.signature(table.to_native().collect).parameters
    return {"engine": "streaming"} if has_engine else {}


def fetched(table: Any) -> dict[str, Column]:
    """The columns of a narwhals table by name, once its engine has computed them."""
    return dict(zip(table.collect_schema().names(), _arrays(table), strict=True))


def to_frame(columns: Mapping[str, Any], backend: str | None = None) -> Any:
    """A data frame of the columns: of `backend`, or of the first installed of pandas, polars and pyarrow.

    >>> to_frame({"n": [1, 2]}, "pandas")["n"].sum().item()
    3

    Raises MissingExtraError if the library is not installed, InputError if it is not one of these.
    """
    if backend is not None and backend not in BACKENDS:
        raise InputError(f"backend must be one of {', '.join(BACKENDS)}; it is {backend!r}.")
    backends = BACKENDS if backend is None else (backend,)
    backend_name: Any = next((name for name in backends if installed(name)), backends[0])
    require(f"A data frame ({' or '.join(backends)})", "pandas", backend_name)
    import narwhals as nw

    lists = {name: list(column) if isinstance(column, tuple) else column for name, column in columns.items()}
    return nw.from_dict(lists, backend=backend_name).to_native()
