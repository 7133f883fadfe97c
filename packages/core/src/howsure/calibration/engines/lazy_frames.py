"""Sums of a lazy frame's pairs, computed by the frame's engine, and errors for its invalid rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from enum import IntEnum
from functools import partial
from typing import Any

import narwhals as nw
import numpy as np

from howsure.calibration.slots import COLUMNS, FRACTION, LAST, LOG_UNIT, SCALE, STEEP, WEIGHTS, Slots, merge_slots
from howsure.errors import ColumnName, InputError
from howsure.inputs.checks import (
    MAX_LABELS,
    Column,
    check_codes,
    is_missing,
    missing,
    not_a_probability,
    not_a_weight,
    not_two_values,
    weighs_nothing,
)
from howsure.inputs.frames import fetched, lazy_table, not_a_column_name
from howsure.inputs.numbers_and_names import MISSING_TEXT, counted, unknown_name
from howsure.inputs.pairs import Integers

# The columns of pairs in a lazy frame, and conditions for invalid rows.

OTHER, MISSING = 2, 3  # codes of labels other than 0 and 1
LARGEST = float(np.finfo(np.float64).max)  # the largest weight; some engines have no literal for infinity


class FrameFault(IntEnum):
    """The kinds of invalid rows, in the order in which arrays are checked; a row is assigned its first fault."""

    NONE = 0
    LABEL_MISSING = 1
    LABEL_OTHER = 2
    GROUP_MISSING = 3
    PROBABILITY_MISSING = 4
    PROBABILITY_OUTSIDE = 5
    WEIGHT_MISSING = 6
    WEIGHT_OUTSIDE = 7
    WEIGHTLESS = 8  # not an error: rows of weight 0 are ignored


@dataclass(frozen=True, slots=True)
class LazyPairs:
    """The columns of pairs in a lazy frame; creating this object reads no rows.

    table: the frame, wrapped by narwhals. dtypes: the types of the frame's columns, by name.
    """

    table: Any
    y_true: str
    y_prob: str
    sample_weight: str | None
    groups: str | None
    pos_label: Any
    dtypes: dict[str, Any]

    def column(self, role: str) -> ColumnName:
        """Return the frame's column name for a parameter."""
        return ColumnName(getattr(self, role), role)

    @property
    def is_weighted(self) -> bool:
        return self.sample_weight is not None

    def rows(self) -> Any:
        """Return the frame with columns label, q, y (0, 1, OTHER or MISSING), fault and, if any, weight and group."""
        columns = {"label": self._label(), "q": nw.col(self.y_prob).cast(nw.Float64)}
        if self.sample_weight is not None:
            columns["weight"] = nw.col(self.sample_weight).cast(nw.Float64)
        if self.groups is not None:
            columns["group"] = _comparable(nw.col(self.groups), self.dtypes[self.groups])
        rows = self.table.select(**columns).with_columns(y=self._zero_or_one())
        fault = nw.lit(int(FrameFault.NONE))
        for fault_code, broken in reversed(self.conditions().items()):
            fault = nw.when(broken).then(nw.lit(int(fault_code))).otherwise(fault)
        return rows.with_columns(fault=fault)

    def conditions(self) -> dict[FrameFault, Any]:
        """Return for each fault the condition under which a row has it, an expression on the columns of `rows`."""
        q, y, weight = nw.col("q"), nw.col("y"), nw.col("weight")
        conditions = {FrameFault.LABEL_MISSING: y == MISSING, FrameFault.LABEL_OTHER: y == OTHER}
        if self.groups is not None:
            conditions[FrameFault.GROUP_MISSING] = _missing(nw.col("group"), self.dtypes[self.groups])
        conditions[FrameFault.PROBABILITY_MISSING] = q.is_null() | is_nan(q)
        conditions[FrameFault.PROBABILITY_OUTSIDE] = ~((q >= 0.0) & (q <= 1.0))
        if self.is_weighted:
            conditions[FrameFault.WEIGHT_MISSING] = weight.is_null() | is_nan(weight)
            conditions[FrameFault.WEIGHT_OUTSIDE] = ~((weight >= 0.0) & (weight <= LARGEST))
            conditions[FrameFault.WEIGHTLESS] = weight == 0.0
        return conditions

    def _label(self) -> Any:
        column, dtype = nw.col(self.y_true), self.dtypes[self.y_true]
        if dtype == nw.Boolean:
            return column.cast(nw.Int64)
        return column.cast(nw.Float64) if dtype == nw.Decimal else _comparable(column, dtype)

    def _zero_or_one(self) -> Any:
        """Return an expression: 0 or 1 for each label, MISSING for a missing label, OTHER for any other value."""
        label, dtype = nw.col("label"), self.dtypes[self.y_true]
        if not self.has_comparable_labels:
            value = nw.lit(OTHER)
        elif self.pos_label is not None:
            positive = _plain(self.pos_label)
            value = nw.when(label == positive).then(nw.lit(1)).otherwise(nw.lit(0))
        else:
            zero, one_text = ("0", "1") if _is_text(dtype) else (0, 1)
            value = nw.when(label == zero).then(nw.lit(0)).otherwise(nw.lit(OTHER))
            value = nw.when(label == one_text).then(nw.lit(1)).otherwise(value)
        return nw.when(_missing(label, dtype)).then(nw.lit(MISSING)).otherwise(value)

    @property
    def compares_labels(self) -> bool:
        """Whether labels are compared with `pos_label`, so that the other labels must be checked for a single value."""
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
    """Check the names and types of the columns of pairs in a lazy frame, without reading rows."""
    named = {"y_true": y_true, "y_prob": y_prob, "sample_weight": sample_weight, "groups": groups}
    for role, name in named.items():
        optional = role in ("sample_weight", "groups")
        if not isinstance(name, str) and not (optional and name is None):
            raise not_a_column_name(role, name)
    table = lazy_table(data)
    dtypes = dict(table.collect_schema())
    for name in named.values():
        if name is not None and name not in dtypes:
            raise unknown_name("column", name, list(dtypes), place="the data frame")
    for name in (y_true, groups):
        if name is not None and dtypes[name].is_nested():
            raise InputError(f"{name} must contain one value per row; its type is {dtypes[name]}.")
    for name in (y_prob, sample_weight):
        if name is not None and not _is_number(dtypes[name]):
            raise InputError(f"{name} must be numbers; its type is {dtypes[name]}.")
    return LazyPairs(table, y_true, y_prob, sample_weight, groups, pos_label, dtypes)


