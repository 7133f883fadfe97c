"""Bins made of whole cells: of more pairs than are sorted, the predictions of a cell count as ties."""

from __future__ import annotations

import numpy as np

from howsure.calibration.bins.sums import Sums
from howsure.calibration.summary.cells import CELLS, last_of_cells
from howsure.calibration.summary.slots import Slots
from howsure.inputs.numbers import check_whole
from howsure.inputs.pairs import Floats, Integers

ROUNDING = 2.0**-40  # a mean prediction that lies on an edge may end so far beyond it


def sums_of_slots(slots: Slots) -> Sums:
    """One entry per slot, from its mean gap and the variance within it.

    Third and fourth powers, which only variances need, are expanded to second order within the cell. With weights,
    Σw²u and so on are taken at the mean prediction of the slot.
    """
    q, u, variance = slots.means()
    w1, w2, w3, w4 = slots.powers()
    label, uu = slots.label, u * u
    first, second = w1 * u, w1 * (uu + variance)
    weighted = slots.weights is not None
    return Sums(
        slots.count, w1, w2, w3, w4, w1 * label, w1 * q, w1 * (q * q + variance), w1 * q * label, first, second,
        w2 * u if weighted else first, w2 * (uu + variance) if weighted else second,
        w3 * u * (uu + 3 * variance), w4 * uu * (uu + 6 * variance),
    )  # fmt: skip


def bins_of_cells(slots: Slots, size: int) -> tuple[Integers, Floats]:
    """The adaptive bin of each slot (Algorithm 1, cells being ties), and the largest prediction of each bin but the
    last."""
    starts = np.flatnonzero(np.append(True, np.diff(slots.cell) > 0)[: len(slots.slot)])
    ends = np.cumsum(np.add.reduceat(slots.count, starts))
    n, start = int(ends[-1]), 0
    last = []
    while n - start >= 2 * size:
        cell = int(ends.searchsorted(start + size))
        start = int(ends[cell])
        if n - start < size:
            break
        last.append(cell)
    lasts = slots.cell[starts][last]
    return lasts.searchsorted(slots.cell), last_of_cells(lasts)


def bins_of_width(slots: Slots, edges: Floats) -> tuple[Integers, Floats]:
    """The bin of equal width of each slot, a cell that an edge divides being where its mean prediction lies, and the
    largest prediction of each bin but the last."""
    cells, of_slot = np.unique(slots.cell, return_inverse=True)
    w1 = slots.powers()[0]
    mean = np.bincount(of_slot, w1 * slots.means()[0]) / np.bincount(of_slot, w1)
    bins = edges.searchsorted(mean - ROUNDING)
    lasts = np.append(-1, cells)[bins.searchsorted(np.arange(len(edges)), side="right")]
    return bins[of_slot], last_of_cells(lasts)


def bars_of(slots: Slots, bars: int) -> Floats:
    """The weight of each label (2, bars) in bars of equal width; a slot that an edge divides is where its mean lies."""
    r = slots.nearest[0] + ROUNDING
    bar = np.minimum((r * bars).astype(np.int64), bars // 2 - 1)
    bar = np.where(slots.cell < CELLS, bar, bars - 1 - bar)
    found = np.bincount(2 * bar + slots.label, slots.powers()[0], 2 * bars)
    return found.reshape(-1, 2).T.astype(np.float64)


def bins_of_weight(slots: Slots, n_bins: int | None) -> tuple[Integers, Floats]:
    """The bin of each slot, bins being of equal weight but for cells that are not divided, and the largest prediction
    of each bin but the last.

    Without `n_bins` there are 2 n^(1/3) of them, n pairs of equal weight whose sum varies as much.
    """
    starts = np.flatnonzero(np.append(True, np.diff(slots.cell) > 0)[: len(slots.slot)])
    w1, w2 = slots.powers()[:2]
    ends = np.cumsum(np.add.reduceat(w1, starts))
    effective = ends[-1] ** 2 / w2.sum()
    n = max(1, round(2 * effective ** (1 / 3))) if n_bins is None else check_whole(n_bins, name="n_bins")
    last = np.unique(ends[:-1].searchsorted(ends[-1] * (np.arange(1, n) / n)))
    lasts = slots.cell[starts][last[last < len(starts) - 1]]
    return lasts.searchsorted(slots.cell), last_of_cells(lasts)


def label_variance_of(slots: Slots) -> Floats:
    """Σ w² q (1 - q) of each slot, without cancellation near 1."""
    r, variance = slots.nearest
    found: Floats = slots.powers()[1] * (r * (1.0 - r) - variance)
    return found
