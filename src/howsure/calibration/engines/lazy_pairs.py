"""Pairs that lie in an engine: the columns of a lazy frame, and what may be wrong with a row of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import IntEnum
from typing import Any

import numpy as np

from howsure.errors import ColumnName, InputError
from howsure.inputs.frames import lazy_table, no_column_name
from howsure.inputs.naming import unknown_name

OTHER, MISSING = 2, 3  # of a label, beside 0 and 1
LARGEST = float(np.finfo(np.float64).max)  # a weight; infinity has no literal in some engines


class Fault(IntEnum):
    """What is wrong with a row, in the order in which arrays are checked; a row counts under the first."""

    NONE = 0
    LABEL_MISSING = 1
    LABEL_OTHER = 2
    GROUP_MISSING = 3
    PROBABILITY_MISSING = 4
    PROBABILITY_OUTSIDE = 5
    WEIGHT_MISSING = 6
    WEIGHT_OUTSIDE = 7
    WEIGHTLESS = 8  # no fault: such rows count for nothing


@dataclass(frozen=True, slots=True)
class LazyPairs:
    """The names of the columns that are pairs in a lazy frame; nothing is read before the engine is asked.

    table: the frame as narwhals wraps it. dtypes: the types of its columns.
    """

    table: Any
    y_true: str
    y_prob: str
    sample_weight: str | None
    groups: str | None
    pos_label: Any
    dtypes: dict[str, Any]

    def column(self, role: str) -> ColumnName:
        """What the frame calls the column of a role."""
        return ColumnName(getattr(self, role), role)

    @property
    def is_weighted(self) -> bool:
        """Whether the pairs have weights."""
        return self.sample_weight is not None

    def rows(self) -> Any:
        """The frame with columns of howsure's own names: q, y (0, 1, OTHER or MISSING), label, weight, group, fault."""
        import narwhals as nw

        wanted = {"label": self._label(), "q": nw.col(self.y_prob).cast(nw.Float64)}
        if self.sample_weight is not None:
            wanted["weight"] = nw.col(self.sample_weight).cast(nw.Float64)
        if self.groups is not None:
            wanted["group"] = _comparable(nw.col(self.groups), self.dtypes[self.groups])
        rows = self.table.select(**wanted).with_columns(y=self._zero_or_one())
        fault = nw.lit(int(Fault.NONE))
        for one, broken in reversed(self.conditions().items()):
            fault = nw.when(broken).then(nw.lit(int(one))).otherwise(fault)
        return rows.with_columns(fault=fault)

    def conditions(self) -> dict[Fault, Any]:
        """When a row is broken, and how, in the columns of `rows`."""
        import narwhals as nw

        q, y, weight = nw.col("q"), nw.col("y"), nw.col("weight")
        found = {Fault.LABEL_MISSING: y == MISSING, Fault.LABEL_OTHER: y == OTHER}
        if self.groups is not None:
            found[Fault.GROUP_MISSING] = _missing(nw.col("group"), self.dtypes[self.groups])
        found[Fault.PROBABILITY_MISSING] = q.is_null() | is_nan(q)
        found[Fault.PROBABILITY_OUTSIDE] = ~((q >= 0.0) & (q <= 1.0))
        if self.is_weighted:
            found[Fault.WEIGHT_MISSING] = weight.is_null() | is_nan(weight)
            found[Fault.WEIGHT_OUTSIDE] = ~((weight >= 0.0) & (weight <= LARGEST))
            found[Fault.WEIGHTLESS] = weight == 0.0
        return found

    def _label(self) -> Any:
        import narwhals as nw

        column, dtype = nw.col(self.y_true), self.dtypes[self.y_true]
        if dtype == nw.Boolean:
            return column.cast(nw.Int64)
        return column.cast(nw.Float64) if dtype == nw.Decimal else _comparable(column, dtype)

    def _zero_or_one(self) -> Any:
        """0 or 1 for each label; OTHER for what is neither, or cannot be compared with `pos_label`."""
        import narwhals as nw

        label, dtype = nw.col("label"), self.dtypes[self.y_true]
        if not self.has_comparable_labels:
            value = nw.lit(OTHER)
        elif self.pos_label is not None:
            positive = _plain(self.pos_label)
            value = nw.when(label == positive).then(nw.lit(1)).otherwise(nw.lit(0))
        else:
            zero, one = ("0", "1") if _is_text(dtype) else (0, 1)
            value = nw.when(label == zero).then(nw.lit(0)).otherwise(nw.lit(OTHER))
            value = nw.when(label == one).then(nw.lit(1)).otherwise(value)
        return nw.when(_missing(label, dtype)).then(nw.lit(MISSING)).otherwise(value)

    @property
    def compares_labels(self) -> bool:
        """Whether labels are 1 where they equal `pos_label`, so that the others remain to be seen."""
        return self.pos_label is not None and self.has_comparable_labels

    @property
    def has_comparable_labels(self) -> bool:
        """Whether labels can be compared with `pos_label`, or with 0 and 1."""
        dtype = self.dtypes[self.y_true]
        if self.pos_label is None:
            return _is_text(dtype) or _is_number(dtype)
        if _is_text(dtype):
            return isinstance(self.pos_label, str)
        if _is_number(dtype):
            return isinstance(self.pos_label, (bool, int, float, np.number, np.bool_))
        return dtype.is_temporal() and isinstance(self.pos_label, date)


def lazy_pairs(
    data: Any, *, y_true: Any, y_prob: Any, sample_weight: Any = None, groups: Any = None, pos_label: Any = None
) -> LazyPairs:
    """The pairs of a lazy frame.

    Raises InputError if an argument names no column of the frame, or one that does not hold numbers where it must.
    """
    named = {"y_true": y_true, "y_prob": y_prob, "sample_weight": sample_weight, "groups": groups}
    for role, name in named.items():
        optional = role in ("sample_weight", "groups")
        if not isinstance(name, str) and not (optional and name is None):
            raise no_column_name(role, name)
    table = lazy_table(data)
    dtypes = dict(table.collect_schema())
    for name in named.values():
        if name is not None and name not in dtypes:
            raise unknown_name("column", name, list(dtypes), place="the data frame")
    for name in (y_true, groups):
        if name is not None and dtypes[name].is_nested():
            raise InputError(f"{name} must hold one value per row; its type is {dtypes[name]}.")
    for name in (y_prob, sample_weight):
        if name is not None and not _is_number(dtypes[name]):
            raise InputError(f"{name} must be numbers; its type is {dtypes[name]}.")
    return LazyPairs(table, y_true, y_prob, sample_weight, groups, pos_label, dtypes)


def _comparable(column: Any, dtype: Any) -> Any:
    """Categories as text; anything else as it is."""
    import narwhals as nw

    return column.cast(nw.String) if _is_text(dtype) and dtype != nw.String else column


def _missing(column: Any, dtype: Any) -> Any:
    return column.is_null() | is_nan(column) if dtype.is_float() else column.is_null()


def is_nan(column: Any) -> Any:
    """Whether a value is NaN.

    The least and greatest value that a Parquet file states leave NaN out, and DuckDB, which trusts them, answers for a
    column that none is. Not so for its roots.
    """
    return column.abs().sqrt().is_nan()


def _is_text(dtype: Any) -> bool:
    import narwhals as nw

    return bool(dtype == nw.String or dtype == nw.Categorical or dtype == nw.Enum)


def _is_number(dtype: Any) -> bool:
    import narwhals as nw

    return bool(dtype == nw.Boolean or dtype.is_numeric())


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, bool) else value
