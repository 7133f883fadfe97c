"""Names whose values are equal up to rounding: their order, and the sentence on those that share the best value."""

from __future__ import annotations

import math
from collections.abc import Sequence

from howsure.inputs.numbers_and_names import natural_order, shortened

MAX_NAMED = 3  # number of names in a sentence


def highest_first(value: float, name: object) -> tuple[float, tuple[int, float, str, str]]:
    """Return a sort key: the highest value first, equal values by name in natural order, NaN last.

    >>> sorted([("b", 0.3), ("c", 0.4), ("a", 0.1 + 0.2)], key=lambda pair: highest_first(pair[1], pair[0]))
    [('c', 0.4), ('a', 0.30000000000000004), ('b', 0.3)]
    """
    return (math.inf if math.isnan(value) else -float(f"{value:.12g}"), natural_order(str(name)))


def count_equal_first(values: Sequence[float]) -> int:
    """Return how many of the first values are equal, up to rounding.

    >>> count_equal_first([0.1 + 0.2, 0.3, 0.2])
    2
    """
    equal = (math.isclose(value, values[0], rel_tol=1e-12, abs_tol=1e-15) for value in values[1:])
    return next((i for i, is_equal in enumerate(equal, 1) if not is_equal), len(values))


def listed_names(names: Sequence[str]) -> str:
    """Return names for a sentence: "a and b", or a list that is shortened.

    >>> listed_names(["a", "b"]), listed_names(["a", "b", "c"])
    ('a and b', 'a, b, c')
    """
    return " and ".join(names) if len(names) == 2 else shortened(names, limit=MAX_NAMED)


def equal_values_text(names: Sequence[str], value: str, *, extreme: str, of_all: int, what: str = "equal means") -> str:
    """Return a sentence, without a full stop, on the names that share the best value. of_all: the number of all names.

    >>> equal_values_text(["a", "b"], "0.6000", extreme="highest", of_all=3)
    'a and b have equal means, the highest, 0.6000'
    """
    return f"{listed_names(names)} have {what}, {f'the {extreme}, ' if len(names) < of_all else ''}{value}"
