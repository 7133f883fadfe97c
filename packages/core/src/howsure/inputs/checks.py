"""Checks of columns: made once, on entry, loudly and fast; all other code trusts the result.

Rows are counted from 0, as in `y_prob[12]`. Details are determined only when something is wrong.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import EMPTY, Fault, InputError, Parameter, Verbatim
from howsure.inputs.numbers_and_names import (
    LARGEST_FLOAT,
    LARGEST_SCORE,
    comma_advice,
    natural_order,
    nearest,
    shortened,
    spelled_number,
)
from howsure.inputs.pairs import Floats, Integers, Labels
from howsure.inputs.stated_confidence import states_confidence

# A numpy column from a list, a series or a tensor; and lists passed by the user.

Column = npt.NDArray[Any]
MISSING_TEXT = re.compile(r"\s*(?:[+-]?nan\s*)?", re.IGNORECASE)


def as_column(values: object, *, name: str) -> Column:
    """A one-dimensional numpy array of the values of a list, tuple, array, series or tensor; no copy of an array.

    >>> as_column([0.5, None], name="y_prob")
    array([0.5, None], dtype=object)

    Raises InputError if the values are not a column, or if a masked array hides some of them.
    """
    if isinstance(values, (str, bytes, dict, set, frozenset)) or values is None:
        raise InputError("not_a_column", name, type=_type_name(values))
    if isinstance(values, np.ma.MaskedArray):
        _refuse_hidden(values, name)
    try:
        column = np.asarray(values)
    except Exception as error:  # a ragged list, a tensor that needs gradients or lives on another device
        remedy = "Pass tensor.detach().cpu()." if hasattr(values, "detach") else "Give one value per row."
        raise InputError(
            "{parameter} cannot be read as a column ({error})", name, error=str(error), remedy=remedy
        ) from error
    if column.dtype.kind == "U" and column.ndim == 1 and isinstance(values, (list, tuple)):
        spelled = np.flatnonzero(column == "nan")  # what numpy makes of a NaN among texts
        column = np.asarray(values, dtype=object) if any(is_missing(values[row]) for row in spelled) else column
    if column.ndim == 0:
        raise InputError("not_a_column", name, type=_type_name(values))
    if column.dtype.kind == "O":
        _refuse_huge(column, name)
    if column.ndim > 1:
        raise InputError("not_one_dimension", name, shape=column.shape, remedy="Take one column: {parameter}[:, 1].")
    if len(column) == 0:
        raise InputError("empty", name)
    return column


def _refuse_huge(column: Column, name: str) -> None:
    """Raise InputError for an integer that is larger than any float, which numpy keeps as an object."""
    for row, value in enumerate(column.ravel()):
        if isinstance(value, int) and not -LARGEST_FLOAT <= value <= LARGEST_FLOAT:
            raise InputError(
                "too_wide", name, value=value, row=row, largest=sys.float_info.max, remedy="If it is a name, quote it."
            )


def check_finite(values: Floats, *, name: str) -> None:
    """Raise InputError at the first score that is not finite, or so large that sums of its powers are not.

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


def array_of(values: Any) -> Column:
    """Values as an array of any shape; of objects where lists in them differ in length, which numpy does not take.

    >>> array_of([[0], [0, 1]]).shape, array_of([[0, 1], [0, 2]]).shape
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
    """The first row that is missing (`is_missing`); None if no row is."""
    if column.dtype.kind in "OUT":
        if not any(map(is_missing, _distinct(column))):
            return None
        return next(row for row, value in enumerate(column) if is_missing(value))
    if column.dtype.kind in "fcmM":
        rows = np.flatnonzero(np.isnan(column) if column.dtype.kind in "fc" else np.isnat(column))
        return int(rows[0]) if len(rows) else None
    return None


def is_missing(value: object) -> bool:
    """Whether a value is missing: None, NaN, NaT, the NA of pandas, or a text that is blank or spells NaN.

    The only definition; `Column.missing` is the same in SQL, and `missing_values` adds values to it.

    >>> [is_missing(value) for value in (None, float("nan"), " ", "NaN", "nan", "NA", "none", 0)]
    [True, True, True, True, True, False, False, False]
    """
    if isinstance(value, str):
        return MISSING_TEXT.fullmatch(value) is not None
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def _distinct(column: Column) -> Iterable[object]:
    try:
        return set(column.tolist())
    except TypeError:  # lists and the like have no hash
        return column


def missing(
    name: str,
    row: int | None = None,
    *,
    place: str | None = None,
    value: object = EMPTY,
    remedy: str = "leave_out_rows",
    **values: Any,
) -> InputError:
    """The error for a missing value; `values` are those of the remedy."""
    return InputError("missing", name, value=value, row=row, place=place, remedy=remedy, **values)


def _refuse_hidden(values: np.ma.MaskedArray[Any, Any], name: str) -> None:
    hidden = np.flatnonzero(np.ma.getmaskarray(values))
    if len(hidden):
        raise missing(name, int(hidden[0]))


def _type_name(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def listed(values: object, *, name: str, of: str) -> list[Any]:
    """The values as a list; InputError naming the parameter if they are not a list, or are text."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError("{parameter} must be a list of {items}", name, items=of, value=values)
    return list(values)


