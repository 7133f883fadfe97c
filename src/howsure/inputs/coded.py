"""Values as codes: a column of names that is stored so, and the codes of any column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.arrays import Column
from howsure.inputs.pairs import Integers

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


def check_group_count(groups: int, rows: int, *, name: str) -> None:
    """Raise InputError where a column has so many groups that their evaluation would seem to stand still.

    >>> check_group_count(10**6, 10**6, name="groups")
    Traceback (most recent call last):
    howsure.errors.InputError: groups must part the rows into at most 50,000 groups; it parts 1,000,000 rows into
    1,000,000. Each is evaluated by itself: that would take 33 minutes or more, and print as many results. ...
    """
    if groups > MOST_GROUPS:
        minutes = groups * A_GROUP / 60
        raise InputError(
            f"{name} must part the rows into at most {MOST_GROUPS:,} groups; it parts {rows:,} rows into {groups:,}. "
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
    seen: dict[Any, int] = {}
    rows = column.astype(str).tolist() if kind in "mM" else column.tolist()
    codes = np.fromiter((seen.setdefault(value, len(seen)) for value in rows), dtype=np.int64, count=len(rows))
    return codes, list(seen)


def _looked_up(offsets: Column, low: int, kind: str) -> tuple[Integers, list[Any]]:
    present = np.zeros(int(offsets.max()) + 1, dtype=np.int64)
    present[offsets] = 1
    distinct = np.flatnonzero(present)
    present[distinct] = np.arange(len(distinct))
    values = distinct + low
    return present[offsets], (values.astype(np.bool_) if kind == "b" else values).tolist()
