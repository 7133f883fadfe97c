"""Sums over all groups of one feature, or of two features at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.calibration.subgroups.features import Feature
from howsure.inputs.pairs import Floats, Integers


@dataclass(frozen=True, slots=True)
class Crossed:
    """The table of two features: the cell of each row, the numbers of cells, the members of each feature's conditions,
    and which these conditions are among all of the feature; a single feature has a second with one cell."""

    codes: Integers
    cells: tuple[int, int]
    members: tuple[Floats, Floats]
    conditions: tuple[Integers, Integers]

    def sums(self, of: Integers, k: int, weights: Floats | None) -> Floats:
        """The sums of weights by `of` (k values) and by both conditions: (k, conditions, conditions)."""
        a, b = self.cells
        by_cell = np.bincount(of * (a * b) + self.codes, weights=weights, minlength=k * a * b).reshape(k, a, b)
        found: Floats = self.members[0] @ (by_cell.astype(np.float64) @ self.members[1].T)
        return found


def alone(feature: Feature) -> Crossed:
    """All conditions of a feature."""
    conditions = np.arange(len(feature.conditions))
    return Crossed(feature.codes, (feature.cells, 1), (feature.members, np.ones((1, 1))), (conditions, np.array([-1])))


def crossed(first: Feature, second: Feature) -> Crossed:
    """The conditions of two features that are combined."""
    return Crossed(
        first.codes * second.cells + second.codes,
        (first.cells, second.cells),
        (first.members[first.in_pairs], second.members[second.in_pairs]),
        (np.flatnonzero(first.in_pairs), np.flatnonzero(second.in_pairs)),
    )
