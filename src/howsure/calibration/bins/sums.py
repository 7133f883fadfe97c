"""The sums of a bin over its pairs, from which every calibration figure follows. Sums of bins are additive."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

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
