"""The units of a population: scores of all, labels of some, their cells, and how the labels were drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from howsure.counts.draw import Draw, Elements, partial_labels, read_draw
from howsure.counts.notes import SamplingDesign
from howsure.errors import InputError, at_row, parameter
from howsure.inputs.checks import Codes, as_column, check_clusters, check_codes, check_probabilities
from howsure.inputs.frames import all_columns, is_frame
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.clusters import kish
from howsure.stats.gaffke import Sums, gaffke_interval

# Columns of numbers that may tell labels apart.

LARGEST = 1e100  # number in a feature, so that its square is finite
NO_NUMBERS = "cmMSV"  # kinds of dtypes whose values numpy would cut or count to make numbers of them


def read_features(features: Any, *, n: int) -> dict[str, Floats]:
    """Columns of numbers by their names: a mapping, a data frame, a list of columns, one column or a matrix (N, K).

    Raises InputError for a column of another length, or with a value that is no finite number.
    """
    if features is None:
        return {}
    if is_frame(features):
        features = dict(zip(*all_columns(features), strict=True))
    if not isinstance(features, (Mapping, Iterable)):
        raise InputError(f"features must be columns of numbers; it is a {type(features).__name__}.")
    if not isinstance(features, Mapping):
        features = list(features.T if isinstance(features, np.ndarray) else features)
        one = len(features) > 0 and np.ndim(features[0]) == 0
        features = {f"feature {k + 1}": v for k, v in enumerate([features] if one else features)}
    return {str(name): _numbers(values, f"features[{str(name)!r}]", n) for name, values in features.items()}


def _numbers(values: object, name: str, n: int) -> Floats:
    held = as_column(values, name=name)
    if held.shape != (n,):
        raise InputError(
            f"{parameter(name)} must have {n:,} rows as {parameter('y_prob')} has; its shape is {held.shape}."
        )
    try:
        if held.dtype.kind in NO_NUMBERS:
            raise TypeError
        column = held.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        row = next((k for k, one in enumerate(held.tolist()) if not _is_real(one)), 0)
        raise InputError(
            f"{parameter(name)} must be a column of numbers; {at_row(row)} holds {held.tolist()[row]!r}."
        ) from None
    low, high = float(column.min()), float(column.max())
    if not (low >= -LARGEST and high <= LARGEST):
        row = int(np.flatnonzero(~(np.abs(column) <= LARGEST))[0])
        raise InputError(
            f"{parameter(name)} must be finite numbers, at most {LARGEST:g} in size; {at_row(row)} holds "
            f"{float(column[row])!r}."
        )
    return column


def _is_real(value: Any) -> bool:
    try:
        float(value)
        return not isinstance(value, (bytes, complex))
    except (TypeError, ValueError):
        return False


# The cell of each unit: a combination of values of some columns, such as an actor and a period.

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
    named = named_groups(cells)
    coded = [check_codes(column, n=n, name=f"groups[{name!r}]") for name, column in named.items()]
    code, present = combined(coded, n)
    parts = np.unravel_index(present, [len(names) for _, names in coded]) if coded else ()
    columns = [[names[place] for place in part.tolist()] for part, (_, names) in zip(parts, coded, strict=True)]
    names_of = tuple(zip(*columns, strict=True)) if columns else ((),)
    domains = {name: place for place, name in enumerate(dict.fromkeys(name[:-1] for name in names_of))}
    domain = np.array([domains[name[:-1]] for name in names_of], dtype=np.int64)
    size = np.bincount(code, minlength=len(names_of))
    return Cells(tuple(named), code, names_of, domain, tuple(domains), size)


def named_groups(cells: Any) -> dict[str, Any]:
    """Columns by their names: of one column, several (a list or tuple), a mapping or a data frame; {} of None."""
    if cells is None:
        return {}
    if is_frame(cells):
        cells = dict(zip(*all_columns(cells), strict=True))
    if isinstance(cells, Mapping):
        if not cells:
            raise InputError("groups names no column; leave it out for one total.")
        return {str(name): column for name, column in cells.items()}
    several = isinstance(cells, (list, tuple)) and len(cells) and hasattr(cells[0], "__len__")
    if several and not isinstance(cells[0], (str, bytes)):
        return {f"group {k + 1}": column for k, column in enumerate(cells)}
    return {"group": cells}


def combined(coded: list[tuple[Codes, tuple[str, ...]]], n: int) -> tuple[Codes, Integers]:
    """A number from 0 for each combination that occurs: of each unit, and the combinations in ascending order."""
    code: Codes = np.zeros(n, dtype=np.int32)
    combinations = 1
    for codes, names in coded:
        combinations *= len(names)
        if combinations > ALL_CODES:
            raise InputError("groups: these columns have more combinations than can be numbered. Pass fewer columns.")
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


LEAST_LABELS = 10


@dataclass(frozen=True, slots=True)
class Units:
    """N units: scores (N,), the rows that have labels and these labels, cells, and the draw."""

    score: Floats
    labelled: Integers  # ascending
    labels: Floats
    cells: Cells
    elements: Elements
    draw: Draw
    design: SamplingDesign

    def __len__(self) -> int:
        return len(self.score)

    @property
    def cell_of_labelled(self) -> Integers:
        """The cell of each unit with a label."""
        return self.cells.code[self.labelled].astype(np.int64)

    @property
    def weight_of_labelled(self) -> Floats:
        """How many units each unit with a label stands for."""
        held: Floats = self.draw.weight[self.draw.element]
        return held

    def by_cell(self, values: Floats) -> Floats:
        """Sums of values of labelled units by cell."""
        found = np.bincount(self.cell_of_labelled, weights=values, minlength=len(self.cells.names))
        return found.astype(np.float64, copy=False)


def read_units(
    y_true: object,
    y_prob: object,
    *,
    groups: Any = None,
    strata: object = None,
    inclusion: object = None,
    clusters: object = None,
    pos_label: object = None,
) -> Units:
    """Check what a user passes to `estimate_counts`.

    Raises InputError naming the parameter, the row, the value and what to do.
    """
    score = check_probabilities(y_prob)
    n = len(score)
    labelled, values = partial_labels(y_true, n=n, pos_label=pos_label)
    check_enough(len(labelled), n)
    elements = Elements(n, None if clusters is None else check_clusters(clusters, n=n))
    draw, design = read_draw(elements, labelled, strata=strata, inclusion=inclusion)
    return Units(score, labelled, values, read_cells(groups, n=n), elements, draw, design)


def check_enough(labelled: int, n: int) -> None:
    """InputError for fewer than 10 labels."""
    if labelled < LEAST_LABELS:
        raise InputError(
            f"at least {LEAST_LABELS} units must have a label; {labelled:,} of {n:,} have one. Draw units by "
            f"{parameter('howsure.sample_for_labels')} and read them."
        )


# What was drawn in unequal pieces: clusters of many units beside small ones, or units that stand for unequal numbers.
#
# Few large pieces can decide a total, and a sample that holds none of them, or no positive one, does not show how far
# off it is. So the bound here allows for one further piece that is as large as any and holds only positives, or none.

Bools = np.ndarray[Any, np.dtype[np.bool_]]
LEAST_ALIKE = 10.0  # drawn elements of equal size that say as much of the variance; of fewer, the bound is used


@dataclass(frozen=True, slots=True)
class Lumps:
    """How unequal the elements are that the units of a domain come in.

    largest: the most of its units in one element of the population. alike: how many equal elements would tell as much
    of the variance as those that were drawn, n (Σ M²)² / (N Σ M⁴) with M units in each of N elements.
    """

    largest: int = 1
    alike: float = math.inf

    def matter(self, draw: Draw) -> bool:
        """Whether drawn elements differ in what they stand for."""
        return draw.inclusion is not None or self.largest > 1


def lumps_of(units: Units, rows: Integers | None) -> Lumps:
    """The elements of a domain (None: of everything)."""
    held = units.elements.of_unit
    if held is None:
        return Lumps()
    size = np.unique(held if rows is None else held[rows], return_counts=True)[1].astype(np.float64)
    drawn = len(units.draw.stratum) / len(units.elements)
    return Lumps(int(size.max(initial=1)), drawn * kish(size**2))


def few_alike(draw: Draw, labels: Floats, inside: Bools, lumps: Lumps) -> float:
    """How many positives, or negatives if they are fewer, the labels of a domain are worth by whole elements."""
    found = [draw.weight * draw.per_drawn(np.where(inside, one, 0.0)) for one in (labels, 1.0 - labels)]
    return 0.0 if lumps.alike < LEAST_ALIKE else min(kish(one) if one.any() else 0.0 for one in found)


def share_of_lumps(
    draw: Draw, positives: Floats, seen: Floats, lumps: Lumps, *, unread: float, level: float
) -> tuple[float, float]:
    """The interval of a share by Gaffke's bound of the mean of the labels, drawn by whole elements.

    positives, seen: of each drawn element its positives and its units in the domain. unread: the share of the domain's
    units without a label; the distances to the ends are √unread of what they are in an endless population. Single
    units of equal chances get the exact binomial interval (Clopper & Pearson 1934).
    """
    weight = draw.weight
    sizes, sums = weight * seen, weight * positives
    largest = float(weight.max() if draw.inclusion is not None else (sizes / np.maximum(seen, 1)).max()) * lumps.largest
    inside = seen > 0
    sizes, sums = sizes[inside], sums[inside]
    share, tail = float(sums.sum() / sizes.sum()), (1.0 - level) / 2
    low, high = gaffke_interval(Sums.of(sums, sizes, largest=largest), bounds=(0.0, 1.0), size=tail)
    reach = math.sqrt(unread)
    return share - reach * (share - low), share + reach * (high - share)
