"""The sums of a bin over its pairs, from which every calibration figure follows. Sums of bins are additive."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from howsure.calibration.bins.streamed.grid import Grid
from howsure.inputs.pairs import Floats, Integers, Labels


@dataclass(frozen=True, slots=True)
class Sums:
    """Arrays, one entry per bin, cell or row; u = q - y is the gap of a pair and w its weight (1 if
    unweighted).

    count Σ1 · w1 Σw · w2 Σw² · w3 Σw³ · w4 Σw⁴ · y Σwy · q Σwq · qq Σwq² · qy Σwqy · u Σwu · uu Σwu² · wwu Σw²u ·
    u2 Σ(wu)² · u3 Σ(wu)³ · u4 Σ(wu)⁴.
    """

    count: Integers
    w1: Floats
    w2: Floats
    w3: Floats
    w4: Floats
    y: Floats
    q: Floats
    qq: Floats
    qy: Floats
    u: Floats
    uu: Floats
    wwu: Floats
    u2: Floats
    u3: Floats
    u4: Floats

    def __len__(self) -> int:
        return len(self.count)

    def into(self, bins: Integers, n_bins: int) -> Sums:
        """Add the entries up by bin; `bins` gives the bin of each entry. Columns that share an array continue to do
        so."""
        added: dict[int, Any] = {}
        for name in _COLUMNS:
            column = getattr(self, name)
            if id(column) not in added:
                added[id(column)] = np.bincount(bins, weights=column, minlength=n_bins)
        columns = [added[id(getattr(self, name))] for name in _COLUMNS]
        return Sums(columns[0].astype(np.int64), *columns[1:])

    def __add__(self, other: Sums) -> Sums:
        return Sums(*(getattr(self, name) + getattr(other, name) for name in _COLUMNS))

    def only(self, keep: Integers) -> Sums:
        """Some of the entries."""
        return Sums(*(getattr(self, name)[keep] for name in _COLUMNS))


_COLUMNS = tuple(f.name for f in fields(Sums))


def sums_of_rows(q: Floats, y: Labels, weights: Floats | None = None) -> Sums:
    """One entry per pair."""
    count = np.ones(len(q), dtype=np.int64)
    label = y.astype(np.float64)
    u = q - label
    if weights is None:
        one = count.astype(np.float64)
        uu = u * u
        return Sums(count, one, one, one, one, label, q, q * q, q * label, u, uu, u, uu, uu * u, uu * uu)
    w, wu = weights, weights * u
    ww, wuwu = w * w, wu * wu
    return Sums(
        count, w, ww, ww * w, ww * ww, w * label, w * q, w * q * q, w * q * label,
        wu, wu * u, wu * w, wuwu, wuwu * wu, wuwu * wuwu,
    )  # fmt: skip


def sums_of_cells(grid: Grid) -> Sums:
    """One entry per cell of the grid, in ascending order of q."""
    r, rr = grid.sums_of_r()
    count, r, rr = (grid.ascending(column) for column in (grid.count, r, rr))
    return sums_of_slots(count, r, rr, lower_half=np.arange(len(count)) < len(count) // 2)


def sums_of_slots(count: Integers, r: Floats, rr: Floats, *, lower_half: np.typing.NDArray[np.bool_]) -> Sums:
    """One entry per narrow interval, from the numbers of its pairs and their sums of r and r², each (n, label).

    In the lower half q = r, in the other q = 1 - r. Third and fourth powers, which only variances need, are expanded to
    second order within the interval (2⁻³⁰ relative).
    """
    number = count.astype(np.float64)
    mean = np.divide(r, number, out=np.zeros_like(r), where=number > 0)
    spread = rr - r * mean
    r3 = r * mean**2 + 3 * mean * spread
    r4 = r * mean**3 + 6 * mean**2 * spread
    (n0, n1), (a0, a1), (b0, b1), (c0, c1), (d0, d1) = (column.T for column in (number, r, rr, r3, r4))
    n = n0 + n1
    q = np.where(lower_half, a0 + a1, n - (a0 + a1))
    qq = np.where(lower_half, b0 + b1, n - 2 * (a0 + a1) + b0 + b1)
    qy = np.where(lower_half, a1, n1 - a1)
    u = np.where(lower_half, a0 - (n1 - a1), (n0 - a0) - a1)
    uu = np.where(lower_half, b0 + (n1 - 2 * a1 + b1), (n0 - 2 * a0 + b0) + b1)
    u3 = np.where(lower_half, c0 - (n1 - 3 * a1 + 3 * b1 - c1), (n0 - 3 * a0 + 3 * b0 - c0) - c1)
    u4 = np.where(lower_half, d0 + (n1 - 4 * a1 + 6 * b1 - 4 * c1 + d1), (n0 - 4 * a0 + 6 * b0 - 4 * c0 + d0) + d1)
    return Sums(count.sum(axis=1), n, n, n, n, n1, q, qq, qy, u, uu, u, uu, u3, u4)
