"""The units of a population: the scores of all units, the labels of some, and how these were drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from howsure.counts.notes import SamplingDesign
from howsure.counts.sampling_design import Draw, Elements, partial_labels, read_draw
from howsure.errors import InputError, parameter
from howsure.inputs.arguments import is_listlike
from howsure.inputs.checks import Codes, as_column, check_clusters, check_codes, check_probabilities
from howsure.inputs.frames import all_columns, is_frame
from howsure.inputs.pairs import Bools, Floats, Integers
from howsure.stats.clusters import kish
from howsure.stats.gaffke import UnitSums, gaffke_interval

# Numeric columns that may predict labels.

MAX_FEATURE = 1e100  # largest value of a feature, so that its square is finite
NON_NUMERIC_KINDS = "cmMSV"  # kinds of dtypes that numpy would convert to numbers by truncation or as dates


def read_features(features: Any, *, n: int) -> dict[str, Floats]:
    """Return columns of numbers by name, from a mapping, a data frame, a list of columns, a column or matrix (N, K)."""
    if features is None:
        return {}
    if is_frame(features):
        features = dict(zip(*all_columns(features), strict=True))
    if not (isinstance(features, Mapping) or is_listlike(features)):
        raise InputError(f"features must be columns of numbers; it is a {type(features).__name__}.")
    if not isinstance(features, Mapping):
        features = list(features.T if isinstance(features, np.ndarray) else features)
        is_single = len(features) > 0 and np.ndim(features[0]) == 0
        features = {f"feature {k + 1}": v for k, v in enumerate([features] if is_single else features)}
    return {str(name): _numbers(values, f"features[{str(name)!r}]", n) for name, values in features.items()}


def _numbers(values: object, name: str, n: int) -> Floats:
    values_array = as_column(values, name=name)
    if values_array.shape != (n,):
        raise InputError(f"{parameter(name)} must have {n:,} rows as `y_prob` has; its shape is {values_array.shape}.")
    try:
        if values_array.dtype.kind in NON_NUMERIC_KINDS:
            raise TypeError
        column = values_array.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        row = next((k for k, value in enumerate(values_array.tolist()) if not _is_real(value)), 0)
        raise InputError(
            f"{parameter(name)} must be a column of numbers; `row {row}` is {values_array.tolist()[row]!r}."
        ) from None
    low, high = float(column.min()), float(column.max())
    if not (low >= -MAX_FEATURE and high <= MAX_FEATURE):
        row = int(np.flatnonzero(~(np.abs(column) <= MAX_FEATURE))[0])
        raise InputError(
            f"{parameter(name)} must be finite numbers, at most {MAX_FEATURE:g} in size; `row {row}` is "
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
MAX_TABLE_RATIO = 4  # combinations per unit; above it they are numbered by sorting instead of a table
MAX_COMBINATIONS = 1 << 62


@dataclass(frozen=True)
class Cells:
    """The cell of each unit, and the domain of each cell.

    The name of a cell has a value of each column. Cells that differ only in the last column form a domain.
    """

    columns: tuple[str, ...]
    code: Codes
    names: tuple[tuple[str, ...], ...]
    domain: Integers  # of each cell
    domain_names: tuple[tuple[str, ...], ...]
    size: Integers  # units of each cell

    @cached_property
    def order(self) -> Codes:
        return rows_by_code(self.code, self.size)

    @cached_property
    def start(self) -> Integers:
        """The index in `order` at which each cell begins; the last element is the number of units."""
        return _starts(self.size)

    def members(self, cell: int) -> Codes:
        return self.order[self.start[cell] : self.start[cell + 1]]


def read_cells(cells: Any, *, n: int) -> Cells:
    """Return the cell of each of n rows, which is its combination of values of the group columns.

    cells: a column, a list or tuple of columns, a mapping of names to columns, or a data frame; None puts all rows into
    one cell. Cells that differ only in the last column belong to the same domain.
    """
    named = named_groups(cells)
    coded = [check_codes(column, n=n, name=f"groups[{name!r}]") for name, column in named.items()]
    code, present = combined(coded, n)
    parts = np.unravel_index(present, [len(names) for _, names in coded]) if coded else ()
    columns = [[names[place] for place in part.tolist()] for part, (_, names) in zip(parts, coded, strict=True)]
    cell_names = tuple(zip(*columns, strict=True)) if columns else ((),)
    domains = {name: place for place, name in enumerate(dict.fromkeys(name[:-1] for name in cell_names))}
    domain = np.array([domains[name[:-1]] for name in cell_names], dtype=np.int64)
    size = np.bincount(code, minlength=len(cell_names))
    return Cells(tuple(named), code, cell_names, domain, tuple(domains), size)


def named_groups(cells: Any) -> dict[str, Any]:
    """Return columns by name, from one column, several (a list or tuple), a mapping or a data frame; {} for None."""
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
    """Return the index of each unit's combination of values, and the combinations that occur, in ascending order."""
    code: Codes = np.zeros(n, dtype=np.int32)
    combinations = 1
    for codes, names in coded:
        combinations *= len(names)
        if combinations > MAX_COMBINATIONS:
            raise InputError("groups: these columns have more combinations than can be numbered. Pass fewer columns.")
        kind = np.int32 if combinations < 1 << 31 else np.int64
        code = code.astype(kind, copy=False) * len(names) + codes.astype(kind, copy=False)
    if combinations > MAX_TABLE_RATIO * n + 1000:
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
    """Return the rows sorted by code, and in ascending order within each code."""
    order = np.empty(len(code), dtype=np.int32 if len(code) < 1 << 31 else np.int64)
    free = _starts(size)[:-1]
    narrow = np.min_scalar_type(len(size))
    for start in range(0, len(code), BLOCK):
        part = code[start : start + BLOCK].astype(narrow)
        rows = np.argsort(part, kind="stable")
        counts = np.bincount(part, minlength=len(size))
        ranks = np.arange(len(part)) - np.repeat(np.cumsum(counts) - counts, counts)
        order[free[part[rows]] + ranks] = rows + start
        free = free + counts
    return order


