"""Check that parameters which are compared name different columns: a column always agrees perfectly with itself."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from howsure.errors import InputError, Parameter
from howsure.inputs.pairs import Probabilities


def check_distinct(compared: Mapping[str, Any], others: Mapping[str, Any] | None = None) -> None:
    """Check that each column of the `compared` parameters is different from every other compared and other column.

    >>> check_distinct({"y_true": "grade", "score": "grade"})
    Traceback (most recent call last):
    howsure.errors.InputError: y_true and score are the same column, 'grade', which says nothing when compared with
    itself. Name two columns.

    Columns that two `others` share are allowed. Raises InputError naming both parameters.
    """
    columns = {role: _columns(value) for role, value in {**(others or {}), **compared}.items()}
    pairs = [*combinations(compared, 2), *((role, other) for role in compared for other in others or {})]
    for first, second in pairs:
        for name in columns[first] & columns[second]:
            raise InputError(
                "{parameter} and {second} are the same column, {name!r}, which says nothing when compared "
                "with itself. Name two columns.",
                first,
                second=Parameter(second),
                name=name,
            )


def _columns(value: Any) -> set[str]:
    """The column names that a parameter's value contains; empty if the value is an array."""
    if isinstance(value, Probabilities):
        return set(value.columns) if isinstance(value.values, str) or _are_names(value.values) else set()
    return {value} if isinstance(value, str) else set()


def _are_names(values: Any) -> bool:
    return isinstance(values, (list, tuple)) and all(isinstance(name, str) for name in values)