# Values as codes: a column of names that is stored so, and the codes of any column.

Codes = np.ndarray[Any, np.dtype[Any]]  # whole numbers of any width
LOOKUP_SPREAD = 4
MOST_GROUPS = 50_000  # each is evaluated by itself
A_GROUP = 0.002  # seconds, the least that one takes


@dataclass(frozen=True, slots=True)
class Coded:
    """The name of row i is `names[codes[i]]`; each name occurs, and they are in natural order."""

    codes: Codes
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Column:
        return np.array(self.names, dtype=object)[self.codes].astype(dtype or object)


def check_group_count(groups: int, rows: int, *, name: str, most: int = MOST_GROUPS, seconds: float = A_GROUP) -> None:
    """Raise InputError where a column has so many groups that their evaluation would seem to stand still: of each, it
    takes some `seconds` or more.

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
    """Codes of the rows, and the distinct values that they represent (ascending if they are numbers).

    Raises TypeError for values that are lists or the like.
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
            run_codes, names = factorised(np.array(column[starts], dtype=object))
            return np.repeat(run_codes, np.diff(starts, append=len(column))), names
    code_by_value: dict[Any, int] = {}
    rows = column.astype(str).tolist() if kind in "mM" else column.tolist()
    codes = np.fromiter(
        (code_by_value.setdefault(value, len(code_by_value)) for value in rows), dtype=np.int64, count=len(rows)
    )
    return codes, list(code_by_value)


def _looked_up(offsets: Column, low: int, kind: str) -> tuple[Integers, list[Any]]:
    present = np.zeros(int(offsets.max()) + 1, dtype=np.int64)
    present[offsets] = 1
    distinct = np.flatnonzero(present)
    present[distinct] = np.arange(len(distinct))
    values = distinct + low
    return present[offsets], (values.astype(np.bool_) if kind == "b" else values).tolist()


# Checks of user input: made once, on entry, loudly and fast; all other code trusts the result.
#
# Rows are counted from 0, as in `y_prob[12]`. Details are determined only when something is wrong.

ROUNDING = 1e-3
MANY_LABELS = 12  # more values than this are no labels
LIKELY_PERCENT = 10  # few logits are greater
GIVEN_PREFIX = "Probabilities."  # of giving probabilities: parameters of `Probabilities`
NUMERIC = "biuf"  # the kinds of numpy's dtypes that are numbers
NO_NUMBERS = (str, bytes, np.datetime64, np.timedelta64, np.ndarray)  # though some turn into floats


def check_numbers(values: object, *, name: str, n: int | None = None) -> Floats:
    """Numbers as float64, none missing in a column of objects; not copied if they are already float64."""
    column = as_column(values, name=name)
    if n is not None:
        _check_length(column, n, name)
    kind = column.dtype.kind
    if kind in NUMERIC:
        return column.astype(np.float64, copy=False)
    if kind != "O":
        raise no_number(name, column[0], row=0)
    row = first_missing(column)
    if row is not None:
        raise missing(name, row)
    for row, value in enumerate(column):
        if isinstance(value, NO_NUMBERS) or not hasattr(value, "__float__"):
            raise no_number(name, value, row=row)
    return column.astype(np.float64)


