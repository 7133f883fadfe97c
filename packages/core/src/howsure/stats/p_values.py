"""P-values and bounds by inverting a test, and p-values adjusted for multiple testing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError
from howsure.inputs.pairs import Floats

# P-values and bounds of a test that only reports whether it rejects at a given size.

SMALLEST, LARGEST = 1e-12, 0.499  # sizes of one-sided tests
BISECTIONS = 40


def smallest_size(rejects: Callable[[float], bool], *, steps: int = BISECTIONS) -> float:
    """Return the one-sided p-value of a test: the smallest size at which it rejects; 1 if it does not reject at size
    0.499.

    >>> round(smallest_size(lambda size: size >= 0.03), 9)
    0.03
    """
    if not rejects(LARGEST):
        return 1.0
    kept, rejected = SMALLEST, LARGEST
    if rejects(kept):
        return kept
    for _ in range(steps):
        middle = (kept * rejected) ** 0.5
        kept, rejected = (kept, middle) if rejects(middle) else (middle, rejected)
    return rejected


def kolmogorov_smirnov(values: Floats, others: Floats) -> float:
    """Return the p-value of whether two samples have the same distribution, as scipy.stats.ks_2samp(method="asymp").

    >>> f"{kolmogorov_smirnov(np.arange(20.0), np.arange(8.0, 40.0)):.2g}"
    '4.7e-05'
    """
    from scipy.stats import kstwo

    values, others = np.sort(values), np.sort(others)
    shares = (part.searchsorted(np.append(values, others), side="right") / len(part) for part in (values, others))
    effective = len(values) * len(others) / (len(values) + len(others))
    return float(kstwo.sf(np.abs(np.subtract(*shares)).max(), round(effective)))


def bisect_limit(holds: Callable[[float], bool], near: float, far: float) -> float:
    """Return, by bisection, the value between `near` and `far` up to which a condition is true; it must be true at
    `near`.

    >>> round(bisect_limit(lambda value: value < 0.3, 0.0, 1.0), 9)
    0.3
    """
    if holds(far):
        return far
    for _ in range(BISECTIONS):
        middle = (near + far) / 2
        near, far = (middle, far) if holds(middle) else (near, middle)
    return near


# P-values adjusted for multiple testing.

ADJUSTED = {"holm": "Holm", "bh": "Benjamini–Hochberg"}


def adjust_p_values(p_values: npt.ArrayLike, *, method: str | None = "holm") -> Floats:
    """Adjust p-values for many tests.

    `holm` controls the probability of any false rejection (Holm 1979): the i-th smallest of m p-values becomes the
    maximum of (m - j + 1) p_j over j ≤ i. `bh` controls the expected proportion of false rejections (Benjamini &
    Hochberg 1995): the i-th smallest p-value becomes the minimum of m p_j / j over j ≥ i. Both results are at most 1.
    `None` returns the values unchanged. NaN stays NaN and is not counted in m.

    >>> adjust_p_values([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    if ((p < 0) | (p > 1)).any():
        raise InputError(f"p-values must be between 0 and 1; one is {p[(p < 0) | (p > 1)][0]}")
    if method not in ("holm", "bh", None):
        raise InputError(f"adjust must be 'holm', 'bh' or None; it is {method!r}")
    if method is None:
        return p.copy()
    finite = np.flatnonzero(~np.isnan(p))
    order = finite[np.argsort(p[finite], kind="stable")]
    m = len(order)
    rank = np.arange(1, m + 1)
    adjusted = np.full(p.shape, np.nan)
    if method == "holm":
        steps = np.maximum.accumulate((m - rank + 1) * p[order])
    else:
        steps = np.minimum.accumulate((m / rank * p[order])[::-1])[::-1]
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
