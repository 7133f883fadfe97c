"""The rows that two models share: matched by the ids of their items, or by position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError, parameter
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Integers


@dataclass(frozen=True, slots=True)
class SharedRows:
    """The rows of both models, row by row the same item: their positions `a` and `b` among the rows of each.

    `only_a` and `only_b` rows are missing from the other model; `names` are what the models are called.
    """

    a: Integers
    b: Integers
    only_a: int
    only_b: int
    names: tuple[str, str]

    @property
    def said(self) -> list[str]:
        """Which rows were left out because one model has none."""
        only = zip((self.only_a, self.only_b), self.names, strict=True)
        counts = [f"{counted(n, 'row')} of {name}" for n, name in only if n]
        return [f"left out because one model has none: {', '.join(counts)}"] if counts else []

    def check_all(self, *, skip_missing: bool) -> None:
        """Raise InputError if one model has rows that the other lacks, unless these are to be skipped."""
        if not skip_missing and (self.only_a or self.only_b):
            raise InputError(
                f"both models must be evaluated on the same rows; {counted(self.only_a, 'row')} only of "
                f"{self.names[0]}, {self.only_b:,} only of {self.names[1]}. Leave them out with "
                f"{parameter('skip_missing', True)}."
            )


def shared_rows(a: npt.NDArray[Any], b: npt.NDArray[Any], *, names: tuple[str, str], id: str = "id") -> SharedRows:
    """The rows whose keys, ids or positions, both models have, in the order of the keys.

    >>> found = shared_rows(np.array(["x", "y", "z"]), np.array(["z", "x"]), names=("A", "B"))
    >>> found.a, found.b, found.said
    (array([0, 2]), array([1, 0]), ['left out because one model has none: 1 row of A'])

    Raises InputError if a key stands twice, or no row is in both.
    """
    for keys, name in zip((a, b), names, strict=True):
        distinct, counts = np.unique(keys, return_counts=True)
        if counts.max() > 1:
            raise InputError(
                f"{id} must differ in every row of {name}; {distinct[counts.argmax()]} occurs twice or more."
            )
    _, rows_a, rows_b = np.intersect1d(a, b, assume_unique=True, return_indices=True)
    if not len(rows_a):
        raise InputError(f"no row of {names[0]} is one of {names[1]}; are the ids those?")
    return SharedRows(rows_a, rows_b, len(a) - len(rows_a), len(b) - len(rows_b), names)


def check_same_size(sizes: tuple[int, int], *, names: tuple[str, str]) -> None:
    """Raise InputError if two models have different numbers of rows and no ids to match them by."""
    if sizes[0] != sizes[1]:
        said = ", ".join(f"{name} has {n:,}" for name, n in zip(names, sizes, strict=True))
        raise InputError(
            f"both models must be evaluated on the same rows; {said}. Match them by id: {parameter('id', 'COL')}."
        )
