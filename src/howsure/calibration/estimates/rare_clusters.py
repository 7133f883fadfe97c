"""Few clusters that are off by much cannot show how many more there are: how far the error's interval must reach."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from howsure.calibration.estimates.cluster_sums import ClusterSums
from howsure.inputs.pairs import Floats
from howsure.stats.clusters import ends_with_one_more, kish


@dataclass(frozen=True, slots=True)
class RareClusters:
    """What clusters add to the error e (the root of the squared error) in the direction in which its bins are off.

    With the gaps g_b of the bins, of root mean square |g|, a cluster adds z_c = Σ_b g_b Σ w u / (|g| Σ w), and the z_c
    add up to |g|. variance: of their sum. cluster: the share of the weight in a cluster, as clusters of equal weight.
    farthest: the mean of max(q, 1 - q), by which one more cluster may be off.
    """

    variance: float
    cluster: float
    farthest: float

    @classmethod
    def of(cls, cells: ClusterSums, gap: Floats) -> RareClusters:
        """From the sums of clusters in bins, and the mean gap of each bin."""
        total, in_bins, weight = float(cells.w.sum()), cells.by_bin(cells.w), cells.by_cluster(cells.w)
        size = math.sqrt(float(in_bins @ gap**2) / total)
        direction = gap / size if size > 0.0 else np.ones_like(gap)
        held = weight > 0
        n, added = int(held.sum()), cells.by_cluster(direction[cells.bin] * cells.u) - size * weight
        predicted = np.clip(cells.by_bin(cells.u + cells.y) / in_bins, 0.0, 1.0)
        return cls(
            n / max(n - 1, 1) * float(np.sort(added[held] ** 2).sum()) / total**2,
            1 / kish(weight[held]),
            float(in_bins @ np.maximum(predicted, 1 - predicted)) / total,
        )

    def upper_end(self, squared: float, level: float) -> float:
        """The squared error that the interval must reach up to: Fay and Feuer's, with one more cluster off."""
        value = math.sqrt(max(squared, 0.0))
        carrying = squared / self.variance if squared > 0.0 and self.variance > 0.0 else 0.0
        size = self.farthest * self.cluster
        return ends_with_one_more(value, self.variance, size, carrying, level=level)[1] ** 2
