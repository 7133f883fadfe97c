"""Numbers set by the user: whole numbers, and numbers in a range."""

from __future__ import annotations

import math

import numpy as np

from howsure.errors import InputError


def check_whole(value: object, *, name: str, least: int = 1) -> int:
    """A whole number of at least `least`, as int.

    >>> check_whole(20.0, name="n_bins")
    20
    >>> check_whole("many", name="n_bins")
    Traceback (most recent call last):
    howsure.errors.InputError: n_bins must be a whole number of at least 1, not 'many'

    Raises InputError for anything else.
    """
    if is_number(value) and math.isfinite(value) and int(value) == value and value >= least:  # type: ignore[arg-type,call-overload,operator]
        return int(value)  # type: ignore[call-overload,no-any-return]
    raise InputError(f"{name} must be a whole number of at least {least}, not {value!r}")


def is_number(value: object) -> bool:
    """Whether a value is a real number, and not a bool."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
