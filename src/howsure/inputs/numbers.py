"""Numbers set by the user: whole numbers, and numbers in a range."""

from __future__ import annotations

import math
from typing import TypeGuard

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError, at_row, parameter, shown

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


def check_bounds(bounds: object) -> tuple[float, float]:
    """The lowest and the highest number that is possible.

    >>> check_bounds((5, 1))
    Traceback (most recent call last):
    howsure.errors.InputError: bounds must be the lowest and the highest score that is possible; they are (5, 1). Write
    the lower one first, such as bounds=[0, 1].
    """
    held = tuple(bounds) if isinstance(bounds, (tuple, list, np.ndarray)) else ()
    if len(held) == 2 and all(is_number(one) and math.isfinite(one) for one in held) and held[0] < held[1]:
        return float(held[0]), float(held[1])
    raise InputError(
        f"bounds must be the lowest and the highest score that is possible; they are {shown(bounds)}. Write "
        f"the lower one first, such as {parameter('bounds', [0, 1])}."
    )


def check_within(values: npt.NDArray[np.float64], bounds: tuple[float, float], *, name: str) -> None:
    """Raise InputError if a value lies outside of the bounds, naming the row."""
    outside = np.flatnonzero((values < bounds[0]) | (values > bounds[1]))
    if len(outside):
        row = int(outside[0])
        raise InputError(
            f"{name} must lie between the bounds, {bounds[0]:g} and {bounds[1]:g}; {at_row(row)} holds "
            f"{values[row]:g}. "
            "Give bounds that hold for every score."
        )


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a real number, and not a bool."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
