"""Errors and scores before and after recalibration, of rows that no map was fitted to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure import __version__
from howsure.calibration.curve import curve_of
from howsure.calibration.estimates.calibration_error import debiased_estimate
from howsure.calibration.estimates.paired_jackknife import Units
from howsure.calibration.scores.score_parts import BRIER, LOG, wrong_extremes
from howsure.errors import InputError
from howsure.inputs.checks import check_level
from howsure.inputs.classes import TOP_LABEL, reduced
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.recalibration.evaluation.held_out import HeldOut
from howsure.recalibration.evaluation.results import RecalibrationEvaluation
from howsure.recalibration.evaluation.score_changes import class_score_changes, pair_score_change
from howsure.recalibration.evaluation.squared_error import squared_error_change
from howsure.recalibration.labelled import Labelled
from howsure.stats.clusters import few_clusters


def check_margin(margin: float) -> float:
    """The smallest calibration error that is worth removing, above 0 and below 1.

    Raises InputError for another value.
    """
    if isinstance(margin, bool) or not isinstance(margin, (int, float)) or not 0 < margin < 1:
        raise InputError(f"margin must lie above 0 and below 1; it is {margin!r}. Write 0.01, say.")
    return float(margin)


def evaluation_of(
    data: Labelled,
    fitted: Sequence[tuple[Integers, Sequence[Floats]]],
    *,
    method: str,
    level: float,
    margin: float,
    recipe: dict[str, Any],
    notes: Sequence[str] = (),
    name: str | None = None,
) -> RecalibrationEvaluation:
    """The evaluation of checked rows. fitted: of each cross-fitting the fold of each row (n,), and the probabilities of
    all rows by the map that was fitted without fold k, for each k."""
    level, margin = check_level(level), check_margin(margin)
    before = pairs_of(data, data.scores.probabilities)
    repeats = [HeldOut(before, [pairs_of(data, each) for each in after], fold) for fold, after in fitted]
    own = repeats[0].own
    units = _units(before, own)
    squared, squared_after = squared_error_change(repeats, units, level)
    brier, log_loss = (pair_score_change(repeats, units, level, loss=loss) for loss in (BRIER, LOG))
    of_classes = class_score_changes(repeats, units, level) or (None, None)
    curves = [curve_of(one, level=level, name=called) for one, called in ((before, "before"), (own, "after"))]
    error_after = debiased_estimate(squared_after, n=len(data), level=level)
    curves[1] = replace(curves[1], debiased_error=error_after, p_value=math.nan)
    return RecalibrationEvaluation(
        error_before=curves[0].debiased_error,
        error_after=error_after,
        squared_error=squared,
        brier=brier,
        log_loss=log_loss,
        multiclass_brier=of_classes[0],
        multiclass_log_loss=of_classes[1],
        curves=(curves[0], curves[1]),
        method=method,
        margin=margin,
        n=len(data),
        recipe={"howsure": __version__, "n": len(data), **recipe, "level": level, "margin": margin}
        | {"weighted": data.weights is not None, "clustered": before.clusters is not None},
        notes=(*_notes(before, own, units), *notes),
        name=name,
    )


def evaluation_of_map(
    data: Labelled, after: Floats, *, method: str, level: float, margin: float, name: str | None = None
) -> RecalibrationEvaluation:
    """The evaluation of rows that a map was not fitted to, and what it makes of them."""
    recipe: dict[str, Any] = {"method": method, "folds": None}
    fitted = [(np.zeros(len(data), dtype=np.int64), [after])]
    return evaluation_of(data, fitted, method=method, level=level, margin=margin, recipe=recipe, name=name)


def pairs_of(data: Labelled, probabilities: Floats) -> Pairs:
    """The pairs that are judged: those of label 1 or, of several classes, the first choices."""
    if data.is_binary:
        return Pairs(
            data.labels.astype(np.uint8), probabilities + 0.0, data.weights, clusters=data.clusters,
            positive=data.positive,
        )  # fmt: skip
    return reduced(
        data.labels, probabilities, data.classes, reduce=TOP_LABEL, weights=data.weights, clusters=data.clusters
    )


def _units(before: Pairs, own: Pairs) -> Units:
    """What the jackknife leaves out: a cluster, or a row, numbered by content rather than position."""
    w = np.ones(len(before)) if before.weights is None else before.weights
    if before.clusters is not None:
        return Units(before.clusters, w, clustered=True)
    rows = np.empty(len(before), dtype=np.int64)
    order = np.lexsort((w, own.labels, before.labels, own.probabilities, before.probabilities))
    rows[order] = np.arange(len(before))
    return Units(rows, w, clustered=False)


def _notes(before: Pairs, own: Pairs, units: Units) -> list[str]:
    few = few_clusters(units.sums(units.weight)) if units.clustered else None
    found = [] if few is None else [few]
    for when, pairs in (("before", before), ("after", own)):
        sure = (pairs.probabilities == 0) & (pairs.labels == 1) | (pairs.probabilities == 1) & (pairs.labels == 0)
        if sure.any():
            found.append(f"{when} recalibration, {wrong_extremes(int(sure.sum()))}: the log loss is infinite")
    return found