def _comparable(column: Any, dtype: Any) -> Any:
    """Return the column, with categories converted to strings."""
    return column.cast(nw.String) if _is_text(dtype) and dtype != nw.String else column


def _missing(column: Any, dtype: Any) -> Any:
    if _is_text(dtype):
        return column.is_null() | column.cast(nw.String).str.contains(f"^(?i:{MISSING_TEXT.pattern})$")
    return column.is_null() | is_nan(column) if dtype.is_float() else column.is_null()


def is_nan(column: Any) -> Any:
    """Return an expression: whether a value is NaN.

    The expression tests the square root of the value. The minimum and maximum that Parquet files store exclude NaN, and
    DuckDB relies on them when it evaluates a column itself, but not when it evaluates a root.
    """
    return column.abs().sqrt().is_nan()


def _is_text(dtype: Any) -> bool:
    return bool(dtype == nw.String or dtype == nw.Categorical or dtype == nw.Enum)


def _is_number(dtype: Any) -> bool:
    return bool(dtype == nw.Boolean or dtype.is_numeric())


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, bool) else value


# Results of an engine: sums by group, or an error.


@dataclass(frozen=True, slots=True)
class FrameSums:
    """The sums of n rows by group, in the natural order of group names; without groups, the only name is "".

    refusal: returns the error for the first fault; None if all rows are valid.
    """

    n: int
    by_group: dict[str, Slots]
    refusal: Callable[[], InputError] | None = None

    def checked(self) -> dict[str, Slots]:
        """Return the sums by group. Raises InputError if any row is invalid."""
        if self.refusal is not None:
            raise self.refusal()
        return self.by_group


