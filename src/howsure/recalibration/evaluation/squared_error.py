"""By how much the squared calibration error falls, from rows of the same fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from howsure.calibration.bins.bins import bin_pairs, sorted_rows
from howsure.calibration.bins.sums import Sums, sums_of_rows
from howsure.calibration.estimates.cluster_sums import ClusterSums, cluster_sums
from howsure.calibration.estimates.clusters import clustered_mse, clustered_value, without_each_cluster
from howsure.calibration.estimates.error import SquaredError, debiased_mse
from howsure.calibration.estimates.paired_jackknife import Units, jackknifed
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.recalibration.evaluation.change import Change
from howsure.recalibration.evaluation.held_out import HeldOut, shared_variance

ROWS_PER_VALUE = 5  # of a fold, from which each value is a bin


@dataclass(frozen=True, slots=True)
class Judged:
    """The debiased squared error of some pairs, the inner edges of their bins, and the sums of each unit in each bin
    and fold."""

    squared: SquaredError
    edges: Floats
    cells: ClusterSums


def squared_error_change(repeats: Sequence[HeldOut], units: Units, level: float) -> tuple[Change, SquaredError]:
    """The squared errors before and after with their difference, means over repeated cross-fittings; and that after
    with what its interval needs."""
    before, after = ([_judged(getattr(one, when), one.fold, units) for one in repeats] for when in ("before", "own"))
    values = [float(np.mean([one.squared.value for one in each])) for each in (before, after)]
    without = [np.mean([without_each_cluster(one.cells) for one in each], axis=0) for each in (before, after)]
    tables = [_by_map(held, one.edges, units) for held, one in zip(repeats, after, strict=True)]
    improvement = jackknifed(
        values[0] - values[1], without[0] - without[1], level=level, n=len(units.weight), units=units,
        beside=float(np.mean([shared_variance(table) for table in tables])),
    )  # fmt: skip
    return Change(values[0], values[1], improvement), _mean([one.squared for one in after], repeats[0].folds)


def _mean(found: Sequence[SquaredError], folds: int) -> SquaredError:
    """The mean over repeated cross-fittings in so many folds, with its variance.

    What varies under calibration, the products of the noise of two rows (`least`), are in each repetition those of a
    part of all pairs of rows, and two repetitions share one in `folds` of them; the rest varies as in one repetition.
    """
    shared = (1 + (len(found) - 1) / folds) / len(found)
    mean = {
        f: float(np.mean([getattr(one, f) for one in found])) for f in ("value", "variance", "least", "slope_above")
    }
    left = mean["variance"] - (1 - shared) * mean["least"]
    return replace(
        found[0], value=mean["value"], variance=left, least=shared * mean["least"],
        slope_above=shared * mean["slope_above"],
    )  # fmt: skip


def _judged(pairs: Pairs, fold: Integers, units: Units) -> Judged:
    """The squared error in the bins of the pairs' curve, from pairs of rows of one bin and one fold; where each fold's
    map gives few values, as a histogram does, in a bin for each.

    The product of the gaps of two rows of one fold is without bias, since their map has seen neither of them. Of two
    folds, the map of each has seen the other row and leans towards its label: such products are too small.
    """
    folds = int(fold.max()) + 1
    edges = values[:-1] if (values := _few_values(pairs, fold)) is not None else bin_pairs(pairs).upper[:-1]
    places = _bins_of(pairs.probabilities, edges) * folds + fold
    filled, cells_of_rows = np.unique(places, return_inverse=True)
    cells = cluster_sums(replace(pairs, clusters=units.code), cells_of_rows, len(filled))
    if units.clustered:
        return Judged(clustered_mse(cells), edges, cells)
    sums = [_sums(pairs.only(np.flatnonzero(fold == k)), edges) for k in range(folds)]
    joined = Sums(*(np.concatenate([getattr(one, f.name) for one in sums]) for f in fields(Sums)))
    return Judged(debiased_mse(joined), edges, cells)


def _few_values(pairs: Pairs, fold: Integers) -> Floats | None:
    """The values of the predictions, if those of each of several folds have few; None otherwise.

    Errors of neighbouring values of a histogram are independent of each other; in one bin, they would cancel.
    """
    if not fold.any():
        return None
    for k in range(int(fold.max()) + 1):
        mine = pairs.probabilities[fold == k]
        if len(np.unique(mine)) * ROWS_PER_VALUE > len(mine):
            return None
    return np.unique(pairs.probabilities)


def _bins_of(q: Floats, edges: Floats) -> Integers:
    bins: Integers = np.searchsorted(edges, q, side="left")
    return bins


def _sums(part: Pairs, edges: Floats) -> Sums:
    """The sums of a fold's pairs in each of the bins that it has any in."""
    q, y, w = sorted_rows(part)
    sums = sums_of_rows(q, y, w).into(_bins_of(q, edges), len(edges) + 1)
    return sums.only(np.flatnonzero(sums.count))


def _by_map(held: HeldOut, edges: Floats, units: Units) -> Floats:
    """Minus the squared error of each map in each fold, times the fold's share of the weight; 0 for its own map."""
    table = np.zeros((held.folds, held.folds))
    for k in range(held.folds) if held.folds > 1 else ():
        rows = np.flatnonzero(held.fold == k)
        share = units.weight[rows].sum() / units.weight.sum()
        for other in set(range(held.folds)) - {k}:
            table[k, other] = -share * _value(held.after[other].only(rows), edges, units, rows)
    return table


def _value(part: Pairs, edges: Floats, units: Units, rows: Integers) -> float:
    """The debiased squared error of a fold's pairs in given bins; 0 where they say nothing."""
    if units.clustered:
        bins = _bins_of(part.probabilities, edges)
        filled, places = np.unique(bins, return_inverse=True)
        value = clustered_value(cluster_sums(replace(part, clusters=units.code[rows]), places, len(filled)))
    else:
        value = debiased_mse(_sums(part, edges)).value
    return 0.0 if np.isnan(value) else value
