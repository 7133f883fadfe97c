"""Logistic regression of a few columns: Newton's method on the (penalised) log-likelihood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats

STEPS = 50
TOLERANCE = 1e-10
LEAST_STEP = 1e-6


@dataclass(frozen=True, slots=True)
class LogisticFit:
    """Coefficients (k,), and the second derivatives (k, k) of what was minimised, where they were found."""

    coefficients: Floats
    hessian: Floats


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + e^-x).

    >>> sigmoid(np.array([-np.inf, 0.0, np.inf])).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)))


def fit_logistic(
    design: Floats, targets: Floats, weight: Floats, *, penalty: Floats, centre: Floats, start: Floats | None = None
) -> LogisticFit:
    """Minimise Σ w (log(1 + e^{x·b}) - t x·b) + ½ Σ_j penalty_j (b_j - centre_j)².

    design (n, k): the rows x. targets (n,): t in [0, 1], the label or a share. Newton's method with step halving: the
    objective is convex, so any start leads to the one minimum, if there is one: whoever calls has made sure of that.
    The search begins at `start` (at `centre`, if None).

    >>> x, t = np.array([[1.0], [1.0], [1.0]]), np.array([1.0, 0.0, 1.0])
    >>> found = fit_logistic(x, t, np.ones(3), penalty=np.zeros(1), centre=np.zeros(1))
    >>> sigmoid(found.coefficients).round(4).tolist()
    [0.6667]
    """
    b = (centre if start is None else start).copy()

    def objective(at: Floats) -> float:
        eta = design @ at
        return float(weight @ (np.logaddexp(0.0, eta) - targets * eta) + 0.5 * penalty @ (at - centre) ** 2)

    value = objective(b)
    for _ in range(STEPS):
        p = sigmoid(design @ b)
        gradient = design.T @ (weight * (p - targets)) + penalty * (b - centre)
        step = np.linalg.solve(_hessian(design, p, weight, penalty), gradient)
        size, moved = 1.0, objective(b - step)
        while not moved <= value and size > LEAST_STEP:
            size /= 2
            moved = objective(b - size * step)
        b, gained, value = b - size * step, value - moved, moved
        if gained < TOLERANCE * (1.0 + abs(value)):
            break
    return LogisticFit(b, _hessian(design, sigmoid(design @ b), weight, penalty))


def _hessian(design: Floats, p: Floats, weight: Floats, penalty: Floats) -> Floats:
    found: Floats = (design * (weight * p * (1.0 - p))[:, None]).T @ design + np.diag(penalty)
    return found
