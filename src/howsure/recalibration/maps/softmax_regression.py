"""The softmax of linear functions: the derivatives of its log loss, and where a penalised one is least."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from howsure.inputs.pairs import Floats

Objective = Callable[[Floats], tuple[float, Floats]]
Hessian = Callable[[Floats], Floats]

STEPS = 100
TOLERANCE = 1e-14  # of the loss
LEAST_STEP = 1e-8
LARGEST = 1e3  # a coefficient of anything but separated classes
MANY_STEPS, FLAT = 500, 1e-6  # of L-BFGS, and the largest slope where it ends


def softmax_loss(scores: Floats, labels: Floats, share: Floats) -> tuple[float, Floats]:
    """The mean log loss of the softmax of scores (n, K), and its derivatives by them; `labels` (n, K) hold 1 at the
    label, `share` (n,) the weights, their sum 1."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    raised = np.exp(shifted)
    total = raised.sum(axis=1)
    loss = float(share @ (np.log(total) - np.einsum("ij,ij->i", shifted, labels)))
    residual: Floats = (raised / total[:, None] - labels) * share[:, None]
    return loss, residual


def newton_minimum(objective: Objective, hessian: Hessian, start: Floats) -> Floats:
    """Where a smooth convex function is least, by Newton's method with step halving; directions in which it is flat
    stay as they are. Where it is least nowhere, a coefficient beyond 1000."""
    at = start
    value, slope = objective(at)
    for _ in range(STEPS):
        step = np.linalg.lstsq(hessian(at), slope, rcond=1e-13)[0]
        size = 1.0
        moved, of_moved = objective(at - step)
        while not moved <= value and size > LEAST_STEP:
            size /= 2.0
            moved, of_moved = objective(at - size * step)
        if not moved <= value:
            break
        gained, at, value, slope = value - moved, at - size * step, moved, of_moved
        if gained <= TOLERANCE * (1.0 + abs(value)) or np.abs(at).max() > LARGEST:
            break
    return at


def quasi_newton_minimum(objective: Objective, start: Floats) -> Floats:
    """The same by L-BFGS, for whoever has too many coefficients for second derivatives."""
    from scipy.optimize import minimize

    options = {"maxiter": MANY_STEPS, "maxfun": 2 * MANY_STEPS, "ftol": 1e-12, "gtol": FLAT, "maxcor": 20}
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x, dtype=np.float64)