def labels_unclear(labels: set[Any], pos_label: Any) -> bool:
    """Whether it is unclear which of the distinct labels are 1.

    Without `pos_label`, labels must be 0 and 1. With `pos_label`, there may be one other value, and `pos_label` must
    occur (otherwise it may be misspelled), unless all labels are 0 or 1.

    >>> labels_unclear({"yes", "no"}, "yes"), labels_unclear({"no"}, "yes"), labels_unclear({0}, 1)
    (False, True, False)
    """
    if pos_label is None:
        return not (labels <= {0, 1} or labels <= {"0", "1"})
    zero_or_one = pos_label in (0, 1) and labels <= {0, 1}
    return len(labels - {pos_label}) > 1 or (pos_label not in labels and not zero_or_one)


def labels_refused(counts: Counter[Any], pos_label: Any, *, name: str) -> InputError:
    """Build the error for labels of which it is unclear which are 1; `counts` may lack some of many distinct labels."""
    more = len(counts) > MAX_LABELS and (pos_label is None or pos_label in counts)
    return not_two_values(counts, pos_label=pos_label, name=name, more=more)


def weights_refused(by_group: dict[str, Slots], name: str) -> Callable[[], InputError] | None:
    """Return a function that returns the error if all weights are 0 or their fourth powers overflow; otherwise None."""
    fourth = sum(float(slots.weights[3].sum()) for slots in by_group.values() if slots.weights is not None)
    if not any(len(slots) for slots in by_group.values()):
        return lambda: weighs_nothing(name)
    if not 0.0 < fourth < math.inf:
        return lambda: InputError(
            "{parameter} must be smaller, because the sum of their fourth powers is infinite", name, remedy="divide"
        )
    return None


# The sums of each cell and label as one expression, which any engine supported by narwhals can evaluate.
# The expression uses only comparisons, subtractions, square roots, products with powers of two and one other product.
# Each of them is exactly rounded, so every engine on every processor computes the same integers as
# `calibration/slots.py`.


def sums_by_cell(pairs: LazyPairs) -> Any:
    """Return a lazy frame with a row per group, cell and label y. The columns are the number n of pairs and the sums
    that are defined in `Slots`.

    Invalid rows are counted under cell = -fault, where fault is the number of the violated rule. With `pos_label`, the
    columns low and high are the smallest and largest label other than `pos_label`.
    """
    q, y, fault, cell, f = nw.col("q"), nw.col("y"), nw.col("fault"), nw.col("c"), nw.col("f")
    sound, lower = fault == 0, q < 0.5
    rows = pairs.rows()
    # replace invalid values by a valid one
    rows = rows.with_columns(q=nw.when(sound).then(q).otherwise(nw.lit(0.5)))
    rows = rows.with_columns(r=nw.when(lower).then(q).otherwise(1.0 - q))
    rows = rows.with_columns(t=nw.col("r").sqrt().sqrt() * SCALE)
    rows = rows.with_columns(c=nw.col("t").floor())
    rows = rows.with_columns(f=nw.col("t") - nw.col("c"))
    places = nw.when(lower).then(cell).otherwise(LAST - cell)
    rows = rows.with_columns(
        cell=_whole(nw.when(sound).then(places).otherwise(0 - fault)),
        y=nw.when(sound).then(y).otherwise(nw.lit(0)),
        **_terms(pairs, f, (cell < STEEP) & ((lower & (y == 1)) | (~lower & (y == 0)))),
    )
    if pairs.compares_labels:
        rows = rows.with_columns(other=nw.when(sound & (y == 0)).then(nw.col("label")))
    keys = ["cell", "y", *(["group"] if pairs.groups is not None else [])]
    return rows.group_by(*keys).agg(*_sums(pairs))


