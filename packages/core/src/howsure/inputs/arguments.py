"""Check the arguments of public functions: their types, the order of pandas rows, different columns, and `rng`."""

from __future__ import annotations

import inspect
import re
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import cache
from itertools import combinations
from numbers import Real
from typing import Any, Final, TypeAlias, TypeGuard

import numpy as np

from howsure.errors import InputError, Parameter
from howsure.inputs.pairs import Probabilities

IsOfKind: TypeAlias = Callable[[Any], bool]


def check_arguments(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Check a public function's arguments by its annotations: strings, flags, single values, and lists of these.

    Call this function first, with `locals()`; it returns the arguments by name, to pass them on. Columns, data and the
    ranges of numbers are checked where they are used, so parameters of other types are not checked here, except that
    pandas objects must not have their rows in different orders (`check_row_order`).

    >>> def calibrate(binning: str = "adaptive", coverage: Sequence[float] = ()) -> None:
    ...     check_arguments(calibrate, locals())
    >>> calibrate(coverage=0.8)
    Traceback (most recent call last):
    howsure.errors.InputError: coverage must be a list of numbers; it is 0.8.
    """
    for name, (default, kinds) in _kinds_by_parameter(function).items():
        value = arguments[name]
        if value is not default and not any(is_of_kind(value) for is_of_kind, _ in kinds):
            words = [name_of_kind for _, name_of_kind in kinds]
            raise InputError(
                "{parameter} must be {kinds}; it is {value!r}",
                name,
                kinds=" or ".join(dict.fromkeys(words)),
                value=value,
            )
    columns = {name: value for name, value in arguments.items() if name not in TABLES or not hasattr(value, "iloc")}
    check_row_order(columns)
    return dict(arguments)


@cache
def _kinds_by_parameter(function: Callable[..., Any]) -> dict[str, tuple[object, list[tuple[IsOfKind, str]]]]:
    """Return the default and the accepted kinds of each parameter whose annotation consists of keys of KINDS."""
    kinds = {}
    for name, parameter in inspect.signature(function).parameters.items():
        annotation = re.sub(r"Literal\[[^]]*\]", "str", str(parameter.annotation)).strip("\"'")
        parts = re.split(r" \| (?![^\[]*\])", annotation)
        if all(part in KINDS for part in parts):
            kinds[name] = (parameter.default, [KINDS[part] for part in parts])
    return kinds


def is_listlike(value: object) -> TypeGuard[Iterable[Any]]:
    """Whether a value is iterable, and neither a string nor a mapping.

    >>> is_listlike([1, 2]), is_listlike("ab"), is_listlike(np.array(5.0))
    (True, False, False)
    """
    if isinstance(value, (str, bytes, Mapping)):
        return False
    try:
        iter(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def _is_single(value: object) -> bool:
    """Whether a value is hashable and not a container such as a list, an array or a frame."""
    is_text = isinstance(value, (str, bytes))
    return isinstance(value, Hashable) and (is_text or not (isinstance(value, Iterable) or hasattr(value, "__array__")))


def _is_scalar(value: object) -> bool:
    """`_is_single`, also for numpy scalars."""
    return isinstance(value, np.generic) or _is_single(value)


def _is_list(is_item: IsOfKind) -> IsOfKind:
    """Return a predicate: whether a value is an ordered collection (list, array, …) whose items satisfy `is_item`."""

    def is_list(value: Any) -> bool:
        unordered = isinstance(value, (set, frozenset)) or hasattr(value, "columns")
        read_once = hasattr(value, "__next__")  # an iterator would be empty when it is used
        return is_listlike(value) and not (unordered or read_once) and all(is_item(item) for item in value)

    return is_list


def _is_seed(value: object) -> bool:
    return isinstance(value, (int, np.integer, np.random.Generator, np.random.SeedSequence, type(None)))


def _is_number(value: object) -> bool:
    return isinstance(value, (Real, np.bool_))


KINDS: Final[dict[str, tuple[IsOfKind, str]]] = {
    "None": (lambda value: value is None, "None"),
    "str": (lambda value: isinstance(value, str), "a string"),
    "bool": (lambda value: isinstance(value, (bool, np.bool_)), "True or False"),
    "int": (_is_scalar, "a number"),
    "float": (_is_scalar, "a number"),
    "Randomness": (_is_seed, "a seed, a numpy Generator, a SeedSequence or None"),
    "Hashable": (_is_scalar, "one value"),
    "Sequence[str]": (_is_list(lambda item: item is not None and _is_scalar(item)), "a list of strings"),
    "Sequence[int]": (_is_list(_is_number), "a list of numbers"),
    "Sequence[float]": (_is_list(_is_number), "a list of numbers"),
    "Sequence[object]": (_is_list(_is_scalar), "a list of values"),
    "Sequence[str | float]": (_is_list(_is_scalar), "a list of values"),
}


# Columns are matched by position. Two pandas objects that have the same index labels in different orders are refused,
# because their rows match by label. Indexes with different labels are ignored, as in scikit-learn: the labels of a
# test set keep the row numbers of the whole data set, while its predictions are numbered from 0.


TABLES: Final = {"data", "order"}  # frames: their rows may be matched by an id


def check_row_order(columns: Mapping[str, Any]) -> None:
    """Check that no two pandas objects among the columns have the same index labels in different orders.

    >>> import pandas
    >>> y_true = pandas.Series([0, 1], index=["a", "b"])
    >>> check_row_order({"y_true": y_true, "y_prob": pandas.Series([0.9, 0.2], index=["b", "a"])})
    Traceback (most recent call last):
    howsure.errors.InputError: y_true and y_prob have the same index labels in different orders; row 0 is 'a' in y_true
    and 'b' in y_prob. Rows are matched by position: pass y_prob.reindex(y_true.index), or y_prob.to_numpy() if the
    positions match. (Rows are counted from 0.)

    Values of mappings and items of lists are compared, too. Raises InputError, which names both columns and the first
    row that differs.
    """
    pandas = sys.modules.get("pandas")  # without pandas, no value is a pandas object
    if pandas is None:
        return
    indexes: list[tuple[str, Any]] = []
    for name, column in _parts(columns):
        if not isinstance(column, (pandas.Series, pandas.DataFrame)):
            continue
        if any(column.index.equals(index) for _, index in indexes):
            continue
        for other_name, index in indexes:
            if _are_permutations(index, column.index):
                raise _different_orders(other_name, index, name, column.index)
        indexes.append((name, column.index))


MAX_RUNS = 100  # items of a list that are inspected


def _parts(columns: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the columns by name, also those in a mapping, in `Probabilities`, in `Runs`, or in a list of them."""
    for name, column in columns.items():
        if isinstance(column, Probabilities):
            yield from _parts({name: column.values, "prediction": column.prediction})
        elif isinstance(getattr(column, "predictions", None), tuple):
            yield from _parts({f"{name}.predictions": column.predictions})
        elif isinstance(column, Mapping):
            yield from _parts({f"{name}[{key!r}]": value for key, value in column.items()})
        elif isinstance(column, (list, tuple)) and any(hasattr(item, "iloc") for item in column[:MAX_RUNS]):
            yield from ((f"{name}[{place}]", item) for place, item in enumerate(column))
        else:
            yield name, column


def _are_permutations(first: Any, second: Any) -> bool:
    """Whether two pandas indexes contain the same labels, each equally often."""
    if len(first) != len(second) or not second.isin(first).all():
        return False
    return second.is_unique or Counter(first.tolist()) == Counter(second.tolist())


def _different_orders(name: str, index: Any, other_name: str, other_index: Any) -> InputError:
    labels, others = index.tolist(), other_index.tolist()
    row = next(row for row, label in enumerate(labels) if label != others[row])
    return InputError(
        "{parameter} and {other} have the same index labels in different orders; {row} is {label!r} in {parameter} and "
        "{other_label!r} in {other}. Rows are matched by position: pass {other}.reindex({parameter}.index), or "
        "{other}.to_numpy() if the positions match",
        name,
        row=row,
        other=Parameter(other_name),
        label=labels[row],
        other_label=others[row],
    )


# Compared parameters must name different columns, because a column always agrees perfectly with itself.


def check_distinct(compared: Mapping[str, Any], others: Mapping[str, Any] | None = None) -> None:
    """Check that each `compared` parameter's columns differ from the columns of all other parameters.

    >>> check_distinct({"y_true": "grade", "score": "grade"})
    Traceback (most recent call last):
    howsure.errors.InputError: y_true and score name the same column, 'grade'. Name two different columns.

    Two of the `others` may name the same column. Raises InputError, which names both parameters.
    """
    for value in list(compared.values()):
        if isinstance(value, Probabilities):
            compared = {**compared, "prediction": value.prediction}
    columns = {role: _columns(value) for role, value in {**(others or {}), **compared}.items()}
    pairs = [*combinations(compared, 2), *((role, other) for role in compared for other in others or {})]
    for first, second in pairs:
        for name in columns[first] & columns[second]:
            raise InputError(
                "{parameter} and {second} name the same column, {name!r}. Name two different columns.",
                first,
                second=Parameter(second),
                name=name,
            )


def _columns(value: Any) -> set[str]:
    """Return the column names that a parameter's value contains; empty if the value is an array."""
    if isinstance(value, Probabilities):
        return set(value.columns) if isinstance(value.values, str) or _are_names(value.values) else set()
    return {value} if isinstance(value, str) else set()


def _are_names(values: Any) -> bool:
    return isinstance(values, (list, tuple)) and all(isinstance(name, str) for name in values)


# Convert the parameter `rng` to a generator.


Randomness = int | np.random.Generator | np.random.SeedSequence | None


def generator_from(rng: Randomness) -> np.random.Generator:
    """A generator from a seed, a SeedSequence, a Generator (returned unchanged) or None (random entropy).

    >>> generator_from(0).integers(10).item() == generator_from(0).integers(10).item()
    True
    """
    if isinstance(rng, bool) or not isinstance(
        rng, (int, np.integer, np.random.Generator, np.random.SeedSequence, type(None))
    ):
        raise InputError(f"rng must be a seed, a numpy Generator, a SeedSequence or None; it is {rng!r}")
    if isinstance(rng, (int, np.integer)) and rng < 0:
        raise InputError(f"rng as a seed must not be negative; it is {rng}")
    return np.random.default_rng(rng)


def with_seed(rng: Randomness) -> Randomness:
    """Return `rng` unchanged or, instead of None, a new seed, so that the recipe of a result can name the seed."""
    return int(np.random.SeedSequence().generate_state(1)[0]) if rng is None else rng


def seed_in_recipe(rng: Randomness) -> int | str | None:
    """The entry `rng` of a recipe: the seed, None, or the type's name if the randomness cannot be repeated."""
    return int(rng) if isinstance(rng, (int, np.integer)) else None if rng is None else type(rng).__name__
