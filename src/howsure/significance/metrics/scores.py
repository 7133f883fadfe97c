"""The mean of a score that each item already has: exact match, ROUGE, a judge's grade."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.significance.metrics.metric import Floats, Metric, mean
from howsure.significance.systems.problem import Problem


def score_rows(targets: Floats, predictions: Floats, problem: Problem) -> Floats:
    """The score, and a one: (rows, 2)."""
    return np.concatenate([predictions, np.ones_like(predictions)], axis=-1)


def _higher(targets: Any, predictions: Any, problem: Problem) -> Floats:
    return np.asarray(predictions[..., 0])


def _lower(targets: Any, predictions: Any, problem: Problem) -> Floats:
    return np.asarray(-predictions[..., 0])


def score_metric(name: str, *, lower_is_better: bool = False, bounds: tuple[float, float] | None = None) -> Metric:
    """The mean score, by the name of the score; `bounds`: the lowest and the highest score that is possible.

    >>> score_metric("rougeL").is_mean
    True
    """
    score = _lower if lower_is_better else _higher
    return Metric(name, "score", score_rows, mean, higher_is_better=not lower_is_better, bounds=bounds, score=score)
