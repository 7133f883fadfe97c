"""The resampling units: rows, distinct rows with their counts, or clusters. Each unit has the sums of its
statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.inputs.pairs import Integers
from howsure.significance.metrics.metric import Floats, Metric, Rows
from howsure.significance.systems import Problem

# Fingerprints that identify rows independently of their order and of the names of the labels.
#
# Random draws are assigned to rows in the order of these fingerprints, and the system with the smaller fingerprint
# comes first. Results therefore do not depend on the order of rows, runs or columns, on names, or on which system is
# the baseline. All sums are of integers modulo 2^64 and hence the same in any order.

Bits = npt.NDArray[np.uint64]
ROUNDS = 2
MAX_MERGED_COLUMNS, MIN_MERGED_UNITS = 16, 100
TARGET, MODEL, COUNT, ROW, COLUMN = (np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 3, 5, 7, 11))


def splitmix64(bits: npt.NDArray[Any]) -> Bits:
    """Replace every number by a pseudo-random number: the finaliser of splitmix64 (Steele, Lea & Flood 2014)."""
    z = np.asarray(bits).astype(np.uint64) + TARGET
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def row_fingerprints(problem: Problem) -> tuple[Bits, Bits]:
    """Return a fingerprint of each row, and the fingerprint that the row has if the two systems are exchanged."""
    targets, baseline, model = _as_bits(problem)
    first, second = (splitmix64(splitmix64(system).sum(axis=0)) for system in (baseline, model))
    truth = splitmix64(targets) * TARGET
    ways = (splitmix64(truth + a + b * MODEL).sum(axis=-1) for a, b in ((first, second), (second, first)))
    plain, swapped = ways
    if problem.counts is None:
        return splitmix64(plain), splitmix64(swapped)
    copies = problem.counts.astype(np.uint64) * COUNT
    return splitmix64(plain + copies), splitmix64(swapped + copies)


def run_order(runs: npt.NDArray[Any], problem: Problem) -> npt.NDArray[np.int64]:
    """The runs of one system, in an order that depends only on their predictions."""
    truth, system = _as_bits(problem)[0], _bits(runs, label_colours(problem) if problem.task == "hard" else None)
    prints = splitmix64(splitmix64(truth * TARGET + splitmix64(system)).sum(axis=-1)).sum(axis=-1)
    return np.argsort(prints, kind="stable")


def label_colours(problem: Problem) -> Bits:
    """Return a fingerprint of each label, from how often it is true, predicted, and confused with each other label.

    Two labels have the same fingerprint only if they are interchangeable, as far as two rounds of refinement show.
    """
    pairs, counts = _confusions(problem)
    true, predicted = pairs
    copies = counts.astype(np.uint64)
    colours = splitmix64(_sums(true, copies, problem) + ROW * splitmix64(_sums(predicted, copies, problem)))
    for _ in range(ROUNDS):
        rows = splitmix64(colours[predicted] + COUNT * copies + (true == predicted).astype(np.uint64))
        columns = splitmix64(colours[true] + COUNT * copies)
        colours = splitmix64(colours + ROW * _sums(true, rows, problem) + COLUMN * _sums(predicted, columns, problem))
    return colours


def _sums(places: npt.NDArray[np.int64], values: Bits, problem: Problem) -> Bits:
    totals = np.zeros(len(problem.labels), dtype=np.uint64)
    np.add.at(totals, places, values)
    return totals


def _confusions(problem: Problem) -> tuple[tuple[npt.NDArray[np.int64], ...], npt.NDArray[np.int64]]:
    """The pairs (true, predicted) that occur in any run of either system, and how often."""
    classes = len(problem.labels)
    systems = (problem.baseline, problem.model)
    codes = np.concatenate([(problem.targets * classes + system).ravel() for system in systems])
    runs = len(codes) // len(problem.targets)
    weights = np.ones(len(codes), dtype=np.int64) if problem.counts is None else np.tile(problem.counts, runs)
    if classes**2 <= 4 * len(codes) + 1000:
        table = np.bincount(codes, weights=weights, minlength=classes**2).astype(np.int64)
        pair_codes = np.flatnonzero(table)
        counts = table[pair_codes]
    else:
        pair_codes, pair_index = np.unique(codes, return_inverse=True)
        counts = np.bincount(pair_index, weights=weights).astype(np.int64)
    return (pair_codes // classes, pair_codes % classes), counts


def _as_bits(problem: Problem) -> tuple[Bits, Bits, Bits]:
    """Targets (rows, elements) and systems (runs, rows, elements) as integers that do not depend on names."""
    if problem.task == "hard":
        colours = label_colours(problem)
        return tuple(_bits(labels, colours) for labels in (problem.targets, problem.baseline, problem.model))  # type: ignore[return-value]
    targets = problem.targets
    if problem.task == "probabilistic":
        width = problem.baseline.shape[-1]
        targets = targets[:, None] if width == 1 else (targets[:, None] == np.arange(width))
    return _bits(targets.astype(np.float64), None), _bits(problem.baseline, None), _bits(problem.model, None)


def _bits(values: npt.NDArray[Any], colours: Bits | None) -> Bits:
    return values.astype(np.float64).view(np.uint64) if colours is None else colours[values][..., None]


@dataclass(frozen=True, slots=True)
class Units:
    """Exchangeable units in their canonical order, stratum by stratum.

    sums (units, 2 · statistics): the statistics of the first system, then of the second system. parts: the columns of
    `sums` for each `rows` function of a metric. counts: the number of equal units that each unit represents. rows: the
    number of rows of a unit. starts: the first unit of each stratum. swapped: whether the first system is the model,
    not the baseline. With `two_way`, the columns are grouped by run; runs: the number of runs of each system.
    """

    sums: Floats
    parts: dict[Rows, slice]
    counts: Integers
    rows: Integers
    starts: Integers
    swapped: bool
    runs: tuple[int, int] = (1, 1)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def border(self) -> int:
        """The first column of the second system."""
        return int(self.sums.shape[1]) * self.runs[0] // sum(self.runs)

    @property
    def stratum_sizes(self) -> Integers:
        """For every unit, the number of units, with their counts, in its stratum."""
        sizes = np.add.reduceat(self.counts, self.starts)
        return np.repeat(sizes, np.diff(self.starts, append=len(self)))

    @property
    def first(self) -> Floats:
        """The sums of the first system: (units, statistics)."""
        return self.sums[:, : self.border]

    @property
    def second(self) -> Floats:
        """The sums of the second system: (units, statistics)."""
        return self.sums[:, self.border :]


def merge_equal(units: Units) -> Units:
    """Merge units with equal sums within each stratum, in the order of first occurrence. This makes draws cheaper.

    The units are unchanged if there are many statistics, or if more than a quarter of the units would remain.
    """
    if units.sums.shape[1] > MAX_MERGED_COLUMNS or len(units) < MIN_MERGED_UNITS:
        return units
    strata = np.repeat(np.arange(len(units.starts)), np.diff(units.starts, append=len(units)))
    content = np.column_stack([strata, units.rows, units.sums + 0.0])
    prints = np.zeros(len(units), dtype=np.uint64)
    for column in content.T:
        prints = splitmix64(prints * ROW + np.ascontiguousarray(column).view(np.uint64))
    _, first, kind = np.unique(prints, return_index=True, return_inverse=True)
    if len(first) > len(units) // 4 or not np.array_equal(content, content[first[kind]]):
        return units
    counts = np.bincount(kind, weights=units.counts).astype(np.int64)
    order = np.argsort(first)
    first = first[order]
    starts = np.flatnonzero(np.diff(strata[first], prepend=-1))
    return replace(units, sums=units.sums[first], counts=counts[order], rows=units.rows[first], starts=starts)


def build_units(problem: Problem, metrics: Sequence[Metric], *, two_way: bool = False) -> Units:
    """The units of a problem with the statistics of some metrics.

    Equal rows of labels become one unit with a count. Without `two_way`, the statistics of an item are added up over
    its runs; the runs of the system with fewer runs are repeated, so that both systems have equal weight.
    """
    problem = _distinct(problem)
    order = _canonical_order(problem)
    functions = list(dict.fromkeys(metric.rows for metric in metrics))
    systems = (problem.model, problem.baseline) if order.swapped else (problem.baseline, problem.model)
    statistics = [_run_statistics(problem, system, functions, two_way) for system in systems]
    first, second = (
        np.concatenate([part for run in system for part in run], axis=1)[order.rows] for system in statistics
    )
    if not two_way:
        common = np.lcm(len(systems[0]), len(systems[1]))
        first, second = first * (common // len(systems[0])), second * (common // len(systems[1]))
    if problem.clusters is not None:
        first, second = (np.add.reduceat(sums, order.edges, axis=0) for sums in (first, second))
    ends = np.cumsum([0, *(part.shape[-1] for part in statistics[0][0])]).tolist()
    return Units(
        np.concatenate([first, second], axis=1),
        {function: slice(a, b) for function, (a, b) in zip(functions, pairwise(ends), strict=True)},
        np.ones(len(order.edges), dtype=np.int64) if problem.counts is None else problem.counts[order.rows],
        np.diff(order.edges, append=len(order.rows)),
        order.starts,
        order.swapped,
        (len(systems[0]), len(systems[1])) if two_way else (1, 1),
    )


@dataclass(frozen=True, slots=True)
class _Order:
    """The rows sorted by stratum, unit and row; where units (`edges`) and strata (`starts`, in units) begin."""

    rows: Integers
    edges: Integers
    starts: Integers
    swapped: bool


def _canonical_order(problem: Problem) -> _Order:
    plain, exchanged = row_fingerprints(problem)
    unit = np.arange(len(plain)) if problem.clusters is None else problem.clusters
    prints, prints_exchanged = _sum_by(unit, plain), _sum_by(unit, exchanged)
    strata = np.zeros(len(prints), dtype=np.int64)
    if problem.strata is not None:
        strata[unit] = problem.strata
    swapped = bool(_total(prints_exchanged, strata) < _total(prints, strata))
    if swapped:
        prints, plain = prints_exchanged, exchanged
    of_stratum = _sum_by(strata, splitmix64(prints))[strata]
    units = np.lexsort((prints, strata, of_stratum))  # strata of equal content have equal numbers: keep them apart
    new_position = np.empty(len(units), dtype=np.int64)
    new_position[units] = np.arange(len(units))
    rows = np.lexsort((plain, new_position[unit]))
    edges = np.flatnonzero(np.diff(new_position[unit][rows], prepend=-1))
    starts = np.flatnonzero(np.diff(strata[units], prepend=-1))
    return _Order(rows, edges, starts, swapped)


def _distinct(problem: Problem) -> Problem:
    """Merge equal rows of labels into one row with a count, if a row is a unit and there is one run."""
    single = len(problem.baseline) == len(problem.model) == 1
    if problem.task != "hard" or problem.clusters is not None or not single:
        return problem
    classes = len(problem.labels)
    strata = np.zeros_like(problem.targets) if problem.strata is None else problem.strata
    keys = ((strata * classes + problem.targets) * classes + problem.baseline[0]) * classes + problem.model[0]
    possible = (int(strata.max()) + 1) * classes**3
    if possible <= 4 * len(keys) + 1000:
        table = np.bincount(keys, minlength=possible)
        distinct_keys = np.flatnonzero(table)
        counts = table[distinct_keys]
    else:
        distinct_keys, counts = np.unique(keys, return_counts=True)
    rest, model = np.divmod(distinct_keys, classes)
    rest, baseline = np.divmod(rest, classes)
    strata, targets = np.divmod(rest, classes)
    return replace(
        problem,
        targets=targets,
        baseline=baseline[None],
        model=model[None],
        strata=None if problem.strata is None else strata,
        counts=counts,
    )


def _run_statistics(
    problem: Problem, system: npt.NDArray[Any], functions: Sequence[Rows], keep_runs: bool
) -> list[list[Floats]]:
    """Return for each run, in `run_order`, and each function an array (rows of the data, statistics). Unless
    `keep_runs`, the arrays of all runs are added up, in this order, and returned like those of a single run."""
    order = run_order(system, problem) if len(system) > 1 else range(len(system))
    statistics = [[function(problem.targets, system[run], problem) for function in functions] for run in order]
    return statistics if keep_runs else [[sum(parts[1:], start=parts[0]) for parts in zip(*statistics, strict=True)]]


def _sum_by(codes: Integers, values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    totals = np.zeros(int(codes.max()) + 1, dtype=np.uint64)
    np.add.at(totals, codes, values)
    return totals


def _total(prints: npt.NDArray[np.uint64], strata: Integers) -> np.uint64:
    return np.uint64(splitmix64(_sum_by(strata, splitmix64(prints))).sum())