MIN_LABELS = 10


@dataclass(frozen=True, slots=True)
class Units:
    """N units: scores (N,), the rows with labels and these labels, the cells, and how labelled units were drawn."""

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
        return self.cells.code[self.labelled].astype(np.int64)

    @property
    def weight_of_labelled(self) -> Floats:
        """The number of units that each labelled unit represents."""
        weight: Floats = self.draw.weight[self.draw.element]
        return weight

    def by_cell(self, values: Floats) -> Floats:
        sums = np.bincount(self.cell_of_labelled, weights=values, minlength=len(self.cells.names))
        return sums.astype(np.float64, copy=False)


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
    """Check the arguments of `estimate_counts`, and return the units."""
    score = check_probabilities(y_prob)
    n = len(score)
    labelled, values = partial_labels(y_true, n=n, pos_label=pos_label)
    check_enough(len(labelled), n)
    elements = Elements(n, None if clusters is None else check_clusters(clusters, n=n))
    draw, design = read_draw(elements, labelled, strata=strata, inclusion=inclusion)
    return Units(score, labelled, values, read_cells(groups, n=n), elements, draw, design)


def check_enough(labelled: int, n: int) -> None:
    """Raise InputError for fewer than 10 labels."""
    if labelled < MIN_LABELS:
        raise InputError(
            f"at least {MIN_LABELS} units must have a label; {labelled:,} of {n:,} have one. Draw units by "
            "`howsure.draw_label_sample` and label them."
        )


# Elements of unequal size: clusters of many or few units, or units with unequal weights.
# A few large elements can determine a total. If the sample contains none of them, or no positive one, the labels do not
# show how wrong the estimate is. Therefore, the bound allows for one further element of the largest size, whose units
# are all positive or all negative.

MIN_EFFECTIVE_ELEMENTS = 10.0  # with fewer, the bound is used, because the variance cannot be estimated


@dataclass(frozen=True, slots=True)
class ElementSizes:
    """The sizes of the elements of a domain.

    largest: the number of units in its largest element of the population. effective: the number of equal elements
    that estimate the variance as well as the drawn ones, n (Σ M²)² / (N Σ M⁴) with M units in each of N elements.
    """

    largest: int = 1
    effective: float = math.inf

    def are_unequal(self, draw: Draw) -> bool:
        """Whether drawn elements differ in weight or size."""
        return draw.inclusion is not None or self.largest > 1


def measure_elements(units: Units, rows: Integers | None) -> ElementSizes:
    """Return the sizes of the elements of a domain with these rows (None: of all units)."""
    element = units.elements.of_unit
    if element is None:
        return ElementSizes()
    size = np.unique(element if rows is None else element[rows], return_counts=True)[1].astype(np.float64)
    drawn = len(units.draw.stratum) / len(units.elements)
    return ElementSizes(int(size.max(initial=1)), drawn * kish(size**2))


def effective_minority(draw: Draw, labels: Floats, inside: Bools, element_sizes: ElementSizes) -> float:
    """Return the effective number of elements with the rarer label in a domain; 0 if elements are too unequal."""
    weights = [
        draw.weight * draw.sum_by_element(np.where(inside, class_labels, 0.0))
        for class_labels in (labels, 1.0 - labels)
    ]
    return (
        0.0
        if element_sizes.effective < MIN_EFFECTIVE_ELEMENTS
        else min(kish(weight) if weight.any() else 0.0 for weight in weights)
    )


def gaffke_share(
    draw: Draw, positives: Floats, labelled: Floats, element_sizes: ElementSizes, *, unread: float, level: float
) -> tuple[float, float]:
    """Return the interval of a proportion by Gaffke's bound of the mean label, if whole elements were drawn.

    positives, labelled: for each drawn element, the numbers of its positive and of its labelled units in the domain.
    unread: the proportion of the domain's units without a label; the distances to both ends are multiplied by its root
    (finite population correction). Single units with equal probabilities have the exact binomial interval (Clopper &
    Pearson 1934).
    """
    weight = draw.weight
    sizes, sums = weight * labelled, weight * positives
    largest = (
        float(weight.max() if draw.inclusion is not None else (sizes / np.maximum(labelled, 1)).max())
        * element_sizes.largest
    )
    inside = labelled > 0
    sizes, sums = sizes[inside], sums[inside]
    share, tail = float(sums.sum() / sizes.sum()), (1.0 - level) / 2
    low, high = gaffke_interval(UnitSums.of(sums, sizes, largest=largest), bounds=(0.0, 1.0), size=tail)
    reach = math.sqrt(unread)
    return share - reach * (share - low), share + reach * (high - share)
