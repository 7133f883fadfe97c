"""The parameters of a map as they stand in its file, checked when they are read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeGuard

import numpy as np

from howsure.errors import InputError, shown
from howsure.inputs.pairs import Floats

Parameters = Mapping[str, Any]


def number(held: Parameters, name: str, *, least: float = -math.inf, above: float = -math.inf) -> float:
    """A finite number, at least `least` and above `above`.

    >>> number({"T": 1.5}, "T", above=0)
    1.5

    Raises InputError for anything else.
    """
    value = held.get(name)
    if is_number(value) and value >= least and value > above:
        return float(value)
    bound = f" above {above:g}" if above > -math.inf else f" of at least {least:g}" if least > -math.inf else ""
    raise InputError(f"the map's parameter {name} must be a finite number{bound}; it is {shown(value)}.")


def numbers(
    held: Parameters,
    name: str,
    *,
    n: int | None = None,
    rising: bool = False,
    strictly: bool = False,
    shares: bool = False,
) -> Floats:
    """A list of finite numbers: `n` of them, in rising order, or in [0, 1] (`shares`).

    Raises InputError for anything else.
    """
    values = held.get(name)
    wanted = f"a list of {'' if n is None else f'{n:,} '}finite numbers"
    if not isinstance(values, list) or not all(map(is_number, values)) or (n is not None and len(values) != n):
        raise InputError(f"the map's parameter {name} must be {wanted}; it is {shown(values)}.")
    found = np.array(values, dtype=np.float64)
    steps = np.diff(found)
    if (rising and (steps < 0).any()) or (strictly and (steps <= 0).any()):
        raise InputError(f"the map's parameter {name} must be in rising order; it is {shown(values)}.")
    if shares and len(found) and not (found.min() >= 0.0 and found.max() <= 1.0):
        raise InputError(f"the map's parameter {name} must hold numbers from 0 to 1; it is {shown(values)}.")
    return found


def square(held: Parameters, name: str, *, k: int) -> Floats:
    """A matrix (k, k) as k lists of k finite numbers.

    Raises InputError for anything else.
    """
    rows = held.get(name)
    if not isinstance(rows, list) or len(rows) != k:
        raise InputError(f"the map's parameter {name} must be {k} lists of {k} finite numbers; it is {shown(rows)}.")
    return np.array([numbers({name: row}, name, n=k) for row in rows])


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value of a file is a finite number; a truth value is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False
