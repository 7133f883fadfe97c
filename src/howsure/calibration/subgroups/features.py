"""Features as cells and conditions: the values of a category, or the stretches of numbers between quantiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError, parameter
from howsure.inputs.checks import Coded, Column, as_column, is_missing
from howsure.inputs.naming import natural_order
from howsure.inputs.pairs import Floats, Integers

FEW_VALUES = 10  # numbers with at most so many different values are categories
MOST_VALUES = 30  # of a category that have a cell of their own
CUTS = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)  # quantiles of numbers
FINENESS = 100  # a cut is rounded to a step of about so many in the middle half of the numbers


@dataclass(frozen=True, slots=True)
class Feature:
    """A column as cells: the cell of each row, and the conditions that are made of them.

    members (conditions, cells): which cells a condition holds. in_pairs (conditions,): which of them are also combined
    with another feature's. pooled: values too rare for a cell of their own, and the rows that hold them. alone: whether
    its conditions make groups by themselves.
    """

    name: str
    codes: Integers
    conditions: tuple[str, ...]
    members: Floats
    in_pairs: npt.NDArray[np.bool_]
    pooled: tuple[int, int] = (0, 0)
    alone: bool = True

    @property
    def cells(self) -> int:
        """The number of cells."""
        return len(self.members[0])

    def only(self, rows: npt.NDArray[np.bool_]) -> Feature:
        """The feature of some rows."""
        return replace(self, codes=self.codes[rows])


def feature_of(values: Any, *, name: str, n: int, min_rows: int) -> Feature:
    """The cells and conditions of a column of numbers, dates or names; a missing value is a cell of its own.

    Raises InputError if it is no column of n values.
    """
    if isinstance(values, Coded):
        _check_length(len(values), n, name)
        return _of_names(name, values.codes.astype(np.int64), values.names, min_rows)
    column = np.ma.getdata(values) if isinstance(values, np.ma.MaskedArray) else as_column(values, name=name)
    _check_length(len(column), n, name)
    hidden = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else np.zeros(n, np.bool_)
    kind = column.dtype.kind
    if kind == "M":
        return _of_dates(name, column, hidden | np.isnat(column), min_rows)
    if kind in "iuf":
        return _of_numbers(name, column.astype(np.float64), hidden | (column != column), min_rows)
    if kind == "c" or kind == "m":
        raise InputError(f"features: {name} must hold numbers, dates or names; its values are of type {column.dtype}.")
    if kind == "O":
        hidden = hidden | np.fromiter(map(is_missing, column), np.bool_, n)
        held = column[~hidden]
        if len(held) and all(isinstance(one, (int, float, np.number)) and not isinstance(one, bool) for one in held):
            numbers = np.full(n, math.nan)
            numbers[~hidden] = held.astype(np.float64)
            return _of_numbers(name, numbers, hidden, min_rows)
    codes = np.full(n, -1, dtype=np.int64)
    seen: dict[str, int] = {}
    codes[~hidden] = [seen.setdefault(str(value), len(seen)) for value in column[~hidden].tolist()]
    names = sorted(seen, key=natural_order)
    rank = np.empty(len(names) + 1, dtype=np.int64)
    rank[[seen[one] for one in names]], rank[-1] = np.arange(len(names)), -1
    return _of_names(name, rank[codes], tuple(names), min_rows)


def everything(n: int, name: str) -> Feature:
    """The feature whose only condition holds for all rows."""
    return Feature(name, np.zeros(n, dtype=np.int64), (name,), np.ones((1, 1)), np.zeros(1, np.bool_))


def _check_length(found: int, n: int, name: str) -> None:
    if found != n:
        raise InputError(
            f"features: {name} must have as many rows as {parameter('y_true')}; it has {found:,}, "
            f"{parameter('y_true')} has {n:,}."
        )


def _of_names(name: str, codes: Integers, names: Sequence[str], min_rows: int) -> Feature:
    """A cell per value; values of fewer than `min_rows` rows, and those beyond the most frequent, share one."""
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    frequent = np.argsort(-counts, kind="stable")[:MOST_VALUES]
    own = np.sort(frequent[counts[frequent] >= min_rows])
    rare = np.setdiff1d(np.flatnonzero(counts), own)
    cell = np.full(len(names) + 1, len(own), dtype=np.int64)
    cell[own] = np.arange(len(own))
    conditions = [f"{name} = {names[code]}" for code in own.tolist()]
    if len(rare):
        conditions.append(f"{name} = another value ({len(rare):,} rare ones)" if len(own) else f"{name} is given")
    cell[-1] = len(conditions)
    found = cell[codes]
    if (codes < 0).any():
        conditions.append(f"{name} is missing")
    members = np.eye(len(conditions))
    pooled = (len(rare), int(counts[rare].sum())) if len(rare) else (0, 0)
    return Feature(name, found, tuple(conditions), members, np.ones(len(conditions), np.bool_), pooled)


def _of_dates(name: str, column: Column, missing: npt.NDArray[np.bool_], min_rows: int) -> Feature:
    days = column.astype("datetime64[D]").astype(np.int64).astype(np.float64)
    return _of_numbers(name, days, missing, min_rows, dates=True)


def _of_numbers(
    name: str, numbers: Floats, missing: npt.NDArray[np.bool_], min_rows: int, *, dates: bool = False
) -> Feature:
    """Numbers cut at their quantiles: every stretch between two cuts is a condition; in pairs, only what lies on one
    side of a cut. Numbers of few different values are a category."""
    known = numbers[~missing]
    distinct = np.unique(known[: 100 * FEW_VALUES])
    if len(distinct) <= FEW_VALUES:
        distinct = np.unique(known)
    if len(distinct) <= FEW_VALUES:
        codes = np.where(missing, -1, np.searchsorted(distinct, np.where(missing, 0.0, numbers)))
        return _of_names(name, codes, [_shown(value, dates) for value in distinct.tolist()], min_rows)
    cuts = _cuts(known, dates)
    last = len(cuts)  # cell i holds the numbers above cut i - 1 and up to cut i
    codes = np.where(missing, last + 1, np.searchsorted(cuts, numbers, side="left"))
    conditions, members, in_pairs = [], [], []
    cells = np.arange(last + 1 + bool(missing.any()))
    for start in range(last + 1):
        for end in range(start, last + 1):
            if start == 0 and end == last:
                continue
            low, high = (_shown(cuts[at], dates) if 0 <= at < last else None for at in (start - 1, end))
            shown = f"{name} > {low}" if high is None else f"{name} ≤ {high}" if low is None else ""
            conditions.append(shown or f"{low} < {name} ≤ {high}")
            members.append((cells >= start) & (cells <= end))
            in_pairs.append(bool(shown))
    if missing.any():
        conditions.append(f"{name} is missing")
        members.append(cells == last + 1)
        in_pairs.append(True)
    return Feature(name, codes, tuple(conditions), np.array(members, dtype=np.float64), np.array(in_pairs))


def _cuts(known: Floats, dates: bool) -> Floats:
    """The quantiles, rounded as far as the spread of the numbers allows; each has numbers on both of its sides."""
    n = len(known)
    places = [min(n - 1, math.ceil(share * n) - 1) for share in CUTS]
    ordered = np.partition(known, places)
    cuts = ordered[places]
    if not dates:
        spread = cuts[CUTS.index(0.75)] - cuts[CUTS.index(0.25)]
        step = spread / FINENESS if spread > 0 else (cuts[-1] - cuts[0]) / FINENESS
        if math.isfinite(step) and step > 0 and not (known == np.floor(known)).all():
            cuts = np.round(cuts, -math.floor(math.log10(step)))
    cuts = np.unique(cuts[np.isfinite(cuts)])
    within: Floats = cuts[(cuts >= known.min()) & (cuts < known.max())]
    return within


def _shown(value: float, dates: bool) -> str:
    if dates:
        return str(np.datetime64(int(value), "D"))
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
