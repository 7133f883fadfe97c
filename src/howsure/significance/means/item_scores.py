"""The score of every item in every run of each model, for a metric that is a mean of such scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.significance.metrics.metric import Metric
from howsure.significance.systems.reading import Systems
from howsure.stats.item_groups import ItemGroups


@dataclass(frozen=True, slots=True)
class ItemScores:
    """By model, the scores (runs, n) and the items' means over runs (n,); the items' groups; the largest score less the
    smallest."""

    metric: Metric
    scores: Mapping[str, Floats]
    means: Mapping[str, Floats]
    groups: ItemGroups
    spread: float


def item_scores(systems: Systems, metric: Metric) -> ItemScores:
    """The scores of all systems in a metric that is a mean."""
    scores = {}
    for name, runs in systems.predictions.items():
        problem = systems.problem(name, name)
        scores[name] = np.stack([metric.rows(systems.targets, run, problem)[:, 0] for run in runs])
    return ItemScores(
        metric,
        scores,
        {name: held.mean(axis=0) for name, held in scores.items()},
        ItemGroups.of(systems.n, clusters=systems.clusters, strata=systems.strata),
        float(max(held.max() for held in scores.values()) - min(held.min() for held in scores.values())),
    )


def within_variance(scores: Floats) -> float:
    """The variance of one item's scores (runs, n) between runs, averaged over items; NaN for a single run."""
    return float(scores.var(axis=0, ddof=1).mean()) if len(scores) > 1 else np.nan