def check_probabilities(
    y_prob: object, *, name: str = "y_prob", n: int | None = None, scales: str | None = None
) -> Floats:
    """Probabilities as float64: all in [0, 1], none missing; not copied if they are already float64.

    A negative zero becomes 0. `n` is the required number of rows; `scales`: see `probability_advice`.

    >>> check_probabilities([0, 0.25, 1])
    array([0.  , 0.25, 1.  ])
    >>> check_probabilities([0.5, 1.7])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    howsure.errors.InputError: y_prob must be between 0 and 1; row 1 is 1.7. ... (Rows are counted from 0.)

    Raises InputError naming the row and the value.
    """
    values = check_numbers(y_prob, name=name, n=n)
    low, high = values.min(), values.max()  # NaN goes through both
    if not (low >= 0.0 and high <= 1.0):
        row = int(is_probability(values).argmin())
        value = float(values[row])
        if math.isnan(value):
            raise missing(name, row)
        raise no_probability(name, value, row=row, highest=float(high), scales=scales)
    return values + 0.0 if low == 0.0 and np.signbit(values).any() else values


def probability_advice(
    value: float, highest: float = math.inf, *, scales: str | None = None, transform: str = "sigmoid"
) -> str:
    """The remedy for a value that is not a probability; `highest` is the largest value in its column.

    scales: what precedes the names of the parameters `logits` and `logprobs` (GIVEN or nothing); None if the function
    has none. transform: the function that turns logits into probabilities: sigmoid, or softmax of several classes.
    """
    exp = "Apply exp first" if scales is None else f"`{scales}logprobs=...` reads them"
    logits = f"Apply a {transform} first" if scales is None else f"`{scales}logits=...` reads them"
    if -ROUNDING <= value <= 1 + ROUNDING:
        return "Rounding? Clip or round it in your own pipeline; nothing is clipped silently."
    if highest <= 0:
        return f"Are these log-probabilities? {exp}."
    if value > 1 and LIKELY_PERCENT < highest <= 100:
        return f"Are these percentages? Divide by 100. Or logits? {logits}."
    return f"Are these logits? {logits}."


def check_labels(y_true: object, *, pos_label: object = None, name: str = "y_true") -> Labels:
    """Labels as 0 and 1 (uint8): bool, 0/1 in any numeric type or as text, or any two values with `pos_label`.

    >>> check_labels(["correct", "wrong", "correct"], pos_label="correct")
    array([1, 0, 1], dtype=uint8)
    >>> check_labels(["b", "a"])
    Traceback (most recent call last):
    howsure.errors.InputError: y_true must be 0 or 1; it contains 'b' (1), 'a' (1). Name the positive value:
    pos_label='b' or pos_label='a'.

    Raises InputError if a label is missing, if there are more than two values, or if `pos_label` is not among them.
    """
    column = as_column(y_true, name=name)
    row = first_missing(column) if column.dtype.kind in "OUT" else None
    if row is not None:
        raise missing(name, row)
    labels = _zero_or_one(column) if pos_label is None else _equal_to(column, pos_label)
    if labels is not None:
        return labels
    row = first_missing(column)
    if row is not None:
        raise missing(name, row)
    try:
        counts = Counter(column.tolist())
    except TypeError:
        raise _not_one_value(name) from None
    raise not_two_values(counts, pos_label=pos_label, name=name)


def check_weights(sample_weight: object, *, n: int, name: str = "sample_weight") -> Floats:
    """Weights as float64: finite, none negative, not all zero.

    >>> check_weights([1, 2.5], n=2)
    array([1. , 2.5])

    Raises InputError naming the row and the value.
    """
    values = check_numbers(sample_weight, name=name, n=n)
    low, high = values.min(), values.max()
    if not (low >= 0.0 and high < math.inf):
        row = int(is_weight(values).argmin())
        value = float(values[row])
        raise missing(name, row) if math.isnan(value) else no_weight(name, value, row=row)
    if high == 0.0:
        raise weighs_nothing(name)
    with np.errstate(over="ignore"):
        total = float(values.sum())
    if total == math.inf:
        raise InputError("sum_overflows", name, value=float(high), row=int(values.argmax()), remedy="divide")
    return values


