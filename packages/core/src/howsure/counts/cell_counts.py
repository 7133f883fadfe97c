"""Counts of cells, of domains and in total, from the statistical model or from the sampling design.

A cell is a combination of group values, such as an actor and a year. A domain is all cells that differ in the last
column only, such as an actor in all years.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from howsure.counts.cell_levels import LEVELS, cell_levels, conditional_estimate, conditional_interval
from howsure.counts.count_law import MAX_SINGLE_UNITS, CountLaw, LogitCounts
from howsure.counts.count_laws import count_intervals, count_laws
from howsure.counts.design_totals import MIN_MINORITY, difference_total, labels_total
from howsure.counts.population import ElementSizes, Units, effective_minority, measure_elements
from howsure.counts.proxy import Proxy, label_weights
from howsure.counts.results import CountEstimate
from howsure.inputs.pairs import Bools, Floats, Integers
from howsure.stats.logistic import sigmoid
from howsure.stats.proportions import poisson_binomial

BLOCK = 1 << 16  # units whose logits are computed at a time
EstimateAndMethod = tuple[float, float, float, str]  # estimate, low, high, method


@dataclass(frozen=True, slots=True)
class FittedCells:
    """For each cell, Σ m over its units (m: the fitted P(y = 1)), and the distribution of its count if it is needed."""

    expected: Floats
    laws: tuple[CountLaw, ...]


def fit_cells(units: Units, proxy: Proxy, *, with_laws: bool) -> FittedCells:
    """Compute sums and count distributions of all cells, averaged over draws of the proxy."""
    n_cells, code, weight = len(units.cells.names), units.cell_of_labelled, label_weights(units)
    posteriors = np.array(
        [
            cell_levels(logits, units.labels, code, n_cells, units.cells.domain, weight).posterior
            for logits in (proxy.labelled_draws() if with_laws else ())
        ]
    )  # (draws, cells, levels)
    positives = units.by_cell(units.labels).astype(np.int64).tolist()
    expected = units.by_cell(sigmoid(proxy.labelled_logits))
    laws: list[CountLaw] = []
    for cells, rows in _cell_blocks(units):
        if len(cells) == 1 and len(rows[0]) > MAX_SINGLE_UNITS:
            total, draws = _large_cell(proxy, rows[0], with_laws)
            draws_by_cell: list[list[Floats] | list[LogitCounts]] = [draws]
            expected[cells[0]] += total
        else:
            all_rows = np.concatenate(rows)
            logits = proxy.logits(all_rows)
            sizes = [len(members) for members in rows]
            expected[cells] += np.bincount(np.repeat(np.arange(len(rows)), sizes), sigmoid(logits), len(rows))
            parts = np.split(proxy.draws(all_rows, logits), np.cumsum(sizes)[:-1], axis=1) if with_laws else []
            draws_by_cell = [list(part) for part in parts]
        if with_laws:
            cell_positives = [positives[cell] for cell in cells]
            laws += count_laws(cell_positives, draws_by_cell, LEVELS, posteriors[:, cells].swapaxes(0, 1))
    return FittedCells(expected, tuple(laws))


def _cell_blocks(units: Units) -> Iterator[tuple[list[int], list[Integers]]]:
    """Yield blocks of consecutive cells, or one large cell, with the unlabelled units of each cell."""
    start, n_cells, code = units.cells.start, len(units.cells.names), units.cell_of_labelled
    order = np.argsort(code, kind="stable")
    labelled_rows = np.split(units.labelled[order], np.cumsum(np.bincount(code, minlength=n_cells))[:-1])
    first = 0
    while first < n_cells:
        last = max(int(np.searchsorted(start, start[first] + BLOCK, side="right")) - 1, first + 1)
        cells = list(range(first, last))
        members = [units.cells.members(cell) for cell in cells]
        yield (
            cells,
            [np.delete(rows, np.searchsorted(rows, labelled_rows[c])) for c, rows in zip(cells, members, strict=True)],
        )
        first = last


def _large_cell(proxy: Proxy, rows: Integers, with_laws: bool) -> tuple[float, list[LogitCounts]]:
    """Return Σ m of some units, and the histogram of their logits in each draw."""
    counts = [LogitCounts.empty() for _ in (proxy.shifts if with_laws else ())]
    total = 0.0
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        logits = proxy.logits(block)
        total += float(sigmoid(logits).sum())
        for count, drawn in zip(counts, proxy.draws(block, logits) if with_laws else (), strict=True):
            count.add(drawn)
    return total, counts


def count_cells(
    units: Units, proxy: Proxy, fitted: FittedCells, *, apart: Bools, method: str, level: float
) -> tuple[CountEstimate, ...]:
    """Estimate the count of each cell.

    apart: the domains whose cells are estimated without pooling.
    """
    n_labelled = np.bincount(units.cell_of_labelled, minlength=len(units.cells.names)).tolist()
    positives = units.by_cell(units.labels).astype(np.int64).tolist()
    intervals = _widened(units, fitted, count_intervals(fitted.laws, level), n_labelled, positives)
    rows = []
    for cell, name in enumerate(units.cells.names):
        alone = apart[units.cells.domain[cell]]
        if fitted.laws and not alone:
            law = fitted.laws[cell]
            count: EstimateAndMethod = (law.expected, *intervals[cell], "hierarchical")
        elif method == "raw":
            count = _raw(units.score[units.cells.members(cell)], level)
        elif method == "exact":
            count = _exact(units, proxy, cell, level)
        else:
            count = _by_design(
                units,
                proxy,
                fitted,
                np.arange(len(units.cells.names)) == cell,
                "labels" if alone else method,
                level,
                apart=alone,
            )
        size = int(units.cells.size[cell])
        rows.append(CountEstimate(name, size, n_labelled[cell], positives[cell], *count[:3], level, count[3]))
    return tuple(rows)


def _widened(
    units: Units,
    fitted: FittedCells,
    intervals: Sequence[tuple[int, int]],
    n_labelled: Sequence[int],
    positives: Sequence[int],
) -> list[tuple[int, int]]:
    """Return the intervals of cells, widened to 0 if no label of a cell is positive.

    The labels of such a cell rule out 0 at no level, as in Clopper and Pearson's interval. The labels of other cells do
    not either, because the event may occur in some cells only. If most units of a domain are expected to be positive
    and no label of a cell is negative, its interval is widened to all of its units.

    Source: Brown, Cai & DasGupta (2001), who modify Jeffreys' interval in this way.
    """
    domain, size = units.cells.domain, units.cells.size
    mostly = 2.0 * np.bincount(domain, fitted.expected) > np.bincount(domain, size)
    return [
        (
            0 if k == 0 and not mostly[domain[cell]] else low,
            int(size[cell]) if k == n and mostly[domain[cell]] else high,
        )
        for cell, ((low, high), n, k) in enumerate(zip(intervals, n_labelled, positives, strict=False))
    ]


def count_total(
    units: Units, proxy: Proxy, fitted: FittedCells, *, domain: int | None, method: str, level: float
) -> CountEstimate:
    """Estimate the count of a domain, or of everything (None).

    The scores are not used if fewer than 20 labels are positive, or fewer than 20 are negative.
    """
    cells = units.cells
    member = np.ones(len(cells.names), dtype=np.bool_) if domain is None else cells.domain == domain
    labels = units.labels[member[units.cell_of_labelled]]
    positives = int(labels.sum())
    if method == "raw":
        rows = [cells.members(cell) for cell in np.flatnonzero(member).tolist()]
        count = _raw(units.score if domain is None else units.score[np.concatenate(rows)], level)
    else:
        few = _minority_labels(units, member) < MIN_MINORITY
        by_labels = method == "labels" or (method != "difference" and few)
        count = _by_design(units, proxy, fitted, member, "labels" if by_labels else "difference", level)
    name = () if domain is None else cells.domain_names[domain]
    return CountEstimate(name, int(cells.size[member].sum()), len(labels), positives, *count[:3], level, count[3])


def _raw(score: Floats, level: float) -> EstimateAndMethod:
    law = poisson_binomial(score)
    low, high = law.interval(level)
    return law.mean, low, high, "raw"


def _exact(units: Units, proxy: Proxy, cell: int, level: float) -> EstimateAndMethod:
    in_cell = units.cell_of_labelled == cell
    rows = units.cells.members(cell)
    if not in_cell.any():
        return float("nan"), 0.0, float(len(rows)), "exact"
    positives = int(units.labels[in_cell].sum())
    labelled = proxy.labelled_logits[in_cell]
    others = proxy.logits(np.delete(rows, np.searchsorted(rows, units.labelled[in_cell])))
    low, high = conditional_interval(labelled, others, positives, level=level)
    return conditional_estimate(labelled, others, positives), low, high, "exact"


def _by_design(
    units: Units, proxy: Proxy, fitted: FittedCells, member: Bools, method: str, level: float, *, apart: bool = False
) -> EstimateAndMethod:
    """Estimate a count from the sampling design.

    member: the mask of the cells to count. apart: whether to use Gaffke's bound.
    """
    draw, labels = units.draw, units.labels
    inside = member[units.cell_of_labelled]
    element_sizes = _element_sizes(units, member)
    size = int(units.cells.size[member].sum())
    if method == "difference":
        expected = float(fitted.expected[member].sum())
        total = difference_total(
            draw,
            labels,
            sigmoid(proxy.labelled_logits),
            inside,
            units=size,
            expected=expected,
            level=level,
            element_sizes=element_sizes,
        )
    else:
        total = labels_total(draw, labels, inside, units=size, level=level, element_sizes=element_sizes, bounded=apart)
    return total.value, total.low, total.high, method


def _element_sizes(units: Units, member: Bools) -> ElementSizes:
    cells = units.cells
    rows = None if member.all() else np.concatenate([cells.members(cell) for cell in np.flatnonzero(member).tolist()])
    return measure_elements(units, rows)


def _minority_labels(units: Units, member: Bools) -> float:
    """Return the effective number of labels of the rarer value; of clusters, if their sizes are unequal."""
    inside = member[units.cell_of_labelled]
    element_sizes = _element_sizes(units, member)
    if element_sizes.are_unequal(units.draw):
        return effective_minority(units.draw, units.labels, inside, element_sizes)
    positives = float(units.labels[inside].sum())
    return min(positives, float(inside.sum()) - positives)
