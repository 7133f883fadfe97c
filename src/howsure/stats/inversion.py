"""P-values and bounds of tests of which it is only known whether they reject at a given size."""

from __future__ import annotations

from collections.abc import Callable

SMALLEST, LARGEST = 1e-12, 0.499  # sizes of one-sided tests
HALVINGS = 40


def smallest_size(rejects: Callable[[float], bool]) -> float:
    """The one-sided p-value: the smallest size at which a test rejects; 1 if it does not below one half.

    >>> round(smallest_size(lambda size: size >= 0.03), 9)
    0.03
    """
    if not rejects(LARGEST):
        return 1.0
    kept, rejected = SMALLEST, LARGEST
    if rejects(kept):
        return kept
    for _ in range(HALVINGS):
        middle = (kept * rejected) ** 0.5
        kept, rejected = (kept, middle) if rejects(middle) else (middle, rejected)
    return rejected


def furthest(holds: Callable[[float], bool], near: float, far: float) -> float:
    """The value furthest from `near` up to which something holds; it holds at `near`.

    >>> round(furthest(lambda value: value < 0.3, 0.0, 1.0), 9)
    0.3
    """
    if holds(far):
        return far
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        near, far = (middle, far) if holds(middle) else (near, middle)
    return near
