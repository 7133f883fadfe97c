"""The mean score of each model with its interval, and how much of its variance more runs could remove."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from howsure.significance.means.item_scores import ItemScores, within_variance
from howsure.significance.means.student import score_interval
from howsure.stats.estimate import finite_or_none


@dataclass(frozen=True, slots=True)
class ModelMean:
    """The mean score of a model over n items (each the mean of its runs); undefined values are NaN.

    `standard_error` is by item or cluster. The variance of one answer is the sum of `item_variance` (between items) and
    `run_variance` (between runs of an item, each estimated without bias; 0 if the estimate is negative); `run_share` is
    the share of the variance of the items' means that comes from runs and that more runs would remove.
    """

    model: str
    metric: str
    value: float
    standard_error: float
    low: float
    high: float
    n: int
    runs: int
    item_variance: float
    run_variance: float
    run_share: float

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: undefined or infinite values are None."""
        return {field.name: finite_or_none(getattr(self, field.name)) for field in fields(self)}


def model_means(held: ItemScores, models: Sequence[str], *, level: float) -> list[ModelMean]:
    """The mean of each of the models."""
    return [_mean(held, name, level) for name in models]


def _mean(held: ItemScores, name: str, level: float) -> ModelMean:
    scores, means = held.scores[name], held.means[name]
    known = bool(np.isfinite(means).all())
    low, high = score_interval(means, held.groups, low=held.low, high=held.high, level=level)
    within = within_variance(scores) if known else math.nan
    total = float(means.var(ddof=1)) if known and len(means) > 1 else math.nan
    return ModelMean(
        name,
        held.metric.name,
        float(means.mean()),
        held.groups.standard_error(means) if known else math.nan,
        low,
        high,
        len(means),
        len(scores),
        max(total - within / len(scores), 0.0) if not math.isnan(within) else math.nan,
        within,
        share_of_runs(within / len(scores), total),
    )


def share_of_runs(of_runs: float, total: float) -> float:
    """The share of a variance that comes from runs, at most 1; NaN if it is unknown.

    >>> share_of_runs(0.01, 0.04)
    0.25
    """
    return min(of_runs / total, 1.0) if total > 0 else math.nan
