"""The loop over folds: fit to the others, apply to this one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.recalibration.fitted import Fitted
from howsure.recalibration.labelled import Labelled


def out_of_fold(
    data: Labelled,
    fold: Integers,
    fitted_without: Callable[[int, Labelled], Fitted],
    *,
    advance: Callable[[int], None] = lambda steps: None,
) -> Floats:
    """The probabilities of all rows: those of a fold by the map that `fitted_without` makes of the other rows."""
    found = np.empty_like(data.scores.probabilities)
    for number in range(int(fold.max()) + 1):
        own = np.flatnonzero(fold == number)
        others = data.only(np.flatnonzero(fold != number))
        held = data.only(own)
        found[own] = fitted_without(number, others).apply(held.scores, held.groups, held.group_names)
        advance(1)
    return found
