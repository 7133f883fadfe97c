"""The result of training, and the stopping rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from howsure.inputs.pairs import Floats

PERIOD = 10  # iterations over which the improvement is measured

CONVERGED, EXHAUSTED, INTERRUPTED = "converged", "max_iterations", "interrupted"
Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Training:
    """The best weights, the objective after each iteration, and why it stopped there."""

    weights: Floats
    values: tuple[float, ...]
    stopped: str


def has_converged(values: Sequence[float], tolerance: float) -> bool:
    """Whether the objective has decreased by less than `tolerance`, relative, over the last ten iterations.

    >>> has_converged([2.0] + [1.0] * 9, 1e-5), has_converged([2.0] + [1.0] * 11, 1e-5)
    (False, True)
    >>> has_converged([1.0] * 11, 0.0)  # whatever the tolerance, where nothing falls any more
    True
    """
    return len(values) > PERIOD and min(values[:-PERIOD]) - min(values[-PERIOD:]) <= tolerance * abs(values[-1])
