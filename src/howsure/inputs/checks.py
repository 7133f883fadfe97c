"""Checks of columns: made once, on entry, loudly and fast; all other code trusts the result.

Rows are counted from 0, as in `y_prob[12]`. Details are determined only when something is wrong.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import GIVEN, Fault, InputError, parameter, short, shown, way
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

# A numpy column from a list, a series or a tensor; and lists passed by the user.

Column = npt.NDArray[Any]
NOT_MISSING = "must not be missing"
REMEDY = "Leave such rows out first."
MISSING_TEXT = re.compile(r"\s*(?:[+-]?nan\s*)?", re.IGNORECASE)


def as_column(values: object, *, name: str) -> Column:
    """A one-dimensional numpy array of the values of a list, tuple, array, series or tensor; no copy of an array.

    >>> as_column([0.5, None], name="y_prob")
    array([0.5, None], dtype=object)

    Raises InputError if the values are not a column, or if a masked array hides some of them.
    """
    if isinstance(values, (str, bytes, dict, set, frozenset)) or values is None:
        raise InputError(f"{name} must be a list, an array or a series; it is {_kind(values)}.")
    if isinstance(values, np.ma.MaskedArray):
        _refuse_hidden(values, name)
    try:
        column = np.asarray(values)
    except Exception as error:  # a ragged list, a tensor that needs gradients or lives on another device
        advice = "torch: pass tensor.detach().cpu()" if hasattr(values, "detach") else "give one value per row"
        raise InputError(f"{name} cannot be read as a column ({error}); {advice}.") from error
    if column.dtype.kind == "U" and column.ndim == 1 and isinstance(values, (list, tuple)):
        spelled = np.flatnonzero(column == "nan")  # what numpy makes of a NaN among texts
        column = np.asarray(values, dtype=object) if any(is_missing(values[row]) for row in spelled) else column
    if column.ndim == 0:
        raise InputError(f"{name} must be a list, an array or a series; it is {_kind(values)}.")
    if column.dtype.kind == "O":
        _refuse_huge(column, name)
    if column.ndim > 1:
        raise InputError(f"{name} must have one dimension; its shape is {column.shape}. Take one column: {name}[:, 1].")
    if len(column) == 0:
        raise InputError(f"{name} is empty: there is nothing to evaluate.")
    return column


def _refuse_huge(column: Column, name: str) -> None:
    """Raise InputError for an integer that is larger than any float, which numpy keeps as an object."""
    for row, value in enumerate(column.ravel()):
        if isinstance(value, int) and not -LARGEST_FLOAT <= value <= LARGEST_FLOAT:
            most = f"{sys.float_info.max:.2g}"
            rule = f"must lie between -{most} and {most}, as numbers of 64 bits do"
            raise InputError(Fault(name, rule, short(shown(value)), row, advice="If it is a name, write it as text."))


def check_finite(values: Floats, *, name: str) -> None:
    """Raise InputError at the first score that is not finite, or so large that sums of its powers are not.

    >>> check_finite(np.array([0.5, 1.7e308]), name="score")
    Traceback (most recent call last):
    howsure.errors.InputError: score must lie between -1e+70 and 1e+70; row 1 holds 1.7e+308. Beyond, means and
    variances overflow: divide all by the same number. (Rows are counted from 0.)
    """
    wrong = np.flatnonzero(~(np.abs(values) <= LARGEST_SCORE))
    if len(wrong):
        row, value = int(wrong[0]), float(values[wrong[0]])
        if not math.isfinite(value):
            raise InputError(Fault(name, "must be finite", f"{value!r}", row, advice=REMEDY))
        advice = "Beyond, means and variances overflow: divide all by the same number."
        raise InputError(
            Fault(name, f"must lie between {-LARGEST_SCORE:g} and {LARGEST_SCORE:g}", f"{value!r}", row, advice=advice)
        )


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
    name: str, row: int | None = None, *, place: str | None = None, value: str = "nothing", remedy: str = REMEDY
) -> InputError:
    """The error for a missing value."""
    return InputError(Fault(name, NOT_MISSING, value, row, place, remedy))


def _refuse_hidden(values: np.ma.MaskedArray[Any, Any], name: str) -> None:
    hidden = np.flatnonzero(np.ma.getmaskarray(values))
    if len(hidden):
        raise missing(name, int(hidden[0]))


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def listed(values: object, *, name: str, of: str) -> list[Any]:
    """The values as a list; InputError naming the parameter if they are not a list, or are text."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError(f"{name} must be a list of {of}; it is {shown(values)}.")
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
    howsure.errors.InputError: groups must part the rows into at most 50,000 groups; it parts 1,000,000 rows into
    1,000,000. Each is evaluated by itself: that would take 33 minutes or more, and print as many results. ...
    """
    if groups > most:
        minutes = groups * seconds / 60
        raise InputError(
            f"{name} must part the rows into at most {most:,} groups; it parts {rows:,} rows into {groups:,}. "
            f"Each is evaluated by itself: that would take {minutes:,.0f} minutes or more, and print as many results. "
            "Name a column of fewer values; a column of items or documents is a cluster, not a group."
        )


def factorised(column: Column) -> tuple[Integers, list[Any]]:
    """Codes of the rows, and the distinct values that they represent (ascending if they are numbers).

    Raises TypeError for values that are lists or the like.
    """
    kind = column.dtype.kind
    if kind in "biu":
        integers = column.astype(np.int64, copy=False) if kind != "u" or column.dtype.itemsize < 8 else column
        low, high = int(integers.min()), int(integers.max())
        if high - low < LOOKUP_SPREAD * len(integers) + 1000:
            return _looked_up(integers - low, low, kind)
    if kind in "biuf":
        distinct, codes = np.unique(column, return_inverse=True)
        return codes.astype(np.int64, copy=False), distinct.tolist()
    if kind == "U" and len(column) > 1:
        starts = np.flatnonzero(
            np.append(True, column[1:] != column[:-1])
        )  # rows of a model or task are often adjacent
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
NUMERIC = "biuf"  # the kinds of numpy's dtypes that are numbers
Scales = Callable[[str, object], str]
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
        raise no_number(name, repr(_plain(column[0])), row=0)
    row = first_missing(column)
    if row is not None:
        raise missing(name, row)
    for row, value in enumerate(column):
        if isinstance(value, NO_NUMBERS) or not hasattr(value, "__float__"):
            raise no_number(name, repr(_plain(value)), row=row)
    return column.astype(np.float64)


def check_probabilities(
    y_prob: object, *, name: str = "y_prob", n: int | None = None, scales: Scales | None = None
) -> Floats:
    """Probabilities as float64: all in [0, 1], none missing; not copied if they are already float64.

    A negative zero becomes 0. `n` is the required number of rows; `scales` spells what reads logits, if any.

    >>> check_probabilities([0, 0.25, 1])
    array([0.  , 0.25, 1.  ])
    >>> check_probabilities([0.5, 1.7])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    howsure.errors.InputError: y_prob must lie in [0, 1]; row 1 holds 1.7. ... (Rows are counted from 0.)

    Raises InputError naming the row and the value.
    """
    values = check_numbers(y_prob, name=name, n=n)
    low, high = values.min(), values.max()  # NaN goes through both
    if not (low >= 0.0 and high <= 1.0):
        row = int(is_probability(values).argmin())
        value = float(values[row])
        if math.isnan(value):
            raise missing(name, row)
        raise no_probability(name, repr(value), row=row, highest=float(high), scales=scales)
    return values + 0.0 if low == 0.0 and np.signbit(values).any() else values


def probability_advice(value: float, highest: float = math.inf, *, scales: Scales | None = None) -> str:
    """Advice about a value that is not a probability; `highest` is the largest value in its column. `scales` spells
    what reads logits and log-probabilities as they are, if anything does."""
    exp = "Apply exp first" if scales is None else f"{scales('logprobs', GIVEN)} reads them"
    softmax = "Apply a softmax first" if scales is None else f"{scales('logits', GIVEN)} reads them"
    if -ROUNDING <= value <= 1 + ROUNDING:
        return "Rounding? Clip or round it in your own pipeline; nothing is clipped silently."
    if highest <= 0:
        return f"Are these log-probabilities? {exp}."
    if value > 1 and LIKELY_PERCENT < highest <= 100:
        return f"Are these percentages? Divide by 100. Or logits? {softmax}."
    return f"Are these logits? {softmax}."


def check_labels(y_true: object, *, pos_label: object = None, name: str = "y_true") -> Labels:
    """Labels as 0 and 1 (uint8): bool, 0/1 in any numeric type or as text, or any two values with `pos_label`.

    >>> check_labels(["correct", "wrong", "correct"], pos_label="correct")
    array([1, 0, 1], dtype=uint8)
    >>> check_labels(["b", "a"])
    Traceback (most recent call last):
    howsure.errors.InputError: y_true must be 0 or 1; it holds 'b' (1), 'a' (1). Say which is positive: pos_label='b' or
    pos_label='a'.

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
        raise missing(name, row) if math.isnan(value) else no_weight(name, repr(value), row=row)
    if high == 0.0:
        raise weighs_nothing(name)
    with np.errstate(over="ignore"):
        total = float(values.sum())
    if total == math.inf:
        row, rule = int(values.argmax()), "must have a finite sum"
        raise InputError(Fault(name, rule, repr(float(high)), row, advice="Divide by the largest."))
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
    howsure.errors.InputError: y_true, y_prob must have the same length; they have 2, 3.
    """
    lengths = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(lengths.values())) != 1:
        sizes = ", ".join(f"{length:,}" for length in lengths.values())
        raise InputError(f"{', '.join(map(parameter, lengths))} must have the same length; they have {sizes}.")
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
        raise InputError(
            f"{parameter(name)} must have as many rows as the others; it has {len(column):,}, they have {n:,}."
        )


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


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else value


# The rules of a column, each written once, for arrays and the chunks of files, and their errors; `place` is where the
# row is, in words, for those that do not number rows from 0.


def is_probability(values: Floats) -> npt.NDArray[np.bool_]:
    """Which values lie in [0, 1]; NaN does not."""
    return (values >= 0.0) & (values <= 1.0)


def is_weight(values: Floats) -> npt.NDArray[np.bool_]:
    """Which values are finite and not negative."""
    return (values >= 0.0) & (values < math.inf)


def no_number(name: str, value: str, *, row: int | None = None, place: str | None = None) -> InputError:
    """The error for a text, or the like, where there must be a number."""
    return InputError(Fault(name, "must be numbers", value, row, place, comma_advice(value.strip("'")) or REMEDY))


def no_probability(
    name: str,
    value: str,
    *,
    highest: float,
    row: int | None = None,
    place: str | None = None,
    scales: Scales | None = way,
) -> InputError:
    """The error for a number that is no probability; `highest` is the largest in its column, `scales` as above."""
    advice = probability_advice(float(value), highest, scales=scales)
    return InputError(Fault(name, "must lie in [0, 1]", value, row, place, advice))


def no_weight(name: str, value: str, *, row: int | None = None, place: str | None = None) -> InputError:
    """The error for a number that is no weight."""
    return InputError(Fault(name, "must be finite and not negative", value, row, place, REMEDY))


def weighs_nothing(name: str) -> InputError:
    """The error for weights that are all 0."""
    return InputError(f"{parameter(name)} is 0 in every row: nothing has any weight.")


def not_two_values(
    counts: Mapping[Any, int], *, pos_label: object, name: str, more: bool = False, treated: str = ""
) -> InputError:
    """The error for labels of which there are so many, by value, and that are not two or not named.

    more: there are others. treated: how values that are no labels can be treated as missing.
    """
    ordered = [
        (_as_label(value), count) for value, count in sorted(counts.items(), key=lambda label_count: -label_count[1])
    ]
    labels_text = shortened(f"{value!r} ({count:,})" for value, count in ordered)
    if pos_label is not None and pos_label not in counts:
        values = {str(value): value for value, _ in ordered}
        near = None if more else nearest(str(pos_label), list(values))
        suggestion = "" if near is None else f" Did you mean {parameter('pos_label', values[near])}?"
        positive = parameter("pos_label", pos_label)
        return InputError(f"{positive} is not a value of {parameter(name)}; it holds {labels_text}.{suggestion}")
    if len(counts) <= 2 and not more:
        choice = " or ".join(parameter("pos_label", value) for value, _ in ordered)
        return InputError(Fault(name, "must be 0 or 1", labels_text, advice=f"Say which is positive: {choice}."))
    if len(counts) > MANY_LABELS or more:
        few = shortened((repr(value) for value, _ in ordered), limit=3)
        advice = "Are these labels? Labels come before probabilities."
        return InputError(Fault(name, "must have two values", few, advice=advice))
    otherwise = f"Leave out the rows of the others, or compare with one value: {parameter(name)} == {ordered[0][0]!r}."
    return InputError(Fault(name, "must have two values", labels_text, advice=treated or otherwise))


def _as_label(value: Any) -> Any:
    """A label as a message tells it: a whole number without a point, also where a file holds it as text."""
    number = spelled_number(value) if isinstance(value, str) else value
    if isinstance(number, (float, np.floating)) and number == int(number if math.isfinite(number) else 0):
        return int(number)
    return value


def _not_one_value(name: str) -> InputError:
    return InputError(f"{parameter(name)} must hold one value per row; some rows hold lists or the like.")
