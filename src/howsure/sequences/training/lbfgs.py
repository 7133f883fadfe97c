"""Training by L-BFGS, to the minimum of the objective."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.pairs import Floats
from howsure.sequences.training.result import CONVERGED, EXHAUSTED, INTERRUPTED, Advance, Training, has_converged

MEMORY = 6  # steps whose curvature is remembered

Function = Callable[[Floats], tuple[float, Floats]]


def minimise(
    function: Function, start: Floats, *, max_iterations: int, tolerance: float, advance: Advance | None = None
) -> Training:
    """Minimise a smooth function that returns its value and its gradient.

    Converged when the value has decreased by less than `tolerance`, relative, over ten iterations, or when no step
    lowers it any further. Ctrl-C stops and keeps the best weights so far. `advance(1)` is called after each iteration.

    >>> found = minimise(
    ...     lambda w: (float(w @ w - 2 * w[0]), 2 * w - [2, 0]), np.zeros(2), max_iterations=9, tolerance=1e-9
    ... )
    >>> found.weights.round(6), found.stopped
    (array([1., 0.]), 'converged')

    Raises InputError if the function is too steep for any step.

    Source: Liu & Nocedal 1989, as in scipy's L-BFGS-B (without bounds).
    """
    from scipy.optimize import minimize

    values: list[float] = []
    best = start

    def after_each(*, intermediate_result: Any) -> None:
        nonlocal best
        best = np.array(intermediate_result.x)
        values.append(float(intermediate_result.fun))
        if advance is not None:
            advance(1)
        if has_converged(values, tolerance):
            raise StopIteration

    options = {"maxiter": max_iterations, "maxfun": 1 << 31, "maxcor": MEMORY, "ftol": 0.0, "gtol": 0.0}
    try:
        minimize(function, start, jac=True, method="L-BFGS-B", callback=after_each, options=options)
    except KeyboardInterrupt:
        return Training(best, tuple(values), INTERRUPTED)
    if not values:  # there was nothing to improve, or so it seems
        value, gradient = function(best)
        steepest = float(np.abs(gradient).max(initial=0.0))
        if not steepest <= 1.0 + abs(value):
            what = f"no step lowers the objective, {value:.3g}, though its gradient is {steepest:.3g}"
            raise InputError(f"{what}. Bring the values of attributes to a size of about 1.")
        values.append(value)
    exhausted = len(values) >= max_iterations and not has_converged(values, tolerance)
    return Training(best, tuple(values), EXHAUSTED if exhausted else CONVERGED)
