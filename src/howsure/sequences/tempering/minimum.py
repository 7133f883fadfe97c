"""The minimum of a sum of losses over sentences, as a function of the logarithms of a few temperatures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from howsure.inputs.pairs import Floats

FURTHEST = 20.0  # no temperature is looked for beyond this, nor below its inverse
STARTS = (0.25, 0.5, 1.0, 2.0, 4.0)
FLATTEST = 0.1  # curvature: below, the standard error of the logarithm of a temperature is above 3
STEP, WIDE_STEP = 1e-4, 1e-2  # of differences: for gradients, and for curvatures

Losses = Callable[[Floats], Floats]  # of each sentence, at logarithms of temperatures
Ends = tuple[float, float] | tuple[None, None]


@dataclass(frozen=True, slots=True, eq=False)
class Minimum:
    """Where it lies, in logarithms, and its curvature; `loose`: the temperature that the losses cannot tell, if there
    is one, and `why`."""

    at: Floats
    curvature: Floats
    loose: int | None = None
    why: str = ""


def least(losses: Losses, size: int, n: int) -> Minimum:
    """The minimum of the losses of n tokens over `size` temperatures.

    >>> least(lambda logs: np.array([float(((logs - 0.3) ** 2).sum())]), 1, 1).at.round(6)
    array([0.3])
    """
    best = _best(losses, size, n)
    far = np.abs(best) > math.log(FURTHEST) - 1e-6
    curvature = _curvature(losses, best)
    if far.any():
        loose = int(np.flatnonzero(far)[-1])
        end = FURTHEST if best[loose] > 0 else 1 / FURTHEST
        return Minimum(best, curvature, loose, f"the likelihood still grows at {end:g}")
    values, directions = np.linalg.eigh(curvature)
    if values[0] > FLATTEST:
        return Minimum(best, curvature)
    return Minimum(best, curvature, int(np.abs(directions[:, 0]).argmax()), "the likelihood hardly changes with it")


def intervals(losses: Losses, found: Minimum, level: float) -> list[Ends]:
    """Of each temperature, by the sandwich, curvature⁻¹ · Σ g gᵀ · curvature⁻¹ over two sentences or more."""
    from scipy.special import stdtrit

    gradients = _gradients(losses, found.at)
    sentences, inverse = len(gradients), np.linalg.inv(found.curvature)
    spread = inverse @ (gradients.T @ gradients) @ inverse * (sentences / (sentences - 1))
    reach = float(stdtrit(sentences - 1, (1 + level) / 2)) * np.sqrt(np.diag(spread))
    return [(math.exp(x - r), math.exp(x + r)) for x, r in zip(found.at.tolist(), reach.tolist(), strict=True)]


def _best(losses: Losses, size: int, n: int) -> Floats:
    """By L-BFGS-B, from the best of some starts."""
    from scipy.optimize import minimize

    def value(logs: Floats) -> float:
        return float(losses(logs).sum()) / n

    def gradient(logs: Floats) -> Floats:
        found: Floats = _gradients(losses, logs).sum(axis=0) / n
        return found

    start = min((np.full(size, math.log(one)) for one in STARTS), key=value)
    limit = math.log(FURTHEST)
    options = {"ftol": 1e-13, "gtol": 1e-7, "maxiter": 100}
    found = minimize(value, start, jac=gradient, method="L-BFGS-B", bounds=[(-limit, limit)] * size, options=options)
    return np.asarray(found.x, dtype=np.float64)


def _gradients(losses: Losses, logs: Floats) -> Floats:
    """(sentences, temperatures), by central differences."""
    columns = [(losses(logs + move) - losses(logs - move)) / (2 * STEP) for move in STEP * np.eye(len(logs))]
    return np.stack(columns, axis=1)


def _curvature(losses: Losses, best: Floats) -> Floats:
    """The second derivatives of the sum."""
    moves, middle = WIDE_STEP * np.eye(len(best)), float(losses(best).sum())

    def total(move: Floats) -> float:
        return float(losses(best + move).sum())

    along = [total(move) + total(-move) - 2 * middle for move in moves]
    found = np.diag(along)
    for i, j in combinations(range(len(best)), 2):
        both = total(moves[i] + moves[j]) + total(-moves[i] - moves[j])
        found[i, j] = found[j, i] = (both - 2 * middle - along[i] - along[j]) / 2
    curvature: Floats = found / WIDE_STEP**2
    return curvature
