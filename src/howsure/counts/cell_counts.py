"""The counts of cells, domains and everything: by the statistical model, or by the design of the labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from howsure.counts.cell_levels import LEVELS, cell_levels, conditional_estimate, conditional_interval
from howsure.counts.count_law import MOST_UNITS, CountLaw, LogitCounts, count_law
from howsure.counts.design import FEW, difference_total, labels_total
from howsure.counts.proxy import Proxy, weights_of
from howsure.counts.results import CountEstimate
from howsure.counts.units import Bools, Lumps, Units, few_alike, lumps_of
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.logistic import sigmoid
from howsure.stats.proportions import poisson_binomial

BLOCK = 1 << 16  # units whose logits are computed at a time
Found = tuple[float, float, float, str]  # estimate, low, high, method


@dataclass(frozen=True, slots=True)
class FittedCells:
    """Of each cell, Σ m over its units, and the law of its count; no laws where no method asks for them."""

    expected: Floats
    laws: tuple[CountLaw, ...]


def fit_cells(units: Units, proxy: Proxy, *, with_laws: bool) -> FittedCells:
    """Sums and laws of all cells, in blocks of units: labelled positives are known, the others mixed over draws."""
    n_cells, code, weight = len(units.cells.names), units.cell_of_labelled, weights_of(units)
    posteriors = [
        cell_levels(logits, units.labels, code, n_cells, units.cells.domain, weight).posterior
        for logits in (proxy.draws_of_labelled() if with_laws else ())
    ]
    known = units.by_cell(units.labels).astype(np.int64).tolist()
    expected = units.by_cell(sigmoid(proxy.of_labelled))
    laws: list[CountLaw] = []
    for cells, rows in _groups(units):
        if len(cells) == 1 and len(rows[0]) > MOST_UNITS:
            total, draws = _large_cell(proxy, rows[0], with_laws)
            of_cells = [draws]
            expected[cells[0]] += total
        else:
            together = np.concatenate(rows)
            logits = proxy.logits(together)
            sizes = [len(one) for one in rows]
            expected[cells] += np.bincount(np.repeat(np.arange(len(rows)), sizes), sigmoid(logits), len(rows))
            parts = np.split(proxy.draws(together, logits), np.cumsum(sizes)[:-1], axis=1) if with_laws else []
            of_cells = [list(part) for part in parts]
        for cell, one in zip(cells if with_laws else [], of_cells, strict=False):
            laws.append(count_law(known[cell], one, LEVELS, [posterior[cell] for posterior in posteriors]))
    return FittedCells(expected, tuple(laws))


def _groups(units: Units) -> Iterator[tuple[list[int], list[Integers]]]:
    """Neighbouring cells with few units together, or one with many, and the units of each that have no label."""
    start, n_cells, code = units.cells.start, len(units.cells.names), units.cell_of_labelled
    order = np.argsort(code, kind="stable")
    read = np.split(units.labelled[order], np.cumsum(np.bincount(code, minlength=n_cells))[:-1])
    first = 0
    while first < n_cells:
        last = max(int(np.searchsorted(start, start[first] + BLOCK, side="right")) - 1, first + 1)
        cells = list(range(first, last))
        members = [units.cells.members(cell) for cell in cells]
        yield cells, [np.delete(rows, np.searchsorted(rows, read[c])) for c, rows in zip(cells, members, strict=True)]
        first = last


def _large_cell(proxy: Proxy, rows: Integers, with_laws: bool) -> tuple[float, list[LogitCounts]]:
    """Σ m of these units, and how many have which logit in each draw."""
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
    """The count of each cell; those of domains whose cells are `apart` borrow nothing from each other."""
    read = np.bincount(units.cell_of_labelled, minlength=len(units.cells.names)).tolist()
    positives = units.by_cell(units.labels).astype(np.int64).tolist()
    rows = []
    for cell, name in enumerate(units.cells.names):
        alone = apart[units.cells.domain[cell]]
        if fitted.laws and not alone:
            law = fitted.laws[cell]
            found: Found = (law.expected, *law.interval(level), "hierarchical")
        elif method == "raw":
            found = _raw(units.score[units.cells.members(cell)], level)
        elif method == "exact":
            found = _exact(units, proxy, cell, level)
        else:
            found = _by_design(
                units,
                proxy,
                fitted,
                np.arange(len(units.cells.names)) == cell,
                "labels" if alone else method,
                level,
                apart=alone,
            )
        size = int(units.cells.size[cell])
        rows.append(CountEstimate(name, size, read[cell], positives[cell], *found[:3], level, found[3]))
    return tuple(rows)


def count_total(
    units: Units, proxy: Proxy, fitted: FittedCells, *, domain: int | None, method: str, level: float
) -> CountEstimate:
    """The count of a domain, or of everything; by the labels alone where fewer than 20 are positive, or negative."""
    cells = units.cells
    member = np.ones(len(cells.names), dtype=np.bool_) if domain is None else cells.domain == domain
    labels = units.labels[member[units.cell_of_labelled]]
    positives = int(labels.sum())
    if method == "raw":
        rows = [cells.members(cell) for cell in np.flatnonzero(member).tolist()]
        found = _raw(units.score if domain is None else units.score[np.concatenate(rows)], level)
    else:
        few = _worth_of_fewer(units, member) < FEW
        by_labels = method == "labels" or (method != "difference" and few)
        found = _by_design(units, proxy, fitted, member, "labels" if by_labels else "difference", level)
    name = () if domain is None else cells.domain_names[domain]
    return CountEstimate(name, int(cells.size[member].sum()), len(labels), positives, *found[:3], level, found[3])


def _raw(score: Floats, level: float) -> Found:
    law = poisson_binomial(score)
    low, high = law.interval(level)
    return law.mean, low, high, "raw"


def _exact(units: Units, proxy: Proxy, cell: int, level: float) -> Found:
    mine = units.cell_of_labelled == cell
    rows = units.cells.members(cell)
    if not mine.any():
        return float("nan"), 0.0, float(len(rows)), "exact"
    positives = int(units.labels[mine].sum())
    labelled = proxy.of_labelled[mine]
    others = proxy.logits(np.delete(rows, np.searchsorted(rows, units.labelled[mine])))
    low, high = conditional_interval(labelled, others, positives, level=level)
    return conditional_estimate(labelled, others, positives), low, high, "exact"


def _by_design(
    units: Units, proxy: Proxy, fitted: FittedCells, member: Bools, method: str, level: float, *, apart: bool = False
) -> Found:
    """member: whether each cell belongs to what is counted. apart: by Gaffke's bound."""
    draw, labels = units.draw, units.labels
    inside = member[units.cell_of_labelled]
    lumps = _lumps(units, member)
    size = int(units.cells.size[member].sum())
    if method == "difference":
        expected = float(fitted.expected[member].sum())
        found = difference_total(
            draw, labels, sigmoid(proxy.of_labelled), inside, units=size, expected=expected, level=level, lumps=lumps
        )
    else:
        found = labels_total(draw, labels, inside, units=size, level=level, lumps=lumps, bounded=apart)
    return found.value, found.low, found.high, method


def _lumps(units: Units, member: Bools) -> Lumps:
    cells = units.cells
    rows = None if member.all() else np.concatenate([cells.members(cell) for cell in np.flatnonzero(member).tolist()])
    return lumps_of(units, rows)


def _worth_of_fewer(units: Units, member: Bools) -> float:
    """The positive labels, or the negative ones if they are fewer; by whole elements where these are unequal."""
    inside = member[units.cell_of_labelled]
    lumps = _lumps(units, member)
    if lumps.matter(units.draw):
        return few_alike(units.draw, units.labels, inside, lumps)
    positives = float(units.labels[inside].sum())
    return min(positives, float(inside.sum()) - positives)
