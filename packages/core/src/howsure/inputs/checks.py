"""Checks of user input. Every column is checked once, on entry, and all other code relies on the result.

Messages count rows from 0, as in `y_prob[12]`. The checks are vectorised; the invalid row is searched for only after a
check has failed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import EMPTY, Fault, InputError, Parameter, Verbatim
from howsure.inputs.label_spelling import check_positive, is_non_answer, is_same_label, spellings, spellings_note
from howsure.inputs.numbers_and_names import (
    LARGEST_FLOAT,
    LARGEST_SCORE,
    comma_advice,
    natural_order,
    nearest,
    number_or_text,
    parse_number,
    proportions,
    shortened,
)
from howsure.inputs.numbers_and_names import is_missing as is_missing
from howsure.inputs.pairs import Floats, Integers, Labels
from howsure.inputs.stated_confidence import is_stated

Column = npt.NDArray[Any]
Codes = np.ndarray[Any, np.dtype[Any]]  # integers of any width


def as_column(values: object, *, name: str) -> Column:
    """Convert a list, tuple, array, series or tensor to a one-dimensional numpy array (an array is not copied).

    >>> as_column([0.5, None], name="y_prob")
    array([0.5, None], dtype=object)
    """
    if isinstance(values, (str, bytes, dict, set, frozenset)) or values is None:
        raise InputError("not_a_column", name, type=_type_name(values))
    if isinstance(values, np.ma.MaskedArray) and len(hidden := np.flatnonzero(np.ma.getmaskarray(values))):
        raise missing(name, int(hidden[0]))
    try:
        column = np.asarray(values)
    except Exception as error:  # a ragged list, a tensor that needs gradients or lives on another device
        remedy = "Pass tensor.detach().cpu()." if hasattr(values, "detach") else "Give one value per row."
        raise InputError(
            "{parameter} cannot be read as a column ({error})", name, error=str(error), remedy=remedy
        ) from error
    if column.dtype.kind == "U" and column.ndim == 1 and isinstance(values, (list, tuple)):
        has_others = not all(issubclass(kind, (str, bytes)) for kind in set(map(type, values)))
        column = np.asarray(values, dtype=object) if has_others else column  # numpy has converted numbers to strings
    if column.ndim == 0:
        raise InputError("not_a_column", name, type=_type_name(values))
    if column.dtype.kind == "O":
        _refuse_huge(column, name)
    if column.dtype.kind == "c":
        raise InputError("{parameter} must not contain complex numbers", name, value=column.flat[0], row=0)
    if column.ndim > 1:
        remedy = f"Take one column: {{parameter}}[:, {int(column.shape[1] > 1)}]."
        raise InputError("not_one_dimension", name, shape=column.shape, remedy=remedy)
    if len(column) == 0:
        raise InputError("empty", name)
    return column


def with_none(values: Any) -> Any:
    """Convert a masked array to objects with None for masked entries; return anything else unchanged."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    objects = np.ma.getdata(values).astype(object)
    objects[np.ma.getmaskarray(values)] = None
    return objects


def _refuse_huge(column: Column, name: str) -> None:
    """Raise InputError for an integer that is larger than any float; numpy stores such integers as objects."""
    values = column.ravel().tolist()
    if not any(issubclass(kind, int) for kind in set(map(type, values))):
        return
    for row, value in enumerate(values):
        if isinstance(value, int) and not -LARGEST_FLOAT <= value <= LARGEST_FLOAT:
            raise InputError(
                "too_wide", name, value=value, row=row, largest=sys.float_info.max, remedy="If it is a name, quote it."
            )


def check_finite(values: Floats, *, name: str) -> None:
    """Raise InputError for the first score that is not finite, or so large that a sum of fourth powers would overflow.

    >>> check_finite(np.array([0.5, 1.7e308]), name="score")
    Traceback (most recent call last):
    howsure.errors.InputError: score must be between -1e+70 and 1e+70; row 1 is 1.7e+308. Larger values overflow means
    and variances: divide all by the same number. (Rows are counted from 0.)
    """
    wrong = np.flatnonzero(~(np.abs(values) <= LARGEST_SCORE))
    if len(wrong):
        row, value = int(wrong[0]), float(values[wrong[0]])
        if not math.isfinite(value):
            raise InputError("not_finite", name, value=value, row=row, remedy="leave_out_rows")
        remedy = "Larger values overflow means and variances: divide all by the same number."
        raise InputError("outside", name, value=value, row=row, low=-LARGEST_SCORE, high=LARGEST_SCORE, remedy=remedy)