def _terms(pairs: LazyPairs, f: Any, steep: Any) -> dict[str, Any]:
    """Return expressions for the terms that a row adds to its slot.

    steep: the condition that the prediction is near 0 or 1 and the label is the unlikely one.
    """
    r, w = nw.col("r"), nw.col("weight")
    logs = nw.when(steep & (r > 0.0)).then(r).otherwise(nw.lit(1.0)).log()
    terms = {"infinite": _whole(nw.when(steep & (r == 0.0)).then(nw.lit(1)).otherwise(nw.lit(0)))}
    if not pairs.is_weighted:
        return terms | {
            "offsets": _whole((f * FRACTION).floor()),
            "squares": _whole((f * f * FRACTION).floor()),
            "logs": _whole((logs * -LOG_UNIT + 0.5).floor()),
        }
    w = nw.when(nw.col("fault") == 0).then(w).otherwise(nw.lit(0.0))
    powers = {"w1": w, "w2": w * w, "w3": w * w * w, "w4": w * w * w * w}
    return terms | powers | {"fractions": w * f, "fraction_squares": w * f * f, "weighted_logs": w * logs * -1.0}


def _sums(pairs: LazyPairs) -> list[Any]:
    whole = ("infinite",) if pairs.is_weighted else ("offsets", "squares", "logs", "infinite")
    expressions = [_whole(nw.len()).alias("n"), *(_whole(nw.col(column).sum()) for column in whole)]
    if pairs.is_weighted:
        expressions += [nw.col(weight).sum() for weight in WEIGHTS]
    if pairs.compares_labels:
        expressions += [nw.col("other").min().alias("low"), nw.col("other").max().alias("high")]
    return expressions


def _whole(expression: Any) -> Any:
    return expression.cast(nw.Int64)


# Errors for invalid rows in a lazy frame. A second, small query finds the value to show.


def refusal(pairs: LazyPairs, fault: FrameFault, *, rows: int, n: int) -> InputError:
    """The error for a fault of `rows` among n rows. It shows a value but no row number, which engines do not know."""
    if fault is FrameFault.LABEL_OTHER:
        return _labels(pairs)
    place = f"one of {counted(n, 'row')}" + (f" ({rows:,} are wrong)" if rows > 1 else "")
    if fault is FrameFault.PROBABILITY_OUTSIDE:
        value = _value(pairs, fault, "q")
        return not_a_probability(pairs.column("y_prob"), value, highest=_highest(pairs), place=place)
    if fault is FrameFault.WEIGHT_OUTSIDE:
        return not_a_weight(pairs.column("sample_weight"), _value(pairs, fault, "weight"), place=place)
    roles = {
        FrameFault.LABEL_MISSING: "y_true",
        FrameFault.GROUP_MISSING: "groups",
        FrameFault.WEIGHT_MISSING: "sample_weight",
    }
    return missing(pairs.column(roles.get(fault, "y_prob")), place=place)


def _value(pairs: LazyPairs, fault: FrameFault, column: str) -> float:
    first_row = fetched(pairs.rows().filter(nw.col("fault") == int(fault)).select(column).head(1))
    values = first_row[column]
    return math.nan if len(values) and isinstance(values[0], float) and math.isnan(values[0]) else _first(values)


def _highest(pairs: LazyPairs) -> float:
    """Return the largest prediction, ignoring missing values."""
    q = nw.col("q")
    largest = fetched(pairs.rows().filter(~(q.is_null() | is_nan(q))).select(highest=q.max()))
    return _first(largest["highest"])


