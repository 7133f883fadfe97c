"""The isotonic curve and what follows from it, by definition: slow, and independent of the library's ways."""

from __future__ import annotations

from itertools import product

import numpy as np

from howsure.inputs.pairs import Floats


def isotonic(q: Floats, y: Floats, w: Floats) -> Floats:
    """The curve at each row: the largest over lower ends of the smallest mean over upper ends (max-min formula)."""
    values = np.unique(q)
    mean = np.zeros((len(values), len(values)))
    for i in range(len(values)):
        for j in range(i, len(values)):
            inside = (q >= values[i]) & (q <= values[j])
            mean[i, j] = np.average(y[inside], weights=w[inside])
    curve = [max(mean[i, k:].min() for i in range(k + 1)) for k in range(len(values))]
    return np.array(curve)[np.searchsorted(values, q)]


def miscalibration(q: Floats, y: Floats, w: Floats) -> float:
    """Of the Brier score: what the curve saves."""
    return float(np.average((q - y) ** 2 - (isotonic(q, y, w) - y) ** 2, weights=w))


def every_labelling(q: Floats, w: Floats) -> tuple[Floats, Floats, Floats]:
    """All 2ⁿ labellings of a calibrated model: the probability of each, its curve at each row, its miscalibration."""
    labels = [np.array(one, dtype=float) for one in product([0, 1], repeat=len(q))]
    chance = np.array([np.where(y == 1, q, 1 - q).prod() for y in labels])
    curves = np.stack([isotonic(q, y, w) for y in labels])
    return chance, curves, np.array([miscalibration(q, y, w) for y in labels])
