"""Pairs in the order of their predictions, as isotonic regression needs them: exactly, or by whole cells."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from howsure.calibration.bins.bins import HISTOGRAM_BARS, bars_of_rows, log_loss_of_rows, sorted_rows
from howsure.calibration.bins.of_slots import bars_of
from howsure.calibration.summary.cells import EXACT_UP_TO
from howsure.calibration.summary.slot_adder import slots_of
from howsure.calibration.summary.slots import Slots
from howsure.errors import InputError, parameter
from howsure.inputs.pairs import Floats, Integers, Labels, Pairs


@dataclass(frozen=True)
class Ordered:
    """Pairs in ascending order of q; equal predictions stand together.

    q, y, w: prediction, label and weight of each row, which is `times` pairs alike. clusters: the cluster of each row.
    brier, log_loss: the mean scores; infinite_rows: the pairs whose log loss is infinite. histogram (2, 64): weight by
    label and bar.
    """

    q: Floats
    y: Labels
    w: Floats
    times: Integers
    clusters: Integers | None
    brier: float
    log_loss: float
    infinite_rows: int
    histogram: Floats
    exact: bool

    @cached_property
    def starts(self) -> Integers:
        """The first row of each distinct prediction."""
        return np.flatnonzero(np.append(True, self.q[1:] != self.q[:-1]))

    @cached_property
    def weight(self) -> Floats:
        """The weight of the pairs of each row together."""
        return self.w * self.times

    def by(self, starts: Integers, values: Floats | Integers) -> Floats:
        """Values of the rows, added up from each start to the next."""
        return np.asarray(np.add.reduceat(values, starts), dtype=np.float64)


def ordered(pairs: Pairs | Slots) -> Ordered:
    """The pairs in order. Of sums, and of many pairs without weights and clusters, those of a cell count as equal."""
    if isinstance(pairs, Slots):
        return _of_cells(pairs)
    if len(pairs) <= EXACT_UP_TO or pairs.weights is not None or pairs.clusters is not None:
        return _in_memory(pairs)
    return _of_cells(slots_of(pairs))


def _in_memory(pairs: Pairs) -> Ordered:
    clusters = None
    if pairs.clusters is None:
        q, y, w = sorted_rows(pairs)
        weight = np.ones(len(q)) if w is None else w
    else:
        weight = np.ones(len(pairs)) if pairs.weights is None else pairs.weights
        order = np.lexsort((weight, pairs.labels, pairs.clusters, pairs.probabilities))
        q, y, weight = pairs.probabilities[order], pairs.labels[order], weight[order]
        w, clusters = weight, pairs.clusters[order]
    total = float(weight.sum())
    log_sum, infinite = log_loss_of_rows(q, y, w)
    bars = bars_of_rows(q) * 2 + y
    histogram = np.bincount(bars, weights=weight, minlength=2 * HISTOGRAM_BARS).reshape(-1, 2).T
    return Ordered(
        q=q + 0.0, y=y, w=weight, times=np.ones(len(q), dtype=np.int64), clusters=clusters,
        brier=float((weight * (q - y) ** 2).sum() / total), log_loss=math.inf if infinite else log_sum / total,
        infinite_rows=infinite, histogram=histogram.astype(np.float64), exact=True,
    )  # fmt: skip


def by_content(pairs: Pairs) -> Pairs:
    """The pairs with codes of their clusters in the order of what these hold, whatever they are called and wherever
    they stand."""
    if (clusters := pairs.clusters) is None:
        return pairs
    weight = np.ones(len(pairs)) if pairs.weights is None else pairs.weights
    order = np.lexsort((weight, pairs.labels, pairs.probabilities, clusters))
    code = clusters[order]
    starts = np.flatnonzero(np.append(True, code[1:] != code[:-1]))
    w = weight[order]
    held = w, w * pairs.labels[order], w * pairs.probabilities[order], pairs.probabilities[order]
    sums = [np.add.reduceat(column, starts) for column in held]
    codes = np.empty(int(code[-1]) + 1, dtype=np.int64)
    codes[code[starts][np.lexsort(sums)]] = np.arange(len(starts))
    return replace(pairs, clusters=codes[clusters])


def _of_cells(slots: Slots) -> Ordered:
    """One row per slot, at the mean prediction of its cell."""
    if slots.weights is not None:
        raise InputError(
            f"{parameter('method', 'corp')} needs weighted pairs themselves; these are kept as sums. Use "
            f"{parameter('method', 'bins')}."
        )
    (mean, gap, variance), w1 = slots.means(), slots.powers()[0]
    _, of_slot = np.unique(slots.cell, return_inverse=True)
    q = np.bincount(of_slot, w1 * mean) / np.bincount(of_slot, w1)
    q = np.maximum.accumulate(np.clip(q, 0.0, 1.0))
    infinite, total = slots.infinite_rows, float(w1.sum())
    return Ordered(
        q=q[of_slot], y=slots.label.astype(np.uint8), w=np.ones(len(w1)), times=slots.count, clusters=None,
        brier=float(w1 @ (gap * gap + variance)) / total, log_loss=math.inf if infinite else slots.log_sum() / total,
        infinite_rows=infinite, histogram=bars_of(slots, HISTOGRAM_BARS), exact=False,
    )  # fmt: skip
