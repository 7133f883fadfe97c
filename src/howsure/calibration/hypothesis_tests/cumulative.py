"""The cumulative test: do labels and predictions drift apart when summed from the lowest prediction upwards?"""

from __future__ import annotations

import math

import numpy as np

from howsure.calibration.bins.bins import sorted_rows
from howsure.inputs.pairs import Pairs

TERMS = 20


def cumulative_test(pairs: Pairs) -> tuple[float, float]:
    """The largest |Σ w (y - q)| / Σ w over the pairs up to any prediction, and its p-value for independent pairs.

    Under calibration the sums are a martingale whose variance at the end is σ² = Σ w² q (1 - q); divided by σ, they
    converge to a Brownian motion on [0, 1]. Source: Arrieta-Ibarra, Gujral, Tannen, Tygert & Xu (2022), ECCE-MAD.
    """
    q, y, weights = sorted_rows(pairs)
    w = np.ones(len(q)) if weights is None else weights
    last = np.append(q[1:] != q[:-1], True)  # of equal predictions; in between, the sum depends on their order
    most = float(np.abs(np.cumsum(w * (y - q))[last]).max())
    sigma = math.sqrt(float(w**2 @ (q * (1 - q))))
    return most / float(w.sum()), brownian_tail(most / sigma) if sigma > 0.0 else float(most == 0.0)


def brownian_tail(x: float) -> float:
    """P(the largest |B(t)| of a Brownian motion on [0, 1] exceeds x).

    >>> round(brownian_tail(2.2414), 4)
    0.05
    """
    if x < 1.0:
        odd = 2 * np.arange(TERMS) + 1
        exponent = (odd * math.pi) ** 2 / (8 * max(x, 0.01) ** 2)
        return 1.0 - 4 / math.pi * float(((-1.0) ** np.arange(TERMS) / odd * np.exp(-exponent)).sum())
    return 2 * math.fsum((-1.0) ** k * math.erfc((2 * k + 1) * x / math.sqrt(2)) for k in range(TERMS))
