"""Numbers set by the user: whole numbers, and numbers in a range."""

from __future__ import annotations

import math
from typing import TypeGuard

import numpy as np

from howsure.errors import InputError

MOST_PROCESSES = 256
MOST_CLUSTERINGS = 10_000  # samples of a document


def check_whole(value: object, *, name: str, least: int = 1, most: int | None = None) -> int:
    """A whole number of at least `least` and, if there is a limit, at most `most`, as int.

    >>> check_whole(20.0, name="n_bins")
    20
    >>> check_whole("many", name="n_bins")
    Traceback (most recent call last):
    howsure.errors.InputError: n_bins must be a whole number of at least 1, not 'many'
    >>> check_whole(10**6, name="workers", most=256)
    Traceback (most recent call last):
    howsure.errors.InputError: workers must be a whole number from 1 to 256, not 1000000

    Raises InputError for anything else.
    """
    if is_number(value) and math.isfinite(value) and int(value) == value and value >= least:
        whole: int = int(value)
        if most is None or whole <= most:
            return whole
    allowed = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise InputError(f"{name} must be a whole number {allowed}, not {value!r}")


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a real number, and not a bool."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