def check_codes(values: object, *, n: int, name: str, groups: bool = False) -> tuple[Integers, tuple[str, ...]]:
    """Groups or items as codes starting at 0, and their names: the values as text, in natural order.

    >>> check_codes(["b10", "b2", "b10"], n=3, name="groups")
    (array([1, 0, 1]), ('b2', 'b10'))

    Raises InputError if a value is missing, the length is not n, or `groups` are too many to be evaluated one by one.
    """
    if isinstance(values, Coded):
        _check_length(values.codes, n, name)
        check_group_count(len(values.names) if groups else 0, n, name=name)
        return values.codes, values.names
    column = _no_missing(values, n, name)
    codes, distinct = _factorised(column, name)
    check_group_count(len(distinct) if groups else 0, n, name=name)
    texts = [str(value) for value in distinct]
    if column.dtype.kind in NUMERIC:
        return codes, tuple(texts)
    names = sorted(set(texts), key=natural_order)
    position = {text: code for code, text in enumerate(names)}
    return np.array([position[text] for text in texts], dtype=np.int64)[codes], tuple(names)


def coded_rows(values: Sequence[str], place: Integers) -> Coded:
    """The column whose row i is `values[place[i]]`: each value is read once, however many rows hold it.

    >>> coded_rows(["b", "a"], np.array([0, 1, 0]))
    Coded(codes=array([1, 0, 1]), names=('a', 'b'))
    """
    codes, names = check_codes(values, n=len(values), name="values")
    return Coded(codes[place], names)


def check_clusters(values: object, *, n: int, name: str = "clusters") -> Integers:
    """Clusters as codes starting at 0: faster than `check_codes`, since their names are not needed.

    >>> check_clusters(["doc 7", "doc 7", "doc 1"], n=3)
    array([1, 1, 0])

    Raises InputError if a value is missing or the length is not n.
    """
    if isinstance(values, Coded):
        _check_length(values.codes, n, name)
        return values.codes.astype(np.int64)
    column = _no_missing(values, n, name)
    codes, distinct = _factorised(column, name)
    if column.dtype.kind in NUMERIC:
        return codes
    order = sorted(range(len(distinct)), key=lambda code: str(distinct[code]))  # whatever the order of the rows
    return np.argsort(order)[codes]


def check_same_length(**columns: Any) -> int:
    """The common length of named columns; None is ignored.

    >>> check_same_length(y_true=[0, 1], y_prob=[0.1, 0.2, 0.3], groups=None)
    Traceback (most recent call last):
    howsure.errors.InputError: y_true, y_prob must have the same number of rows; they have 2, 3.
    """
    lengths = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(lengths.values())) != 1:
        raise InputError(
            "{columns} must have the same number of rows; they have {sizes:,}",
            columns=[Parameter(name) for name in lengths],
            sizes=list(lengths.values()),
        )
    return next(iter(lengths.values()))


def _no_missing(values: object, n: int, name: str) -> Column:
    column = as_column(values, name=name)
    _check_length(column, n, name)
    row = first_missing(column)
    if row is not None:
        raise missing(name, row)
    return column


def _check_length(column: Column, n: int, name: str) -> None:
    if len(column) != n:
        raise InputError("wrong_length", name, n=len(column), expected=n)


def _zero_or_one(column: Column) -> Labels | None:
    """The labels of a column of 0 and 1; None if it holds anything else."""
    kind = column.dtype.kind
    if kind == "b":
        return column.view(np.uint8)
    if kind in "fiu":
        if not (column.min() >= 0 and column.max() <= 1):
            return None
        labels: Labels = column.astype(np.uint8)
        return labels if kind in "iu" or bool((labels == column).all()) else None
    if kind == "O" and not isinstance(column[0], str):
        return _zero_or_one_object(column)
    return _two_texts(column)


def _zero_or_one_object(column: Column) -> Labels | None:
    numeric = all(isinstance(value, (bool, int, float, Decimal, np.number, np.bool_)) for value in column)
    return _zero_or_one(column.astype(np.float64)) if numeric else None


def _two_texts(column: Column) -> Labels | None:
    if column.dtype.kind not in "UOT":
        return None
    positive = np.asarray(column == "1", dtype=np.bool_)
    return positive.view(np.uint8) if bool((positive | (column == "0")).all()) else None


