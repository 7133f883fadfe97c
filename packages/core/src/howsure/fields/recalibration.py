"""Recalibration of confidences by field: maps are fitted to half of the documents, and applied to other documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from howsure.errors import InputError
from howsure.fields.checked_values import CheckedValues
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Floats
from howsure.recalibration.map_input import Labelled, binary_scores
from howsure.recalibration.methods import SHRUNK
from howsure.recalibration.recalibrate import fit_recalibration
from howsure.recalibration.results import RecalibrationMap

FLOOR = 1e-4  # smallest distance of a confidence from 0 and 1, because APIs round probabilities to 1


def halves(values: CheckedValues, rng: np.random.Generator) -> tuple[CheckedValues, CheckedValues]:
    """Return the values of a random half of the documents, and the values of the other half."""
    n = len(values.documents)
    is_first = (rng.permutation(n) < n // 2)[values.document]
    return values.select_values(is_first), values.select_values(~is_first)


def field_map(values: CheckedValues, fields: Sequence[str], *, checked: int) -> RecalibrationMap:
    """Fit Platt scaling of the confidences of each field, shrunk towards the map of all values. The result leaves
    confidences unchanged if no map improves them.

    fields: all fields; a field without values gets the map of all values. checked: the number of checked documents,
    which the error for too few of them names.
    """
    with_confidence = np.flatnonzero(~np.isnan(values.confidence))
    code_of = np.array([fields.index(field) for field in values.fields], dtype=np.int64)
    labelled = Labelled(
        binary_scores(values.confidence[with_confidence], floor=FLOOR),
        values.right[with_confidence].astype(np.int64),
        groups=code_of[values.field[with_confidence]],
        group_names=tuple(fields),
        clusters=values.document[with_confidence],
    )
    try:
        return fit_recalibration(labelled, small=SHRUNK, floor=FLOOR)
    except InputError as error:
        raise InputError(
            "confidences cannot be recalibrated: too few values are right, or too few are wrong, in half of "
            f"{counted(checked, 'document')}. Check more documents, or leave `recalibrate` out."
        ) from error


def recalibrated(confidence: Floats, fields: Sequence[str], recalibration: RecalibrationMap) -> Floats:
    """Return the recalibrated confidences (n,) of values in `fields` (n,); unknown confidences stay NaN."""
    rows = np.flatnonzero(~np.isnan(confidence) & np.isin(fields, recalibration.groups))
    if not len(rows):
        return confidence
    after = confidence.copy()
    after[rows] = recalibration.apply(confidence[rows], groups=[fields[row] for row in rows.tolist()])
    return after


def recalibrated_values(values: CheckedValues, recalibration: RecalibrationMap) -> CheckedValues:
    fields = [values.fields[code] for code in values.field.tolist()]
    return replace(values, confidence=recalibrated(values.confidence, fields, recalibration))