def _first(values: Column) -> float:
    """Return the first value. Raises InputError if there is none, because the data changed since the previous query."""
    if not len(values) or is_missing(values[0]):
        raise InputError("data changed while it was read, since two queries of its engine disagree. Read from a copy.")
    return float(values[0])


def _labels(pairs: LazyPairs) -> InputError:
    """Return the error for more than two label values or an unknown positive value, with the number of each value."""
    labels = pairs.table.select(label=nw.col(pairs.y_true)).filter(~nw.col("label").is_null())
    counts = labels.group_by("label").agg(n=nw.len().cast(nw.Int64)).sort("n", "label", descending=[True, False])
    rows = fetched(counts.head(MAX_LABELS + 1))
    _first(rows["n"])
    counts_by_label = Counter(dict(zip(map(_plain_value, rows["label"]), rows["n"].tolist(), strict=True)))
    return labels_refused(counts_by_label, pairs.pos_label, name=pairs.column("y_true"))


def _plain_value(value: Any) -> Any:
    """Convert a numpy value to a Python value; NaN becomes None."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and math.isnan(value) else value


# The sums of a lazy frame. The engine reads the data once and returns some ten thousand rows.


def sums_of_lazy(pairs: LazyPairs) -> FrameSums:
    """Add up the pairs of a lazy frame, by group if they have groups."""
    rows = fetched(sums_by_cell(pairs))
    cell, number = rows["cell"].astype(np.int64), rows["n"].astype(np.int64)
    n = int(number.sum())
    faults = {
        fault: int(number[cell == -fault].sum())
        for fault in FrameFault
        if fault not in (FrameFault.NONE, FrameFault.WEIGHTLESS)
    }
    for fault, count in faults.items():
        if count:
            return FrameSums(n, {}, partial(refusal, pairs, fault, rows=count, n=n))
    if pairs.compares_labels and _labels_unclear(pairs, rows):
        return FrameSums(n, {}, partial(refusal, pairs, FrameFault.LABEL_OTHER, rows=n, n=n))
    return _by_group(pairs, rows, n)


def _labels_unclear(pairs: LazyPairs, rows: dict[str, Column]) -> bool:
    labels = {value for name in ("low", "high") for value in rows[name].tolist() if not is_missing(value)}
    return labels_unclear(labels | ({pairs.pos_label} if bool((rows["y"] == 1).any()) else set()), pairs.pos_label)


def _by_group(pairs: LazyPairs, rows: dict[str, Column], n: int) -> FrameSums:
    names: tuple[str, ...] = ("",)
    codes = np.zeros(len(rows["n"]), dtype=np.int64)
    if pairs.groups is not None and n:
        codes, names = check_codes(
            np.ma.getdata(rows["group"]), n=len(rows["n"]), name=pairs.column("groups"), groups=True
        )
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(names) + 1))
    by_group = {
        name: _slots(pairs, rows, order[start:end]) for name, start, end in zip(names, ends[:-1], ends[1:], strict=True)
    }
    return FrameSums(
        n, by_group, weights_refused(by_group, pairs.column("sample_weight")) if n and pairs.is_weighted else None
    )


def _slots(pairs: LazyPairs, rows: dict[str, Column], chosen: Integers) -> Slots:
    """Convert some of the rows that an engine returned to slots."""
    cell, number = rows["cell"][chosen], rows["n"][chosen]
    counts = cell >= 0
    weightless, kept = int(number[~counts].sum()), chosen[counts]
    zero = np.zeros(len(kept), dtype=np.int64)
    sums = np.stack([rows[name][kept].astype(np.int64) if name in rows else zero for name in COLUMNS])
    weights = np.stack([rows[name][kept].astype(np.float64) for name in WEIGHTS]) if pairs.is_weighted else None
    slots = Slots(2 * rows["cell"][kept].astype(np.int64) + rows["y"][kept].astype(np.int64), sums, weights, weightless)
    positive = None if pairs.pos_label is None else str(pairs.pos_label)
    return replace(merge_slots(slots), positive=positive)
