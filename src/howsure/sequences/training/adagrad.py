"""Training by AdaGrad on mini-batches: step sizes that shrink for each weight as its gradients accumulate."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from howsure.errors import InputError
from howsure.inputs.pairs import Floats
from howsure.sequences.training.objective import Objective, Part
from howsure.sequences.training.result import CONVERGED, EXHAUSTED, INTERRUPTED, Advance, Training, has_converged

TINY = 1e-8


def descend(
    objective: Objective,
    parts: Sequence[Part],
    start: Floats,
    *,
    learning_rate: float,
    max_iterations: int,
    tolerance: float,
    rng: np.random.Generator,
    advance: Advance | None = None,
) -> Training:
    """Passes over mini-batches in random order; each step is -η g / √(Σ g²), weight by weight.

    The gradient g is that of the mini-batch's negative log-likelihood and of its share of the penalty. After each pass
    the whole objective is measured: the weights of the best pass are kept (the initial ones, if none is better), and
    training ends when it has decreased by less than `tolerance`, relative, over the last ten, after `max_iterations`,
    or on Ctrl-C. `advance(1)` is called after each pass.

    Raises InputError if the steps are so large that the objective overflows, or never falls below that of zero weights.

    Source: Duchi, Hazan & Singer 2011.
    """
    weights, squares = start.copy(), np.zeros_like(start)
    best, values = weights.copy(), list[float]()
    first = lowest = objective(start)[0]
    try:
        while len(values) < max_iterations and not has_converged(values, tolerance):
            with np.errstate(over="ignore", invalid="ignore"):  # what is no number any more ends the passes
                for i in rng.permutation(len(parts)).tolist():
                    part = parts[i]
                    gradient = 2 * objective.c2 * part.share * weights
                    gradient[part.weights] += part.objective(weights[part.weights])[1]
                    squares += gradient**2
                    weights -= learning_rate * gradient / (np.sqrt(squares) + TINY)
                values.append(objective(weights)[0])
            if not math.isfinite(values[-1]):
                break
            if values[-1] <= lowest:
                best, lowest = weights.copy(), values[-1]
            if advance is not None:
                advance(1)
    except KeyboardInterrupt:
        return Training(best if values else weights, tuple(values), INTERRUPTED)
    if not math.isfinite(values[-1]) or (min(values) > first and not start.any()):
        raise InputError(
            f"learning_rate must be small enough to lower the objective; with {learning_rate:g} it is {first:,.4g} at "
            f"the start and {values[-1]:,.4g} after pass {len(values)}. The usual rate is 1."
        )
    return Training(best, tuple(values), CONVERGED if has_converged(values, tolerance) else EXHAUSTED)
