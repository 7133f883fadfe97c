"""Scores that each item already has, by model, as systems to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.errors import InputError, shown
from howsure.inputs.checks import as_column, first_missing
from howsure.inputs.frames import all_columns, is_frame
from howsure.inputs.pairs import Floats
from howsure.significance.resampling.grouping import check_grouping
from howsure.significance.systems.reading import Systems
from howsure.significance.systems.runs import Runs

SCORE = "score"
NUMERIC = "biuf"


@dataclass(frozen=True, slots=True)
class ScoredRows:
    """The systems by the name of their score, or those of predictions; and what was left out, in sentences."""

    systems: Mapping[str, Systems]
    notes: Sequence[str]
    of_scores: bool


def read_scores(scores: object, *, clusters: object, strata: object) -> ScoredRows:
    """Scores by model, a column each.

    Raises InputError for fewer than two models, unequal lengths, or what is no finite number.
    """
    if is_frame(scores):
        names, columns = all_columns(scores)
        scores = dict(zip(names, columns, strict=True))
    if not isinstance(scores, Mapping) or len(scores) < 2:
        raise InputError("scores must hold the scores of two models or more: {'base': [...], 'large': [...]}.")
    held: dict[str, Floats] = {}
    for name, given in scores.items():
        runs = given if isinstance(given, Runs) else Runs([given])
        several = len(runs) > 1
        parts = [as_scores(one, f"{name}, run {k}" if several else str(name)) for k, one in enumerate(runs)]
        held[str(name)] = np.stack([part for part in parts if _same_length(part, parts[0], str(name))])
    lengths = {name: array.shape[1] for name, array in held.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} has {n:,}" for name, n in lengths.items())
        raise InputError(f"all models must have a score for each item; {said}. Align them by their ids first.")
    return ScoredRows({SCORE: score_systems(held, clusters, strata)}, (), True)


def as_scores(values: object, name: str) -> Floats:
    """Scores as float64: finite, none missing.

    >>> as_scores([True, 0.5, 3], "score").tolist()
    [1.0, 0.5, 3.0]

    Raises InputError naming the row and the value.
    """
    column = as_column(values, name=name)
    row = first_missing(column)
    if row is not None:
        raise InputError(f"{name} must not be missing; row {row} holds {column[row]!s}. Leave such rows out first.")
    if column.dtype.kind not in NUMERIC:
        for row, value in enumerate(column.tolist()):
            if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
                advice = f"Say which value counts as 1: pos_label={value!r}." if isinstance(value, str) else ""
                raise InputError(f"{name} must be numbers; row {row} holds {shown(value)}. {advice}".rstrip())
    scores: Floats = column.astype(np.float64)
    wrong = np.flatnonzero(~np.isfinite(scores))
    if len(wrong):
        raise InputError(f"{name} must be finite; row {wrong[0]} holds {float(scores[wrong[0]])!r}.")
    return scores


def score_systems(scores: Mapping[str, Floats], clusters: Any, strata: Any) -> Systems:
    """Systems whose predictions are scores (runs, n)."""
    n = next(iter(scores.values())).shape[1]
    grouping = check_grouping(clusters, strata, n=n)
    predictions = {name: array[..., None] for name, array in scores.items()}
    return Systems(SCORE, np.zeros((n, 1)), predictions, (), *grouping)


def _same_length(part: Floats, first: Floats, name: str) -> bool:
    if len(part) != len(first):
        raise InputError(f"every run of {name} must have the same items; they have {len(first):,} and {len(part):,}.")
    return True
