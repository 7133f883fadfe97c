"""The cell of each unit: a combination of values of some columns, such as an actor and a period."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.checks import Codes, check_codes
from howsure.inputs.frames import all_columns, is_frame
from howsure.inputs.pairs import Integers

BLOCK = 1 << 20  # units that are sorted at a time
LOOKUP = 4  # combinations per unit up to which they are numbered by a table
ALL_CODES = 1 << 62


@dataclass(frozen=True)
class Cells:
    """The cell of each unit, and the names of cells: a value of each column; domains by all columns but the last."""

    columns: tuple[str, ...]
    code: Codes
    names: tuple[tuple[str, ...], ...]
    domain: Integers  # of each cell
    domain_names: tuple[tuple[str, ...], ...]
    size: Integers  # units of each cell

    @cached_property
    def order(self) -> Codes:
        """The units by their cell, ascending within each."""
        return rows_by_code(self.code, self.size)

    @cached_property
    def start(self) -> Integers:
        """Where each cell begins in this order, and the number of units."""
        return _starts(self.size)

    def members(self, cell: int) -> Codes:
        """The units of a cell."""
        return self.order[self.start[cell] : self.start[cell + 1]]


def read_cells(cells: Any, *, n: int) -> Cells:
    """Cells from a column, several (a list or tuple), a mapping of names to columns or a data frame; None: one cell."""
    named = {} if cells is None else _columns_of(cells)
    coded = [check_codes(column, n=n, name=f"cells[{name!r}]") for name, column in named.items()]
    code, present = combined(coded, n)
    parts = np.unravel_index(present, [len(names) for _, names in coded]) if coded else ()
    columns = [[names[place] for place in part.tolist()] for part, (_, names) in zip(parts, coded, strict=True)]
    names_of = tuple(zip(*columns, strict=True)) if columns else ((),)
    domains = {name: place for place, name in enumerate(dict.fromkeys(name[:-1] for name in names_of))}
    domain = np.array([domains[name[:-1]] for name in names_of], dtype=np.int64)
    size = np.bincount(code, minlength=len(names_of))
    return Cells(tuple(named), code, names_of, domain, tuple(domains), size)


def _columns_of(cells: Any) -> dict[str, object]:
    if is_frame(cells):
        cells = dict(zip(*all_columns(cells), strict=True))
    if isinstance(cells, Mapping):
        if not cells:
            raise InputError("cells names no column; leave it out for one total.")
        return {str(name): column for name, column in cells.items()}
    several = isinstance(cells, (list, tuple)) and len(cells) and hasattr(cells[0], "__len__")
    if several and not isinstance(cells[0], (str, bytes)):
        return {f"cell {k + 1}": column for k, column in enumerate(cells)}
    return {"cell": cells}


def combined(coded: list[tuple[Codes, tuple[str, ...]]], n: int) -> tuple[Codes, Integers]:
    """A number from 0 for each combination that occurs: of each unit, and the combinations in ascending order."""
    code: Codes = np.zeros(n, dtype=np.int32)
    combinations = 1
    for codes, names in coded:
        combinations *= len(names)
        if combinations > ALL_CODES:
            raise InputError("cells: these columns have more combinations than can be numbered. Pass fewer columns.")
        kind = np.int32 if combinations < 1 << 31 else np.int64
        code = code.astype(kind, copy=False) * len(names) + codes.astype(kind, copy=False)
    if combinations > LOOKUP * n + 1000:
        present, place = np.unique(code, return_inverse=True)
        return place.astype(np.int64), present.astype(np.int64)
    present = np.flatnonzero(np.bincount(code, minlength=combinations))
    if len(present) == combinations:
        return code, present
    numbers = np.zeros(combinations, dtype=np.int32)
    numbers[present] = np.arange(len(present))
    return numbers[code], present


def _starts(size: Integers) -> Integers:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(size)])


def rows_by_code(code: Codes, size: Integers) -> Codes:
    """The rows by their code, ascending within each: a stable sort that needs little memory beside its result."""
    order = np.empty(len(code), dtype=np.int32 if len(code) < 1 << 31 else np.int64)
    free = _starts(size)[:-1]
    narrow = np.min_scalar_type(len(size))
    for start in range(0, len(code), BLOCK):
        part = code[start : start + BLOCK].astype(narrow)
        rows = np.argsort(part, kind="stable")
        held = np.bincount(part, minlength=len(size))
        ranks = np.arange(len(part)) - np.repeat(np.cumsum(held) - held, held)
        order[free[part[rows]] + ranks] = rows + start
        free = free + held
    return order
