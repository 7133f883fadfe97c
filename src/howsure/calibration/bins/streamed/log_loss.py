"""The sum of the logarithmic loss, from the grid's cells alone."""

from __future__ import annotations

import math

import numpy as np

from howsure.calibration.bins.streamed.grid import CELLS, STEEP_CELLS, Grid


def log_loss_of_grid(grid: Grid) -> tuple[float, int]:
    """The sum of -log P(label) over the finite pairs, and the number of pairs whose loss is infinite.

    Within a cell the logarithm is expanded to second order around the mean of its pairs (from the exact sums of r and
    r²), where the relative width of at most 2⁻¹⁰ leaves less than 4·10⁻¹¹ a pair; pairs of probability below 2⁻²⁰ on
    the wrong side are kept one by one.
    """
    count = grid.count.reshape(CELLS, 2, 2)
    r, rr = (column.reshape(CELLS, 2, 2) for column in grid.sums_of_r())
    n = count.astype(np.float64)
    mean = np.divide(r, n, out=np.full_like(r, 0.25), where=count > 0)
    spread = np.maximum(rr - r * mean, 0.0)
    wrong = np.zeros((CELLS, 2, 2), dtype=np.bool_)  # the label's probability is r, else 1 - r
    wrong[:, 0, 1] = wrong[:, 1, 0] = True
    steep = wrong.copy()
    steep[STEEP_CELLS:] = False
    used = (count > 0) & ~steep
    likely = np.where(wrong, mean, 1.0 - mean)[used]
    loss = np.where(wrong[used], -np.log(likely), -np.log1p(-mean[used])) * n[used] + spread[used] / (2 * likely**2)
    infinite = grid.steep_log.get(0.0, 0)
    extreme = math.fsum(-math.log(value) * rows for value, rows in sorted(grid.steep_log.items()) if value > 0.0)
    return float(loss.sum()) + extreme, infinite
