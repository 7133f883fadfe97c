"""The units of a population: scores of all, labels of some, their cells, and how the labels were drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.counts.design import Bools, Draw
from howsure.errors import InputError
from howsure.inputs.arrays import Column, as_column, is_missing
from howsure.inputs.checks import check_clusters, check_codes, check_labels, check_probabilities
from howsure.inputs.frames import all_columns, is_frame
from howsure.inputs.numerals import spelled_number
from howsure.inputs.pairs import Floats, Integers

LEAST_LABELS = 10
SPREADS = 5.0  # standard deviations of Σ 1/π, as of units drawn independently, scaled up to the size there is


@dataclass(frozen=True, slots=True)
class Cells:
    """The cell of each unit, and the names of cells: a value of each column; domains by all columns but the last."""

    columns: tuple[str, ...]
    code: Integers
    names: tuple[tuple[str, ...], ...]
    domain: Integers  # of each cell
    domain_names: tuple[tuple[str, ...], ...]
    order: Integers  # the units by their cell
    start: Integers  # where each cell begins in this order

    def members(self, cell: int) -> Integers:
        """The units of a cell."""
        return self.order[self.start[cell] : self.start[cell + 1]]


@dataclass(frozen=True, slots=True)
class Units:
    """N units: scores (N,), the rows that have labels and these labels, cells, and the draw."""

    score: Floats
    labelled: Integers
    labels: Floats
    cells: Cells
    draw: Draw
    design: str  # how the labels were drawn, in words

    def __len__(self) -> int:
        return len(self.score)

    @property
    def is_clustered(self) -> bool:
        """Whether several units were drawn together."""
        return len(self.draw.stratum) < len(self)

    @property
    def is_labelled(self) -> Bools:
        """Whether each unit has a label."""
        held = np.zeros(len(self), dtype=np.bool_)
        held[self.labelled] = True
        return held

    @property
    def all_labels(self) -> Floats:
        """The labels (N,), 0 where there is none."""
        held = np.zeros(len(self))
        held[self.labelled] = self.labels
        return held

    @property
    def weight_of_labelled(self) -> Floats:
        """How many units each unit with a label stands for."""
        of_element = np.zeros(len(self.draw.stratum))
        of_element[self.draw.drawn] = self.draw.weight
        held: Floats = of_element[self.draw.element[self.labelled]]
        return held


def read_units(
    y_prob: object,
    labels: object,
    *,
    cells: Any = None,
    strata: object = None,
    inclusion: object = None,
    clusters: object = None,
) -> Units:
    """Check what a user passes to `estimate_counts`.

    Raises InputError naming the parameter, the row, the value and what to do.
    """
    score = check_probabilities(y_prob)
    n = len(score)
    labelled, values = partial_labels(labels, n=n)
    if len(labelled) < LEAST_LABELS:
        raise InputError(
            f"labels must be known for at least {LEAST_LABELS} units; they are for {len(labelled):,} of {n:,}. "
            "Draw units by howsure.sample_for_labels and read them."
        )
    element = np.arange(n) if clusters is None else check_clusters(clusters, n=n)
    drawn = _drawn_elements(element, labelled, n)
    draw, design = _draw_of(element, drawn, labelled, strata, inclusion, n, clusters is not None)
    return Units(score, labelled, values, read_cells(cells, n=n), draw, design)


def partial_labels(labels: object, *, n: int) -> tuple[Integers, Floats]:
    """The rows that have a label, and their labels as 0.0 or 1.0; None, NaN and "" stand for no label."""
    column = as_column(labels, name="labels")
    if len(column) != n:
        raise InputError(f"labels must have as many rows as y_prob; it has {len(column):,}, y_prob has {n:,}.")
    if column.dtype.kind == "f":
        known = np.flatnonzero(~np.isnan(column))
    elif column.dtype.kind in "OUT":
        known = np.array([k for k, one in enumerate(column.tolist()) if not is_missing(one) and one != ""], dtype=int)
    else:
        known = np.arange(n)
    if len(known) == 0:
        return known, np.empty(0)
    try:
        values = check_labels(_spelled_plainly(column[known]), name="labels").astype(np.float64)
    except (InputError, TypeError) as error:
        raise _at_its_row(column, known, error) from None
    return known, values


def _spelled_plainly(labels: Column) -> Column:
    """Texts such as "1.0", which a column with gaps becomes in many programs, as "1" or "0"; the others as they are."""
    if labels.dtype.kind not in "OUT":
        return labels
    numbers = [spelled_number(one) if isinstance(one, str) else None for one in labels.tolist()]
    plain = [f"{n:g}" if n in (0.0, 1.0) else one for n, one in zip(numbers, labels.tolist(), strict=True)]
    return np.array(plain, dtype=object)


def read_cells(cells: Any, *, n: int) -> Cells:
    """Cells from a column, several (a list or tuple), a mapping of names to columns or a data frame; None: one cell."""
    named = {} if cells is None else _columns_of(cells)
    coded = [check_codes(column, n=n, name=f"cells[{name!r}]") for name, column in named.items()]
    code = np.zeros(n, dtype=np.int64)
    for codes, names in coded:
        code = code * len(names) + codes
    present, code = np.unique(code, return_inverse=True)
    parts = np.unravel_index(present, [len(names) for _, names in coded]) if coded else ()
    names_of = tuple(
        tuple(names[int(part[k])] for part, (_, names) in zip(parts, coded, strict=True)) for k in range(len(present))
    )
    domains = list(dict.fromkeys(name[:-1] for name in names_of))
    domain = np.array([domains.index(name[:-1]) for name in names_of], dtype=np.int64)
    order = np.argsort(code, kind="stable")
    start = np.searchsorted(code[order], np.arange(len(present) + 1))
    return Cells(tuple(named), code.astype(np.int64), names_of, domain, tuple(domains), order, start)


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


def _drawn_elements(element: Integers, labelled: Integers, n: int) -> Integers:
    """The elements that were drawn; InputError where a cluster has units with and without labels."""
    drawn = np.unique(element[labelled])
    known = np.bincount(element[labelled], minlength=int(element.max()) + 1)
    size = np.bincount(element)
    partly = np.flatnonzero((known > 0) & (known < size))
    if len(partly):
        row = int(np.flatnonzero((element == partly[0]) & ~np.isin(np.arange(n), labelled))[0])
        raise InputError(
            f"a cluster is labelled as a whole or not at all; that of row {row} has labels for {known[partly[0]]:,} of "
            f"its {size[partly[0]]:,} units ({len(partly):,} such clusters). Label the others, or empty its labels."
        )
    return drawn


def _draw_of(
    element: Integers, drawn: Integers, labelled: Integers, strata: object, inclusion: object, n: int, clustered: bool
) -> tuple[Draw, str]:
    elements = int(element.max()) + 1
    what = "clusters" if clustered else "units"
    first = np.full(elements, n)
    np.minimum.at(first, element, np.arange(n))
    chances = None if inclusion is None else _chances(inclusion, element, drawn, labelled, first, n)
    if strata is None:
        stratum, size = np.zeros(elements, dtype=np.int64), np.array([elements])
        how = f"{what} drawn at random from all" if chances is None else f"{what} drawn with given probabilities"
        if chances is None:
            _check_strata(("all",), size, np.array([len(drawn)]), what)
        else:
            said, variance = float((1.0 / chances).sum()), float(((1.0 - chances) / chances**2).sum())
            _check_size(said, elements, "inclusion says", what, SPREADS * (variance * elements / said) ** 0.5)
        return Draw(element, drawn, stratum, size, chances), how
    codes, names = _stratum_codes(strata, labelled, n, may_miss=chances is not None)
    stratum = codes[first]
    stratum[element[labelled]] = codes[labelled]
    known = np.flatnonzero(codes >= 0)
    odd = known[codes[known] != stratum[element[known]]]
    if len(odd):
        row = int(odd[0])
        raise InputError(
            f"strata must be the same for all units of a cluster; row {row} and row {first[element[row]]} differ."
        )
    count = np.bincount(stratum[drawn], minlength=len(names))
    if chances is None:
        size = np.bincount(stratum, minlength=len(names))
    else:
        size = _sizes(names, stratum[drawn], chances, count, elements, what)
    _check_strata(names, size, count, what)
    stratum[stratum < 0] = 0  # of what was not drawn it does not matter: the sizes are known
    return Draw(element, drawn, stratum, size, None), f"{what} drawn at random within {len(names):,} strata"


def _stratum_codes(strata: object, labelled: Integers, n: int, *, may_miss: bool) -> tuple[Integers, tuple[str, ...]]:
    """The stratum of each unit, -1 where it is missing, which it may be where chances are known."""
    if not may_miss:
        return check_codes(strata, n=n, name="strata")
    column = as_column(strata, name="strata")
    if len(column) != n:
        raise InputError(f"strata must have as many rows as y_prob; it has {len(column):,}, y_prob has {n:,}.")
    values = [None if is_missing(one) or one == "" else one for one in column.tolist()]
    lacking = next((row for row in labelled.tolist() if values[row] is None), None)
    if lacking is not None:
        raise InputError(f"strata must not be missing for a unit with a label; row {lacking} has none.")
    rows = np.array([row for row, one in enumerate(values) if one is not None], dtype=np.int64)
    found, names = check_codes([values[row] for row in rows.tolist()], n=len(rows), name="strata")
    codes = np.full(n, -1, dtype=np.int64)
    codes[rows] = found
    return codes, names


def _sizes(
    names: tuple[str, ...], stratum: Integers, chances: Floats, count: Integers, elements: int, what: str
) -> Integers:
    """N_h = n_h / π_h of each stratum; InputError where chances differ within one, or the sizes do not add up."""
    size = np.zeros(len(names), dtype=np.int64)
    for code, name in enumerate(names):
        mine = np.unique(chances[stratum == code])
        if len(mine) > 1 and mine.max() - mine.min() > 1e-6:
            raise InputError(
                f"inclusion must be one number within a stratum; {name!r} has {mine[0]:g} and {mine[-1]:g}."
            )
        size[code] = round(count[code] / mine[0]) if len(mine) else 0
    _check_size(float(size.sum()), elements, "strata and inclusion together say", what, 2 * len(names))
    return size


def _check_size(said: float, elements: int, who: str, what: str, room: float) -> None:
    """InputError where Σ 1/π, which estimates how many there are, is off by more than the room and 1 %."""
    if abs(said - elements) > max(room, elements // 100):
        raise InputError(
            f"{who} that there are {said:,.0f} {what}; there are {elements:,}. Give labels for all drawn units, and "
            "the inclusion probabilities from the sample."
        )


def _check_strata(names: tuple[str, ...], size: Integers, count: Integers, what: str) -> None:
    for code in np.flatnonzero((count < np.minimum(2, size)) & (size > 0)):
        raise InputError(
            f"strata: {names[code]!r} has {size[code]:,} {what} and {count[code]} with labels; each needs 2, since "
            "nothing else shows what the model misses there. Label more of it, or merge it with another."
        )


def _chances(
    inclusion: object, element: Integers, drawn: Integers, labelled: Integers, first: Integers, n: int
) -> Floats:
    column = as_column(inclusion, name="inclusion")
    if len(column) != n:
        raise InputError(f"inclusion must have as many rows as y_prob; it has {len(column):,}, y_prob has {n:,}.")
    values = np.array([spelled_number(str(one)) for one in column.tolist()], dtype=np.float64)
    for row in labelled.tolist():
        if not 0.0 < values[row] <= 1.0:
            held = "none" if is_missing(column[row]) or column[row] == "" else repr(column.tolist()[row])
            raise InputError(
                "inclusion, the probability that a unit was drawn for labelling, must lie in (0, 1] where there is a "
                f"label; row {row} has {held}. howsure.sample_for_labels gives it."
            )
    of_element = np.full(len(first), np.nan)
    of_element[element[labelled]] = values[labelled]
    odd = np.flatnonzero(values[labelled] != of_element[element[labelled]])
    if len(odd):
        raise InputError(f"inclusion must be the same for all units of a cluster; row {labelled[odd[0]]} differs.")
    return np.asarray(of_element[drawn])


def _at_its_row(column: np.ndarray[Any, Any], known: Integers, error: Exception) -> Exception:
    plain = _spelled_plainly(column[known])
    for k, row in enumerate(known.tolist()):
        if plain[k] not in (0, 1, "0", "1", True, False):
            return InputError(f"labels must be 0, 1 or missing; row {row} holds {column.tolist()[row]!r}.")
    return error
