"""What maps of log-odds share: rows of certainty, and refusals of what has no optimum."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError, at_row, parameter
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Floats, Integers
from howsure.recalibration.labelled import Labelled
from howsure.recalibration.scores import Binary

OTHERWISE = "method='isotonic' needs no log-odds."


def uncertain(data: Labelled) -> tuple[Floats, Integers, Floats]:
    """The log-odds, labels and weights of the rows whose probability is neither 0 nor 1.

    A map of log-odds keeps 0 and 1, so that rows which are certain and right say nothing about it.

    Raises InputError if one is certain and wrong: its log loss is infinite whatever the map.
    """
    assert isinstance(data.scores, Binary)
    odds, labels, weight = data.scores.log_odds, data.labels, data.weight
    certain = np.isinf(odds)
    if not certain.any():
        return odds, labels, weight
    refuse_certain_errors(certain & ((odds > 0) != (labels == 1)) & (weight > 0), "probabilities are 0 or 1")
    if certain.all():
        raise InputError(f"every probability is 0 or 1: there are no log-odds to recalibrate. {OTHERWISE}")
    return odds[~certain], labels[~certain], weight[~certain]


def refuse_certain_errors(wrong: npt.NDArray[np.bool_], said: str) -> None:
    """Raise InputError if any row is certain of what is not so; `wrong` (n,) says where."""
    if not wrong.any():
        return
    row = int(np.flatnonzero(wrong)[0])
    raise InputError(
        f"{said} and wrong in {counted(int(wrong.sum()), 'row')}, the first of them {at_row(row)}: their log loss is "
        f"infinite whatever the map does to log-odds. Say {parameter('floor', '1e-6', quoted=False)} to move all "
        "probabilities into "
        "[floor, 1 - floor]"
        f", or use another method: {OTHERWISE}"
    )


def refuse_one_value(odds: Floats, *, least: int, method: str) -> None:
    """Raise InputError for fewer different log-odds than a map has parameters that they could tell apart."""
    found = len(np.unique(odds[:1000])) if len(odds) > 1000 else len(np.unique(odds))
    if found < least:
        found = len(np.unique(odds))
    if found < least:
        raise InputError(
            f"{parameter('method', method)} needs {least} different probabilities between 0 and 1 or more; there "
            f"{'is' if found == 1 else 'are'} {found}. {parameter('method', 'histogram')} gives the frequency of each."
        )