def as_array(values: Any) -> Column:
    """Convert values to an array of any shape; lists of different lengths become a one-dimensional array of objects.

    >>> as_array([[0], [0, 1]]).shape, as_array([[0, 1], [0, 2]]).shape
    ((2,), (2, 2))
    """
    try:
        return np.asarray(values)
    except ValueError:
        objects = np.empty(len(values), dtype=object)
        for row, value in enumerate(values):
            objects[row] = value
        return objects


def first_missing(column: Column) -> int | None:
    """Return the index of the first missing value, as defined by `is_missing`; None if no value is missing."""
    if column.dtype.kind in "OUT":
        try:
            codes, distinct = factorised(column)
        except TypeError:  # lists cannot be hashed
            return next((row for row, value in enumerate(column) if is_missing(value)), None)
        return _first_missing_code(codes, distinct)
    if column.dtype.kind in "fcmM":
        rows = np.flatnonzero(np.isnan(column) if column.dtype.kind in "fc" else np.isnat(column))
        return int(rows[0]) if len(rows) else None
    return None


def _first_missing_code(codes: Codes, distinct: Sequence[object]) -> int | None:
    """Return the first row whose value, `distinct[codes[row]]`, is missing; None if no value is missing."""
    is_missing_code = np.fromiter(map(is_missing, distinct), dtype=np.bool_, count=len(distinct))
    return int(is_missing_code[codes].argmax()) if is_missing_code.any() else None


def missing(
    name: str,
    row: int | None = None,
    *,
    place: str | None = None,
    value: object = EMPTY,
    remedy: str = "leave_out_rows",
    **values: Any,
) -> InputError:
    """Build the error for a missing value; `values` fill the placeholders of the remedy."""
    return InputError("missing", name, value=value, row=row, place=place, remedy=remedy, **values)