def _equal_to(column: Column, pos_label: object) -> Labels | None:
    """1 where the label is `pos_label`; None if that never occurs (except for 0/1) or if there are two other values."""
    positive: npt.NDArray[np.bool_] = np.broadcast_to(np.asarray(column == pos_label, dtype=np.bool_), column.shape)
    others = column[~positive]
    if len(others) and not bool(np.all(others == others[0])):
        return None
    has_label = len(others) < len(column) or (
        pos_label in (0, 1) and column.dtype.kind in NUMERIC and others[0] in (0, 1)
    )
    return np.ascontiguousarray(positive).view(np.uint8) if has_label else None


def _factorised(column: Column, name: str) -> tuple[Integers, list[Any]]:
    try:
        return factorised(column)
    except TypeError:
        raise _not_one_value(name) from None


# The rules of a column, each written once, for arrays and the chunks of files, and their errors; `place` is where the
# row is, in words, for those that do not number rows from 0.


def is_probability(values: Floats) -> npt.NDArray[np.bool_]:
    """Which values lie in [0, 1]; NaN does not."""
    return (values >= 0.0) & (values <= 1.0)


def is_weight(values: Floats) -> npt.NDArray[np.bool_]:
    """Which values are finite and not negative."""
    return (values >= 0.0) & (values < math.inf)


def no_number(name: str, value: object, *, row: int | None = None, place: str | None = None) -> InputError:
    """The error for a value that is not a number, such as a text."""
    remedy = (comma_advice(value) if isinstance(value, str) else "") or "leave_out_rows"
    if Fault("not_a_number", name).role == "y_prob" and isinstance(value, str) and states_confidence(value):
        remedy = "name_stated"
    return InputError("not_a_number", name, value=value, row=row, place=place, remedy=remedy)


def no_probability(
    name: str,
    value: float,
    *,
    highest: float,
    row: int | None = None,
    place: str | None = None,
    scales: str | None = GIVEN_PREFIX,
) -> InputError:
    """The error for a number that is not a probability; `highest`, `scales`: see `probability_advice`."""
    remedy = probability_advice(value, highest, scales=scales)
    return InputError("outside", name, value=value, row=row, place=place, low=0, high=1, remedy=remedy)


def no_weight(name: str, value: float, *, row: int | None = None, place: str | None = None) -> InputError:
    """The error for a number that is not a weight."""
    return InputError("not_a_weight", name, value=value, row=row, place=place, remedy="leave_out_rows")


def weighs_nothing(name: str) -> InputError:
    """The error for weights that are all 0."""
    return InputError("all_zero", name)


def not_two_values(
    counts: Mapping[Any, int], *, pos_label: object, name: str, more: bool = False, in_file: bool = False
) -> InputError:
    """The error for labels (counts by value) that are not two values, or of which the positive one is not named.

    more: there are other values. in_file: values that are not labels can be treated as missing.
    """
    ordered = [
        (_as_label(value), count) for value, count in sorted(counts.items(), key=lambda label_count: -label_count[1])
    ]
    labels = Verbatim(shortened(f"{value!r} ({count:,})" for value, count in ordered))
    if pos_label is not None and pos_label not in counts:
        values = {str(value): value for value, _ in ordered}
        near = None if more else nearest(str(pos_label), list(values))
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
    if len(counts) > MANY_LABELS or more:
        few = Verbatim(shortened((repr(value) for value, _ in ordered), limit=3))
        return InputError("not_two_values", name, labels=few, remedy="not_labels")
    if in_file:
        example = Parameter("missing_values", [[value for value in counts if value != pos_label][-1]])
        remedy = "missing_label" if pos_label is None else "missing_value"
        return InputError("not_two_values", name, labels=labels, example=example, remedy=remedy)
    return InputError("not_two_values", name, labels=labels, first=ordered[0][0], remedy="keep_two_values")


def _as_label(value: Any) -> Any:
    """A label as a message shows it: a whole number without a point, also where a file holds it as text."""
    number = spelled_number(value) if isinstance(value, str) else value
    if isinstance(number, (float, np.floating)) and number == int(number if math.isfinite(number) else 0):
        return int(number)
    return value


def _not_one_value(name: str) -> InputError:
    return InputError("not_one_value", name)
