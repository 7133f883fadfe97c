"""AdaGrad with an L1 penalty: every weight has its own step size, and small weights are exactly zero."""

from __future__ import annotations

import numpy as np

from howsure.inputs.pairs import Floats

CAUTION = 100.0  # what every sum of squares starts with, so that the first documents do not throw all weights about


class AdaGrad:
    """Weights updated with gradients.

    A step is w ← soft(w - η g / √G, η λ / √G), with G the sum of the squared gradients so far and
    soft(x, t) = sign(x) max(|x| - t, 0) (Duchi, Hazan & Singer 2011).
    """

    def __init__(self, n: int, *, l1: float) -> None:
        self.weights = np.zeros(n)
        self.l1 = l1
        self._squares = np.full(n, CAUTION)

    def step(self, gradient: Floats, *, rate: float) -> None:
        """Take a step of rate η against the gradient; the penalty also applies to weights without a gradient."""
        self._squares += gradient * gradient
        size = rate / np.sqrt(self._squares)
        moved = self.weights - size * gradient
        self.weights = np.sign(moved) * np.maximum(np.abs(moved) - size * self.l1, 0.0)