def _type_name(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def listed(values: object, *, name: str, of: str) -> list[Any]:
    """Convert an iterable to a list. Raises InputError for a string and for anything that is not iterable."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError("{parameter} must be a list of {items}", name, items=of, value=values)
    return list(values)


# Columns of names are stored as integer codes and a tuple of distinct names.

LOOKUP_SPREAD = 4
MAX_GROUPS = 50_000  # each group is evaluated separately
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ divided by the golden ratio (Knuth 1973)
HASH_BLOCK = 8192  # rows at a time, which fit into the processor's cache
MAX_HASHED = 64  # characters; longer strings are hashed one by one
PROBED, FEW_TEXTS = 1000, 4  # rows that show whether a column has few different texts
MIN_WEIGHT = sys.float_info.min  # smaller floats are subnormal and have fewer digits
GROUP_SECONDS = 0.002  # least time in seconds to evaluate one group


@dataclass(frozen=True, slots=True)
class Coded:
    """A column of names, in which row i is `names[codes[i]]`. Names are in natural order; each occurs in some row."""

    codes: Codes
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def rows_by_name(self) -> dict[str, int]:
        """The number of rows of each name."""
        rows = np.bincount(self.codes[self.codes >= 0], minlength=len(self.names)).tolist()
        return dict(zip(self.names, rows, strict=True))

    def spellings_note(self, kind: str) -> list[str]:
        """Return a note on names that differ only in spelling; [] if there are none. kind: a noun such as "models"."""
        note = spellings_note(self.rows_by_name, kind)
        return [] if note is None else [f"{note}."]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Column:
        return np.array(self.names, dtype=object)[self.codes].astype(dtype or object)


def check_group_count(
    groups: int, rows: int, *, name: str, most: int = MAX_GROUPS, seconds: float = GROUP_SECONDS
) -> None:
    """Raise InputError if a column has more than `most` groups, which would take at least `seconds` each to evaluate.

    >>> check_group_count(10**6, 10**6, name="groups")
    Traceback (most recent call last):
    howsure.errors.InputError: groups must have at most 50,000 different values; its 1,000,000 rows have 1,000,000. Each
    group is evaluated separately, which would take at least 33 minutes. Name a column with fewer values; ...
    """
    if groups > most:
        minutes = groups * seconds / 60
        raise InputError(
            "{parameter} must have at most {most:,} different values; its {rows:,} rows have {groups:,}. Each group is "
            "evaluated separately, which would take at least {minutes:,} minutes",
            name,
            most=most,
            rows=rows,
            groups=groups,
            minutes=round(minutes),
            remedy="Name a column with fewer values; a column of items or documents is a cluster, not a group.",
        )


def factorised(column: Column) -> tuple[Integers, list[Any]]:
    """Return the codes of the rows (n,) and the distinct values, as numpy.unique with its inverse.

    Distinct numbers are in ascending order; other values are in the order of their first occurrence.

    Raises TypeError for values that cannot be hashed, such as lists.
    """
    kind = column.dtype.kind
    if kind in "biu":
        integers = column.astype(np.int64, copy=False) if kind != "u" or column.dtype.itemsize < 8 else column
        low, high = int(integers.min()), int(integers.max())
        if high <= np.iinfo(np.int64).max and high - low < LOOKUP_SPREAD * len(integers) + 1000:
            return _looked_up(integers - low, low, kind)
    if kind in "biuf":
        distinct, codes = np.unique(column, return_inverse=True)
        return codes.astype(np.int64, copy=False), distinct.tolist()
    if kind == "U" and len(column) > 1:
        starts = np.flatnonzero(np.append(True, column[1:] != column[:-1]))  # equal names are often adjacent
        if len(starts) < len(column) // 4:
            run_codes, names = _factorised_texts(column[starts])
            return np.repeat(run_codes, np.diff(starts, append=len(column))), names
        return _factorised_texts(column)
    return _factorised_values(column.astype(str).tolist() if kind in "mM" else column.tolist())


def _factorised_texts(column: Column) -> tuple[Integers, list[Any]]:
    """Compute `factorised` for a column of numpy's fixed-width strings, with a hash table whose buckets contain rows.

    Strings that differ from the first string in their bucket are put into another table, until none are left.
    """
    n, width = len(column), column.dtype.itemsize // 4
    if width > MAX_HASHED:
        return _factorised_values(column.tolist())
    if len(set(column[:PROBED].tolist())) <= FEW_TEXTS:  # such as labels: compare all rows with one text after another
        codes, is_left, names = np.empty(n, dtype=np.int64), np.ones(n, dtype=np.bool_), list[Any]()
        while len(names) <= FEW_TEXTS:
            first = int(is_left.argmax())
            is_same = column == column[first]
            codes[is_same] = len(names)
            names.append(str(column[first]))
            is_left &= ~is_same
            if not is_left.any():
                return codes, names
    hashes = np.zeros(n, dtype=np.uint64)
    one_or_two = np.uint32 if width % 2 else np.uint64  # characters at a time
    texts = np.ascontiguousarray(column).view(one_or_two).reshape(n, -1)
    for start in range(0, n, HASH_BLOCK):
        block = hashes[start : start + HASH_BLOCK]
        for characters in texts[start : start + HASH_BLOCK].T:
            block ^= characters
            block *= HASH_FACTOR
            block ^= block >> np.uint64(32)
    bits = n.bit_length() + 1
    first_row, left, bucket_rows = np.empty(n, dtype=np.int64), np.arange(n), np.empty(1 << bits, dtype=np.int64)
    while len(left):
        buckets = hashes >> np.uint64(64 - bits)
        bucket_rows[buckets[::-1]] = left[::-1]  # assigned in reverse order, so that a bucket keeps its first row
        first_row[left] = bucket_rows[buckets]
        differs = column[first_row[left]] != column[left]
        left, hashes = left[differs], hashes[differs] * HASH_FACTOR
    distinct_rows = np.flatnonzero(first_row == np.arange(n))
    code_of_row = np.empty(n, dtype=np.int64)
    code_of_row[distinct_rows] = np.arange(len(distinct_rows))
    return code_of_row[first_row], column[distinct_rows].tolist()


def _factorised_values(rows: list[Any]) -> tuple[Integers, list[Any]]:
    code_by_value = {value: code for code, value in enumerate(dict.fromkeys(rows))}
    codes = np.fromiter(map(code_by_value.__getitem__, rows), dtype=np.int64, count=len(rows))
    return codes, list(code_by_value)


def _looked_up(offsets: Column, low: int, kind: str) -> tuple[Integers, list[Any]]:
    present = np.zeros(int(offsets.max()) + 1, dtype=np.int64)
    present[offsets] = 1
    distinct = np.flatnonzero(present)
    present[distinct] = np.arange(len(distinct))
    values = distinct + low
    return present[offsets], (values.astype(np.bool_) if kind == "b" else values).tolist()


# Checks of numbers, probabilities, labels, weights and codes.

ROUNDING = 1e-3
MAX_SPELLINGS = 1000  # of two labels
MAX_LABELS = 12  # a column with more distinct values is not a column of labels
LIKELY_PERCENT = 10  # logits are rarely larger, so larger values are probably percentages
GIVEN_PREFIX = "Probabilities."  # precedes the parameters `logits` and `logprobs` in messages
NUMERIC = "biuf"  # dtype kinds of numbers
NUMBER_TYPES = (bool, int, float, Decimal, np.number, np.bool_)
NO_NUMBERS = (str, bytes, np.datetime64, np.timedelta64, np.ndarray)  # not numbers, although some convert to float


def check_numbers(values: object, *, name: str, n: int | None = None) -> Floats:
    """Convert a column of numbers or percentages to float64 (n,), without a copy if it is float64 already."""
    column = as_column(values, name=name)
    if n is not None:
        _check_length(column, n, name)
    kind = column.dtype.kind
    if kind in NUMERIC:
        return column.astype(np.float64, copy=False)
    row = first_missing(column) if kind == "O" else None
    if row is not None:
        raise missing(name, row)
    if (numbers := proportions(column)) is not None:
        return numbers
    for row, value in enumerate(column):
        if isinstance(value, NO_NUMBERS) or not hasattr(value, "__float__"):
            raise not_a_number(name, value, row=row)
    return column.astype(np.float64)


def check_probabilities(
    y_prob: object, *, name: str = "y_prob", n: int | None = None, prefix: str | None = None
) -> Floats:
    """Check probabilities (all in [0, 1], none missing) and return them as float64 (n,).

    A float64 array is not copied, unless it contains a negative zero, which becomes 0. n: the required number of rows.
    prefix: see `probability_advice`.

    >>> check_probabilities([0, 0.25, 1])
    array([0.  , 0.25, 1.  ])
    """
    values = check_numbers(y_prob, name=name, n=n)
    low, high = values.min(), values.max()  # both are NaN if any value is NaN
    if not (low >= 0.0 and high <= 1.0):
        row = int(is_probability(values).argmin())
        value = float(values[row])
        if math.isnan(value):
            raise missing(name, row)
        raise not_a_probability(name, value, row=row, highest=float(high), prefix=prefix)
    return values + 0.0 if low == 0.0 and np.signbit(values).any() else values


def probability_advice(
    value: float, highest: float = math.inf, *, prefix: str | None = None, transform: str = "sigmoid"
) -> str:
    """Guess why a value is outside [0, 1] (rounding, log-probability, percentage or logit) and return a remedy.

    highest: the largest value in the column. prefix: the prefix of the parameters `logits` and `logprobs` in the
    message (`GIVEN_PREFIX` or an empty string); None if the function has no such parameters. transform: the function
    that turns logits into probabilities, "sigmoid" or, for several classes, "softmax".
    """
    exp = "Apply exp first" if prefix is None else f"Give `{prefix}logprobs=...` instead"
    logits = f"Apply a {transform} first" if prefix is None else f"Give `{prefix}logits=...` instead"
    if -ROUNDING <= value <= 1 + ROUNDING:
        return "Is it a rounding error? Clip it in your own pipeline; howsure does not clip silently."
    if highest <= 0:
        return f"Are these log-probabilities? {exp}."
    if value > 1 and LIKELY_PERCENT < highest <= 100:
        return f"Are these percentages? Divide by 100. Or logits? {logits}."
    return f"Are these logits? {logits}."


def check_labels(y_true: object, *, pos_label: object = None, name: str = "y_true") -> Labels:
    """Convert labels to 0 and 1 (n,), uint8: from bool, 0/1 as numbers or strings, or any two values with `pos_label`.

    >>> check_labels(["correct", "wrong", "correct"], pos_label="correct")
    array([1, 0, 1], dtype=uint8)
    >>> check_labels(["b", "a"])
    Traceback (most recent call last):
    howsure.errors.InputError: y_true must be 0 or 1; it contains 'b' (1), 'a' (1). Name the positive value:
    pos_label='b' or pos_label='a'.
    """
    column = as_column(y_true, name=name)
    row = first_missing(column) if column.dtype.kind in "OUT" else None
    if row is not None:
        raise missing(name, row)
    if pos_label is None and (labels := _zero_or_one(column)) is not None:
        return labels
    row = first_missing(column)
    if row is not None:
        raise missing(name, row)
    try:
        codes, distinct = factorised(column)
    except TypeError:  # lists cannot be hashed
        raise _not_one_value(name) from None
    rows, order = np.bincount(codes).tolist(), range(len(distinct))
    if column.dtype.kind in NUMERIC:  # distinct numbers are in ascending order, and counts in that of the rows
        order = np.argsort(np.unique(codes, return_index=True)[1]).tolist()
    counts = {distinct[code]: rows[code] for code in order}
    ones = positive_values(counts, pos_label, name=name)
    return np.array([value in ones for value in distinct], dtype=np.uint8)[codes]


def positive_values(
    counts: Mapping[Any, int], pos_label: object, *, name: str, decimal_comma: bool = False, in_file: bool = False
) -> list[Any]:
    """Return the values of a column of labels that mean 1; counts: the number of rows by value.

    >>> positive_values({"1.0": 3, " 0": 2}, None, name="y_true"), positive_values({"b": 1, "a": 2}, "a", name="y_true")
    (['1.0'], ['a'])
    """
    if len(counts) > MAX_SPELLINGS:
        raise not_two_values(counts, pos_label=pos_label, name=name, in_file=in_file)
    numbers = {value: _label_number(value, decimal_comma=decimal_comma) for value in counts}
    target = 1.0 if pos_label is None else _label_number(pos_label)
    if target is not None and None not in numbers.values():
        return [value for value, number in numbers.items() if number == target]
    ones = [] if pos_label is None else [value for value in counts if is_same_label(str(value), pos_label)]
    if not ones or len(counts) - len(ones) > 1:
        raise not_two_values(counts, pos_label=pos_label, name=name, in_file=in_file)
    check_positive(counts, pos_label, name=name)
    return ones


def _label_number(value: Any, *, decimal_comma: bool = False) -> float | None:
    """Return 0 or 1 if a label is this number or truth value, or spells it; otherwise None."""
    text = value.strip() if isinstance(value, str) else value
    number = number_or_text(text.replace(",", ".") if decimal_comma and isinstance(text, str) else text)
    return float(number) if isinstance(number, NUMBER_TYPES) and number in (0, 1) else None


def check_weights(sample_weight: object, *, n: int, name: str = "sample_weight") -> Floats:
    """Check weights (finite, none negative, not all 0, finite sum) and return them as float64 (n,).

    >>> check_weights([1, 2.5], n=2)
    array([1. , 2.5])
    """
    values = check_numbers(sample_weight, name=name, n=n)
    low, high = values.min(), values.max()
    if not (low >= 0.0 and high < math.inf):
        row = int(is_weight(values).argmin())
        value = float(values[row])
        raise missing(name, row) if math.isnan(value) else not_a_weight(name, value, row=row)
    if high == 0.0:
        raise weighs_nothing(name)
    with np.errstate(over="ignore"):
        total = float(values.sum())
    if high < MIN_WEIGHT:
        remedy = "Multiply all by the same number."
        raise InputError("too_small", name, value=float(high), row=int(values.argmax()), remedy=remedy)
    if total == math.inf:
        raise InputError("sum_overflows", name, value=float(high), row=int(values.argmax()), remedy="divide")
    return values


def check_codes(values: object, *, n: int, name: str, groups: bool = False) -> tuple[Integers, tuple[str, ...]]:
    """Return codes from 0 (n,) for a column, and their names: the distinct values as strings, in natural order.

    >>> check_codes(["b10", "b2", "b10"], n=3, name="groups")
    (array([1, 0, 1]), ('b2', 'b10'))
    """
    if isinstance(values, Coded):
        _check_length(values.codes, n, name)
        check_group_count(len(values.names) if groups else 0, n, name=name)
        return values.codes, values.names
    kind, codes, distinct = _coded_values(values, n, name)
    check_group_count(len(distinct) if groups else 0, n, name=name)
    texts = [str(value) for value in distinct]
    if kind in NUMERIC:
        return codes, tuple(texts)
    names = sorted(set(texts), key=natural_order)
    position = {text: code for code, text in enumerate(names)}
    return np.array([position[text] for text in texts], dtype=np.int64)[codes], tuple(names)


def check_clusters(values: object, *, n: int, name: str = "clusters") -> Integers:
    """Return codes of clusters from 0 (n,); this is faster than `check_codes`, since names are not returned.

    >>> check_clusters(["doc 7", "doc 7", "doc 1"], n=3)
    array([1, 1, 0])
    """
    if isinstance(values, Coded):
        _check_length(values.codes, n, name)
        return values.codes.astype(np.int64)
    kind, codes, distinct = _coded_values(values, n, name)
    if kind in NUMERIC:
        return codes
    order = sorted(range(len(distinct)), key=lambda code: str(distinct[code]))  # codes do not depend on row order
    return np.argsort(order)[codes]


def check_same_length(**columns: Any) -> int:
    """Check that the named columns have the same length and return it; columns that are None are ignored.

    >>> check_same_length(y_true=[0, 1], y_prob=[0.1, 0.2, 0.3], groups=None)
    Traceback (most recent call last):
    howsure.errors.InputError: y_true, y_prob must have the same number of rows; they have 2, 3.
    """
    present = {name: column for name, column in columns.items() if column is not None}
    for name, column in present.items():
        if not hasattr(column, "__len__") or getattr(column, "shape", None) == ():
            raise InputError("not_a_column", name, type=_type_name(column))
    lengths = {name: len(column) for name, column in present.items()}
    if len(set(lengths.values())) != 1:
        raise InputError(
            "{columns} must have the same number of rows; they have {sizes:,}",
            columns=[Parameter(name) for name in lengths],
            sizes=list(lengths.values()),
        )
    return next(iter(lengths.values()))


def _coded_values(values: object, n: int, name: str) -> tuple[str, Integers, list[Any]]:
    """Return the kind of a column's dtype, the code of each row, and the distinct values (`factorised`)."""
    column = as_column(values, name=name)
    _check_length(column, n, name)
    kind = column.dtype.kind
    row = None if kind in "OUT" else first_missing(column)
    if row is None:
        try:
            codes, distinct = factorised(column)
        except TypeError:
            row = first_missing(column)
            raise (_not_one_value(name) if row is None else missing(name, row)) from None
        row = _first_missing_code(codes, distinct) if kind in "OUT" else None
    if row is not None:
        raise missing(name, row)
    return kind, codes, distinct


def _check_length(column: Column, n: int, name: str) -> None:
    if len(column) != n:
        raise InputError("wrong_length", name, n=len(column), expected=n)


def _zero_or_one(column: Column) -> Labels | None:
    """Convert an array of 0 and 1 (numbers or bool) to labels; return None for any other array."""
    kind = column.dtype.kind
    if kind == "b":
        return column.view(np.uint8)
    if kind in "iu":
        return column.astype(np.uint8) if np.bitwise_or.reduce(column) in (0, 1) else None
    if kind != "f" or not (column.min() >= 0 and column.max() <= 1):
        return None
    labels: Labels = column.astype(np.uint8)
    return labels if bool((labels == column).all()) else None


# Rules and errors for arrays and for files that are read in chunks. place: the row's location in words, for sources
# that do not number rows from 0.


def is_probability(values: Floats) -> npt.NDArray[np.bool_]:
    """Return whether each value is in [0, 1]; False for NaN."""
    return (values >= 0.0) & (values <= 1.0)


def is_weight(values: Floats) -> npt.NDArray[np.bool_]:
    """Return whether each value is finite and not negative."""
    return (values >= 0.0) & (values < math.inf)


def unequal_signs(name: str, value: object, other: object, *, row: int | None = None, place: str = "") -> InputError:
    """Build the error for a column that mixes numbers with and without a percent sign, such as `value` and `other`."""
    rule = (
        "{parameter} must have a percent sign in each row or in none; {row} is {value!r}, but most are like {other!r}."
    )
    return InputError(rule, name, value=value, other=other, row=row, place=place if row is None else None)


def not_a_number(name: str, value: object, *, row: int | None = None, place: str | None = None) -> InputError:
    """Build the error for a value that is not a number, such as a string."""
    remedy = (comma_advice(value) if isinstance(value, str) else "") or "leave_out_rows"
    if place is None and isinstance(value, str) and parse_number(value) is not None:
        remedy = "convert_texts"
    elif Fault("not_a_number", name).role == "y_prob" and is_stated(value) and (place or not str(value).endswith("%")):
        remedy = "name_stated"
    elif place is not None and isinstance(value, str) and is_non_answer(value):
        example = Parameter("missing_values", [value])
        return InputError("not_a_number", name, value=value, place=place, example=example, remedy="missing_value")
    return InputError("not_a_number", name, value=value, row=row, place=place, remedy=remedy)


def not_a_probability(
    name: str,
    value: float,
    *,
    highest: float,
    row: int | None = None,
    place: str | None = None,
    prefix: str | None = GIVEN_PREFIX,
) -> InputError:
    """Build the error for a number outside [0, 1]; for `highest` and `prefix` see `probability_advice`."""
    remedy = probability_advice(value, highest, prefix=prefix)
    return InputError("outside", name, value=value, row=row, place=place, low=0, high=1, remedy=remedy)


def not_a_weight(name: str, value: float, *, row: int | None = None, place: str | None = None) -> InputError:
    """Build the error for a weight that is negative or infinite."""
    return InputError("not_a_weight", name, value=value, row=row, place=place, remedy="leave_out_rows")


def weighs_nothing(name: str) -> InputError:
    """Build the error for weights that are all 0."""
    return InputError("all_zero", name)


def not_two_values(
    counts: Mapping[Any, int], *, pos_label: object, name: str, more: bool = False, in_file: bool = False
) -> InputError:
    """Return the error for labels with too many values, or whose positive value is not named or does not occur.

    counts: number of rows by value. more: whether the column has values that are not in `counts`. in_file: whether the
    remedy may suggest the parameter `missing_values`, which exists only for files.
    """
    ordered = [
        (_as_label(value), count) for value, count in sorted(counts.items(), key=lambda label_count: -label_count[1])
    ]
    labels = Verbatim(shortened(f"{value!r} ({count:,})" for value, count in ordered))
    if pos_label is not None and pos_label not in counts:
        values = {str(value): value for value, _ in ordered}
        near = None if more or len(values) > MAX_SPELLINGS else nearest(str(pos_label), list(values))
        return InputError(
            "{pos_label} is not a value of {parameter}, which contains {labels}",
            name,
            pos_label=Parameter("pos_label", pos_label),
            labels=labels,
            suggestion=None if near is None else Parameter("pos_label", values[near]),
            remedy="" if near is None else "Did you mean {suggestion}?",
        )
    if len(counts) <= 2 and not more:
        first, last = (Parameter("pos_label", ordered[k][0]) for k in (0, -1))
        remedy = "name_positive" if len(counts) == 1 else "name_one_of_two"
        return InputError("not_labels", name, labels=labels, first=first, last=last, remedy=remedy)
    if len(counts) > MAX_LABELS or more:
        few = Verbatim(shortened((repr(value) for value, _ in ordered), limit=3))
        return InputError("not_two_values", name, labels=few, remedy="one_of_many" if in_file else "not_labels")
    if alike := spellings(counts):
        remedy = "{alike}: spell them the same way."
        return InputError("not_two_values", name, labels=labels, alike=Verbatim(alike), remedy=remedy)
    non_answers = [value for value in counts if value != pos_label and is_non_answer(value)]
    if in_file and not non_answers:
        probs = Parameter("probs", [str(value) for value in sorted(counts, key=natural_order)])
        return InputError("not_two_values", name, labels=labels, probs=probs, remedy="one_of_several")
    if in_file:
        example = Parameter("missing_values", [non_answers[-1]])
        remedy = "missing_label" if pos_label is None else "missing_value"
        return InputError("not_two_values", name, labels=labels, example=example, remedy=remedy)
    return InputError("not_two_values", name, labels=labels, first=ordered[0][0], remedy="keep_two_values")


def _as_label(value: Any) -> Any:
    """Return a label as messages show it: integers, even if they are strings or floats, become int."""
    number = parse_number(value) if isinstance(value, str) else value
    if isinstance(number, (float, np.floating)) and number == int(number if math.isfinite(number) else 0):
        return int(number)
    return value


def _not_one_value(name: str) -> InputError:
    return InputError("not_one_value", name)
