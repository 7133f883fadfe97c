"""Pairs in the order of their predictions, as isotonic regression needs them: from memory exactly, or from the grid."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from howsure.calibration.bins.bins import HISTOGRAM_BARS, bars_of_cells, log_loss_of_rows, sorted_rows
from howsure.calibration.bins.streamed.grid import Grid, cells_of, log_loss_of_grid
from howsure.calibration.bins.sums import sums_of_cells
from howsure.inputs.pairs import Floats, Integers, Labels, Pairs, PairSource

EXACT_UP_TO = 1 << 20  # pairs in memory; of more, without weights and clusters, the grid is quicker than a sort


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


def ordered(pairs: Pairs | PairSource) -> Ordered:
    """The pairs in order. Of a stream or very many pairs, the predictions of a cell of the grid count as equal."""
    if isinstance(pairs, Pairs) and (
        len(pairs) <= EXACT_UP_TO or pairs.weights is not None or pairs.clusters is not None
    ):
        return _in_memory(pairs)
    return _streamed(pairs)


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
    bars = bars_of_cells()[cells_of(q)] * 2 + y
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


def _streamed(source: PairSource) -> Ordered:
    grid = Grid.empty()
    for probabilities, labels in source.chunks():
        grid.add(probabilities, labels)
    sums, by_label = sums_of_cells(grid), grid.ascending(grid.count)
    cells = np.flatnonzero(sums.count)
    q = np.maximum.accumulate(np.clip(sums.q[cells] / sums.w1[cells], 0.0, 1.0))
    cell, label = np.nonzero(by_label[cells])
    total = float(sums.w1.sum())
    log_sum, infinite = log_loss_of_grid(grid)
    bars, counts = bars_of_cells(), by_label.T.astype(np.float64)
    histogram = np.stack([np.bincount(bars, weights=c, minlength=HISTOGRAM_BARS) for c in counts]).astype(np.float64)
    return Ordered(
        q=q[cell], y=label.astype(np.uint8), w=np.ones(len(cell)), times=by_label[cells][cell, label], clusters=None,
        brier=float(sums.uu.sum() / total), log_loss=math.inf if infinite else log_sum / total,
        infinite_rows=infinite, histogram=histogram, exact=False,
    )  # fmt: skip
