"""Features that define groups of rows: cells and conditions, and sums over all groups of two features at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.errors import InputError, Parameter
from howsure.inputs.checks import Coded, Column, as_column, is_missing
from howsure.inputs.frames import Source, all_columns, columns_from, is_frame
from howsure.inputs.label_spelling import is_non_answer
from howsure.inputs.numbers_and_names import natural_order, word_among_numbers, words_among_numbers
from howsure.inputs.pairs import CLASS_WISE, NEGLIGIBLE_WEIGHT, Bools, Floats, Integers, Pairs, Probabilities
from howsure.inputs.pairs_from import pairs_from

# A feature's cells are the values of a category, or ranges of numbers between quantiles; conditions are unions of
# cells.

MAX_CATEGORIES = 10  # numbers with at most this many distinct values are treated as categories
MAX_VALUES = 30  # most values of a category with a cell of their own
CUTS = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)  # quantiles at which numbers are cut
FINENESS = 100  # cuts are rounded to about 1/100 of the interquartile range


@dataclass(frozen=True, slots=True)
class Feature:
    """A column divided into cells, and conditions that are unions of cells.

    codes (n,): the cell of each row. conditions: the conditions in words. members (conditions, cells): 1 if a condition
    includes a cell, else 0. in_pairs (conditions,): whether a condition is also combined with conditions of another
    feature. pooled: the number of values that are too rare to have their own cell, and the number of their rows. alone:
    whether a condition on this feature alone defines a group.
    """

    name: str
    codes: Integers
    conditions: tuple[str, ...]
    members: Floats
    in_pairs: Bools
    pooled: tuple[int, int] = (0, 0)
    alone: bool = True

    @property
    def cells(self) -> int:
        return len(self.members[0])

    def select(self, rows: Bools) -> Feature:
        """Restrict the feature to some rows."""
        return replace(self, codes=self.codes[rows])


def divide_column(values: Any, *, name: str, n: int, min_rows: int) -> Feature:
    """Divide a column of n numbers, dates or names into cells; missing values have their own cell."""
    if isinstance(values, Coded):
        _check_length(len(values), n, name)
        return _divide_names(name, values.codes.astype(np.int64), values.names, min_rows)
    column = np.ma.getdata(values) if isinstance(values, np.ma.MaskedArray) else as_column(values, name=name)
    _check_length(len(column), n, name)
    hidden = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else np.zeros(n, np.bool_)
    kind = column.dtype.kind
    if kind == "M":
        return _divide_dates(name, column, hidden | np.isnat(column), min_rows)
    if kind in "iuf":
        return _divide_numbers(name, column.astype(np.float64), hidden | (column != column), min_rows)
    if kind == "c" or kind == "m":
        raise InputError(
            f"features: {name} must contain numbers, dates or names; its values are of type {column.dtype}."
        )
    if kind in "OUT":
        hidden = hidden | np.fromiter(map(is_missing, column), np.bool_, n)
        visible = column[~hidden]
        if len(visible) and all(
            isinstance(value, (int, float, np.number)) and not isinstance(value, bool) for value in visible
        ):
            numbers = np.full(n, math.nan)
            numbers[~hidden] = visible.astype(np.float64)
            return _divide_numbers(name, numbers, hidden, min_rows)
    codes = np.full(n, -1, dtype=np.int64)
    codes_by_name: dict[str, int] = {}
    codes[~hidden] = [codes_by_name.setdefault(str(value), len(codes_by_name)) for value in column[~hidden].tolist()]
    names = sorted(codes_by_name, key=natural_order)
    rank = np.empty(len(names) + 1, dtype=np.int64)
    rank[[codes_by_name[name] for name in names]], rank[-1] = np.arange(len(names)), -1
    return _divide_names(name, rank[codes], tuple(names), min_rows)


def all_rows_feature(n: int, name: str) -> Feature:
    """Return a feature with a single condition that is true for all n rows."""
    return Feature(name, np.zeros(n, dtype=np.int64), (name,), np.ones((1, 1)), np.zeros(1, np.bool_))


def _check_length(length: int, n: int, name: str) -> None:
    if length != n:
        raise InputError(
            "features: {name} must have as many rows as `y_true`; it has {length:,}, `y_true` has {n:,}.",
            name=name,
            length=length,
            n=n,
        )


def _divide_names(name: str, codes: Integers, names: Sequence[str], min_rows: int) -> Feature:
    """Return a feature with a cell and a condition for each value. Rare values (in fewer than `min_rows` rows, or not
    among the 30 most frequent ones) share one cell."""
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    words = [*filter(is_non_answer, words_among_numbers(dict(zip(names, counts.tolist(), strict=True))))]
    if words and len(names) - len(words) > MAX_CATEGORIES:
        row = int(np.isin(codes, [names.index(word) for word in words]).argmax())
        raise word_among_numbers(name, names[codes[row]], row=row, advice=".")
    frequent = np.argsort(-counts, kind="stable")[:MAX_VALUES]
    kept = np.sort(frequent[counts[frequent] >= min_rows])
    rare = np.setdiff1d(np.flatnonzero(counts), kept)
    cell = np.full(len(names) + 1, len(kept), dtype=np.int64)
    cell[kept] = np.arange(len(kept))
    conditions = [f"{name} = {names[code]}" for code in kept.tolist()]
    if len(rare):
        conditions.append(f"{name} = another value ({len(rare):,} rare ones)" if len(kept) else f"{name} is given")
    cell[-1] = len(conditions)
    cells = cell[codes]
    if (codes < 0).any():
        conditions.append(f"{name} is missing")
    members = np.eye(len(conditions))
    pooled = (len(rare), int(counts[rare].sum())) if len(rare) else (0, 0)
    return Feature(name, cells, tuple(conditions), members, np.ones(len(conditions), np.bool_), pooled)


def _divide_dates(name: str, column: Column, missing: Bools, min_rows: int) -> Feature:
    days = column.astype("datetime64[D]").astype(np.int64).astype(np.float64)
    return _divide_numbers(name, days, missing, min_rows, dates=True)


def _divide_numbers(name: str, numbers: Floats, missing: Bools, min_rows: int, *, dates: bool = False) -> Feature:
    """Make cells between quantiles; each range between two cuts is a condition, but pairs use only one-sided ranges.

    Numbers with at most 10 distinct values are treated as categories.
    """
    visible = numbers[~missing]
    distinct = np.unique(visible[: 100 * MAX_CATEGORIES])
    if len(distinct) <= MAX_CATEGORIES:
        distinct = np.unique(visible)
    if len(distinct) <= MAX_CATEGORIES:
        codes = np.where(missing, -1, np.searchsorted(distinct, np.where(missing, 0.0, numbers)))
        return _divide_names(name, codes, [_bound_text(value, dates) for value in distinct.tolist()], min_rows)
    cuts = _distinct_quantiles(visible, dates)
    last = len(cuts)  # cell i: cut i - 1 < number ≤ cut i
    codes = np.where(missing, last + 1, np.searchsorted(cuts, numbers, side="left"))
    conditions, members, in_pairs = [], [], []
    cells = np.arange(last + 1 + bool(missing.any()))
    for start in range(last + 1):
        for end in range(start, last + 1):
            if start == 0 and end == last:
                continue
            low, high = (_bound_text(cuts[at], dates) if 0 <= at < last else None for at in (start - 1, end))
            shown = f"{name} > {low}" if high is None else f"{name} ≤ {high}" if low is None else ""
            conditions.append(shown or f"{low} < {name} ≤ {high}")
            members.append((cells >= start) & (cells <= end))
            in_pairs.append(bool(shown))
    if missing.any():
        conditions.append(f"{name} is missing")
        members.append(cells == last + 1)
        in_pairs.append(True)
    return Feature(name, codes, tuple(conditions), np.array(members, dtype=np.float64), np.array(in_pairs))


def _distinct_quantiles(visible: Floats, dates: bool) -> Floats:
    """Return the distinct quantiles that have numbers on both sides, rounded relative to the spread."""
    n = len(visible)
    positions = [min(n - 1, math.ceil(share * n) - 1) for share in CUTS]
    ordered = np.partition(visible, positions)
    cuts = ordered[positions]
    if not dates:
        spread = cuts[CUTS.index(0.75)] - cuts[CUTS.index(0.25)]
        step = spread / FINENESS if spread > 0 else (cuts[-1] - cuts[0]) / FINENESS
        if math.isfinite(step) and step > 0 and not (visible == np.floor(visible)).all():
            cuts = np.round(cuts, -math.floor(math.log10(step)))
    cuts = np.unique(cuts[np.isfinite(cuts)])
    return np.asarray(cuts[(cuts >= visible.min()) & (cuts < visible.max())])


def _bound_text(value: float, dates: bool) -> str:
    if dates:
        return str(np.datetime64(int(value), "D"))
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


# Convert the parameter `features` to columns and features.

PREDICTION = "prediction"


def pairs_and_features(
    y_true: Any, y_prob: Any, *, features: Any, data: Any, id: Any = None, **roles: Any
) -> tuple[Pairs, Mapping[str, Any], dict[str, Any]]:
    """Return the pairs, the columns of features by name, and a description of the files ({} for arrays and frames)."""
    if isinstance(data, Source):
        feature_names = _names(features)
        if isinstance(y_prob, Probabilities) and y_prob.reduce == CLASS_WISE:
            raise InputError(
                "{reduce} makes several pairs of each row, so groups cannot be found. Use top-label or one class.",
                reduce=Parameter("reduce", CLASS_WISE),
            )
        if isinstance(y_true, str) and y_true in feature_names:
            raise InputError(
                "{parameter} must not name the label: {y_true} is `y_true`. Make groups from what is known before "
                "the label.",
                "features",
                y_true=y_true,
            )
        roles |= {"features": feature_names, "id": id, "find_items": True, "models_as": "features"}
        with data.predictions(y_true, y_prob, **roles) as predictions:
            return predictions.pairs(), predictions.features(feature_names), predictions.describe()
    columns = columns_by_name(features, data)
    pairs = pairs_from(y_true, y_prob, data=data, models_as="features", other=list(columns), **roles)
    return pairs, columns, pairs.described


def columns_by_name(features: Any, data: Any) -> dict[str, Any]:
    """Return the columns of the parameter `features` by name: from `data`, a mapping or a data frame."""
    if features is None:
        raise InputError("features are missing. Give a data frame, or a mapping of names to columns.")
    if data is not None:
        names = _names(features)
        values: Sequence[Any] = columns_from(data, names)
    elif isinstance(features, Mapping):
        names, values = _unequal_names(features), list(features.values())
    elif is_frame(features):
        all_names, values = all_columns(features)
        names = _unequal_names(all_names)
    else:
        raise InputError(
            f"features must be a data frame, or a mapping of names to columns; it is a {type(features).__name__}. "
            "Name the columns: features={'length': ...}."
        )
    return dict(zip(names, values, strict=True))


def _names(features: Any) -> list[str]:
    """Check that `features` is a list of distinct column names, and return it."""
    if isinstance(features, str) or not isinstance(features, Sequence):
        raise InputError(
            "with `data=...`, features must be a list of names of its columns; it is {features!r}.", features=features
        )
    return _unequal_names(features)


def _unequal_names(features: Iterable[Any]) -> list[str]:
    names = [str(name) for name in features]
    if not names:
        raise InputError("features must contain at least one column, but it is empty.")
    for name in names:
        if names.count(name) > 1:
            times = names.count(name)
            raise InputError(
                "{parameter} must name each column once; {name} occurs {times} times.",
                "features",
                name=name,
                times=times,
            )
    return names


def weighted_features(raw_pairs: Pairs, columns: Mapping[str, Any], *, min_rows: int) -> tuple[Pairs, list[Feature]]:
    """Return the pairs of non-negligible weight, and the features of their rows."""
    features = [
        divide_column(values, name=name, n=len(raw_pairs), min_rows=min_rows) for name, values in columns.items()
    ]
    pairs, features = _drop_negligible(raw_pairs, features)
    if len(pairs) < 2 * min_rows:
        least = f"`min_rows={min_rows:,}`"
        raise InputError(f"groups of {least} need at least {2 * min_rows:,} rows; there are {len(pairs):,}.")
    for feature in features:
        _refuse_teller(feature, pairs)
    return pairs, features


def prediction_feature(pairs: Pairs, columns: Mapping[str, Any], *, min_rows: int, alone: bool = True) -> Feature:
    """Return the predictions as a further feature, with a name that no column has."""
    name = PREDICTION
    while name in columns:
        name = f"model's {name}"
    feature = divide_column(pairs.probabilities, name=name, n=len(pairs), min_rows=min_rows)
    return replace(feature, alone=alone)


def _drop_negligible(raw_pairs: Pairs, features: list[Feature]) -> tuple[Pairs, list[Feature]]:
    """Return pairs and features without the rows of negligible weight."""
    if raw_pairs.weights is None:
        return raw_pairs, features
    counts = raw_pairs.weights > raw_pairs.weight_unit * NEGLIGIBLE_WEIGHT
    pairs = raw_pairs.with_positive_weight()
    if bool(counts.all()):
        return pairs, features
    return pairs, [feature.select(counts) for feature in features]


def _refuse_teller(feature: Feature, pairs: Pairs) -> None:
    """Raise InputError for a feature that determines every label, because none of its cells contains both labels."""
    rows = np.bincount(feature.codes, minlength=feature.cells)
    ones = np.bincount(feature.codes, weights=pairs.labels, minlength=feature.cells)
    if 0 < pairs.labels.sum() < len(pairs) and bool(((ones == 0) | (ones == rows)).all()):
        raise InputError(
            f"features: {feature.name} determines every label: none of its values occurs with both labels. Is it "
            "the label itself, or made from it? Use features that are known before the label."
        )


# Sums over all groups of one feature, or of two features at once.


@dataclass(frozen=True, slots=True)
class Crossed:
    """The cross table of two features; for a single feature, the second feature has one cell.

    codes (n,): the cell of each row in the table. cells: the number of cells of each feature. members: for each
    feature, the members (conditions, cells) of the conditions used. conditions: the indices of the conditions used
    among all conditions of the feature.
    """

    codes: Integers
    cells: tuple[int, int]
    members: tuple[Floats, Floats]
    conditions: tuple[Integers, Integers]

    def sums(self, of: Integers, k: int, weights: Floats | None) -> Floats:
        """Add up weights by the codes `of` (n,), 0 to k - 1, and by conditions of both features: (k, c1, c2)."""
        a, b = self.cells
        by_cell = np.bincount(of * (a * b) + self.codes, weights=weights, minlength=k * a * b).reshape(k, a, b)
        return np.asarray(self.members[0] @ (by_cell.astype(np.float64) @ self.members[1].T))


def single_table(feature: Feature) -> Crossed:
    conditions = np.arange(len(feature.conditions))
    return Crossed(feature.codes, (feature.cells, 1), (feature.members, np.ones((1, 1))), (conditions, np.array([-1])))


def cross_table(first: Feature, second: Feature) -> Crossed:
    """Return the table of two features, with the conditions that are combined in pairs."""
    return Crossed(
        first.codes * second.cells + second.codes,
        (first.cells, second.cells),
        (first.members[first.in_pairs], second.members[second.in_pairs]),
        (np.flatnonzero(first.in_pairs), np.flatnonzero(second.in_pairs)),
    )
