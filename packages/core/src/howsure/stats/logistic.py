"""Sigmoid, log-softmax, Newton's method, and logistic regression on a few columns."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats

Objective = Callable[[Floats], tuple[float, Floats]]  # returns the value and the gradient
Hessian = Callable[[Floats], Floats]
STEPS = 100
MIN_STEP = 1e-8
LARGEST = 1e3  # a larger coefficient means that the classes are separated
TOLERANCE = 1e-10  # relative tolerance of the loss of a logistic regression


@dataclass(frozen=True, slots=True)
class LogisticFit:
    """Coefficients (k,), and the Hessian (k, k) of the objective at the coefficients."""

    coefficients: Floats
    hessian: Floats


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + e^-x), with full relative precision near 0.

    >>> sigmoid(np.array([-np.inf, 0.0, np.inf])).tolist()
    [0.0, 0.5, 1.0]
    """
    from scipy.special import expit

    probability: Floats = expit(x)
    return probability


def log_sum_exp(values: Floats, axis: int = -1) -> Floats:
    """log Σ exp(values) along an axis; -inf if all values are -inf."""
    highest = values.max(axis=axis, keepdims=True)
    highest = np.where(highest == -np.inf, 0.0, highest)
    with np.errstate(divide="ignore"):
        sums: Floats = np.log(np.exp(values - highest).sum(axis=axis))
    return sums + highest.squeeze(axis)


def log_softmax(matrix: Floats) -> Floats:
    """The logarithm of the softmax of each row (n, K).

    >>> np.exp(log_softmax(np.array([[0.0, np.log(3)]]))).round(2).tolist()
    [[0.25, 0.75]]
    """
    shifted: Floats = matrix - matrix.max(axis=1, keepdims=True)
    return shifted - log_sum_exp(shifted)[:, None]


def _least_squares(hessian: Floats, slope: Floats) -> Floats:
    return np.asarray(np.linalg.lstsq(hessian, slope, rcond=1e-13)[0], dtype=np.float64)


def _solution(hessian: Floats, slope: Floats) -> Floats:
    return np.asarray(np.linalg.solve(hessian, slope), dtype=np.float64)


def newton_minimum(
    objective: Objective,
    hessian: Hessian,
    start: Floats,
    *,
    tolerance: float = 1e-14,
    largest: float = LARGEST,
    solve: Callable[[Floats, Floats], Floats] = _least_squares,
) -> Floats:
    """The minimum of a smooth convex function, by Newton's method with step halving, from `start`.

    solve: solves hessian · step = gradient; the default, least squares, does not move along directions in which the
    function is flat. If the function has no minimum, the search stops once a coefficient exceeds `largest`. tolerance:
    the search also stops once a step lowers the function by at most tolerance · (1 + |value|), or after 100 steps.
    """
    at = start
    value, slope = objective(at)
    for _ in range(STEPS):
        step = solve(hessian(at), slope)
        size = 1.0
        moved, of_moved = objective(at - step)
        while not moved <= value and size > MIN_STEP:
            size /= 2.0
            moved, of_moved = objective(at - size * step)
        if not moved <= value:
            break
        gained, at, value, slope = value - moved, at - size * step, moved, of_moved
        if gained <= tolerance * (1.0 + abs(value)) or np.abs(at).max() > largest:
            break
    return at


def fit_logistic(design: Floats, targets: Floats, weight: Floats, *, penalty: Floats, centre: Floats) -> LogisticFit:
    """Fit coefficients b that minimise Σ w (log(1 + e^{x·b}) - t x·b) + ½ Σ_j penalty_j (b_j - centre_j)².

    design (n, k): the rows x. targets (n,): t in [0, 1], a label or a proportion. weight (n,): w. penalty, centre (k,).
    Uses Newton's method with step halving, starting at the centre. The caller must make sure that there is a minimum,
    for example by a penalty where classes may be separated.

    >>> x, t = np.array([[1.0], [1.0], [1.0]]), np.array([1.0, 0.0, 1.0])
    >>> found = fit_logistic(x, t, np.ones(3), penalty=np.zeros(1), centre=np.zeros(1))
    >>> sigmoid(found.coefficients).round(4).tolist()
    [0.6667]
    """

    def objective(at: Floats) -> tuple[float, Floats]:
        eta, moved = design @ at, at - centre
        value = weight @ (np.logaddexp(0.0, eta) - targets * eta) + 0.5 * penalty @ moved**2
        return float(value), design.T @ (weight * (sigmoid(eta) - targets)) + penalty * moved

    def hessian(at: Floats) -> Floats:
        p = sigmoid(design @ at)
        curvature: Floats = (design * (weight * p * (1.0 - p))[:, None]).T @ design + np.diag(penalty)
        return curvature

    solution = newton_minimum(objective, hessian, centre, tolerance=TOLERANCE, largest=math.inf, solve=_solution)
    return LogisticFit(solution, hessian(solution))
