"""What an engine returns of a frame: sums by group, and what it found wrong with a row."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from howsure.calibration.summary.slots import Slots
from howsure.errors import Fault, InputError
from howsure.inputs.checks import MANY_LABELS, not_two_values, weighs_nothing


@dataclass(frozen=True, slots=True)
class FrameSums:
    """The sums of n rows by group, in the natural order of their names; without groups of all rows, under "".

    refusal: makes the error for the first fault found; None if there was none.
    """

    n: int
    by_group: dict[str, Slots]
    refusal: Callable[[], InputError] | None = None

    def checked(self) -> dict[str, Slots]:
        """The sums by group.

        Raises InputError if any row broke a rule.
        """
        if self.refusal is not None:
            raise self.refusal()
        return self.by_group


def labels_unclear(labels: set[Any], pos_label: Any) -> bool:
    """Whether labels do not say which are 1: they are not 0 and 1, or have several values beside `pos_label`, or it
    never occurs and may be misspelt.

    >>> labels_unclear({"yes", "no"}, "yes"), labels_unclear({"no"}, "yes"), labels_unclear({0}, 1)
    (False, True, False)
    """
    if pos_label is None:
        return not (labels <= {0, 1} or labels <= {"0", "1"})
    zero_or_one = pos_label in (0, 1) and labels <= {0, 1}
    return len(labels - {pos_label}) > 1 or (pos_label not in labels and not zero_or_one)


def labels_refused(counts: Counter[Any], pos_label: Any, *, name: str) -> InputError:
    """The error for labels that do not say which are 1; of many different ones `counts` may hold some."""
    more = len(counts) > MANY_LABELS and (pos_label is None or pos_label in counts)
    return not_two_values(counts, pos_label=pos_label, name=name, more=more)


def weights_refused(by_group: dict[str, Slots], name: str) -> Callable[[], InputError] | None:
    """Makes the error for weights that are all 0, or whose fourth powers are no numbers; None if neither."""
    fourth = sum(float(slots.weights[3].sum()) for slots in by_group.values() if slots.weights is not None)
    if not any(len(slots) for slots in by_group.values()):
        return lambda: weighs_nothing(name)
    if not 0.0 < fourth < math.inf:
        rule = "must have fourth powers with a finite sum"
        return lambda: InputError(Fault(name, rule, advice="Divide by the largest."))
    return None
