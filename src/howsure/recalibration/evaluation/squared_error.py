"""By how much the squared calibration error falls, in bins that do not cross folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from howsure.calibration.bins.bins import Binned, automatic_bin_size, bin_pairs
from howsure.calibration.bins.sums import Sums
from howsure.calibration.estimates.cluster_sums import ClusterSums, cluster_sums
from howsure.calibration.estimates.clusters import clustered_mse, clustered_value, without_each_cluster
from howsure.calibration.estimates.error import SquaredError, debiased_mse
from howsure.calibration.estimates.paired_jackknife import Units, jackknifed
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.recalibration.evaluation.change import Change
from howsure.recalibration.evaluation.held_out import HeldOut, shared_variance

ROWS_PER_VALUE = 8


def squared_error_change(repeats: Sequence[HeldOut], units: Units, level: float) -> tuple[Change, SquaredError]:
    """The squared errors before and after with their difference, means over repeated cross-fittings; and that after
    with what its interval needs."""
    before, after = ([_squared(getattr(one, when), one.fold, units) for one in repeats] for when in ("before", "own"))
    values = [float(np.mean([squared.value for squared, _ in each])) for each in (before, after)]
    without = [np.mean([without_each_cluster(cells) for _, cells in each], axis=0) for each in (before, after)]
    shared = float(np.mean([shared_variance(_by_map(one, units)) for one in repeats]))
    improvement = jackknifed(
        values[0] - values[1], without[0] - without[1], level=level, n=len(units.weight), units=units, beside=shared
    )
    variance = float(np.mean([squared.variance for squared, _ in after]))
    return Change(values[0], values[1], improvement), replace(after[0][0], value=values[1], variance=variance)


def _squared(pairs: Pairs, fold: Integers, units: Units) -> tuple[SquaredError, ClusterSums]:
    """The debiased squared error, and the sums of each unit in each bin.

    The product of the gaps of two rows of one fold is without bias, since their map has seen neither of them. Of two
    folds, the map of each has seen the other row and leans towards its label: such products are too small.
    """
    bins, sums = np.empty(len(pairs), dtype=np.int64), []
    first = 0
    for rows in _rows_by_fold(fold):
        binned = _binned(pairs.only(rows), fold)
        bins[rows] = first + binned.bins_of(pairs.probabilities[rows])
        first += len(binned.sums)
        sums.append(binned.sums)
    cells = cluster_sums(replace(pairs, clusters=units.code), bins, first)
    if units.clustered:
        return clustered_mse(cells), cells
    return debiased_mse(Sums(*(np.concatenate([getattr(one, f.name) for one in sums]) for f in fields(Sums)))), cells


def _binned(part: Pairs, fold: Integers) -> Binned:
    """The bins of a fold's pairs: half as many as a curve of them would have, since fewer bins hold more pairs of rows,
    and a fold has few. Where predictions have few values, as those of a histogram have, each value is a bin."""
    if not fold.any():
        return bin_pairs(part)
    few = len(np.unique(part.probabilities)) * ROWS_PER_VALUE <= len(part)
    return bin_pairs(part, bin_size=1 if few else 2 * automatic_bin_size(len(part)))


def _by_map(held: HeldOut, units: Units) -> Floats:
    """Minus the squared error of each map in each fold, times the fold's share of the weight; 0 for its own map."""
    table = np.zeros((held.folds, held.folds))
    for k, rows in enumerate(_rows_by_fold(held.fold)) if held.folds > 1 else ():
        share = units.weight[rows].sum() / units.weight.sum()
        for other in set(range(held.folds)) - {k}:
            part = held.after[other].only(rows)
            binned = _binned(part, held.fold)
            if units.clustered:
                part = replace(part, clusters=units.code[rows])
                cells = cluster_sums(part, binned.bins_of(part.probabilities), len(binned.sums))
                value = clustered_value(cells)
            else:
                value = debiased_mse(binned.sums).value
            table[k, other] = -share * value
    return table


def _rows_by_fold(fold: Integers) -> list[Integers]:
    return [np.flatnonzero(fold == k) for k in range(int(fold.max()) + 1)]
