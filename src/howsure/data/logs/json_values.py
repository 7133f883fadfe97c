"""What stands in a log, as what it should be: a mapping, a list, a number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from howsure.errors import shown


def mapping(value: Any) -> Mapping[str, Any]:
    """An object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    """A list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def number(value: Any) -> float | None:
    """A number or truth value as a number; None for anything else, and for what is larger than any float."""
    if not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def numbers(value: Any, what: str) -> list[float]:
    """A list of numbers.

    Raises ValueError with `what` it is if it is none.
    """
    found = [number(one) for one in listed(value)]
    if not isinstance(value, list) or None in found:
        raise ValueError(f"{what} must be a list of numbers; it is {shown(value)}")
    return [one for one in found if one is not None]
