"""What a fitted map makes of other rows, in each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from howsure.errors import InputError
from howsure.inputs.naming import shortened
from howsure.recalibration.evaluation.evaluate_recalibration import by_group
from howsure.recalibration.evaluation.evaluation import evaluation_of_map
from howsure.recalibration.evaluation.results import RecalibrationEvaluation
from howsure.recalibration.labelled import Labelled
from howsure.recalibration.results import RecalibrationMap
from howsure.recalibration.scores import Classes, with_floor


def evaluations_of_map(
    fitted: RecalibrationMap, given: Labelled, *, level: float, margin: float
) -> list[RecalibrationEvaluation]:
    """The evaluation of a map on the rows of each group, or on all rows; nothing is fitted.

    Raises InputError for other classes than those of the map, or for a group that it does not know.
    """
    data = in_order_of(fitted.classes, given)
    names = data.group_names if fitted.groups else ()
    if fitted.groups and data.groups is None:
        raise InputError(f"groups must say the group of each row: the map has {shortened(fitted.groups)}.")
    after = fitted.apply_rows(with_floor(data.scores, fitted.floor), data.groups if names else None, names)
    return [
        evaluation_of_map(
            replace(data.only(rows), groups=None, group_names=()), after[rows], method=fitted.method, level=level,
            margin=margin, name=name,
        )
        for name, rows in by_group(data)
    ]  # fmt: skip


def in_order_of(classes: Sequence[str], data: Labelled) -> Labelled:
    """The rows with their classes in another order.

    Raises InputError if there are other classes.
    """
    if data.classes == tuple(classes):
        return data
    if not classes:
        raise InputError("the map is one of one probability per row, that of label 1; these rows have several classes.")
    if data.is_binary:
        raise InputError(f"the map is one of several classes, {shortened(classes)}; these rows have one probability.")
    if sorted(data.classes) != sorted(classes):
        raise InputError(
            f"the rows must have the classes of the map, {shortened(classes)}; they have {shortened(data.classes)}."
        )
    assert isinstance(data.scores, Classes)
    order = np.array([data.classes.index(name) for name in classes])
    scores = Classes(data.scores.probabilities[:, order], data.scores.logs[:, order])
    return replace(data, scores=scores, labels=np.argsort(order)[data.labels], classes=tuple(classes))
