"""Two systems and their common targets, checked and coded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.naming import shortened
from howsure.inputs.pairs import Integers


@dataclass(frozen=True, slots=True)
class Problem:
    """A comparison: n items, their targets, and the predictions of two systems in each of their runs.

    `task` is `hard`: targets (n,), a system (runs, n), both codes into `labels`; `soft`: targets (n, K), a system
    (runs, n, K), both distributions; or `probabilistic`: targets (n,), a system (runs, n, K), or (runs, n, 1) if only
    the probabilities of class 1 are given. `counts` gives the number of equal items that a row represents. Averages
    over classes are over those in the targets, or over `averaged` (codes).
    """

    task: str
    targets: Any
    baseline: Any
    model: Any
    labels: tuple[str, ...] = ()
    clusters: Integers | None = None
    strata: Integers | None = None
    counts: Integers | None = None
    averaged: Integers | None = None

    @property
    def true_classes(self) -> Integers:
        """The codes of the classes in the targets."""
        return np.flatnonzero(np.bincount(self.targets, minlength=len(self.labels)))

    @property
    def averaged_classes(self) -> Integers:
        """The codes of the classes that averages are over, fixed before resampling."""
        return self.true_classes if self.averaged is None else self.averaged

    def code(self, label: object) -> int:
        """The code of a label.

        Raises InputError if neither the targets nor the predictions contain it.
        """
        if str(label) not in self.labels:
            raise InputError(
                f"no class {str(label)!r} among the targets and predictions; they hold {shortened(self.labels)}."
            )
        return self.labels.index(str(label))
