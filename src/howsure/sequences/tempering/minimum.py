"""The minimum of a sum of losses over sentences, as a function of the logarithms of a few temperatures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
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
    """Where it lies, in logarithms, and the curvatures of the losses there; `loose`: the temperature that the losses
    cannot tell, if there is one, and `why`."""

    at: Floats
    curvatures: Floats  # (sentences, temperatures, temperatures)
    loose: int | None = None
    why: str = ""

    @property
    def curvature(self) -> Floats:
        """That of their sum."""
        total: Floats = self.curvatures.sum(axis=0)
        return total


def least(losses: Losses, size: int, n: int) -> Minimum:
    """The minimum of the losses of n tokens over `size` temperatures.

    >>> least(lambda logs: np.array([float(((logs - 0.3) ** 2).sum())]), 1, 1).at.round(6)
    array([0.3])
    """
    best = _best(losses, size, n)
    far = np.abs(best) > math.log(FURTHEST) - 1e-6
    found = Minimum(best, _curvatures(losses, best))
    if far.any():
        loose = int(np.flatnonzero(far)[-1])
        end = FURTHEST if best[loose] > 0 else 1 / FURTHEST
        return replace(found, loose=loose, why=f"the likelihood still grows at {end:g}")
    values, directions = np.linalg.eigh(found.curvature)
    if values[0] > FLATTEST:
        return found
    return replace(found, loose=int(np.abs(directions[:, 0]).argmax()), why="the likelihood hardly changes with it")


def intervals(losses: Losses, found: Minimum, level: float) -> list[Ends]:
    """Of each temperature, by the jackknife over two sentences or more, with Student's quantiles.

    Without sentence i, the minimum lies (Σ H - H_i)⁻¹ g_i further, with its gradient g_i and its curvature H_i: one
    step of Newton's, which needs no other fit. None where the rest of the sentences hardly says anything: the ends
    would lie beyond all numbers.
    """
    from scipy.special import stdtrit

    gradients, curvatures = _gradients(losses, found.at), found.curvatures
    sentences, rest = len(gradients), found.curvature - curvatures
    if np.linalg.eigvalsh(rest).min() <= 0:  # without one of the sentences, the others tell nothing
        return [(None, None)] * len(found.at)
    steps = np.linalg.solve(rest, gradients[:, :, None])[:, :, 0]
    spread = (sentences - 1) * np.mean((steps - steps.mean(axis=0)) ** 2, axis=0)
    reach = float(stdtrit(sentences - 1, (1 + level) / 2)) * np.sqrt(spread)
    with np.errstate(over="ignore"):
        lows, highs = np.exp(found.at - reach), np.exp(found.at + reach)
    return [
        (low, high) if math.isfinite(high) else (None, None)
        for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
    ]


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


def _curvatures(losses: Losses, best: Floats) -> Floats:
    """The second derivatives of each sentence, (sentences, temperatures, temperatures), by central differences."""
    moves, middle = WIDE_STEP * np.eye(len(best)), losses(best)

    def bend(move: Floats) -> Floats:
        return losses(best + move) + losses(best - move) - 2 * middle

    along = [bend(move) for move in moves]
    found = np.empty((len(middle), len(best), len(best)))
    for i, own in enumerate(along):
        found[:, i, i] = own
    for i, j in combinations(range(len(best)), 2):
        found[:, i, j] = found[:, j, i] = (bend(moves[i] + moves[j]) - along[i] - along[j]) / 2
    return found / WIDE_STEP**2
